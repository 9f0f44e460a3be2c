// Package workbench makes one thing of all models that Patchwork learns: of bits, of real values and of classes. A
// model file becomes a [Model]; who uses one need not know which kind it is of.
package workbench

import (
	"context"
	"fmt"
	"io"
	"iter"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/classes"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/render"
)

// Model is a model of any kind. It does not change; [Model.Name] returns another one.
type Model interface {
	// Describe says what there is to say of it.
	Describe() *Description
	// Plan says how the data are read that it is for, by its columns, as those were that it was learned from. The error
	// says that this version does not know how.
	Plan() (*dataset.Plan, error)
	// K returns the number of parts.
	K() int
	// Part describes part k, from 0.
	Part(k int) Part
	// Size says how many parts it has, and of what size, in words.
	Size() string
	// Draw returns a picture of the parts; the error says that there are none to draw.
	Draw() (render.Picture, error)
	// Explain explains rows of data that were read for the model, in their order. What it yields is valid until the
	// next. An error is that of the data, or says which row does not fit.
	Explain(context.Context, iter.Seq2[*dataset.Frame, error], Explaining) iter.Seq2[*Explained, error]
	// Predict fills in what is unknown in rows, in their order.
	Predict(context.Context, iter.Seq2[*dataset.Frame, error], Predicting) iter.Seq2[*Filled, error]
	// Score explains data, and says how well, or of classes how many rows are named rightly.
	Score(context.Context, iter.Seq2[*dataset.Frame, error], Scoring) (*Scores, error)
	// Sample draws n rows or images; sample i depends on the seed and on i alone.
	Sample(n int, seed uint64) (*Samples, error)
	// Cells appends what the parts of an explained row of a table say of each of its columns.
	Cells(*Case, []Cell) []Cell
	// DrawRows returns a picture of explained rows; the error says that there is none.
	DrawRows([]Case) (render.Picture, error)
	// Name returns the model with another name for part k, from 0; an empty one removes it. The error says why a name
	// cannot be given.
	Name(k int, name string) (Model, error)
	// Write writes the model file.
	Write(io.Writer) error
	// Names returns the names that people gave to the parts, "" for none; nil if no part has one.
	Names() []string
	// ColumnNames returns the names of the columns of a table; nil if they have none.
	ColumnNames() []string
	// Moves reports whether parts may be at more than one place.
	Moves() bool
	// Table reports whether it is of the rows of a table.
	Table() bool
}

// Bits is a model of bits.
type Bits struct{ *patchwork.Model }

// Numbers is a model of grey images.
type Numbers struct{ *real.Model }

// Classes is a model of the classes of a label.
type Classes struct{ *classes.Classifier }

// Load reads the model in the file at path. Bad content yields a [*modelfile.FormatError].
func Load(path string) (Model, error) { return modelfile.LoadWith(path, "model", Read) }

// Read reads a model of size bytes of any kind.
func Read(r io.ReaderAt, size int64) (Model, error) {
	switch modelfile.KindOf(r, size) {
	case modelfile.KindClasses:
		c, err := modelfile.ReadClasses(r, size)
		return Classes{c}, err
	case modelfile.KindMixed:
		m, err := modelfile.ReadMixed(r, size)
		if err != nil {
			return nil, err
		}
		out, err := newMixed(m)
		if err != nil {
			return nil, &modelfile.FormatError{Msg: err.Error()}
		}
		return out, nil
	case modelfile.KindLists:
		m, err := modelfile.ReadLists(r, size)
		return Lists{m}, err
	case modelfile.KindNumbers:
		m, err := modelfile.ReadReal(r, size)
		return Numbers{m}, err
	default:
		m, err := modelfile.Read(r, size)
		return Bits{m}, err
	}
}

// Write writes the model file.
func (m Bits) Write(w io.Writer) error { return modelfile.Write(w, m.Model) }

// Write writes the model file.
func (m Numbers) Write(w io.Writer) error { return modelfile.WriteReal(w, m.Model) }

// Write writes the model file.
func (m Classes) Write(w io.Writer) error { return modelfile.WriteClasses(w, m.Classifier) }

// Plan says how data are read for the model.
func (m Bits) Plan() (*dataset.Plan, error) {
	p, err := planOf(m.Model)
	if err != nil || m.Height() > 1 || len(m.Extras().Columns) != m.Width() {
		return p, err
	}
	uses := make([]dataset.Use, m.Width())
	for k := range m.K() {
		for i, p := range m.Template(k) {
			uses[i].Voted = uses[i].Voted || p != m.Abstention(i)
		}
	}
	p.Uses(uses)
	return p, nil
}

