package learn

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
	"example.com/patchwork/pose"
)

// TestStartFromPairs: two shapes that are never shown alone are found, with their
// number, their size and the size of the images, on any number of workers, and each
// image is explained by exactly its shapes.
func TestStartFromPairs(t *testing.T) {
	shapes, data := twoShapes(30, 0)
	var models []*patchwork.Model
	for _, workers := range []int{1, 3} {
		stages := map[string]int{}
		var last Step
		grown := 0 // steps of pairs that have a model
		for s, err := range Run(t.Context(), data, patchwork.NewConfig(patchwork.RuleMax, 20, 24, pose.Grid{}),
			Options{StartFrom: StartFromPairs, Workers: workers}) {
			if err != nil {
				t.Fatal(err)
			}
			stages[s.Stage]++
			if s.Stage == StagePairs && s.Model != nil {
				grown++
			}
			if last = s; s.Stage == StagePairs && s.DescriptionLength <= 0 {
				t.Errorf("step %+v", s)
			}
		}
		if grown != 1 || stages[StagePairs] < 4 || stages[StageEM] < 1 || stages[StageStart] != 1 ||
			last.Stage != StageFinal {
			t.Errorf("stages %v", stages)
		}
		models = append(models, last.Model)
	}
	m := models[0]
	if !testkit.SameModel(m, models[1]) {
		t.Error("another number of workers gives another model")
	}
	c, r := m.Config(), m.Extras().Record
	if m.K() != 2 || c.Height != 5 || c.Width != 5 || !c.Scene || c.ImageHeight != 20 || c.ImageWidth != 24 ||
		c.Reuse < pairsReuse ||
		r.DescriptionLength <= 0 || len(r.Starts) != 1 || r.Starts[0].Method != "pairs" {
		t.Fatalf("%d parts, %+v, %+v", m.K(), c, r)
	}
	for k := range 2 {
		ink := make([]float64, 25)
		for i, p := range m.Template(k) {
			ink[i] = math.Round(p)
		}
		if !slices.ContainsFunc(shapes, func(s []float64) bool { return slices.Equal(s, ink) }) {
			t.Errorf("part %d is %v", k, ink)
		}
	}
	for i, img := range data.Images[:5] {
		e, err := m.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		for j, p := range m.Compose(20, 24, e.Picks).P {
			if img.At(j/24, j%24) != (p > 0.5) {
				t.Fatalf("image %d: pixel %d has probability %v", i, j, p)
			}
		}
	}
}

// TestPairsAtTheBorder: parts smaller than the frame may lie at the border, turned ones
// have a square frame.
func TestPairsAtTheBorder(t *testing.T) {
	drawn := []*bitmap.Image{bitmap.Parse("#######", "#.....#"), bitmap.Parse("##", "#.", "##", "#.", "##", "##")}
	var data patchwork.Data
	for i := range 24 {
		img := bitmap.New(14, 16)
		for k, s := range drawn {
			for j := range 2 {
				dy, dx := (5*i+3*k+7*j)%(14-s.Height()+1), (3*i*(k+1)+11*j)%(16-s.Width()+1)
				for y := range s.Height() {
					for x := range s.Width() {
						if s.At(y, x) {
							img.Set(dy+y, dx+x, true)
						}
					}
				}
			}
		}
		data.Images = append(data.Images, img)
	}
	m, err := Learn(t.Context(), data, patchwork.NewConfig(patchwork.RuleMax, 14, 16, pose.Grid{}),
		Options{StartFrom: StartFromPairs})
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Config(); m.K() != 2 || c.Height != 6 || c.Width != 7 || c.Overhang != 5 {
		t.Fatalf("%d parts, %+v", m.K(), c)
	}
	for i, img := range data.Images {
		e, err := m.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		for j, p := range m.Compose(14, 16, e.Picks).P {
			if img.At(j/16, j%16) != (p > 0.5) {
				t.Fatalf("image %d, pixel %d: probability %v\n%v", i, j, p, img)
			}
		}
	}
}

// TestPairsTurned: a shape in quarter turns is one part, and explains every image
// pixel by pixel at its turns, at the border too.
func TestPairsTurned(t *testing.T) {
	drawn := []*bitmap.Image{bitmap.Parse("#....", "##...", "#.#..", "#..#.", "#####", "#....")}
	for range 3 {
		last := drawn[len(drawn)-1]
		next := bitmap.New(last.Width(), last.Height())
		for y := range last.Height() {
			for x := range last.Width() {
				next.Set(x, last.Height()-1-y, last.At(y, x))
			}
		}
		drawn = append(drawn, next)
	}
	var data patchwork.Data
	for i := range 30 {
		img := bitmap.New(17, 15)
		for j := range 2 {
			s := drawn[(i+j*(1+i%3))%4]
			dy, dx := (5*i+8*j)%(17-s.Height()+1), (3*i+7*j)%(15-s.Width()+1)
			for y := range s.Height() {
				for x := range s.Width() {
					if s.At(y, x) {
						img.Set(dy+y, dx+x, true)
					}
				}
			}
		}
		data.Images = append(data.Images, img)
	}
	cfg := patchwork.NewConfig(patchwork.RuleMax, 17, 15, pose.Grid{Angles: []float64{-90, 0, 90, 180}})
	m, err := Learn(t.Context(), data, cfg, Options{StartFrom: StartFromPairs})
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Config(); m.K() != 1 || c.Height != c.Width || len(c.Poses.Angles) != 4 {
		t.Fatalf("%d parts, %+v", m.K(), c)
	}
	for i, img := range data.Images {
		e, err := m.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		for j, p := range m.Compose(17, 15, e.Picks).P {
			if img.At(j/15, j%15) != (p > 0.5) {
				t.Fatalf("image %d, pixel %d: probability %v, %v\n%v", i, j, p, e.Picks, img)
			}
		}
	}
}

