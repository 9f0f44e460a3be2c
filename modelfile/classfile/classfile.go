// Package classfile reads and writes classifiers of package classes: one file, a zip
// archive that numpy.load opens.
//
//   - model.json: {"format":"patchwork-model","version":1,"kind":"classes","height":…,
//     "width":…,"by":…,"sharpness":…,"classes":[{"name":…,"rows":…,"examples":[{"row":…,"cuts":…}, …]}, …]},
//     "poses" of the pieces of examples ("dy" and "dx": least, most and step; "angles" in
//     degrees), and, as in a model, "columns" and "reading";
//   - pieces.npy uint8 (M,H,W): the cuts of the examples, in their order: 0 where there is
//     no ink, k in piece k;
//   - marginals.npy float64 (C,H,W), where "marginals" is in model.json, their weight: what
//     classes of rows say of every pixel or column alone;
//   - learned/C/model.json, learned/C/experts.npy and so on: the model learned of class C,
//     from 0, with the members of a model file.
//
// The same classifier gives the same bytes.
package classfile

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/strictjson"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
)

// name is the member that says what the classes are.
const name = "model.json"

const (
	format   = "patchwork-model"
	version  = 1
	maxBytes = 256 << 20 // of one member
	maxTurns = 720       // of the pieces of examples
	maxShift = 1 << 12   // pixels
	maxTexts = 16 << 20  // bytes of model.json of all classes together
	// bytes of all members of learned models together, or the file's if it has more: Write packs none
	maxLearned   = 64 << 20
	maxPieces    = 4 << 20 // of pieces.npy, likewise, which become twenty times as many
	maxTurned    = 1 << 26 // of learned models together: experts x rotations x pixels
	maxCuts      = 1 << 24 // of pieces.npy: cuts x pixels x rotations, or turnsPerByte for each byte of it
	turnsPerByte = 128

	marginals = "marginals" // the member
)

// header is model.json.
type header struct {
	Format    string          `json:"format"`
	Version   int             `json:"version"`
	Kind      string          `json:"kind"`
	Height    int             `json:"height"`
	Width     int             `json:"width"`
	By        string          `json:"by,omitempty"` // the column of labels
	Sharpness float64         `json:"sharpness"`
	Classes   []class         `json:"classes"`
	Poses     *poses          `json:"poses,omitempty"`
	Columns   []string        `json:"columns,omitempty"`
	Reading   json.RawMessage `json:"reading,omitempty"`
	Marginals *float64        `json:"marginals,omitempty"` // the weight of marginals.npy
}

type class struct {
	Name     string    `json:"name"`
	Rows     int64     `json:"rows"`
	Examples []example `json:"examples,omitempty"`
}

type example struct {
	Row  int `json:"row"`
	Cuts int `json:"cuts"`
}

type poses struct {
	DY     [3]int    `json:"dy"` // least, most, step
	DX     [3]int    `json:"dx"`
	Angles []float64 `json:"angles"`
}

// Write writes a classifier.
func Write(w io.Writer, c *classes.Classifier) error {
	like := c.Like().Extras()
	h := header{Format: format, Version: version, Kind: modelfile.KindClasses, By: c.By(), Sharpness: c.Sharpness(),
		Columns: like.Columns,
		Reading: like.Reading}
	h.Height, h.Width = c.Size()
	var pieces []uint8
	var learned []npy.Member
	turned := 0
	for n, k := range c.Classes() {
		if turned += turnedOf(k.Learned); turned > maxTurned {
			return tooMuchTurned()
		}
		own := class{Name: k.Name, Rows: k.Rows}
		for _, e := range k.Examples {
			own.Examples = append(own.Examples, example{e.Row, len(e.Pieces)})
			pieces = append(pieces, slices.Concat(e.Pieces...)...)
			if h.Poses == nil {
				h.Poses = newPoses(e.Cuts[0].Config().Poses)
			}
		}
		h.Classes = append(h.Classes, own)
		if k.Learned == nil {
			continue
		}
		members, err := membersOf(k.Learned, fmt.Sprintf("learned/%d/", n))
		if err != nil {
			return fmt.Errorf("class %q: %w", k.Name, err)
		}
		learned = append(learned, members...)
	}
	m := c.Marginals()
	if m != nil {
		h.Marginals = &m.Share
	}
	text, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("classfile: %w", err)
	}
	if len(text) > strictjson.MaxText {
		return &modelfile.FormatError{Member: name, Msg: fmt.Sprintf("has %d bytes, more than %d", len(text),
			strictjson.MaxText),
			Hint: "shorten the names of columns, or leave them out"}
	}
	all := []npy.Member{{Name: name, Raw: append(text, '\n')}}
	if err := checkCuts(len(pieces), h.Poses, int64(len(pieces))); err != nil {
		return err
	}
	if pieces != nil {
		all = append(all, npy.Member{Name: "pieces", Array: npy.New(pieces, len(pieces)/(h.Height*h.Width), h.Height,
			h.Width)})
	}
	if m != nil {
		all = append(all, npy.Member{Name: marginals, Array: npy.New(slices.Concat(m.P...), len(m.P), h.Height, h.Width)})
	}
	return npy.WriteZip(w, npy.Store, append(all, learned...)...)
}

