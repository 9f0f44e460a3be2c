package strokes

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score/kernel"
	"example.com/patchwork/internal/wire"
	"example.com/patchwork/pose"
)

// crosses returns drawings of an upright and a level bar, each shifted at random,
// with some pixels flipped and some unknown.
func crosses(n int, seed uint64, unknown bool) patchwork.Data {
	rng := rand.New(rand.NewPCG(seed, 0))
	var d patchwork.Data
	for range n {
		img := bitmap.New(20, 20)
		dy, dx := rng.IntN(7)-3, rng.IntN(7)-3
		for i := range 12 {
			for w := range 3 {
				img.Set(9+dy+w, 4+i, true)
				img.Set(4+i, 9+dx+w, true)
			}
		}
		for range 3 {
			y, x := rng.IntN(20), rng.IntN(20)
			img.Set(y, x, !img.At(y, x))
		}
		if unknown {
			img.SetUnknown(rng.IntN(20), rng.IntN(20))
		}
		d.Images, d.Weights = append(d.Images, img), append(d.Weights, int64(rng.IntN(3)))
	}
	d.Weights[0] = 2
	return d
}

func config(turns ...float64) patchwork.Config {
	return patchwork.NewConfig(patchwork.RuleMax, 20, 20,
		pose.Grid{DY: pose.Range{Min: -4, Max: 5}, DX: pose.Symmetric(4, 2), Angles: turns})
}

