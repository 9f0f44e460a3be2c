// Package testkit has what tests of several packages need of models: generators
// for property tests, comparisons, and a memory that forgets. It is for tests only.
package testkit

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
	"pgregory.net/rapid"
)

// About reports whether two log-likelihoods or probabilities are equal up to
// rounding.
func About(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(a))
}

// AnyLevel draws probabilities, often 0 or 1; InnerLevel draws neither, so that
// nothing is impossible.
var (
	AnyLevel   = rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 0.5, 0.01}), rapid.Float64Range(0, 1))
	InnerLevel = rapid.OneOf(rapid.SampledFrom([]float64{0.5, 0.01, 0.9}), rapid.Float64Range(0.01, 0.99))
)

// DrawPoses draws a small grid; some go beyond the frame or lack the zero pose.
func DrawPoses(t *rapid.T) pose.Grid {
	shifts := func(name string) pose.Range {
		lo := rapid.IntRange(-3, 1).Draw(t, name)
		return pose.Range{Min: lo, Max: lo + rapid.IntRange(0, 3).Draw(t, name+" reach"),
			Step: rapid.IntRange(1, 2).Draw(t, name+" step")}
	}
	return pose.Grid{
		DY: shifts("dy"), DX: shifts("dx"),
		Angles:    rapid.SampledFrom([][]float64{nil, {0}, {-30, 0, 90}, {15}}).Draw(t, "angles"),
		Stretches: rapid.SampledFrom([][]pose.Stretch{nil, nil, {{}, {Y: 1.5}}, {{Y: 0.75, X: 2}}}).Draw(t, "stretches"),
	}
}

// DrawConfig draws a small configuration of either rule, with abstention values
// from levels.
func DrawConfig(t *rapid.T, levels *rapid.Generator[float64]) patchwork.Config {
	c := patchwork.Config{
		Rule:   rapid.SampledFrom([]patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin}).Draw(t, "rule"),
		Height: rapid.IntRange(1, 4).Draw(t, "height"), Width: rapid.IntRange(1, 4).Draw(t, "width"),
		Defaults: patchwork.Defaults{UnknownOutside: rapid.Bool().Draw(t, "outside")}, ZeroQ: true,
		Q: levels.Draw(t, "q"),
	}
	if rapid.Bool().Draw(t, "moves") {
		c.Poses = DrawPoses(t)
	}
	if rapid.IntRange(0, 3).Draw(t, "q map") == 0 {
		c.QMap = rapid.SliceOfN(levels, c.Height*c.Width, c.Height*c.Width).Draw(t, "q per pixel")
	}
	return c
}