// newPoses returns the poses of a grid.
func newPoses(g pose.Grid) *poses {
	return &poses{DY: [3]int{g.DY.Min, g.DY.Max, g.DY.Step}, DX: [3]int{g.DX.Min, g.DX.Max, g.DX.Step}, Angles: g.Angles}
}

// grid returns the grid of these poses.
func (p *poses) grid() pose.Grid {
	if p == nil {
		return pose.Grid{}
	}
	return pose.Grid{DY: pose.Range{Min: p.DY[0], Max: p.DY[1], Step: p.DY[2]},
		DX: pose.Range{Min: p.DX[0], Max: p.DX[1], Step: p.DX[2]}, Angles: p.Angles}
}

// membersOf returns the members of a model file, below a folder.
func membersOf(m *patchwork.Model, folder string) ([]npy.Member, error) {
	var file bytes.Buffer
	if err := modelfile.Write(&file, m); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		return nil, err
	}
	var out []npy.Member
	for _, f := range z.File {
		content, err := contentOf(f, maxBytes)
		if err != nil {
			return nil, err
		}
		out = append(out, npy.Member{Name: folder + f.Name, Raw: content})
	}
	return out, nil
}

// contentOf returns a member of an archive, of at most so many bytes.
func contentOf(f *zip.File, most uint64) ([]byte, error) {
	if f.UncompressedSize64 > most {
		return nil, &modelfile.FormatError{Member: f.Name,
			Msg: fmt.Sprintf("has %d bytes, more than %d", f.UncompressedSize64, most)}
	}
	r, err := f.Open()
	if err != nil {
		return nil, &modelfile.FormatError{Member: f.Name, Msg: "cannot be read", Err: err}
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil || uint64(len(content)) > f.UncompressedSize64 {
		return nil, &modelfile.FormatError{Member: f.Name, Msg: "cannot be read", Err: err}
	}
	return content, nil
}

// Load reads the classifier in the file at path. Bad content yields a
// [*modelfile.FormatError]; errors of the file system are passed on.
func Load(path string) (*classes.Classifier, error) { return modelfile.LoadWith(path, "classes", Read) }

// Read reads a classifier of size bytes. It does not keep r. Bad content yields a
// [*modelfile.FormatError]; errors of r are passed on.
func Read(r io.ReaderAt, size int64) (*classes.Classifier, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &modelfile.FormatError{Msg: "not a readable zip archive", Err: err,
			Hint: "give a file written by patchwork learn --by"}
	}
	files, learned := make(map[string]*zip.File), make(map[string][]*zip.File)
	var texts, arrays uint64
	for _, f := range z.File {
		files[f.Name] = f
		if end := strings.LastIndexByte(f.Name, '/') + 1; end > 0 && end < len(f.Name) {
			learned[f.Name[:end]] = append(learned[f.Name[:end]], f)
			if strings.HasPrefix(f.Name, "learned/") {
				arrays += min(f.UncompressedSize64, maxBytes)
				if f.Name[end:] == "model.json" {
					texts += min(f.UncompressedSize64, maxBytes)
				}
			}
		}
	}
	if texts > maxTexts {
		return nil, &modelfile.FormatError{Member: "learned/",
			Msg:  fmt.Sprintf("the models of the classes have %d bytes of model.json together, more than %d", texts, maxTexts),
			Hint: "learn fewer classes"}
	}
	if most := uint64(max(maxLearned, size)); arrays > most {
		return nil, &modelfile.FormatError{Member: "learned/",
			Msg:  fmt.Sprintf("the models of the classes have %d bytes together, more than %d", arrays, most),
			Hint: "do not compress the file"}
	}
	h, err := readHeader(files[name])
	if err != nil {
		return nil, err
	}
	pieces, err := readPieces(r, size, h)
	if err != nil {
		return nil, err
	}
	var all []classes.Class
	turned := 0
	for n, k := range h.Classes {
		own := classes.Class{Name: k.Name, Rows: k.Rows}
		cfg := patchwork.NewConfig(patchwork.RuleMax, h.Height, h.Width, h.Poses.grid())
		for _, e := range k.Examples {
			cut, err := classes.NewExample(e.Row, cfg, pieces[:e.Cuts])
			if err != nil {
				return nil, misfit("pieces.npy", fmt.Errorf("class %q: %w", k.Name, err))
			}
			pieces = pieces[e.Cuts:]
			own.Examples = append(own.Examples, cut)
		}
		if own.Learned, err = readLearned(files, learned, fmt.Sprintf("learned/%d/", n)); err != nil {
			return nil, err
		}
		if turned += turnedOf(own.Learned); turned > maxTurned {
			return nil, tooMuchTurned()
		}
		all = append(all, own)
	}
	c, err := classes.New(all, h.Sharpness)
	if err != nil {
		return nil, misfit(name, err)
	}
	if c, err = withMarginals(c, r, size, h); err != nil {
		return nil, err
	}
	return described(c, h)
}

