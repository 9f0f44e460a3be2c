package learn

import (
	"context"
	"math"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// planks returns images of two bars each, of length 12 in one of four directions.
func planks(n int) patchwork.Data {
	var d patchwork.Data
	for i := range n {
		img := bitmap.New(24, 24)
		for b := range 2 {
			way := [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}}[(i+b*(1+i/4))%4]
			y, x := 12-6*way[0]+2*((i+b)%3-1), 12-6*way[1]+2*((i*2+b)%3-1)
			for s := range 12 {
				for w := range 9 {
					img.Set(y+s*way[0]+w/3-1, x+s*way[1]+w%3-1, true)
				}
			}
		}
		d.Images = append(d.Images, img)
	}
	return d
}

func alphabetOptions(workers int) Options {
	return Options{Alphabet: true, Experts: 1, Starts: 2, Iterations: 2, Seed: 3, Workers: workers}
}

// One bar is the alphabet of images of two bars in any direction. It is in the middle,
// on a background that was learned; the model is the same for any number of workers,
// and is not touched by how the run is watched.
func TestAlphabetOfBars(t *testing.T) {
	data, cfg := planks(24), Alphabet(24, 24)
	m, err := Learn(t.Context(), data, cfg, alphabetOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Learn(t.Context(), data, cfg, alphabetOptions(3))
	if err != nil || !sameTemplates(m, again) || m.Config().Q != again.Config().Q {
		t.Fatalf("another model with three workers (%v)", err)
	}
	c, e := m.Config(), m.Extras()
	if c.Q == cfg.Q || c.Q < leastBackground || c.Reuse != 3 || e.Geometry != nil || e.Record.Method != "strokes" ||
		len(e.Record.Starts) != 2 || e.Record.Starts[0].Method != FromPieces {
		t.Errorf("background %v, geometry %v, record %+v", c.Q, e.Geometry, e.Record)
	}
	picks, logLik := 0, 0.0
	for _, img := range data.Images {
		x, err := m.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		picks += len(x.Picks)
		logLik += x.LogLikModel
	}
	if picks < 40 || picks > 72 || logLik < -60*24 {
		t.Errorf("%d picks of bars in 24 images of two, log-likelihood %.1f an image", picks, logLik/24)
	}
}

// A part that is hardly used, or has the shape of another one in some turn, is replaced.
func TestIdleParts(t *testing.T) {
	data, cfg := planks(12), Alphabet(24, 24)
	opt := Options{Alphabet: true, Experts: 3, Starts: 1, Iterations: 1}.WithDefaults(cfg)
	r, err := newStrokeRun(data, cfg, opt, 1)
	if err != nil {
		t.Fatal(err)
	}
	bar, level, blank := make([]float64, 576), make([]float64, 576), make([]float64, 576)
	for i := range 12 {
		for w := range 3 {
			bar[(6+i)*24+10+w], level[(10+w)*24+6+i] = 0.9, 0.9
		}
	}
	st := r.learner.Start([][]float64{bar, level, blank})
	if err := r.learner.Explain(t.Context(), st, true); err != nil {
		t.Fatal(err)
	}
	idle := r.idle(st, r.learner.Templates(st))
	if !idle[2] || idle[0] == idle[1] {
		t.Errorf("idle: %v; the last is blank, one of the first two is the other, turned", idle)
	}
	for k, tpl := range r.renewed(t.Context(), st, 0) {
		ink := 0
		for i, p := range tpl {
			if p > 0.5 {
				ink++
			}
			if p != 0 && p <= cfg.Q {
				t.Fatalf("part %d does not abstain at %d but says %v", k, i, p)
			}
		}
		if ink < 10 {
			t.Errorf("part %d has %d pixels of ink", k, ink)
		}
	}
}

// A start from an alphabet has the alphabet's parts where an image has them; if the
// image has fewer, it splits the image.
func TestStartFromAlphabet(t *testing.T) {
	data := planks(8)
	a, err := Learn(t.Context(), data, Alphabet(24, 24), alphabetOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 24, 24, pose.Grid{DY: pose.Symmetric(4, 1), DX: pose.Symmetric(4, 1)})
	m, err := Learn(t.Context(), data, cfg, Options{Experts: 2, Starts: 2, From: a})
	if err != nil {
		t.Fatal(err)
	}
	if how := m.Extras().Record.Starts[0].Method; how != "alphabet" {
		t.Errorf("the first start is made of %q", how)
	}
	if m, err = Learn(t.Context(), data, cfg, Options{Experts: 7, Starts: 1, Iterations: 1, From: a}); err != nil {
		t.Fatal(err)
	}
	if how := m.Extras().Record.Starts[0].Method; how != "split" {
		t.Errorf("a start of seven parts is made of %q", how)
	}
}

// What an alphabet does not go with is refused.
func TestAlphabetRefuses(t *testing.T) {
	data, cfg := planks(4), Alphabet(24, 24)
	still, small := cfg, Alphabet(20, 20)
	still.Poses = pose.Grid{}
	a, err := patchwork.NewModel(small, [][]float64{make([]float64, 400)})
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		cfg patchwork.Config
		opt Options
	}{
		"with a given number of parts": {cfg, Options{Alphabet: true}},
		"from the beginning":           {cfg, Options{Alphabet: true, Experts: 1, Continue: a}},
		"by the method strokes":        {cfg, Options{Alphabet: true, Experts: 1, Method: MethodBoth}},
		"straight parts cannot":        {cfg, Options{Alphabet: true, Experts: 1, Straight: 60}},
		"give a shift":                 {still, Options{Alphabet: true, Experts: 1}},
		"parts of 20 x 20 pixels":      {cfg, Options{Experts: 2, Method: MethodStrokes, From: a}},
		"is for drawings":              {cfg, Options{Experts: 2, Method: MethodBoth, From: a}},
	} {
		if _, err := Learn(t.Context(), data, c.cfg, c.opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Learn(t.Context(), patchwork.Data{Images: []*bitmap.Image{dot(24), dot(24)}}, cfg,
		alphabetOptions(1)); err == nil || !strings.Contains(err.Error(), "too little ink") {
		t.Errorf("images of one pixel: %v", err)
	}
}

// dot returns an image of one pixel of ink.
func dot(side int) *bitmap.Image {
	img := bitmap.New(side, side)
	img.Set(3, 3, true)
	return img
}

// A run that has learned enough ends with what it has come to, at any step.
func TestAlphabetEnough(t *testing.T) {
	data, cfg := planks(6), Alphabet(24, 24)
	for stop := range 8 {
		ctx, cancel := context.WithCancelCause(t.Context())
		n, last := 0, (*patchwork.Model)(nil)
		for s, err := range Run(ctx, data, cfg, alphabetOptions(2)) {
			if err != nil {
				if last == nil && stop < 4 {
					break // no start had ended
				}
				t.Fatalf("stopped at step %d: %v", stop, err)
			}
			if n++; n > stop {
				cancel(Enough)
			}
			last = s.Best
		}
		cancel(nil)
	}
}

// A piece lies upright in the middle, whatever its direction in the image.
func TestPiecesAreUpright(t *testing.T) {
	cfg := Alphabet(24, 24)
	for i := range 8 {
		img := planks(8).Images[i]
		for s := range uint64(5) {
			p := pieceOf(t.Context(), img, cfg, firstPieces, rng(s, i))
			if p == nil {
				continue
			}
			var y, x, yy, xx, n float64
			for at, v := range p {
				if v > 0.5 {
					dy, dx := float64(at/24)-11.5, float64(at%24)-11.5
					y, x, yy, xx, n = y+dy, x+dx, yy+dy*dy, xx+dx*dx, n+1
				}
			}
			if n < 10 || math.Hypot(y, x) > n || yy < xx*0.95 {
				t.Errorf("image %d, seed %d: %v pixels about %.1f, %.1f, extents %.0f x %.0f", i, s, n, y/n, x/n, yy, xx)
			}
		}
	}
}
