package workbench

import (
	"context"
	"iter"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
)

// Data are the rows to learn from.
type Data struct {
	*dataset.Frame // all of them, or of a stream some, with their columns

	// Blocks reads all rows of a stream, once in every pass; nil where the Frame has all. Rows is their number, 0 if it
	// is not known.
	Blocks func(context.Context) iter.Seq2[*dataset.Frame, error]
	Rows   int

	// Lists are the rows of a wide table as lists, where the Frame has only its columns; nil for others.
	Lists *bitmap.Lists

	// Tally, if not nil, explains and counts all rows of a stream in the place of [patchwork.EStep].
	Tally func(context.Context, *patchwork.Model, patchwork.PursuitOptions) (*patchwork.Tally, error)
}

// Facts returns what of the data decides how to learn from them.
func (d *Data) Facts() recipe.Facts {
	f := recipe.Facts{Streamed: d.Blocks != nil, Rows: d.Rows}
	if d.Lists != nil {
		f.Rows, f.Height, f.Width, f.Table = d.Lists.Len(), 1, d.Lists.Width, true
		return f
	}
	f.Height, f.Width = d.Size()
	f.Table = d.Table && f.Height == 1
	if !f.Streamed {
		f.Rows = d.Len()
	}
	return f
}

// frames reads the rows once: a stream, or all in one frame; seen, if not nil, sees each.
func (d *Data) frames(ctx context.Context, seen func([][]float64)) iter.Seq2[*dataset.Frame, error] {
	blocks := Once(d.Frame)
	if d.Blocks != nil {
		blocks = d.Blocks(ctx)
	}
	return mapped(blocks, func(f *dataset.Frame) *dataset.Frame {
		if seen != nil {
			seen(f.Values)
		}
		return f
	})
}

// Bits returns the rows as learners of bits read them.
func (d *Data) Bits() patchwork.Source {
	if d.Blocks == nil {
		return d.Data
	}
	return bits(d.Blocks)
}

// bits are bits of a stream.
type bits func(context.Context) iter.Seq2[*dataset.Frame, error]

// Blocks reads the stream once.
func (b bits) Blocks(ctx context.Context) iter.Seq2[patchwork.Data, error] {
	return mapped(b(ctx), func(f *dataset.Frame) patchwork.Data { return f.Data })
}

// Numbers returns the rows as learners of numbers read them; seen, if not nil, sees each block.
func (d *Data) Numbers(seen func([][]float64)) real.Rows { return &numbers{d, seen} }

// numbers are numbers of a stream, or all in one block.
type numbers struct {
	*Data
	seen func([][]float64)
}

// Blocks reads the rows once.
func (n *numbers) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return mapped(n.frames(ctx, n.seen), func(f *dataset.Frame) [][]float64 { return f.Values })
}

// mixedRows are the rows of a table as the learner reads them.
type mixedRows struct {
	*Data
	seen func([][]float64)
}

// Mixed returns the rows of a table as the learner of every kind of column reads them; seen, if not nil, sees each
// block.
func (d *Data) Mixed(seen func([][]float64)) mixed.Source { return mixedRows{d, seen} }

// Blocks reads the rows once.
func (m mixedRows) Blocks(ctx context.Context) iter.Seq2[*mixed.Data, error] {
	return mapped(m.frames(ctx, m.seen), mixedData)
}

// mixedData returns a frame as the learner reads it.
func mixedData(f *dataset.Frame) *mixed.Data {
	if slices.Contains(f.Weights, 0) {
		var kept []int
		for i, w := range f.Weights {
			if w > 0 {
				kept = append(kept, i)
			}
		}
		f = f.Pick(kept)
	}
	out := &mixed.Data{Rows: f.Values, Weights: f.Weights, Unit: f.Unit}
	for d := range f.Width {
		var field mixed.Field
		if f.Columns != nil {
			field.Name = f.Columns[d]
		}
		if c := f.Words(d); c != nil && c.Kind == dataset.Category && c.Cuts == nil {
			field.Kind = mixed.Category
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// elsewhere are bits that are explained and counted by [Data.Tally].
type elsewhere struct {
	patchwork.Source
	tally func(context.Context, *patchwork.Model, patchwork.PursuitOptions) (*patchwork.Tally, error)
}

// Tally returns the counts of all rows.
func (e elsewhere) Tally(ctx context.Context, m *patchwork.Model, opt patchwork.PursuitOptions) (*patchwork.Tally,
	error) {
	return e.tally(ctx, m, opt)
}

// counted returns the rows of a stream, whose first pass is counted.
func (l *Learning) counted() patchwork.Source {
	pass := 0
	return bits(func(ctx context.Context) iter.Seq2[*dataset.Frame, error] {
		if pass++; pass > 1 {
			return l.data.Blocks(ctx)
		}
		l.Images, l.Pixels, l.counts = 0, 0, rows.Columns{}
		return mapped(l.data.Blocks(ctx), func(f *dataset.Frame) *dataset.Frame {
			l.Images += f.Len()
			l.Pixels += knownPixels(f.Data, false)
			if l.data.Table {
				l.counts.Add(f.Data)
			}
			return f
		})
	})
}
