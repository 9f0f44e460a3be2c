package studio

import (
	"bytes"
	"context"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// model is a model being served. It does not change once stored: a change of
// its names stores a copy.
type model struct {
	item
	source   string // "file", "upload", "learned" or "built-in"
	of       workbench.Model
	about    *workbench.Description
	command  string // makes the same bytes; "" if unknown
	unpacked int64  // memory of an upload, by what it said; 0 for others
}

// bits returns the model of bits, nil for one of real values.
func (m *model) bits() *patchwork.Model {
	of, _ := m.of.(workbench.Bits)
	return of.Model
}

// numbers returns the model of real values, nil for one of bits.
func (m *model) numbers() *real.Model {
	of, _ := m.of.(workbench.Numbers)
	return of.Model
}

// values says what the model is of.
func (m *model) values() string {
	if m.bits() == nil {
		return ofReal
	}
	return ofBits
}

// models holds the models being served.
type models struct{ shelf[*model] }

func newModels(limit int, space int64) *models {
	return &models{shelf[*model]{what: "model", loosely: "uploaded and learned models", limit: limit, space: space}}
}

// bytes returns the memory of the model, about: of one that was uploaded by the size of its file, unpacked, of
// others by their numbers, with the counts that the templates come from.
func (m *model) bytes() int64 {
	n := int64(4000+len(m.name)+len(m.command)) + textMemory(m.about.Columns) + 2*partBytes(m.about.Parts)
	if m.unpacked > 0 {
		return n + m.unpacked
	}
	if r := m.numbers(); r != nil {
		return n + 24*(int64(r.K())*int64(r.F())+2*int64(r.D()))
	}
	return n + 40*int64(m.of.K())*int64(m.about.Height)*int64(m.about.Width)
}

// keep stores a model with what there is to say of it.
func (s *models) keep(m *model) error {
	m.about = m.of.Describe()
	return s.shelf.keep(m)
}

// keepLearned is like keep for a model learned here: if there are too many, it
// removes the oldest learned one.
func (s *models) keepLearned(m *model) error {
	m.about = m.of.Describe()
	size := m.bytes()
	s.mu.Lock()
	for {
		n, used := s.loose()
		i := slices.IndexFunc(s.all, func(o *model) bool { return o.source == "learned" })
		if i < 0 || n < s.limit && used+size <= s.space {
			break
		}
		s.all = slices.Delete(s.all, i, i+1)
	}
	s.mu.Unlock()
	return s.keep(m)
}

type modelList struct {
	Models []modelInfo `json:"models"`
}

// ModelPath holds the model's id in a path.
type ModelPath struct {
	ID string `path:"id" maxLength:"64" doc:"of the model"`
}

type modelUpload struct {
	Name string `query:"name" maxLength:"200" doc:"a name for the model"`
}

// file is an answer to download or display.
type file struct {
	kind, disposition string // headers
	content           []byte
}

func (s *core) modelRoutes() {
	add(s, operation("GET", "/v1/models", "list-models", "List the models", 200),
		func(context.Context, *struct{}) (*modelList, error) {
			out := new(modelList)
			out.Models = []modelInfo{}
			for _, m := range s.models.list() {
				out.Models = append(out.Models, newModelInfo(m).inList())
			}
			return out, nil
		})
	post := operation("POST", "/v1/models", "load-model", "Load a model file", 201)
	post.file = "a model file (.npz)"
	add(s, post, s.loadModel)
	add(s, operation("GET", "/v1/models/{id}", "model", "Describe a model", 200),
		func(ctx context.Context, in *ModelPath) (*modelInfo, error) {
			m, err := s.models.find(in.ID)
			if err != nil {
				return nil, err
			}
			return newModelInfo(m), nil
		})
	add(s, operation("DELETE", "/v1/models/{id}", "delete-model", "Forget a model", 204),
		func(_ context.Context, in *ModelPath) (*struct{}, error) {
			if _, err := s.models.remove(in.ID); err != nil {
				return nil, err
			}
			return nil, s.keeper.save(s, in.ID)
		})
	s.renameRoutes()
	add(s, operation("GET", "/v1/models/{id}/file", "model-file", "Download a model file", 200), s.modelFile)
	add(s, operation("GET", "/v1/models/{id}/gallery.png", "gallery-png", "A picture of the parts", 200),
		func(ctx context.Context, in *ModelPath) (*file, error) { return s.gallery(ctx, in.ID, "png") })
	add(s, operation("GET", "/v1/models/{id}/gallery.svg", "gallery-svg", "A picture of the parts", 200),
		func(ctx context.Context, in *ModelPath) (*file, error) { return s.gallery(ctx, in.ID, "svg") })
	add(s, operation("GET", "/v1/models/{id}/experts", "experts", "The parts of a model", 200), s.listExperts)
}

func (s *core) loadModel(ctx context.Context, in *modelUpload) (*modelInfo, error) {
	b := bodyOf(ctx)
	if err := s.checkUpload(b.bytes, in.Name); err != nil {
		return nil, err
	}
	_, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	kept, err := s.readModel(b.bytes)
	if err != nil {
		return nil, err
	}
	kept.name, kept.source = in.Name, "upload"
	if err := s.models.keep(kept); err != nil {
		return nil, err
	}
	if err := s.keeper.save(s, kept.id); err != nil {
		return nil, err
	}
	return newModelInfo(kept), nil
}

// readModel reads the file of a model that is within the limits; it has no name yet.
func (s *core) readModel(content []byte) (*model, error) {
	size, err := unpacked(content, s.limits.UploadBytes)
	if err != nil {
		return nil, err
	}
	m, err := workbench.Read(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, contentError(err)
	}
	if l, wide := m.(workbench.Lists); wide {
		if m, err = l.Bits(); err != nil {
			return nil, problemf(422, "%v", err)
		}
	}
	switch m := m.(type) {
	case workbench.Bits:
		c := m.Config()
		err = s.limits.checkParts(c.Height, c.Width, c.Poses, m.K())
	case workbench.Mixed:
		err = s.limits.checkParts(1, len(m.Columns), pose.Grid{}, m.K())
	case workbench.Numbers:
		err = s.limits.checkParts(m.Height, m.Width, m.Poses, m.K())
	default:
		err = problemf(422, "a model of classes: the page learns classes from examples and does not load them")
	}
	return &model{of: m, unpacked: 2 * size}, err
}

func (s *core) modelFile(ctx context.Context, in *ModelPath) (*file, error) {
	m, err := s.models.find(in.ID)
	if err != nil {
		return nil, err
	}
	_, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var buf bytes.Buffer
	if err := m.of.Write(&buf); err != nil {
		return nil, contentError(err)
	}
	return &file{"application/octet-stream", `attachment; filename="` + m.id + `.npz"`, buf.Bytes()}, nil
}

// maxGallery is the maximum number of experts in a picture.
const maxGallery = 400

func (s *core) gallery(ctx context.Context, id, format string) (*file, error) {
	m, err := s.models.find(id)
	if err != nil {
		return nil, err
	}
	if m.of.K() > maxGallery {
		return nil, problemf(422, "a picture shows at most %d parts, and this model has %d", maxGallery, m.of.K())
	}
	_, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var buf bytes.Buffer
	write, kind := render.WritePNG, "image/png"
	if format == "svg" {
		write, kind = render.WriteSVG, "image/svg+xml"
	}
	picture, err := m.of.Draw()
	if err == nil {
		err = write(&buf, picture)
	}
	if err != nil {
		return nil, problem(422, err.Error())
	}
	return &file{kind, "inline", buf.Bytes()}, nil
}