// TestPairsRefused: what a start from pairs cannot do is said before it begins.
func TestPairsRefused(t *testing.T) {
	_, data := twoShapes(4, 0)
	still := patchwork.NewConfig(patchwork.RuleMax, 20, 24, pose.Grid{})
	votes := patchwork.NewConfig(patchwork.RuleMaxMinusMin, 20, 24, pose.Grid{})
	noise := patchwork.Data{Images: []*bitmap.Image{bitmap.New(20, 24), bitmap.New(20, 24)}}
	noise.Images[0].Set(3, 4, true)
	for want, c := range map[string]struct {
		src patchwork.Source
		cfg patchwork.Config
		opt Options
	}{
		"for the max rule":     {data, votes, Options{Method: MethodBoth}},
		"for batch EM":         {data, still, Options{Method: MethodOnline, Experts: 2}},
		"no parts in 2 images": {noise, still, Options{}},
	} {
		c.opt.StartFrom = StartFromPairs
		_, err := Learn(t.Context(), c.src, c.cfg, c.opt)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Learn(ctx, data, still, Options{StartFrom: StartFromPairs}); err == nil {
		t.Error("a cancelled run ends well")
	}
}

// TestPairsOfStream: of a stream parts are grown from its sample, and learned further
// from all images; if the sample is all of it, the result is that of the data.
func TestPairsOfStream(t *testing.T) {
	_, data := twoShapes(40, 0)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 20, 24, pose.Grid{})
	for sample, rows := range map[int]int64{25: 25, 100: 0} {
		src := &inBlocks{data: data, sizes: []int{7, 11}}
		m, err := Learn(t.Context(), src, cfg, Options{StartFrom: StartFromPairs, Sample: sample})
		if err != nil {
			t.Fatal(err)
		}
		r := m.Extras().Record
		if c := m.Config(); m.K() != 2 || !c.Scene || r.Rows != 40 || r.Sample != rows || src.passes < 1 || rows > 0 &&
			src.passes < 3 {
			t.Errorf("sample of %d: %d parts, %+v, %d passes", sample, m.K(), r, src.passes)
		}
		if rows == 0 {
			whole, err := Learn(t.Context(), data, cfg, Options{StartFrom: StartFromPairs})
			if err != nil || !testkit.SameModel(m, whole) {
				t.Errorf("not the model of the data in memory: %v", err)
			}
		}
	}
}

// TestPairsEnough: a run that has grown enough ends with the parts so far, in a model
// that explains the images and has a record.
func TestPairsEnough(t *testing.T) {
	_, data := twoShapes(30, 0)
	cfg := patchwork.NewConfig(patchwork.RuleMax, 20, 24, pose.Grid{})
	for _, after := range []int{1, 2} {
		ctx, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		var last Step
		steps := 0
		for s, err := range Run(ctx, data, cfg, Options{StartFrom: StartFromPairs}) {
			if err != nil {
				t.Fatal(err)
			}
			if last = s; s.Stage == StagePairs {
				if steps++; steps == after {
					stop(Enough)
				}
			}
		}
		r := last.Model.Extras().Record
		if last.Stage != StageFinal || last.Model.K() != after || r.Rows != 30 || r.LogLik >= 0 || r.DescriptionLength <= 0 ||
			len(r.Starts) != 1 || r.Starts[0].Method != "pairs" {
			t.Errorf("after %d steps: %s, %d parts, %+v", after, last.Stage, last.Model.K(), r)
		}
	}
}

// TestRepeated: images come as often as they weigh, and of very many rows some are drawn,
// each image about as often as it should be.
func TestRepeated(t *testing.T) {
	a, b, c := bitmap.New(1, 1), bitmap.New(1, 2), bitmap.New(1, 3)
	count := func(weights ...int64) (n [3]int) {
		for _, img := range repeated(patchwork.Data{Images: []*bitmap.Image{a, b, c}, Weights: weights}, 1) {
			n[img.Width()-1]++
		}
		return n
	}
	if got := count(2, 0, 3); got != [3]int{2, 0, 3} {
		t.Errorf("%v", got)
	}
	got := count(1<<40, 0, 3<<40)
	if sum := got[0] + got[1] + got[2]; sum != mostRepeated || got[1] != 0 ||
		math.Abs(float64(got[0])/float64(sum)-.25) > .02 {
		t.Errorf("%v", got)
	}
}
