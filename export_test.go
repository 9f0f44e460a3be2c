package patchwork

import (
	"reflect"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/pose"
)

// This file exports what the tests in package patchwork_test need.

var Guard = guard

const (
	TallyHeaderSize = tallyHeaderSize
	TallyMagic      = tallyMagic
)

// WithDefaults returns the options with every zero value replaced by its meaning.
func (o PursuitOptions) WithDefaults(c *Config) PursuitOptions { return o.withDefaults(c) }

// Now returns the log-likelihood of the picks so far.
func (p *Pursuit) Now() float64 { return p.search.LogLik() }

// Judge calls each with the gain of every live candidate after the given picks,
// less its costs, computed by an independent field; with NaN for the others.
func (p *Pursuit) Judge(img *bitmap.Image, grid pose.Grid, before []Pick, each func(candidate int, gain float64)) {
	var f score.Field
	f.Reset(p.scored, img.Height(), img.Width(), p.pixels)
	used := make([]int, p.model.K())
	for _, b := range before {
		i, _ := grid.Index(b.Pose)
		f.Add(p.search.At(b.Expert*grid.Len()+i), nil)
		used[b.Expert]++
	}
	for c := range p.model.K() * grid.Len() {
		if used[c/grid.Len()] < p.opt.Reuse {
			each(c, p.net(c, f.Gain(p.search.At(c))).Float())
		}
	}
}

// Engines explains images, and returns how many of them each engine has explained. That is
// read from the unexported state of the packages below.
func (p *Pursuit) Engines(images []*bitmap.Image) (map[string]int, error) {
	engines := map[string]int{}
	for _, img := range images {
		r := p.rowTable
		if _, err := p.Explain(img); err != nil {
			return nil, err
		}
		switch {
		case p.still != nil:
			engines["joint"]++
		case r != nil && r.table != nil:
			engines["rows"]++
		default:
			engines[reflect.ValueOf(&p.search).Elem().FieldByName("engine").Elem().Type().Elem().Name()]++
		}
	}
	return engines, nil
}

// Fake sets the counts of a tally of two experts.
func (t *Tally) Fake(rows, picks, active1, uses1, seen1, on1 int64) {
	t.rows, t.picks, t.active[1], t.uses[1], t.counts.Seen[1], t.counts.On[1] = rows, picks, active1, uses1, seen1, on1
}

// Place returns the opinion of one pick at every pixel of an image of height x
// width, row-major: its template rotated and shifted, and the abstention value
// where its frame does not reach.
func (m *Model) Place(height, width int, pick Pick) []float64 {
	out := make([]float64, height*width)
	for i := range out {
		out[i] = m.cfg.abstention(i)
	}
	m.visit(height, width, pick, func(i int, p float64) { out[i] = p })
	return out
}
