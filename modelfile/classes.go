package modelfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/pose"
)

const (
	maxTurns    = 720      // of the pieces of examples
	maxCutShift = 1 << 12  // pixels
	maxTexts    = 16 << 20 // bytes of model.json of all classes together
	// bytes of all members of learned models together, or the file's if it has more: Write packs none
	maxLearned   = 64 << 20
	maxPieces    = 4 << 20 // of pieces.npy, likewise, which become twenty times as many
	maxCuts      = 1 << 24 // of pieces.npy: cuts x pixels x rotations, or turnsPerByte for each byte of it
	turnsPerByte = 128

	marginals = "marginals" // the member
)

// classesHeader is model.json of classes.
type classesHeader struct {
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

// WriteClasses writes a classifier: a zip archive that numpy.load opens.
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
func WriteClasses(w io.Writer, c *classes.Classifier) error {
	like := c.Like().Extras()
	h := classesHeader{Format: format, Version: version, Kind: KindClasses, By: c.By(), Sharpness: c.Sharpness(),
		Columns: like.Columns, Reading: like.Reading}
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
		members, err := members(k.Learned)
		if err != nil {
			return fmt.Errorf("class %q: %w", k.Name, err)
		}
		for _, m := range members {
			m.Name = learnedOf(n) + m.Name
			learned = append(learned, m)
		}
	}
	m := c.Marginals()
	if m != nil {
		h.Marginals = &m.Share
	}
	text, err := encodeJSON(h)
	if err != nil {
		return err
	}
	all := []npy.Member{{Name: jsonName, Raw: text}}
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

// learnedOf returns the folder of the model learned of a class.
func learnedOf(class int) string { return fmt.Sprintf("learned/%d/", class) }

// ReadClasses reads a classifier of size bytes. It does not keep r. Bad content yields a
// [*FormatError]; errors of r are passed on.
func ReadClasses(r io.ReaderAt, size int64) (*classes.Classifier, error) {
	z, text, err := open(r, size, needs{})
	if err != nil {
		return nil, err
	}
	learned := z.Sub("learned/")
	if n := learned.Unpacked("/" + jsonName); n > maxTexts {
		return nil, &FormatError{Member: "learned/",
			Msg:  fmt.Sprintf("the models of the classes have %d bytes of model.json together, more than %d", n, maxTexts),
			Hint: "learn fewer classes"}
	}
	if n := learned.Unpacked(""); n > uint64(max(maxLearned, size)) {
		return nil, &FormatError{Member: "learned/",
			Msg:  fmt.Sprintf("the models of the classes have %d bytes together, more than %d", n, max(maxLearned, size)),
			Hint: "do not compress the file"}
	}
	h, err := parseClasses(text)
	if err != nil {
		return nil, err
	}
	pieces, err := readPieces(z, size, h)
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
				return nil, misfit(fmt.Errorf("class %q: %w", k.Name, err), "pieces.npy")
			}
			pieces = pieces[e.Cuts:]
			own.Examples = append(own.Examples, cut)
		}
		if own.Learned, err = readLearned(z, learnedOf(n)); err != nil {
			return nil, err
		}
		if turned += turnedOf(own.Learned); turned > maxTurned {
			return nil, tooMuchTurned()
		}
		all = append(all, own)
	}
	c, err := classes.New(all, h.Sharpness)
	if err != nil {
		return nil, misfit(err, jsonName)
	}
	if c, err = withMarginals(c, z, size, h); err != nil {
		return nil, err
	}
	return described(c, h)
}

