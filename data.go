package patchwork

import (
	"context"
	"fmt"
	"iter"

	scorerows "example.com/patchwork/internal/score/rows"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
)

// Source is images to explain or to learn from, in an order, that need not be
// in memory: they are read in blocks, as often as it takes. Data is a Source.
type Source interface {
	// Blocks reads all images from the first on, one or more at a time. Every
	// call begins anew and yields the same images in the same order, though
	// perhaps in other blocks. An error is the last thing yielded. Whoever reads
	// may keep a block and must not change it.
	Blocks(ctx context.Context) iter.Seq2[Data, error]
}

// Data is what a learner learns from: images of one size, and how often each
// of them counts (nil: once each).
type Data struct {
	Images  []*bitmap.Image
	Weights []int64

	// Memory, if not nil, keeps every E-step over these images (EStep without each)
	// and recalls it when it is asked for again. It must be of these images and
	// weights alone. An error of the memory ends the work. Package learn has the
	// interface by name.
	Memory interface {
		Recall(key string) (value []byte, ok bool, err error)
		Keep(key string, value []byte) error
	}
}

// Blocks yields the images a few at a time: few enough to share the work
// evenly, and of many images many, as rows are explained together. It never
// fails.
func (d Data) Blocks(context.Context) iter.Seq2[Data, error] {
	size := min(max(pool.Chunk, len(d.Images)/64), rowsAtOnce)
	return func(yield func(Data, error) bool) {
		if d.Weights != nil && len(d.Weights) != len(d.Images) {
			yield(d, nil) // whoever counts refuses it
			return
		}
		for from := 0; from < len(d.Images); from += size {
			to := min(from+size, len(d.Images))
			b := Data{Images: d.Images[from:to]}
			if d.Weights != nil {
				b.Weights = d.Weights[from:to]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// rowsAtOnce is how many images are explained together: enough for the sharing
// in internal/score, few enough to stop soon when asked to.
const rowsAtOnce = scorerows.Block

// Weight is how often image i counts.
func (d Data) Weight(i int) int64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// memory keeps what explaining a data set with a model came to, so that a
// learning run that was interrupted need not explain again: all else is quick,
// and the same every time. It is safe for concurrent use. learn.Memory documents
// it.
type memory = interface {
	Recall(key string) (value []byte, ok bool, err error)
	Keep(key string, value []byte) error
}

// memoryOf returns the memory of a source, or nil, and the source to read: that
// of Data, also where another type embeds them, or of a source that says so.
func memoryOf(src Source) (memory, Source) {
	switch s := src.(type) {
	case interface{ Remembered() (memory, Source) }:
		return s.Remembered()
	case interface{ All() Data }:
		return s.All().Memory, src
	}
	return nil, src
}

// All returns the data: by it a source that is in memory as a whole is known, also
// where another type embeds Data.
func (d Data) All() Data { return d }

// MaxRows bounds the number of images of a data set, weights counted, so that
// no sum in a Tally overflows.
const maxRows = 1 << 31

// validate returns an error for data that nothing can be learned from: no
// images, weights that are no counts or too many, or more than MaxRows images.
func (d Data) validate() error {
	var c census
	if err := c.count(d); err != nil {
		return err
	}
	return c.done()
}

// census counts images as they are read, and refuses those that cannot be
// counted.
type census struct {
	images int
	rows   int64 // weights counted
}

// count adds the next images.
func (c *census) count(d Data) error {
	if d.Weights != nil && len(d.Weights) != len(d.Images) {
		return fmt.Errorf("patchwork: %d weights for %d images", len(d.Weights), len(d.Images))
	}
	for i := range d.Images {
		w := d.Weight(i)
		if w < 0 {
			return fmt.Errorf("patchwork: image %d has weight %d; weights are counts", c.images, w)
		}
		if c.rows += w; w > maxRows || c.rows > maxRows {
			return fmt.Errorf("patchwork: the weights up to image %d add up to more than %d images", c.images, int64(maxRows))
		}
		c.images++
	}
	return nil
}

// done refuses nothing at all.
func (c *census) done() error {
	switch {
	case c.images == 0:
		return fmt.Errorf("patchwork: no images to learn from")
	case c.rows == 0:
		return fmt.Errorf("patchwork: every image has weight 0")
	}
	return nil
}

// Checked reads a source and checks the images as it goes. The error comes last:
// the source's, or that of images that cannot be counted.
func Checked(ctx context.Context, src Source) iter.Seq2[Data, error] {
	return func(yield func(Data, error) bool) {
		var c census
		for d, err := range src.Blocks(ctx) {
			if err == nil {
				err = c.count(d)
			}
			if err != nil {
				yield(Data{}, err)
				return
			}
			if !yield(d, nil) {
				return
			}
		}
		if err := c.done(); err != nil {
			yield(Data{}, err)
		}
	}
}

// block is some consecutive images of a source, the first of which has the given
// number.
type block struct {
	Data
	first int
}

// numbered is Checked with the numbers of the images.
func numbered(ctx context.Context, src Source) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		first := 0
		for d, err := range Checked(ctx, src) {
			if !yield(&block{d, first}, err) {
				return
			}
			first += len(d.Images)
		}
	}
}

// fits refuses data that cannot be explained before any work is done.
func (d Data) fits(m *Model) error {
	if err := d.validate(); err != nil {
		return err
	}
	for i, img := range d.Images {
		if _, err := m.GridFor(img.Height(), img.Width()); err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
	}
	return nil
}
