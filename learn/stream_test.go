package learn

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// inBlocks is a source that yields data in blocks of the given sizes, repeatedly,
// each time as new images, and fails after the given number of images if that is
// above 0.
type inBlocks struct {
	data   patchwork.Data
	sizes  []int
	fails  int
	passes int
}

var errRead = errors.New("the disk is gone")

func (s *inBlocks) Blocks(context.Context) iter.Seq2[patchwork.Data, error] {
	return func(yield func(patchwork.Data, error) bool) {
		s.passes++
		for at, n := 0, 0; at < len(s.data.Images); n++ {
			if s.fails > 0 && at >= s.fails {
				yield(patchwork.Data{}, errRead)
				return
			}
			to := min(at+s.sizes[n%len(s.sizes)], len(s.data.Images))
			var b patchwork.Data
			for i := at; i < to; i++ {
				b.Images = append(b.Images, s.data.Images[i].Clone())
			}
			if s.data.Weights != nil {
				b.Weights = s.data.Weights[at:to]
			}
			if !yield(b, nil) {
				return
			}
			at = to
		}
	}
}

// alikeModels reports whether two models and their extras are the same.
func alikeModels(t testing.TB, a, b *patchwork.Model) bool {
	t.Helper()
	x, y := a.Extras(), b.Extras()
	return testkit.SameModel(a, b) && reflect.DeepEqual(x.Usage, y.Usage) && reflect.DeepEqual(x.Record, y.Record) &&
		testkit.SameTally(x.Counts, y.Counts) && reflect.DeepEqual(x.Geometry, y.Geometry)
}

// The rounds of EM are the same from a stream in any blocks, on any number of
// workers, as in memory.
func TestEMIsTheSameFromAStream(t *testing.T) {
	data, m := posedModel(t)
	for i := range data.Images {
		data.Weights = append(data.Weights, int64(i%3))
	}
	rounds := func(src patchwork.Source, workers int) []iteration {
		return roundsOf(t, m, src, emOptions{Iterations: 3, Workers: workers})
	}
	want := rounds(data, 1)
	for _, workers := range []int{1, 2, 5} {
		for _, sizes := range [][]int{{1}, {7}, {40}, {3, 20, 1}} {
			src := &inBlocks{data: data, sizes: sizes}
			got := rounds(src, workers)
			if len(got) != len(want) || src.passes != len(want) {
				t.Fatalf("%d workers, blocks of %v: %d rounds in %d readings, want %d", workers, sizes, len(got), src.passes,
					len(want))
			}
			for n := range got {
				if !testkit.SameTally(got[n].Tally, want[n].Tally) || !testkit.SameModel(got[n].Model, want[n].Model) {
					t.Errorf("%d workers, blocks of %v: round %d is another", workers, sizes, n)
				}
			}
		}
	}
}