// described returns the classifier with its columns and how its data were read.
func described(c *classes.Classifier, h *classesHeader) (*classes.Classifier, error) {
	like := c.Like()
	if like.Height() != h.Height || like.Width() != h.Width {
		return nil, misfit(fmt.Errorf("models of %d x %d pixels, the file says %d x %d", like.Height(), like.Width(),
			h.Height, h.Width), jsonName)
	}
	like, err := like.WithExtras(patchwork.Extras{Columns: h.Columns, Reading: h.Reading})
	if err != nil {
		return nil, misfit(err, jsonName)
	}
	if c, err = c.Described(like); err != nil {
		return nil, misfit(err, jsonName)
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
	return &FormatError{Member: "learned/",
		Msg:  fmt.Sprintf("the parts of all classes in all rotations have more than %d values", maxTurned),
		Hint: "use fewer rotations, or learn fewer classes"}
}

// parseClasses reads model.json, and checks what says how much must be read.
func parseClasses(text []byte) (*classesHeader, error) {
	h := new(classesHeader)
	if err := decodeHeader(text, KindClasses, h); err != nil {
		return nil, err
	}
	if err := checkFrame(h.Height, h.Width); err != nil {
		return nil, err
	}
	if p := h.Poses; p != nil && (len(p.Angles) > maxTurns || min(p.DY[0], p.DX[0]) < -maxCutShift ||
		max(p.DY[1], p.DX[1]) > maxCutShift) {
		return nil, bad("poses", "", "more than %d turns, or shifts beyond %d pixels", maxTurns, maxCutShift)
	}
	for _, k := range h.Classes {
		for _, e := range k.Examples {
			if e.Cuts < 1 || e.Cuts > 1<<8 || e.Row < 0 {
				return nil, bad("examples", "", "class %q: example %d with %d cuts", k.Name, e.Row, e.Cuts)
			}
		}
	}
	return h, nil
}

// checkCuts bounds the rotations of the cuts of all examples, which have so many pixels, in a file of that size.
func checkCuts(pixels int, p *poses, size int64) error {
	turns := max(p.grid().Turns(), 1)
	if most := max(maxCuts, turnsPerByte*size); int64(pixels) > most/int64(turns) {
		return &FormatError{Member: "pieces.npy",
			Msg:  fmt.Sprintf("cuts of %d pixels in %d rotations, more than %d values", pixels, turns, most),
			Hint: "use fewer rotations, and do not compress the file"}
	}
	return nil
}

// readPieces reads the cuts of all examples.
func readPieces(z *npy.Zip, size int64, h *classesHeader) ([][]uint8, error) {
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
		return nil, &FormatError{Member: "pieces.npy", Msg: fmt.Sprintf("%d cuts of %d x %d pixels, more than %d",
			n, h.Height, h.Width, most), Hint: "do not compress the file"}
	}
	if err := checkCuts(n*h.Height*h.Width, h.Poses, size); err != nil {
		return nil, err
	}
	a, err := (&reader{zip: z}).array("pieces", []int{n, h.Height, h.Width})
	if err != nil {
		return nil, err
	}
	values, ok := a.Data.([]uint8)
	if !ok {
		return nil, &FormatError{Member: "pieces.npy", Msg: fmt.Sprintf("has %T; the classes need bytes", a.Data)}
	}
	return slices.Collect(slices.Chunk(values, h.Height*h.Width)), nil
}

// withMarginals returns the classifier with the marginals of its file, if that has any.
func withMarginals(c *classes.Classifier, z *npy.Zip, size int64, h *classesHeader) (*classes.Classifier, error) {
	if h.Marginals == nil {
		return c, nil
	}
	if most := int(max(maxLearned, size)); len(h.Classes) > most/8/(h.Height*h.Width) {
		return nil, &FormatError{Member: marginals + ".npy",
			Msg:  fmt.Sprintf("%d classes of %d x %d pixels, more than %d bytes", len(h.Classes), h.Height, h.Width, most),
			Hint: "do not compress the file"}
	}
	flat, err := (&reader{zip: z}).floats(marginals, len(h.Classes), h.Height, h.Width)
	if err != nil {
		return nil, err
	}
	p := slices.Collect(slices.Chunk(flat, h.Height*h.Width))
	if c, err = c.WithMarginals(&classes.Marginals{P: p, Share: *h.Marginals}); err != nil {
		return nil, misfit(err, marginals+".npy")
	}
	return c, nil
}

// readLearned reads the model below a folder of the archive; nil if there is none.
func readLearned(z *npy.Zip, folder string) (*patchwork.Model, error) {
	if z = z.Sub(folder); !hasHeader(z) {
		return nil, nil
	}
	text, err := headerText(z)
	var m *patchwork.Model
	if err == nil {
		m, err = assemble(z, text)
	}
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.Member = folder + fe.Member
	}
	return m, err
}