func learner(t testing.TB, d patchwork.Data, c patchwork.Config, o Options) *Learner {
	t.Helper()
	l, err := New(d, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// blots returns random templates.
func blots(k, n int, rng *rand.Rand) [][]float64 {
	out := make([][]float64, k)
	for i := range out {
		for range n {
			p := 0.0
			if rng.IntN(6) == 0 {
				p = rng.Float64()
			}
			out[i] = append(out[i], p)
		}
	}
	return out
}

// bars returns the two bars of a cross, where crosses has them on average.
func bars() [][]float64 {
	out := [][]float64{make([]float64, 400), make([]float64, 400)}
	for i := range 12 {
		for w := range 3 {
			out[0][(9+w)*20+4+i], out[1][(4+i)*20+9+w] = 0.9, 0.9
		}
	}
	return out
}

// compose returns the composition of picks as the formulas have it: by whole
// planes, with the model's own rotation where the ground does not reach beyond.
func (l *Learner) compose(st *State, picks []pick) []uint8 {
	mu := make([]uint8, l.ground.len())
	for _, p := range picks {
		for _, c := range l.ground.turns[p.turn].cells {
			i := int(c.at) + l.ground.shift(p.dy, p.dx)
			mu[i] = max(mu[i], st.templates[p.expert][c.entry])
		}
	}
	return mu
}

// value returns what a composition is worth while learning, in units of fixed point.
func (l *Learner) value(i int, st *State, picks []pick) int64 {
	mu, sum, pixels := l.compose(st, picks), int64(0), l.ground.newPixels()
	l.ground.lay(l.data.Images[i], pixels, nil)
	for at, x := range pixels {
		sum += int64(l.plain.of(x, 0)[mu[at]])
	}
	return sum
}

// The search finds what trying all candidates one by one finds, on every path of
// the kernel: the gain, the first of equals.
func TestBestIsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, step := range []int{-1, 1, 2, 3} {
		c := config(-20, 0, 45)
		if c.UnknownOutside = step < 0; step > 1 {
			c.Poses.DX = pose.Symmetric(6, step)
		}
		l := learner(t, crosses(3, 5, true), c, Options{})
		l.priced = l.plain // value knows no price of double coverage
		for _, path := range kernel.All() {
			st := l.Start(blots(2, 400, rng))
			s := l.newSearch()
			s.path, s.sprites = path, l.ground.sprites(st.templates)
			other := pick{1, 2, -3, 4}
			l.ground.lay(l.data.Images[1], s.pixels, nil)
			s.begin([]pick{other}, l.priced)
			s.used[1]--
			got, gain := s.best(math.MinInt32)
			for _, least := range []int32{gain - 1, gain, gain + 1} { // what is found is above, and the same again
				if p, g := s.best(least); least < gain && (p != got || g != gain) || least >= gain && p.expert >= 0 {
					t.Errorf("%s: %+v gains %d, above %d the best is %+v with %d", path.Name, got, gain, least, p, g)
				}
			}
			before, want, most := l.value(1, st, []pick{other}), pick{}, int64(math.MinInt64)
			for k := range 2 {
				for i := range l.ground.grid.Len() {
					at := l.ground.grid.At(i)
					r, _ := l.ground.grid.RotationIndex(at.Angle)
					p := pick{k, r, at.DY, at.DX}
					if v := l.value(1, st, []pick{other, p}) - before; v > most+2*400 { // rounding
						want, most = p, v
					} else if v > most {
						most = v
					}
				}
			}
			if math.Abs(float64(most-int64(gain))) > 2*400 {
				t.Errorf("%s: %+v gains %d, the best %+v gains %d", path.Name, got, gain, want, most)
			}
			if v := l.value(1, st, []pick{other, got}) - before; math.Abs(float64(v-int64(gain))) > 2*400 {
				t.Errorf("%s: %+v gains %d, said %d", path.Name, got, v, gain)
			}
		}
	}
}

// In a map of gains every pixel has a place of its own, and a shift of an expert moves all
// places by as much.
func TestFoldedMaps(t *testing.T) {
	for step := 1; step <= 5; step++ {
		c := config(0, 30)
		c.Poses.DX = pose.Symmetric(7, step)
		g := learner(t, crosses(1, 7, true), c, Options{}).ground
		seen := make([]bool, g.len())
		for i, at := range g.order {
			if seen[at] {
				t.Fatalf("step %d: two pixels have place %d", step, at)
			}
			if seen[at] = true; i%g.stride+step < g.stride && i < g.rows*g.stride && g.order[i+step] != at+1 {
				t.Fatalf("step %d: pixel %d is at %d, its neighbour by a step at %d", step, i, at, g.order[i+step])
			}
			if below := i + g.stride; below < g.rows*g.stride && g.order[below] != at+int32(g.stride) {
				t.Fatalf("step %d: pixel %d is at %d, the one below at %d", step, i, at, g.order[below])
			}
		}
	}
}

// Another image and other picks before, and placing, taking back and placing again, leave the
// maps that a new search makes.
func TestTakeBack(t *testing.T) {
	l := learner(t, crosses(2, 6, true), config(0, 30), Options{})
	st := l.Start(blots(3, 400, rand.New(rand.NewPCG(4, 1))))
	s, fresh := l.newSearch(), l.newSearch()
	s.sprites = l.ground.sprites(st.templates)
	fresh.sprites = s.sprites
	picks := []pick{{0, 0, 1, 2}, {1, 1, -4, -4}, {2, 0, 5, 4}}
	l.ground.lay(l.data.Images[1], s.pixels, nil)
	s.begin([]pick{{2, 0, 4, 4}, {1, 0, 0, 1}}, l.priced)
	s.use(l.truncated)
	l.ground.lay(l.data.Images[0], s.pixels, nil)
	l.ground.lay(l.data.Images[0], fresh.pixels, nil)
	s.begin(picks, l.priced)
	for _, j := range []int{1, 0, 2, 1} {
		s.takeBack(j)
		s.place(s.picks[j])
	}
	fresh.begin(picks, l.priced)
	if !slices.Equal(s.mu, fresh.mu) || !slices.Equal(s.gains, fresh.gains) {
		t.Error("another composition, or other gains")
	}
	if !slices.Equal(fresh.mu, l.compose(st, picks)) {
		t.Error("the composition is not the largest opinion")
	}
	if g := s.gain(pick{0, 1, 0, 0}); g != fresh.gain(pick{0, 1, 0, 0}) {
		t.Error("another gain")
	}
}

// No sweep lengthens the description of the images.
func TestSweepsShorten(t *testing.T) {
	d := crosses(12, 7, true)
	l := learner(t, d, config(-15, 0, 15), Options{})
	st := l.Start(bars())
	if err := l.Explain(t.Context(), st, true); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		before := st.Length
		if err := l.Explain(t.Context(), st, false); err != nil || st.Length > before+0.01 {
			t.Fatalf("%v nats, before %v, %v", st.Length, before, err)
		}
	}
}

