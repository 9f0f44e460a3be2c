package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// blocks returns n rows of three blocks of four columns: each block is all on with
// probability 0.4, otherwise all off, and every bit is flipped with probability
// 0.03.
func blocks(n int, seed uint64) patchwork.Data {
	r := rand.New(rand.NewPCG(seed, 1))
	var d patchwork.Data
	for range n {
		img := bitmap.New(1, 12)
		for b := range 3 {
			on := r.Float64() < 0.4
			for x := range 4 {
				img.Set(0, 4*b+x, on != (r.Float64() < 0.03))
			}
		}
		d.Images = append(d.Images, img)
	}
	return d
}

func blocksConfig(rule patchwork.Rule) patchwork.Config {
	return patchwork.NewConfig(rule, 1, 12, pose.Grid{})
}

// inCurve lists the stages of models that were tried for their number of experts.
var inCurve = []string{StageFresh, StageFinal}

// countSteps runs a search for the number of experts to the end, checks what holds
// for every search, and returns the steps of its curve and the last.
func countSteps(t *testing.T, data patchwork.Data, cfg patchwork.Config, opt Options) []Step {
	t.Helper()
	var steps []Step
	for s, err := range Run(t.Context(), data, cfg, opt) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Best == nil || s.Model.K() != s.Experts {
			t.Errorf("a step of %d experts has a model of %d; the best is %v", s.Experts, s.Model.K(), s.Best)
		}
		if slices.Contains(inCurve, s.Stage) {
			steps = append(steps, s)
		}
	}
	last := steps[len(steps)-1]
	curve := last.Model.Extras().Record.Curve
	if len(curve) != len(steps)-1 {
		t.Fatalf("a curve of %d points after %d steps", len(curve), len(steps))
	}
	chosen := 0
	for i, p := range curve {
		if p.Chosen {
			chosen++
			if p.Stage = StageFinal; p != last.CurvePoint {
				t.Errorf("the curve chooses %+v, the last step %+v", p, last.CurvePoint)
			}
			p.Chosen, p.Stage = false, steps[i].Stage
		}
		if p != steps[i].CurvePoint {
			t.Errorf("step %d was %+v, the curve has %+v", i, steps[i].CurvePoint, p)
		}
	}
	if chosen != 1 || last.Stage != StageFinal || last.Best != last.Model {
		t.Errorf("%d points are chosen, and the last step is %+v", chosen, last)
	}
	return steps
}

func TestCountErrors(t *testing.T) {
	data, mmm := blocks(10, 1), blocksConfig(patchwork.RuleMaxMinusMin)
	for name, c := range map[string]struct {
		data patchwork.Data
		cfg  patchwork.Config
		opt  Options
		want string
	}{
		"backwards":    {data, mmm, Options{AtLeast: 5, AtMost: 2}, "from 5 to 2"},
		"from 0":       {data, mmm, Options{AtMost: 2}, "from 0 to 2"},
		"no end":       {data, mmm, Options{AtLeast: 2}, "from 2 to 0"},
		"paper":        {data, mmm, Options{Paper: true}, "say how many"},
		"still":        {data, mmm, Options{AtLeast: 1, AtMost: 2}, "say how many stay"},
		"nothing":      {patchwork.Data{}, mmm, Options{Experts: 1}, "no images"},
		"another size": {patchwork.Data{Images: []*bitmap.Image{bitmap.New(2, 2)}}, mmm, Options{Experts: 1}, "2 x 2"},
	} {
		m, err := Learn(t.Context(), c.data, c.cfg, c.opt)
		if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// No more numbers than one beyond those chosen are tried.
func TestCountWithoutARange(t *testing.T) {
	c := memoryCases()
	for name, opt := range map[string]Options{
		"moving":               {AtLeast: 1, AtMost: 3},
		"moving max-minus-min": {AtLeast: 2, AtMost: 3},
	} {
		opt.Starts, opt.Iterations = 2, 1
		steps := countSteps(t, memoryData(), c[name].cfg, opt)
		o := opt.WithDefaults(c[name].cfg)
		want := min(o.AtMost-o.AtLeast+2, steps[len(steps)-1].Experts-o.AtLeast+3)
		if len(steps) != want || steps[0].Experts != o.AtLeast {
			t.Errorf("%s: %d steps from %d experts, want %d", name, len(steps), steps[0].Experts, want)
		}
		m := steps[len(steps)-1].Model
		if r := m.Extras().Record; len(r.Starts) != 2 || r.Rows != 18 || m.Extras().Geometry == nil {
			t.Errorf("%s: record %+v, geometry %v", name, r, m.Extras().Geometry)
		}
	}
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := patchwork.Data{Weights: rapid.SliceOfN(rapid.Int64Range(0, 3), 2, 30).Draw(t, "weights")}
		for range d.Weights {
			d.Images = append(d.Images, bitmap.New(1, 1))
		}
		if rows.Counting(d) < 2 {
			t.Skip()
		}
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		rest, held := rows.Split(d, share, rapid.Uint64().Draw(t, "seed"))
		seen := make(map[*bitmap.Image]bool)
		for _, part := range []patchwork.Data{rest, held} {
			if err := rows.Validate(context.Background(), part); err != nil {
				t.Fatal(err)
			}
			for i, img := range part.Images {
				if seen[img] || part.Weight(i) == 0 || part.Weight(i) != d.Weight(slices.Index(d.Images, img)) {
					t.Fatal("an image is in both parts, or its weight is another")
				}
				seen[img] = true
			}
		}
		if len(seen) != rows.Counting(d) || rows.Total(rest)+rows.Total(held) != rows.Total(d) {
			t.Fatal("an image is in neither part")
		}
		if n := float64(len(held.Images)) - share*float64(len(seen)); math.Abs(n) > 1 {
			t.Fatalf("%d of %d held out for a share of %v", len(held.Images), len(seen), share)
		}
	})
}

