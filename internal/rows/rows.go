// Package rows has what all learners do with images in memory: count them, split
// them at random, merge equal ones, and draw one by its weight. Watch is for
// images that are read block by block.
package rows

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/draw"
)

// Moves reports whether experts may be in more than one place: the grid has several
// poses, or the images are scenes.
func Moves(c patchwork.Config) bool { return c.Scene || c.Poses.Len() > 1 }

// Total returns the number of images, weights counted in units.
func Total(d patchwork.Data) int64 { return InUnits(units(d), d.Unit) }

// InUnits returns a sum of weights in units, rounded.
func InUnits(sum, unit int64) int64 {
	if unit > 1 {
		return (sum + unit/2) / unit
	}
	return sum
}

// units returns the sum of the weights.
func units(d patchwork.Data) int64 {
	n := int64(0)
	for i := range d.Images {
		n += d.Weight(i)
	}
	return n
}

// Counting returns the number of images of weight above 0.
func Counting(d patchwork.Data) int {
	n := 0
	for i := range d.Images {
		if d.Weight(i) > 0 {
			n++
		}
	}
	return n
}

// splitStream is the stream of random numbers of Split, apart from those of the
// starts of a learning run.
const splitStream = 1 << 32

// Split splits the images of weight above 0 at random: a share of them is held
// out, at least one, and at least one is left. Which depends on the seed and the
// number of images alone; there must be two or more.
func Split(d patchwork.Data, share float64, seed uint64) (rest, held patchwork.Data) {
	var which []int
	for i := range d.Images {
		if d.Weight(i) > 0 {
			which = append(which, i)
		}
	}
	rand.New(rand.NewPCG(seed, splitStream)).Shuffle(len(which),
		func(i, j int) { which[i], which[j] = which[j], which[i] })
	n := min(max(int(math.Round(share*float64(len(which)))), 1), len(which)-1)
	slices.Sort(which[:n])
	slices.Sort(which[n:])
	return Part(d, which[n:]), Part(d, which[:n])
}

// Part returns the images with the given indices.
func Part(d patchwork.Data, which []int) patchwork.Data {
	out := patchwork.Data{Unit: d.Unit}
	for _, i := range which {
		out.Images = append(out.Images, d.Images[i])
		if d.Weights != nil {
			out.Weights = append(out.Weights, d.Weights[i])
		}
	}
	return out
}

// Background returns the abstention value of every pixel of a model's frame, or bit of
// its rows.
func Background(m *patchwork.Model) []float64 {
	q := make([]float64, m.Height()*m.Width())
	for i := range q {
		q[i] = m.Abstention(i)
	}
	return q
}

// Each calls f for every row, with its weight, its bits, and whether each bit is
// known, as 0 or 1.
func Each(d patchwork.Data, f func(weight float64, x, known []uint8)) {
	var x, known []uint8
	for i, row := range d.Images {
		x, known = row.AppendBytes(x[:0]), row.AppendKnown(known[:0])
		f(d.Times(i), x, known)
	}
}

// Columns counts, by column, the rows that know it and those in which it is on. The zero
// value is empty; the first rows say how many columns there are.
type Columns struct{ on, seen []float64 }

// Add counts rows, which have as many columns as those before.
func (c *Columns) Add(d patchwork.Data) {
	Each(d, func(w float64, x, known []uint8) {
		if c.on == nil {
			c.on, c.seen = make([]float64, len(x)), make([]float64, len(x))
		}
		for i := range x {
			c.seen[i] += float64(w * float64(known[i]))
			c.on[i] += float64(w * float64(known[i]*x[i]))
		}
	})
}

// Len returns the number of columns, 0 before there are rows.
func (c *Columns) Len() int { return len(c.on) }

// Means returns the share of rows in which each column is on, of those that know it, as
// if half a row more were on and half a row off, so that none is certain.
func (c *Columns) Means() []float64 {
	out := make([]float64, len(c.on))
	for i := range out {
		out[i] = (c.on[i] + 0.5) / (c.seen[i] + 1)
	}
	return out
}

// Means returns those of the columns of data.
func Means(d patchwork.Data) []float64 {
	var c Columns
	c.Add(d)
	return c.Means()
}

// Distinct returns the data with equal rows merged, in the order of first occurrence.
func Distinct(d patchwork.Data) patchwork.Data {
	out := patchwork.Data{Unit: d.Unit}
	at := make(map[string]int)
	var key []byte // packed: there may be a million of them
	var words []uint64
	for i, row := range d.Images {
		if d.Weight(i) == 0 {
			continue
		}
		words = row.AppendWords(words[:0])
		if !row.Complete() {
			words = row.AppendKnownWords(words)
		}
		key = binary.LittleEndian.AppendUint32(key[:0], uint32(row.Len()))
		for _, w := range words {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		j, ok := at[string(key)]
		if !ok {
			j = len(out.Images)
			at[string(key)] = j
			out.Images, out.Weights = append(out.Images, row), append(out.Weights, 0)
		}
		out.Weights[j] += d.Weight(i)
	}
	return out
}

// SameSize returns an error about the first image that is not of the given size.
func SameSize(images []*bitmap.Image, height, width int) error {
	for i, img := range images {
		if img.Height() != height || img.Width() != width {
			return fmt.Errorf("image %d: %w", i, &patchwork.SizeError{Height: img.Height(), Width: img.Width(),
				ModelHeight: height, ModelWidth: width})
		}
	}
	return nil
}

// Draw returns the index of an image, drawn with a probability proportional to its
// weight.
func Draw(d patchwork.Data, rng *rand.Rand) int {
	return draw.ByCount(rng, len(d.Images), units(d), d.Weight)
}

// Watch returns a source that calls see with each block of src before it yields
// the block. It has no memory and makes no E-steps itself.
func Watch(src patchwork.Source, see func(patchwork.Data)) patchwork.Source {
	return watched{src, see}
}

// watched implements Watch.
type watched struct {
	patchwork.Source
	see func(patchwork.Data)
}

// Blocks yields the blocks of the source.
func (w watched) Blocks(ctx context.Context) iter.Seq2[patchwork.Data, error] {
	return func(yield func(patchwork.Data, error) bool) {
		for d, err := range w.Source.Blocks(ctx) {
			if err == nil {
				w.see(d)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// Votes returns the number of entries of expert k that are farther than within
// from the abstention value.
func Votes(m *patchwork.Model, k int, within float64) int {
	n := 0
	for i, p := range m.Template(k) {
		if math.Abs(p-m.Abstention(i)) > within*(1+1e-9) {
			n++
		}
	}
	return n
}

// Validate returns an error for data that nothing can be learned from: no
// images, weights that are no counts or too many, or too many images.
func Validate(ctx context.Context, d patchwork.Data) error {
	for _, err := range patchwork.Checked(ctx, d) {
		if err != nil {
			return err
		}
	}
	return nil
}

// ValidateConfig returns an error that says what in a configuration is out of
// range.
func ValidateConfig(c patchwork.Config) error {
	var template []float64
	if c.Height > 0 && c.Width > 0 && c.Height <= bitmap.MaxPixels/c.Width {
		template = make([]float64, c.Height*c.Width)
	}
	_, err := patchwork.NewModel(c, [][]float64{template})
	return err
}

// NamesWithout returns the names of a model's experts, if it has any, without that of
// expert k.
func NamesWithout(m *patchwork.Model, k int) []string {
	names := slices.Clone(m.Extras().Names)
	if names == nil {
		return nil
	}
	return slices.Delete(names, k, k+1)
}