// Two bars are found from what is little like them, on any number of workers, with a
// memory or without, and from counts of parts of the images.
func TestBarsAreLearned(t *testing.T) {
	d := crosses(24, 8, false)
	for i := range d.Weights {
		d.Weights[i] = 1
	}
	var want *State
	for _, workers := range []int{1, 3} {
		for _, memory := range []bool{false, true, true} {
			data := d
			if memory {
				data.Memory = notes
			}
			c := config()
			c.Poses.DX = pose.Symmetric(4, 1)
			l := learner(t, data, c, Options{Workers: workers})
			start := bars()
			for i := range 400 { // one too short, the other with a corner of ink
				if i%20 < 6 {
					start[0][i] = 0
				}
				if i/20 > 16 && i%20 > 16 {
					start[1][i] = 0.9
				}
			}
			st := l.Start(start)
			rounds := 0
			if err := cmpErr(l.Explain(t.Context(), st, true), l.Rounds(t.Context(), st, 5, func(*State) { rounds++ })); err !=
				nil || rounds != 5 {
				t.Fatal(rounds, err)
			}
			if want == nil {
				want = st.Clone()
				isBars(t, l, st)
			}
			if fmt.Sprint(*st) != fmt.Sprint(*want) {
				t.Errorf("%d workers, memory %t: another state", workers, memory)
			}
		}
	}
	if notes.recalled == 0 {
		t.Error("nothing was recalled")
	}
}

// isBars checks that the experts are the bars, up to a shift, and nothing else.
func isBars(t *testing.T, l *Learner, st *State) {
	t.Helper()
	for k, ts := range l.Templates(st) {
		votes, ink := 0, 0
		for _, p := range ts {
			if p > 0.01 {
				votes++
			}
			if p >= 0.5 {
				ink++
			}
		}
		if ink < 33 || ink > 39 || votes > 72 {
			t.Errorf("part %d has %d pixels of ink, %d votes", k, ink, votes)
		}
	}
	for i := range l.data.Images {
		if p := l.Picks(st, i); len(p) != 2 || p[0].Expert == p[1].Expert {
			t.Errorf("image %d: %+v", i, p)
		}
	}
}

// Counts of parts of the images, merged in any order, are those of all.
func TestCountsMerge(t *testing.T) {
	d := crosses(9, 9, true)
	all := learner(t, d, config(-15, 0), Options{})
	st := all.Start(bars())
	if err := all.Explain(t.Context(), st, true); err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		want, err := all.count(t.Context(), st, all.ground.sprites(st.templates), k)
		if err != nil {
			t.Fatal(err)
		}
		sum := newCounts(400, want.Levels)
		for _, r := range [][2]int{{5, 9}, {0, 2}, {2, 5}} {
			part := learner(t, patchwork.Data{Images: d.Images[r[0]:r[1]], Weights: d.Weights[r[0]:r[1]]}, config(-15, 0),
				Options{})
			own := part.Start(part.templatesOf(all, st))
			own.picks = st.picks[r[0]:r[1]]
			c, err := part.count(t.Context(), own, part.ground.sprites(own.templates), k)
			if err != nil {
				t.Fatal(err)
			}
			sum.merge(c)
		}
		if fmt.Sprint(sum) != fmt.Sprint(want) {
			t.Errorf("expert %d: other counts", k)
		}
	}
}

// templatesOf returns the templates of another learner's state.
func (l *Learner) templatesOf(o *Learner, st *State) [][]float64 { return o.Templates(st) }