// described returns the classifier with its columns and how its data were read.
func described(c *classes.Classifier, h *header) (*classes.Classifier, error) {
	like := c.Like()
	if like.Height() != h.Height || like.Width() != h.Width {
		return nil, misfit(name, fmt.Errorf("models of %d x %d pixels, the file says %d x %d", like.Height(), like.Width(),
			h.Height, h.Width))
	}
	like, err := like.WithExtras(patchwork.Extras{Columns: h.Columns, Reading: h.Reading})
	if err != nil {
		return nil, misfit(name, err)
	}
	if c, err = c.Described(like); err != nil {
		return nil, misfit(name, err)
	}
	return c.LabelledBy(h.By), nil
}

// turnedOf counts the values of the templates of a model in all rotations, which one model has at most [maxTurned] of.
func turnedOf(m *patchwork.Model) int {
	if m == nil {
		return 0
	}
	return m.K() * m.Height() * m.Width() * m.Config().Poses.Turns()
}

func tooMuchTurned() error {
	return &modelfile.FormatError{Member: "learned/",
		Msg:  fmt.Sprintf("the parts of all classes in all rotations have more than %d values", maxTurned),
		Hint: "use fewer rotations, or learn fewer classes"}
}

// misfit returns the error of content that does not fit together.
func misfit(member string, err error) error {
	return &modelfile.FormatError{Member: member, Msg: strings.TrimPrefix(err.Error(), "patchwork: ")}
}