// If the sample holds everything, a stream gives the model of data in memory.
func TestStreamOfASampleOfAll(t *testing.T) {
	noLeaks(t)
	posed, posedCfg := posedLetters(t)
	rows := quadrants(t, 60)
	for i := range rows.Images {
		rows.Weights = append(rows.Weights, int64(1+i%2))
	}
	for name, c := range map[string]struct {
		data patchwork.Data
		cfg  patchwork.Config
		opt  Options
	}{
		"rows":   {rows, quadrantConfig(), Options{Experts: 3, Starts: 2, Seed: 3}},
		"poses":  {posed, posedCfg, Options{Experts: 2, Starts: 2, Workers: 2}},
		"online": {posed, posedCfg, Options{Experts: 2, Starts: 1, Method: MethodOnline}},
		"paper":  {posed, posedCfg, Options{Experts: 2, Paper: true}},
	} {
		want, err := Learn(t.Context(), c.data, c.cfg, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		sample := len(c.data.Images)
		if c.opt.WithDefaults(c.cfg).Method == MethodOnline {
			sample = 1 // not used
		}
		c.opt.Sample = sample
		got, err := Learn(t.Context(), &inBlocks{data: c.data, sizes: []int{9, 2}}, c.cfg, c.opt)
		if err != nil || !alikeModels(t, got, want) {
			t.Errorf("%s: another model, or %v", name, err)
		}
	}
}

// From a sample of some images, the model is the same for any blocks and workers,
// is judged on all images, says so, and is no worse there than the sample's.
func TestStreamOfASampleOfSome(t *testing.T) {
	rows, cfg := quadrants(t, 300), quadrantConfig()
	posed, posedCfg := posedLetters(t)
	for name, c := range map[string]struct {
		data   patchwork.Data
		cfg    patchwork.Config
		opt    Options
		sample int
	}{
		"rows":  {rows, cfg, Options{Experts: 4, Starts: 2, Seed: 1}, 60},
		"max":   {rows, patchwork.NewConfig(patchwork.RuleMax, 6, 6, pose.Grid{}), Options{Experts: 4, Starts: 2}, 60},
		"poses": {posed, posedCfg, Options{Experts: 2, Starts: 2, Method: MethodBoth}, 15},
	} {
		var models []*patchwork.Model
		for _, workers := range []int{1, 3} {
			c.opt.Workers = workers
			c.opt.Sample = c.sample
			m, err := Learn(t.Context(), &inBlocks{data: c.data, sizes: []int{1 + 10*workers}}, c.cfg, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			models = append(models, m)
		}
		if !alikeModels(t, models[0], models[1]) {
			t.Errorf("%s: workers or blocks make a difference", name)
		}
		s, err := drawSample(t.Context(), c.data, c.sample, c.opt.Seed)
		if err != nil {
			t.Fatal(err)
		}
		first, err := Learn(t.Context(), s.Data, c.cfg, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		r := models[0].Extras().Record
		if r.Rows != int64(len(c.data.Images)) || r.Sample != int64(c.sample) || len(r.Starts) != 2 {
			t.Errorf("%s: record %+v", name, r)
		}
		if (models[0].Extras().Geometry != nil) != (c.cfg.Poses.Len() > 1) {
			t.Errorf("%s: geometry %v", name, models[0].Extras().Geometry)
		}
		o := c.opt.WithDefaults(c.cfg)
		o.Iterations = continueIterations
		before, err := goOn(t.Context(), first, c.data, o)
		if err != nil || !alikeModels(t, before, models[0]) {
			t.Errorf("%s: it is not Learn, then goOn; or %v", name, err)
		}
		tally, err := patchwork.EStep(t.Context(), first, c.data, o.pursuit(), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if was, is := tally.LogLik(), r.LogLik; is < was {
			t.Errorf("%s: all images made it worse: %v, the sample's model had %v", name, is, was)
		}
	}
}

// The caller may be locked to its thread, as programs with windows are.
func TestStreamOnALockedThread(t *testing.T) {
	noLeaks(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	data := quadrants(t, 40)
	m, err := randomModel(quadrantConfig(), 2, rng(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, fails := range []int{0, 20} {
		_, err := patchwork.EStep(t.Context(), m, &inBlocks{data: data, sizes: []int{8}, fails: fails},
			patchwork.PursuitOptions{}, 3, nil)
		if (err != nil) != (fails > 0) {
			t.Error(err)
		}
	}
}

// A sample is in order, without repetition, of the given size, of images with a
// weight, and every image is equally likely to be in it.
func TestSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "images")
		var data patchwork.Data
		for i := range n {
			img := bitmap.New(1, 5)
			for b := range 5 {
				img.Set(0, b, (i+1)>>b&1 == 1)
			}
			data.Images, data.Weights = append(data.Images, img), append(data.Weights, rapid.Int64Range(0, 2).Draw(t, "weight"))
		}
		size, seed := rapid.IntRange(1, 35).Draw(t, "size"), rapid.Uint64().Draw(t, "seed")
		a, err := drawSample(context.Background(), data, size, seed)
		if err != nil {
			if rows.Counting(data) > 0 {
				t.Fatal(err)
			}
			return
		}
		if len(a.Images) != min(size, rows.Counting(data)) || a.Of != rows.Counting(data) || a.Rows != rows.Total(data) ||
			a.all() != (size >= a.Of) {
			t.Fatalf("a sample of %d: %d of %d images, %d rows", size, len(a.Images), a.Of, a.Rows)
		}
		at := -1
		for k, img := range a.Images {
			i := 0
			for ; !data.Images[i].Equal(img); i++ {
			}
			if i <= at || data.Images[i] == img || data.Weight(i) != a.Weight(k) || a.Weight(k) == 0 {
				t.Fatalf("image %d after %d, weight %d", i, at, a.Weight(k))
			}
			at = i
		}
		b, err := drawSample(context.Background(), &inBlocks{data: data, sizes: []int{rapid.IntRange(1, 9).Draw(t, "block")}},
			size, seed)
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Fatal("blocks make a difference")
		}
	})
	data, times := quadrants(t, 10), make([]int, 10)
	for seed := range uint64(3000) {
		s, err := drawSample(t.Context(), data, 3, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, img := range s.Images {
			for i := range data.Images {
				if data.Images[i].Equal(img) {
					times[i]++
					break
				}
			}
		}
	}
	total := 0
	for _, n := range times { // equal images count for the first of them
		total += n
	}
	if total != 9000 || times[9] > 1000 || times[0] < 800 {
		t.Errorf("drawn %v times; 900 each are expected where images differ", times)
	}
}

// If a source fails in the middle of an iteration, every reader returns its error
// and no model; an image that does not fit is reported instead if it comes before.
func TestStreamFailures(t *testing.T) {
	noLeaks(t)
	data := quadrants(t, 90)
	m, err := randomModel(quadrantConfig(), 2, rng(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Experts: 2, Starts: 1, Sample: 10}
	for _, workers := range []int{1, 4} {
		opt.Workers = workers
		broken := &inBlocks{data: data, sizes: []int{8}, fails: 64}
		if tally, err := patchwork.EStep(t.Context(), m, broken, patchwork.PursuitOptions{}, workers, nil); tally != nil ||
			!errors.Is(err, errRead) {
			t.Errorf("explain: %v, %v", tally, err)
		}
		if got, err := Learn(t.Context(), broken, m.Config(), opt); got != nil || !errors.Is(err, errRead) {
			t.Errorf("learn: %v, %v", got, err)
		}
		if got, err := goOn(t.Context(), m, broken, opt.WithDefaults(m.Config())); got != nil || !errors.Is(err, errRead) {
			t.Errorf("continue: %v, %v", got, err)
		}
		odd := &inBlocks{data: patchwork.Data{Images: append(append([]*bitmap.Image(nil), data.Images[:30]...),
			bitmap.New(6, 7))}, sizes: []int{5}}
		odd.data.Images = append(odd.data.Images, bitmap.New(1, 1))
		if _, err := patchwork.EStep(t.Context(), m, odd, patchwork.PursuitOptions{}, workers, nil); err == nil ||
			!strings.HasPrefix(err.Error(), "image 30: ") {
			t.Errorf("odd: %v", err)
		}
		stopped, cancel := context.WithCancel(t.Context())
		_, err := patchwork.EStep(stopped, m, &inBlocks{data: data, sizes: []int{8}}, patchwork.PursuitOptions{}, workers,
			func(int, *patchwork.Explanation) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
	for want, src := range map[string]*inBlocks{
		"no images": {},
		"every image has weight 0": {data: patchwork.Data{Images: data.Images[:3], Weights: make([]int64, 3)},
			sizes: []int{2}},
		"image 2 has weight -1": {data: patchwork.Data{Images: data.Images[:3], Weights: []int64{1, 1, -1}},
			sizes: []int{2}},
		"weights up to image 1 add up": {data: patchwork.Data{Images: data.Images[:3], Weights: []int64{1, (1 << 31), 1}},
			sizes: []int{1}},
	} {
		for name, f := range map[string]func() error{
			"explain": func() error {
				_, err := patchwork.EStep(t.Context(), m, src, patchwork.PursuitOptions{}, 2, nil)
				return err
			},
			"sample": func() error { _, err := drawSample(t.Context(), src, 2, 0); return err },
		} {
			if err := f(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	online, stream := Options{Experts: 2, Method: MethodOnline, Starts: 3}, &inBlocks{data: data, sizes: []int{8}}
	if _, err := Learn(t.Context(), stream, quadrantConfig(), online); err == nil ||
		!strings.Contains(err.Error(), "a stream has one") {
		t.Errorf("three orders of a stream: %v", err)
	}
	if _, err := Learn(t.Context(), stream, quadrantConfig(), Options{Method: MethodOnline}); err == nil ||
		!strings.Contains(err.Error(), "say how many") {
		t.Errorf("online learning of an unknown number of parts: %v", err)
	}
}

// Blank images of a stream are left out, as in memory, unless all are blank.
func TestBlankImagesOfAStream(t *testing.T) {
	data, m := posedModel(t)
	h, w := m.Height(), m.Width()
	with := patchwork.Data{}
	for i, img := range data.Images {
		if with.Images = append(with.Images, img); i%2 == 0 {
			with.Images = append(with.Images, bitmap.New(h, w))
		}
	}
	for _, opt := range []Options{
		{Experts: 2, Starts: 2, Iterations: 3, Sample: 5, Seed: 4},
		{Experts: 2, Method: MethodOnline},
	} {
		want, err := learnFrom(t, &inBlocks{data: data, sizes: []int{4}}, m.Config(), opt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := learnFrom(t, &inBlocks{data: with, sizes: []int{1, 3}}, m.Config(), opt)
		if err != nil || !alikeModels(t, got, want) {
			t.Errorf("%s: blank images change what is learned, %v", opt.Method, err)
		}
		blank := patchwork.Data{Images: []*bitmap.Image{bitmap.New(h, w), bitmap.New(h, w)}}
		if _, err := learnFrom(t, &inBlocks{data: blank, sizes: []int{1}}, m.Config(),
			Options{Experts: 1, Method: opt.Method, Iterations: 1}); err != nil {
			t.Errorf("%s: only blank images: %v", opt.Method, err)
		}
	}
}

// learnFrom learns from a stream.
func learnFrom(t *testing.T, src patchwork.Source, cfg patchwork.Config, opt Options) (*patchwork.Model, error) {
	t.Helper()
	var m *patchwork.Model
	for s, err := range Run(t.Context(), src, cfg, opt) {
		if err != nil {
			return nil, err
		}
		m = s.Model
	}
	return m, nil
}