// Plan says how data are read for the model.
func (m Classes) Plan() (*dataset.Plan, error) { return planOf(m.Like()) }

// Plan says how data are read for the model.
func (m Numbers) Plan() (*dataset.Plan, error) {
	return dataset.PlanOf(m.Reading, nil, m.Height, m.Width, false)
}

func planOf(m *patchwork.Model) (*dataset.Plan, error) {
	c, x := m.Config(), m.Extras()
	if c.Scene { // may have any size
		c.ImageHeight, c.ImageWidth = 0, 0
	}
	return dataset.PlanOf(x.Reading, x.Columns, c.ImageHeight, c.ImageWidth, true)
}

// Names returns the names of the parts.
func (m Bits) Names() []string { return m.Extras().Names }

// Names returns the names of the parts.
func (m Numbers) Names() []string { return m.Model.Names }

// Names returns nil: parts of classes have no names.
func (m Classes) Names() []string { return nil }

// ColumnNames returns the names of the columns.
func (m Bits) ColumnNames() []string { return m.Extras().Columns }

// ColumnNames returns nil: images have none.
func (m Numbers) ColumnNames() []string { return nil }

// ColumnNames returns the names of the columns.
func (m Classes) ColumnNames() []string { return m.Like().Extras().Columns }

// Moves reports whether parts may be at more than one place.
func (m Bits) Moves() bool { return m.Config().Scene || m.Config().Poses.Len() > 1 }

// Moves reports whether the pieces of examples move, as those of images do.
func (m Classes) Moves() bool { return !m.Table() }

// Table reports whether the model is of rows.
func (m Bits) Table() bool { return m.Height() == 1 && !m.Config().Scene }

// Table returns false.
func (m Numbers) Table() bool { return false }

// Table reports whether the model is of rows.
func (m Classes) Table() bool { h, _ := m.Classifier.Size(); return h == 1 }

// K returns 0: the parts are those of the classes.
func (m Classes) K() int { return 0 }

// Size says how many parts there are, and of what size.
func (m Bits) Size() string { return sizeText(m.K(), m.Height(), m.Width()) }

// Size says how many parts there are, and of what size.
func (m Numbers) Size() string {
	h, w := m.Frame()
	return fmt.Sprintf("%s of %d x %d pixels, real values", words.Count(m.K(), "part"), h, w)
}

// Size says how many classes there are, and of what size.
func (m Classes) Size() string {
	h, w := m.Classifier.Size()
	n := fmt.Sprintf("%d classes", len(m.Classes()))
	if len(m.Classes()) == 1 {
		n = "1 class"
	}
	if h == 1 {
		return fmt.Sprintf("%s of %s", n, words.Count(w, "column"))
	}
	return fmt.Sprintf("%s of %d x %d pixels", n, h, w)
}

func sizeText(k, h, w int) string {
	if h == 1 {
		return fmt.Sprintf("%s of %s", words.Count(k, "part"), words.Count(w, "column"))
	}
	return fmt.Sprintf("%s of %d x %d pixels", words.Count(k, "part"), h, w)
}

// Draw returns a picture of the parts: tiles, or of a table bars under the names of its columns.
func (m Bits) Draw() (render.Picture, error) {
	if m.Table() {
		return render.TableParts(m.Model), nil
	}
	return render.Experts(m.Model), nil
}

// Draw returns a picture of the parts as deviations from the background.
func (m Numbers) Draw() (render.Picture, error) { return render.RealParts(m.Model), nil }

// Draw returns an error.
func (m Classes) Draw() (render.Picture, error) { return nil, errNoParts }

// Name gives a part another name.
func (m Bits) Name(k int, name string) (Model, error) {
	out, err := words.Rename(m.Model, k, name)
	return Bits{out}, err
}

// Name gives a part another name.
func (m Numbers) Name(k int, name string) (Model, error) {
	out, err := words.RenameReal(m.Model, k, name)
	return Numbers{out}, err
}

// Name returns an error.
func (m Classes) Name(int, string) (Model, error) { return nil, errNoParts }

// errNoParts is for what only parts have.
var errNoParts = fmt.Errorf("a model of classes has no parts of its own to draw or to name")