func TestCurveByExperts(t *testing.T) {
	c := []patchwork.CurvePoint{
		{Experts: 2, Stage: StageFresh, Rows: 10, LogLik: -50, DescriptionLength: 70},
		{Experts: 1, Stage: StageFresh, Rows: 10, LogLik: -60, DescriptionLength: 80},
		{Experts: 2, Stage: StageFresh, Rows: 10, LogLik: -52, DescriptionLength: 69, Chosen: true},
		{Experts: 2, Stage: StageFresh, Rows: 8, LogLik: -40, DescriptionLength: 50},
	}
	want := []patchwork.CurvePoint{c[1], {Experts: 2, Stage: StageFresh, Rows: 10, LogLik: -52, DescriptionLength: 69,
		Chosen: true}}
	if got := ByExperts(c); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	slices.Reverse(c)
	if got := ByExperts(c); !slices.Equal(got, want) {
		t.Errorf("in another order %+v", got)
	}
	if got := ByExperts([]patchwork.CurvePoint(nil)); len(got) != 0 {
		t.Errorf("nothing: %v", got)
	}
}

// Where experts move, the number of parts stops where one more brings too little:
// two bars that slide are two.
func TestCountOfMovingParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var data patchwork.Data
	for range 16 {
		img := bitmap.New(24, 24)
		x, y := 6+rng.IntN(10), 3+rng.IntN(6)
		for i := range 18 {
			for w := range 3 {
				img.Set(3+i, x+w, true)
				img.Set(y+w, 3+i, true)
			}
		}
		data.Images = append(data.Images, img)
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 24, 24, pose.Grid{DY: pose.Symmetric(6, 1), DX: pose.Symmetric(6, 1)})
	m, err := Learn(t.Context(), data, cfg, Options{Starts: 4})
	if err != nil {
		t.Fatal(err)
	}
	curve := m.Extras().Record.Curve
	if m.K() != 2 || len(curve) != 3 || !curve[1].Chosen {
		t.Fatalf("%d parts, curve %+v", m.K(), curve)
	}
	for i := range 2 {
		least := (&counter{data: data, cfg: cfg}).leastGain(Options{}.joins(cfg, data))
		gain := (curve[i].DescriptionLength - curve[i+1].DescriptionLength) / 16
		if enough := gain >= least; enough != (i == 0) {
			t.Errorf("part %d brings %v nats per image, at least %v counts", i+2, gain, least)
		}
	}
}

// Blank drawings change nothing where parts move: they are left out.
func TestBlankImagesAreLeftOut(t *testing.T) {
	c := memoryCases()["moving"]
	data := memoryData()
	want, err := Learn(t.Context(), patchwork.Data{Images: data.Images}, c.cfg, Options{Experts: 2, Starts: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	blank := bitmap.New(c.cfg.Height, c.cfg.Width)
	more := patchwork.Data{Images: slices.Concat([]*bitmap.Image{blank}, data.Images, []*bitmap.Image{blank, blank})}
	got, err := Learn(t.Context(), more, c.cfg, Options{Experts: 2, Starts: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := (Options{}).Blank(c.cfg, more); n != 3 || !sameTemplates(got, want) ||
		got.Extras().Record.Rows != want.Extras().Record.Rows {
		t.Errorf("%d left out, record %+v, want %+v", n, got.Extras().Record, want.Extras().Record)
	}
	if n := (Options{}).Blank(c.cfg, patchwork.Data{Images: []*bitmap.Image{blank}}); n != 0 {
		t.Errorf("of one blank image %d left out", n)
	}
	if n := (Options{Paper: true}).Blank(c.cfg, more); n != 0 {
		t.Errorf("%d left out by the paper", n)
	}
}
