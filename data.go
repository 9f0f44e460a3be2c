package patchwork

import (
	"context"
	"fmt"
	"iter"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/recall"
)

// Source is an ordered set of images to explain or to learn from, which need not
// be in memory: they are read in blocks, as many times as needed. Data is a
// Source.
type Source interface {
	// Blocks yields all images from the first on, one or more at a time. Every
	// call starts again and yields the same images in the same order, though
	// perhaps in other blocks. After an error it yields nothing more. The caller
	// may keep a block but must not change it.
	Blocks(ctx context.Context) iter.Seq2[Data, error]
}

// Data is a set of images in memory, and the weight of each: the number of times
// it is counted (nil: once each).
type Data struct {
	Images  []*bitmap.Image
	Weights []int64
	// Unit is the weight that stands for one image, so that weights may be decimals, as those of surveys are; 0 means 1.
	// Package table counts images by it; elsewhere only the ratios of weights matter.
	Unit int64

	// Memory, if not nil, stores the tally of every E-step over these images (EStep
	// without each) and returns it when the same E-step is needed again. It must
	// serve these images and weights only. An error of the memory is returned.
	// learn.Memory names and documents the interface.
	Memory interface {
		Recall(key string) (value []byte, ok bool, err error)
		Keep(key string, value []byte) error
	}
}

// Blocks yields the images in blocks, small enough to divide the work evenly
// among workers. It never yields an error.
func (d Data) Blocks(context.Context) iter.Seq2[Data, error] {
	size := min(max(pool.Chunk, len(d.Images)/parts), mostInBlock)
	return func(yield func(Data, error) bool) {
		if d.Weights != nil && len(d.Weights) != len(d.Images) {
			yield(d, nil) // census.count returns the error
			return
		}
		for from := 0; from < len(d.Images); from += size {
			to := min(from+size, len(d.Images))
			b := Data{Images: d.Images[from:to], Unit: d.Unit}
			if d.Weights != nil {
				b.Weights = d.Weights[from:to]
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// Blocks of Data are so many, and hold so many images at most: they divide well among workers, and learning stops soon
// when the context is cancelled.
const parts, mostInBlock = 64, 8192

// Weight returns the number of times image i is counted.
func (d Data) Weight(i int) int64 {
	if d.Weights == nil {
		return 1
	}
	return d.Weights[i]
}

// Times returns how many images image i stands for: its weight in units.
func (d Data) Times(i int) float64 {
	if d.Unit > 1 {
		return float64(d.Weight(i)) / float64(d.Unit)
	}
	return float64(d.Weight(i))
}

// memory stores the tallies of E-steps, so that an interrupted learning run need
// not explain the same images again; everything else is quick and deterministic.
// It is safe for concurrent use. learn.Memory documents it.
type memory = recall.Memory

// memoryOf returns the memory of a source, or nil, and the source to read. A
// source has a memory if it is Data, embeds Data, or has a method Remembered.
func memoryOf(src Source) (memory, Source) {
	switch s := src.(type) {
	case interface{ Remembered() (memory, Source) }:
		return s.Remembered()
	case interface{ All() Data }:
		return s.All().Memory, src
	}
	return nil, src
}

// All returns the data. A type that embeds Data inherits it, so that sources that
// are completely in memory can be recognised.
func (d Data) All() Data { return d }

// maxRows bounds the number of images of a data set, weights counted, so that
// no sum in a Tally overflows.
const maxRows = 1 << 31

// validate returns an error for data that cannot be learned from: no images,
// negative weights or a wrong number of them, or more than maxRows images.
func (d Data) validate() error {
	var c census
	if err := c.count(d); err != nil {
		return err
	}
	return c.done()
}

// census counts images as they are read, and checks their weights.
type census struct {
	images int
	rows   int64 // weights counted
}

// count adds the next images. It returns an error if their weights are invalid.
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

// done returns an error if no image, or none of weight above 0, was read.
func (c *census) done() error {
	switch {
	case c.images == 0:
		return fmt.Errorf("patchwork: no images to learn from")
	case c.rows == 0:
		return fmt.Errorf("patchwork: every image has weight 0")
	}
	return nil
}

// Checked yields the blocks of a source and checks their weights on the way. It
// yields an error last: the source's, or one about invalid weights or no images.
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

// block holds consecutive images of a source and the number of the first.
type block struct {
	Data
	first int
}

// numbered yields the blocks of Checked with the number of their first image.
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

// fits returns an error for data that m cannot explain, before any work is done.
func (d Data) fits(m *Model) error {
	if err := d.validate(); err != nil {
		return err
	}
	height, width := -1, -1
	for i, img := range d.Images {
		if img.Height() == height && img.Width() == width {
			continue // as the one before
		}
		height, width = img.Height(), img.Width()
		if _, err := m.GridFor(height, width); err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
	}
	return nil
}