// DrawModel draws one to four experts; some abstain at most entries.
func DrawModel(t *rapid.T, c patchwork.Config, levels *rapid.Generator[float64]) *patchwork.Model {
	entry := rapid.OneOf(levels, rapid.Just(c.Q))
	n := c.Height * c.Width
	templates := rapid.SliceOfN(rapid.SliceOfN(entry, n, n), 1, 4).Draw(t, "templates")
	m, err := patchwork.NewModel(c, templates)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// DrawImage draws an image of the given pixels; '?' is an unknown one.
func DrawImage(t *rapid.T, height, width int, pixels string) *bitmap.Image {
	img := bitmap.New(height, width)
	for y := range height {
		for x := range width {
			switch rapid.SampledFrom([]rune(pixels)).Draw(t, "pixel") {
			case '#':
				img.Set(y, x, true)
			case '?':
				img.SetUnknown(y, x)
			}
		}
	}
	return img
}

// DrawPicks draws from least to most picks with poses of the grid.
func DrawPicks(t *rapid.T, m *patchwork.Model, least, most int) []patchwork.Pick {
	grid := m.Config().Poses
	picks := make([]patchwork.Pick, rapid.IntRange(least, most).Draw(t, "picks"))
	for j := range picks {
		picks[j].Expert = rapid.IntRange(0, m.K()-1).Draw(t, "expert")
		picks[j].Pose = grid.At(rapid.IntRange(0, grid.Len()-1).Draw(t, "pose"))
	}
	return picks
}

// MustPursuit returns a pursuit; the test fails if there is an error.
func MustPursuit(t interface{ Fatal(...any) }, m *patchwork.Model, opt patchwork.PursuitOptions) *patchwork.Pursuit {
	p, err := patchwork.NewPursuit(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// MustExplain explains an image; the test fails if there is an error.
func MustExplain(t interface{ Fatal(...any) }, m *patchwork.Model, img *bitmap.Image,
	opt patchwork.PursuitOptions) *patchwork.Explanation {
	e, err := MustPursuit(t, m, opt).Explain(img)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// SameExplanation compares picks and log-likelihoods bit by bit.
func SameExplanation(a, b *patchwork.Explanation) bool {
	return slices.Equal(a.Picks, b.Picks) && a.LogLik == b.LogLik && a.StartLogLik == b.StartLogLik &&
		a.LogLikModel == b.LogLikModel
}

// MustModel returns a model; the test fails if there is an error.
func MustModel(t interface{ Fatal(...any) }, c patchwork.Config, templates [][]float64) *patchwork.Model {
	m, err := patchwork.NewModel(c, templates)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Near fails the test if two numbers differ by more than tol.
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// NearAll fails the test if two lists differ by more than tol somewhere.
func NearAll(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Errorf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// ExplanationOf returns an explanation by a list of experts, without poses.
func ExplanationOf(order []int) *patchwork.Explanation {
	e := &patchwork.Explanation{}
	for _, k := range order {
		e.Picks = append(e.Picks, patchwork.Pick{Expert: k})
	}
	return e
}

// Corners returns a model of two marks, and images that show them at known places.
func Corners(t *testing.T, places [][2]*pose.Pose) (*patchwork.Model, patchwork.Data) {
	t.Helper()
	m := MustModel(t, patchwork.Config{Height: 9, Width: 9, Q: 0.01,
		Poses: pose.Grid{DY: pose.Symmetric(3, 1), DX: pose.Symmetric(3, 1), Angles: []float64{0, 90}}},
		[][]float64{mark("###", "#..", "#.."), mark("###", ".#.", "...")})
	var data patchwork.Data
	for _, where := range places {
		var picks []patchwork.Pick
		for k, p := range where {
			if p != nil {
				picks = append(picks, patchwork.Pick{Expert: k, Pose: *p})
			}
		}
		img := bitmap.New(9, 9)
		for i, p := range m.Compose(9, 9, picks).P {
			img.Set(i/9, i%9, p > 0.5)
		}
		data.Images = append(data.Images, img)
	}
	return m, data
}

// mark returns a 3 x 3 mark in the middle of a 9 x 9 frame.
func mark(rows ...string) []float64 {
	t := make([]float64, 81)
	for y, row := range rows {
		for x, c := range row {
			if c == '#' {
				t[(y+3)*9+x+3] = 0.99
			}
		}
	}
	return t
}

// At returns a pose.
func At(dy, dx int, angle float64) *pose.Pose { return &pose.Pose{DY: dy, DX: dx, Angle: angle} }

// Make2D returns n rows of m zeros.
func Make2D(n, m int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, m)
	}
	return rows
}

// SameTally compares everything that was counted.
func SameTally(a, b *patchwork.Tally) bool {
	x, _ := a.MarshalBinary()
	y, _ := b.MarshalBinary()
	return bytes.Equal(x, y)
}

// SameModel compares templates, usage and counts bit by bit.
func SameModel(a, b *patchwork.Model) bool {
	x, y := a.Extras(), b.Extras()
	return reflect.DeepEqual(a.Templates(), b.Templates()) && slices.Equal(x.Usage, y.Usage) &&
		(x.Counts == nil) == (y.Counts == nil) && (x.Counts == nil || SameTally(x.Counts, y.Counts))
}

// Explained is an image, an explanation that need not be a good one, and a
// weight.
type Explained struct {
	Img    *bitmap.Image
	E      *patchwork.Explanation
	Weight int64
}

// DrawExplained draws images with explanations by any picks, each expert at most
// once, and their log-likelihoods.
func DrawExplained(t *rapid.T, m *patchwork.Model, n int) []Explained {
	list := make([]Explained, n)
	for i := range list {
		img := DrawImage(t, m.Height(), m.Width(), "#.?")
		picks := DrawPicks(t, m, 0, 3)
		var once []patchwork.Pick
		for _, p := range picks {
			if !slices.ContainsFunc(once, func(o patchwork.Pick) bool { return o.Expert == p.Expert }) {
				once = append(once, p)
			}
		}
		e := &patchwork.Explanation{Picks: once}
		e.LogLikModel = patchwork.LogLik(img, m.Compose(m.Height(), m.Width(), once).P)
		e.LogLik = e.LogLikModel
		list[i] = Explained{img, e, rapid.Int64Range(0, 3).Draw(t, "weight")}
	}
	return list
}

// TallyFrom returns the tally of a list of explanations.
func TallyFrom(m *patchwork.Model, list []Explained) *patchwork.Tally {
	t := patchwork.NewTally(m)
	for _, x := range list {
		t.Add(m, x.Img, x.E, x.Weight)
	}
	return t
}

// Notes is a Memory that forgets every nth key, and counts.
type Notes struct {
	mu              sync.Mutex
	Values          map[string][]byte
	Forget          int
	Recalled, Asked int
	Broken          error
}

// WithMemory returns the data with a memory.
func WithMemory(d patchwork.Data, m *Notes) patchwork.Data {
	d.Memory = m
	return d
}

// Recall implements a memory.
func (n *Notes) Recall(key string) ([]byte, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Asked++
	if n.Forget > 0 && n.Asked%n.Forget == 0 {
		return nil, false, nil
	}
	v, ok := n.Values[key]
	if ok {
		n.Recalled++
	}
	return v, ok, nil
}

// Keep implements a memory.
func (n *Notes) Keep(key string, value []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Values[key] = value
	return n.Broken
}

// WithUsage returns m with usage counted in the given number of rows, 0 if not
// known.
func WithUsage(t interface{ Fatal(...any) }, m *patchwork.Model, rows int64, usage []float64) *patchwork.Model {
	m, err := m.WithExtras(patchwork.Extras{Usage: usage, Record: patchwork.Record{Rows: rows}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ExpertsOf returns the experts of picks.
func ExpertsOf(picks []patchwork.Pick) []int {
	ks := []int{}
	for _, p := range picks {
		ks = append(ks, p.Expert)
	}
	return ks
}

// SampledRows returns a max model of k experts and rows drawn from it, in which
// each expert is active with probability 1/4.
func SampledRows(k, d, rows int) (*patchwork.Model, []*bitmap.Image, error) {
	rng := rand.New(rand.NewPCG(1, uint64(k)))
	templates := Make2D(k, d)
	for _, t := range templates {
		for i := range t {
			if rng.IntN(4) == 0 {
				t[i] = 0.9
			}
		}
	}
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: d, Q: 0.02}, templates)
	if err != nil {
		return nil, nil, err
	}
	images := make([]*bitmap.Image, rows)
	for n := range images {
		var picks []patchwork.Pick
		for j := range k {
			if rng.IntN(4) == 0 {
				picks = append(picks, patchwork.Pick{Expert: j})
			}
		}
		images[n] = bitmap.Sample(rng, 1, d, m.Compose(1, d, picks).P)
	}
	return m, images, nil
}

// TableConfig returns the configuration of a golden table case.
func TableConfig(name string, q *float64, width int, truncate bool) patchwork.Config {
	c := patchwork.Config{Height: 1, Width: width, Defaults: patchwork.Defaults{Truncate: truncate}}
	if name == "max_minus_min" {
		c.Rule = patchwork.RuleMaxMinusMin
		c.Q = 0.5
	}
	if q != nil {
		c.Q = *q
	}
	return c
}

// TallyOfRows counts rows under given explanations.
func TallyOfRows(m *patchwork.Model, x [][]uint8, orders [][]int) *patchwork.Tally {
	tally := patchwork.NewTally(m)
	for n, row := range x {
		tally.Add(m, bitmap.FromBytes(1, len(row), row), ExplanationOf(orders[n]), 1)
	}
	return tally
}