// readHeader reads model.json, and checks what says how much must be read.
func readHeader(f *zip.File) (*header, error) {
	if f == nil {
		return nil, &modelfile.FormatError{Member: name, Msg: "not in the file", Err: os.ErrNotExist,
			Hint: "give a file written by patchwork learn --by"}
	}
	text, err := contentOf(f, strictjson.MaxText)
	if err != nil {
		return nil, err
	}
	h := new(header)
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Kind    string `json:"kind"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &modelfile.FormatError{Member: name, Msg: "not JSON", Err: err}
	}
	switch {
	case head.Format != format:
		return nil, &modelfile.FormatError{Member: name, Field: "format",
			Msg: fmt.Sprintf("is %q, not %q", head.Format, format)}
	case head.Kind != modelfile.KindClasses:
		return nil, &modelfile.FormatError{Member: name, Field: "kind",
			Msg: fmt.Sprintf("is %q, not %q", head.Kind, modelfile.KindClasses)}
	case head.Version != version:
		return nil, &modelfile.FormatError{Member: name, Field: "version",
			Msg: fmt.Sprintf("is %d; this program reads version %d", head.Version, version), Hint: "use a newer patchwork"}
	}
	if err := strictjson.Decode(text, h, ""); err != nil {
		return nil, &modelfile.FormatError{Member: name, Msg: "not as expected", Err: err}
	}
	if h.Height < 1 || h.Width < 1 || h.Height > maxBytes/8/h.Width {
		return nil, &modelfile.FormatError{Member: name, Field: "height, width",
			Msg: fmt.Sprintf("a frame of %d x %d pixels", h.Height, h.Width)}
	}
	if p := h.Poses; p != nil && (len(p.Angles) > maxTurns || min(p.DY[0], p.DX[0]) < -maxShift ||
		max(p.DY[1], p.DX[1]) > maxShift) {
		return nil, &modelfile.FormatError{Member: name, Field: "poses",
			Msg: fmt.Sprintf("more than %d turns, or shifts beyond %d pixels", maxTurns, maxShift)}
	}
	for _, k := range h.Classes {
		for _, e := range k.Examples {
			if e.Cuts < 1 || e.Cuts > 1<<8 || e.Row < 0 {
				return nil, &modelfile.FormatError{Member: name, Field: "examples",
					Msg: fmt.Sprintf("class %q: example %d with %d cuts", k.Name, e.Row, e.Cuts)}
			}
		}
	}
	return h, nil
}

// checkCuts bounds the rotations of the cuts of all examples, which have so many pixels, in a file of that size.
func checkCuts(pixels int, p *poses, size int64) error {
	turns := max(p.grid().Turns(), 1)
	if most := max(maxCuts, turnsPerByte*size); int64(pixels) > most/int64(turns) {
		return &modelfile.FormatError{Member: "pieces.npy",
			Msg:  fmt.Sprintf("cuts of %d pixels in %d rotations, more than %d values", pixels, turns, most),
			Hint: "use fewer rotations, and do not compress the file"}
	}
	return nil
}

// readPieces reads the cuts of all examples.
func readPieces(r io.ReaderAt, size int64, h *header) ([][]uint8, error) {
	n := 0
	for _, k := range h.Classes {
		for _, e := range k.Examples {
			n += e.Cuts
		}
	}
	if n == 0 {
		return nil, nil
	}
	if most := int(max(maxPieces, size)); n > most/(h.Height*h.Width) {
		return nil, &modelfile.FormatError{Member: "pieces.npy", Msg: fmt.Sprintf("%d cuts of %d x %d pixels, more than %d",
			n, h.Height, h.Width, most), Hint: "do not compress the file"}
	}
	if err := checkCuts(n*h.Height*h.Width, h.Poses, size); err != nil {
		return nil, err
	}
	return readArray[uint8](r, size, "pieces", n, h)
}

// readArray reads an array of n frames.
func readArray[T npy.Element](r io.ReaderAt, size int64, name string, n int, h *header) ([][]T, error) {
	z, err := npy.ReadZip(r, size, npy.Limits{Bytes: maxBytes})
	if err != nil {
		return nil, misfit(name+".npy", err)
	}
	a, err := z.Array(name)
	if err != nil {
		return nil, misfit(name+".npy", err)
	}
	values, ok := a.Data.([]T)
	if want := []int{n, h.Height, h.Width}; !ok || !slices.Equal(a.Shape, want) {
		return nil, &modelfile.FormatError{Member: name + ".npy",
			Msg: fmt.Sprintf("has shape %v; the classes need %T of %v", a.Shape, *new(T), want)}
	}
	return slices.Collect(slices.Chunk(values, h.Height*h.Width)), nil
}

// withMarginals returns the classifier with the marginals of its file, if that has any.
func withMarginals(c *classes.Classifier, r io.ReaderAt, size int64, h *header) (*classes.Classifier, error) {
	if h.Marginals == nil {
		return c, nil
	}
	if most := int(max(maxLearned, size)); len(h.Classes) > most/8/(h.Height*h.Width) {
		return nil, &modelfile.FormatError{Member: marginals + ".npy",
			Msg:  fmt.Sprintf("%d classes of %d x %d pixels, more than %d bytes", len(h.Classes), h.Height, h.Width, most),
			Hint: "do not compress the file"}
	}
	p, err := readArray[float64](r, size, marginals, len(h.Classes), h)
	if err != nil {
		return nil, err
	}
	if c, err = c.WithMarginals(&classes.Marginals{P: p, Share: *h.Marginals}); err != nil {
		return nil, misfit(marginals+".npy", err)
	}
	return c, nil
}

// readLearned reads the model below a folder of the archive; nil if there is none.
func readLearned(files map[string]*zip.File, learned map[string][]*zip.File, folder string) (*patchwork.Model, error) {
	if files[folder+"model.json"] == nil {
		return nil, nil
	}
	var members []npy.Member
	for _, f := range learned[folder] {
		content, err := contentOf(f, maxBytes)
		if err != nil {
			return nil, err
		}
		members = append(members, npy.Member{Name: strings.TrimPrefix(f.Name, folder), Raw: content})
	}
	var file bytes.Buffer
	if err := npy.WriteZip(&file, npy.Store, members...); err != nil {
		return nil, misfit(folder, err)
	}
	m, err := modelfile.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	var fe *modelfile.FormatError
	if errors.As(err, &fe) {
		fe.Member = folder + fe.Member
	}
	return m, err
}