// What count counts is what the definition says, pixel by pixel.
func TestCountReference(t *testing.T) {
	d := crosses(4, 10, true)
	c := config(-30, 0)
	c.Reuse = 2
	l := learner(t, d, c, Options{})
	st := l.Start(blots(2, 400, rand.New(rand.NewPCG(8, 1))))
	for i := range st.picks {
		st.picks[i] = []pick{{0, 0, 1, -2}, {1, 1, 0, 4}, {0, 1, 5, 0}}[:1+i%3]
	}
	got, err := l.count(t.Context(), st, l.ground.sprites(st.templates), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := newCounts(400, len(l.levels.p))
	for i, img := range d.Images {
		for j, p := range st.picks[i] {
			if p.expert != 0 {
				continue
			}
			mu := l.compose(st, slices.Delete(slices.Clone(st.picks[i]), j, j+1))
			for e := range 400 {
				y, x := turned(e/20, e%20, l.ground.grid.Angle(p.turn))
				y, x = y+p.dy, x+p.dx
				in := y >= 0 && x >= 0 && y < 20 && x < 20
				if in && !img.Known(y, x) {
					continue
				}
				n := e*want.Levels + int(mu[l.ground.at(y, x)])
				want.Seen[n] += d.Weights[i]
				if in && img.At(y, x) {
					want.On[n] += d.Weights[i]
				}
			}
		}
		want.Images += d.Weights[i]
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error("other counts")
	}
}

// turned returns where the centre of a pixel of a 20 x 20 frame comes to lie by a rotation
// about the centre, to the nearest pixel.
func turned(y, x int, angle float64) (int, int) {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	dy, dx := float64(y)-9.5, float64(x)-9.5
	return int(math.RoundToEven(9.5 + sin*dx + cos*dy)), int(math.RoundToEven(9.5 + cos*dx - sin*dy))
}

// memory is a memory that says how often it knew.
type memory struct {
	values   map[string][]byte
	recalled int
}

var notes = &memory{values: map[string][]byte{}}

func (m *memory) Recall(key string) ([]byte, bool, error) {
	v, ok := m.values[key]
	if ok {
		m.recalled++
	}
	return v, ok, nil
}

func (m *memory) Keep(key string, value []byte) error {
	m.values[key] = value
	return nil
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func encode(l *Learner, all []found) []byte {
	return wire.Marshal(func(c *wire.Codec) { l.code(c, &all, 2) })
}

func decode(l *Learner, b []byte) (all []found, ok bool) {
	err := wire.Unmarshal(b, func(c *wire.Codec) { l.code(c, &all, 2) })
	return all, err == nil
}

// What is not of this memory is not taken for an explanation.
func TestDecode(t *testing.T) {
	l := learner(t, crosses(3, 11, false), config(0, 10), Options{})
	all := []found{{picks: []pick{{1, 1, -4, 2}, {0, 0, 5, 0}}, logLik: -3.5, double: 7}, {},
		{picks: []pick{{0, 1, 0, 0}}, logLik: math.Inf(-1)}}
	b := encode(l, all)
	got, ok := decode(l, b)
	if !ok || fmt.Sprint(got) != fmt.Sprint(all) {
		t.Fatalf("%v, %t", got, ok)
	}
	for n := range b {
		if _, ok := decode(l, b[:n]); ok {
			t.Errorf("%d of %d bytes are taken", n, len(b))
		}
	}
	for _, bad := range []pick{{2, 0, 0, 0}, {-1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 6, 0}, {0, 0, 0, 1}} {
		if _, ok := decode(l, encode(l, []found{{picks: []pick{bad}}, {}, {}})); ok {
			t.Errorf("pick %+v is taken", bad)
		}
	}
	if _, ok := decode(l, append(b, 0)); ok {
		t.Error("a byte too many is taken")
	}
}

// FuzzDecode: no bytes are taken that are not what encode writes, and none panics.
func FuzzDecode(f *testing.F) {
	l := learner(f, crosses(3, 11, false), config(0, 10), Options{})
	f.Add(encode(l, []found{{picks: []pick{{1, 1, -4, 2}}, logLik: -3.5, double: 7}, {}, {}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, ok := decode(l, b); ok && len(got) != 3 {
			t.Errorf("%d images", len(got))
		}
	})
}

// Learning ends with the context, and leaves the state as it was.
func TestContextEnds(t *testing.T) {
	l := learner(t, crosses(4, 12, false), config(0), Options{})
	st := l.Start(bars())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := fmt.Sprint(*st)
	if err := l.Explain(ctx, st, true); err == nil || fmt.Sprint(*st) != before {
		t.Errorf("%v, or another state", err)
	}
	if err := l.Maximise(ctx, st); err == nil || fmt.Sprint(*st) != before {
		t.Errorf("%v, or another state", err)
	}
}

// Configurations that are not for strokes are refused, and say why.
func TestNewRefuses(t *testing.T) {
	d := crosses(2, 13, false)
	for want, change := range map[string]func(*patchwork.Config, *patchwork.Data){
		"under the rule max, not max-minus-min": func(c *patchwork.Config, _ *patchwork.Data) {
			c.Rule, c.Q, c.Truncate = patchwork.RuleMaxMinusMin, .5, false
		},
		"background above 0 and up to 0.5, not 0": func(c *patchwork.Config, _ *patchwork.Data) { c.Q = 0 },
		"a probability for every pixel": func(c *patchwork.Config,
			_ *patchwork.Data) {
			c.QMap = make([]float64, 400)
		},
		"no images": func(_ *patchwork.Config, d *patchwork.Data) { d.Images = nil },
		"image 1 is of 3 x 20 pixels": func(_ *patchwork.Config, d *patchwork.Data) {
			d.Images = []*bitmap.Image{d.Images[0], bitmap.New(3, 20)}
		},
		"image of 3 x 20, the model explains": func(_ *patchwork.Config,
			d *patchwork.Data) {
			d.Images = []*bitmap.Image{bitmap.New(3, 20)}
		},
	} {
		c, data := config(0), d
		change(&c, &data)
		if _, err := New(data, c, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

// bows returns drawings of an upright line with a half ring at its right.
func bows(n int, seed uint64) patchwork.Data {
	rng := rand.New(rand.NewPCG(seed, 0))
	var d patchwork.Data
	for range n {
		img := bitmap.New(44, 44)
		dy, dx, wide := rng.IntN(3)-1, rng.IntN(3)-1, 26+rng.IntN(3)
		for y := range 44 {
			for x := range 44 {
				v, u := float64(y-22-dy), float64(x-8-dx)
				r := math.Hypot(v/16, u/float64(wide))
				img.Set(y, x, math.Abs(u) <= 2 && math.Abs(v) <= 18 || u > 0 && r >= 0.85 && r <= 1.1)
			}
		}
		d.Images = append(d.Images, img)
	}
	return d
}

// Where a bent part has a price, a stem that begins with a hook becomes straight, and the bow stays
// bent; without a price nothing is tried.
func TestStraighten(t *testing.T) {
	d := bows(8, 14)
	c := patchwork.NewConfig(patchwork.RuleMax, 44, 44, pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1)})
	stem, bow := make([]float64, 44*44), make([]float64, 44*44)
	for i := range stem {
		if d.Images[0].At(i/44, i%44) {
			if i%44 <= 10 || i/44 < 12 && i%44 < 20 {
				stem[i] = 0.9
			} else {
				bow[i] = 0.9
			}
		}
	}
	l := learner(t, d, c, Options{Straight: 60})
	st := l.Start([][]float64{bow, stem})
	if err := cmpErr(l.Explain(t.Context(), st, true), l.Rounds(t.Context(), st, 3, func(*State) {})); err != nil {
		t.Fatal(err)
	}
	hook, before := l.straightness(st.templates[1]), st.Length
	if err := l.Straighten(t.Context(), st, func(*State) {}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(st.straight, []bool{false, true}) || hook > 0.9 || st.Length >= before {
		t.Errorf("straight: %v; %.2f of the hook in a band, %v nats after %v", st.straight, hook, st.Length, before)
	}
	if now := l.straightness(st.templates[1]); now < 1 {
		t.Errorf("%.2f of the stem in a band", now)
	}
	l = learner(t, d, c, Options{})
	if err := l.Straighten(t.Context(), st, func(*State) { t.Error("a round") }); err != nil {
		t.Error(err)
	}
}

// The heaviest band is that of trying all directions with all pairs of lines.
func TestHeaviest(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for range 20 {
		worth := make([]float64, 17*23)
		for range 30 {
			worth[rng.IntN(len(worth))] = 2*rng.Float64() - 0.5
		}
		_, got := heaviest(worth, 23)
		want := 0.0
		for angle := 0; angle < 180; angle += 5 {
			var b band
			b.sin, b.cos = math.Sincos(float64(angle) * math.Pi / 180)
			for i := range worth {
				sum := 0.0
				for j, v := range worth {
					if a := b.across(j, 23) - b.across(i, 23); v > 0 && a >= 0 && a <= bandWidth {
						sum += v
					}
				}
				want = max(want, sum)
			}
		}
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// The worths of an entry are the definition, image by image.
func TestWorths(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	l := newLevels(0.01, voteLevels[:])
	s := step{levels: l, height: 3, width: 4}
	c := newCounts(12, len(l.p))
	want := make([]float64, 12*len(l.p))
	for i := range 12 {
		for range rng.IntN(9) {
			m, x := rng.IntN(len(l.p)), rng.IntN(2)
			c.Seen[i*len(l.p)+m]++
			c.On[i*len(l.p)+m] += int64(x)
			for j := range l.p {
				p, before := max(l.p[j], l.p[m]), l.p[m]
				if x == 0 {
					p, before = 1-p, 1-before
				}
				want[i*len(l.p)+j] += math.Log(p / before)
				if l.p[j] > 0.5 && l.p[m] > 0.5 {
					want[i*len(l.p)+j] -= 0.5
				}
			}
		}
		for j, p := range l.p {
			want[i*len(l.p)+j] += math.Log((1 - p) / 0.99)
		}
	}
	for i, v := range s.worths(c) {
		if math.Abs(v-want[i]) > 1e-9 {
			t.Fatalf("entry %d, level %d: %v, want %v", i/len(l.p), i%len(l.p), v, want[i])
		}
	}
}

// decide ends at votes none of which alone is better the other way, bridges go on below a stroke that
// crosses, and small pieces are dropped.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	s := step{levels: newLevels(0.01, voteLevels[:]), height: 13, width: 17}
	worth := make([]float64, 13*17)
	for i := range worth {
		worth[i] = rng.NormFloat64() * 2
	}
	votes := s.decide(worth)
	for i, v := range votes {
		bound := func(v bool) float64 {
			votes[i] = v
			cost := 0.0
			if v {
				cost = -worth[i]
			}
			for y := range 13 {
				for x := range 17 {
					for _, d := range [2][2]int{{0, 1}, {1, 0}} {
						if a, b := y+d[0], x+d[1]; a < 13 && b < 17 && votes[y*17+x] != votes[a*17+b] {
							cost++
						}
					}
				}
			}
			return cost
		}
		inner := i/17 > 0 && i/17 < 12 && i%17 > 0 && i%17 < 16
		if other, own := bound(!v), bound(v); inner && other < own-1e-9 {
			t.Errorf("entry %d: %v, the other way %v", i, own, other)
		}
	}
	template, c := make([]uint8, 13*17), newCounts(13*17, 2)
	for y := 4; y < 9; y++ {
		for x := range 17 {
			i := y*17 + x
			c.Seen[2*i], c.On[2*i] = 10, 9
			if x != 7 {
				template[i] = s.nearest(0.9)
			}
		}
	}
	template[0] = 3
	s.bridge(template, c)
	s.onePiece(template)
	for i, v := range template {
		if in := i/17 >= 4 && i/17 < 9; (i%17 != 7 || i/17 > 4 && i/17 < 8) && in != (v == s.nearest(0.9)) {
			t.Errorf("row %d, column %d: level %d", i/17, i%17, v)
		}
	}
}

// A frame that is not turned covers the whole image, and a turned one is not clipped.
func TestGround(t *testing.T) {
	g := newGround(config(0, 45), 20, 20, config(0, 45).Poses)
	if len(g.turns[0].cells) != 400 {
		t.Errorf("%d cells", len(g.turns[0].cells))
	}
	seen := map[int32]bool{}
	for _, c := range g.turns[1].cells {
		seen[c.entry] = true
	}
	if n := len(g.turns[1].cells); n < 380 || n > 420 || !seen[0] || !seen[399] {
		t.Errorf("%d cells of the turned frame, corners %t %t", n, seen[0], seen[399])
	}
	turn := pose.NewTurn(20, 20, 45) // the same pixels
	for i, m := range turn.From {
		y, x := i/turn.Width+turn.Top, i%turn.Width+turn.Left
		at := slices.IndexFunc(g.turns[1].cells, func(c cell) bool { return c.at == g.at(y, x) })
		if (at < 0) != (m == pose.Outside) || at >= 0 && g.turns[1].cells[at].entry != m {
			t.Fatalf("row %d, column %d: another entry than %d", y, x, m)
		}
	}

}
