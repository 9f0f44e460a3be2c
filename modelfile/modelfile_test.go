package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
	"example.com/patchwork/pose"
)

// seen holds everything that a model exposes, for comparison.
type seen struct {
	Config    patchwork.Config
	Templates [][]float64
	Counts    patchwork.Counts
	HasCounts bool
	Rows      int64
	Usage     []float64
	Means     []float64
	Geometry  bool
	Mean, Cov []float64
	Presence  gauss.Presence
	Record    patchwork.Record
	SetPrior  *patchwork.SetPrior

	Columns, Names []string
	Reading        string
	Counted        string
}

func look(m *patchwork.Model) seen {
	e := m.Extras()
	s := seen{Config: m.Config(), Templates: m.Templates(), Usage: e.Usage, Means: e.Means, Record: e.Record,
		SetPrior: e.SetPrior,
		Columns:  e.Columns, Names: e.Names, Reading: string(e.Reading), Counted: string(e.Counted)}
	if e.Counts != nil {
		s.HasCounts, s.Counts, s.Rows = true, e.Counts.Counts(), e.Counts.Rows()
	}
	if g := e.Geometry; g != nil {
		s.Geometry, s.Mean, s.Cov, s.Presence = true, g.Normal.Mean(), g.Normal.Cov(), g.Presence
	}
	return s
}

// same returns how two models differ; an empty list may be nil.
func same(a, b *patchwork.Model) string {
	return cmp.Diff(look(a), look(b), cmpopts.EquateEmpty())
}

func encode(t testing.TB, m *patchwork.Model) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := Write(&buf, m); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func read(b []byte) (*patchwork.Model, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func drawRange(t *rapid.T, label string) pose.Range {
	lo := rapid.IntRange(-9, 9).Draw(t, label+" min")
	return pose.Range{Min: lo, Max: lo + rapid.IntRange(0, 9).Draw(t, label+" length"),
		Step: rapid.IntRange(0, 4).Draw(t, label+" step")}
}

func drawGrid(t *rapid.T) pose.Grid {
	var g pose.Grid
	switch rapid.SampledFrom([]string{"none", "symmetric", "raw symmetric", "any"}).Draw(t, "grid") {
	case "symmetric":
		g.DY = pose.Symmetric(rapid.IntRange(0, 9).Draw(t, "reach"), rapid.IntRange(0, 4).Draw(t, "step"))
		g.DX = g.DY
	case "raw symmetric": // the ends may be no multiples of the step
		reach := rapid.IntRange(0, 9).Draw(t, "reach")
		g.DY = pose.Range{Min: -reach, Max: reach, Step: rapid.IntRange(0, 4).Draw(t, "step")}
		g.DX = g.DY
	case "any":
		g.DY, g.DX = drawRange(t, "dy"), drawRange(t, "dx")
	}
	g.Angles = rapid.SliceOfNDistinct(rapid.Float64Range(-1e6, 1e6), 0, 4, rapid.ID).Draw(t, "angles")
	g.Stretches = rapid.SampledFrom([][]pose.Stretch{nil, {{}, {Y: 0.75}}, {{Y: 1.33, X: 1}, {X: 2}}, {{Y: 0.5}}}).Draw(t,
		"stretches")
	return g
}

var probability = rapid.Float64Range(0, 1)

func drawConfig(t *rapid.T) patchwork.Config {
	c := patchwork.Config{
		Rule:   rapid.SampledFrom([]patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin}).Draw(t, "rule"),
		Height: rapid.IntRange(1, 4).Draw(t, "height"),
		Width:  rapid.IntRange(1, 4).Draw(t, "width"),
		Q:      probability.Draw(t, "q"),
		Poses:  drawGrid(t),
		Scene:  rapid.Bool().Draw(t, "scene"),
		Reuse:  rapid.IntRange(0, 3).Draw(t, "reuse"),
		Defaults: patchwork.Defaults{UnknownOutside: rapid.Bool().Draw(t, "outside"),
			Prior: patchwork.Prior{On: rapid.Float64Range(0, 9).Draw(t, "on"), Off: rapid.Float64Range(0, 9).Draw(t, "off")}},
	}
	c.ZeroQ = c.Rule == patchwork.RuleMaxMinusMin && c.Q == 0
	c.Truncate = c.Rule == patchwork.RuleMax && rapid.Bool().Draw(t, "truncate")
	if c.Scene {
		c.Overhang = rapid.IntRange(0, 3).Draw(t, "overhang")
	}
	if c.Scene && rapid.Bool().Draw(t, "larger images") {
		c.ImageHeight, c.ImageWidth = c.Height+rapid.IntRange(0, 9).Draw(t, "rows more"),
			c.Width+rapid.IntRange(0, 9).Draw(t, "columns more")
	}
	if !c.Scene && rapid.Bool().Draw(t, "q per pixel") {
		n := c.Height * c.Width
		c.QMap = rapid.SliceOfN(probability, n, n).Draw(t, "q map")
	}
	return c
}

func drawPair(t *rapid.T, n int, label string) (on, seen []int64) {
	seen = rapid.SliceOfN(rapid.Int64Range(0, maxCount), n, n).Draw(t, label+" seen")
	for _, s := range seen {
		on = append(on, rapid.Int64Range(0, s).Draw(t, label+" on"))
	}
	return on, seen
}

func drawGeometry(t *rapid.T, k int) *patchwork.Geometry {
	d := 3 * k
	a := rapid.SliceOfN(rapid.Float64Range(-50, 50), d, d)
	mean, u, v := a.Draw(t, "mean"), a.Draw(t, "u"), a.Draw(t, "v")
	cov := make([]float64, d*d) // singular where d > 2
	for i := range d {
		for j := range d {
			cov[i*d+j] = u[i]*u[j] + v[i]*v[j]
		}
	}
	normal, err := gauss.New(mean, cov)
	if err != nil {
		t.Fatal(err)
	}
	g := &patchwork.Geometry{Normal: normal}
	mask := uint64(0)
	for range rapid.IntRange(0, 3).Draw(t, "sets") {
		if mask < 1<<k {
			g.Presence = append(g.Presence, gauss.Pattern{Mask: mask, N: rapid.Int64Range(1, 1<<40).Draw(t, "n")})
		}
		mask += rapid.Uint64Range(1, 5).Draw(t, "next set")
	}
	return g
}

func drawRecord(t *rapid.T) patchwork.Record {
	score := rapid.OneOf(rapid.Float64Range(-1e9, 0), rapid.Just(math.Inf(-1)))
	length := rapid.OneOf(rapid.Float64Range(-1e9, 1e9), rapid.Just(math.Inf(1)))
	r := patchwork.Record{Method: rapid.String().Draw(t, "method"), Mode: rapid.String().Draw(t, "mode"),
		Interrupted: rapid.Bool().Draw(t, "interrupted"),
		Seed:        rapid.Uint64().Draw(t, "seed"), Rows: rapid.Int64().Draw(t, "rows"),
		LogLik: score.Draw(t, "log lik"), Chosen: rapid.Int().Draw(t, "chosen"),
		DescriptionLength: length.Draw(t, "length")}
	for range rapid.IntRange(0, 3).Draw(t, "starts") {
		r.Starts = append(r.Starts, patchwork.Start{Seed: rapid.Uint64().Draw(t, "seed"),
			Score: score.Draw(t, "score"), LeaveOneOut: score.Draw(t, "left out"), Method: rapid.String().Draw(t, "method"),
			DescriptionLength: length.Draw(t, "length")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "curve") {
		r.Curve = append(r.Curve, patchwork.CurvePoint{Experts: rapid.Int().Draw(t, "experts"),
			Stage: rapid.String().Draw(t, "stage"),
			Rows:  rapid.Int64().Draw(t, "rows"), LogLik: score.Draw(t, "log lik"), DescriptionLength: length.Draw(t, "length"),
			Chosen: rapid.Bool().Draw(t, "chosen")})
	}
	return r
}

// drawTexts draws names, and a reading without blanks.
func drawTexts(t *rapid.T, e *patchwork.Extras, pixels, k int) {
	if rapid.Bool().Draw(t, "columns") {
		e.Columns = rapid.SliceOfN(rapid.String(), pixels, pixels).Draw(t, "names of columns")
	}
	if rapid.Bool().Draw(t, "names") {
		e.Names = rapid.SliceOfN(rapid.String(), k, k).Draw(t, "names of experts")
	}
	reading := rapid.MapOfN(rapid.String(), rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.SliceOf(rapid.Int()), func(v []int) any { return v })), 0, 3).Draw(t, "reading")
	if len(reading) > 0 {
		text, err := json.Marshal(reading)
		if err != nil {
			t.Fatal(err)
		}
		e.Reading = text
	}
}

func drawSetPrior(t *rapid.T, k int) *patchwork.SetPrior {
	p := new(patchwork.SetPrior)
	share := rapid.Float64Range(0.001, 0.999)
	for j := range k {
		active := [2]float64{share.Draw(t, "active"), 0}
		parent := rapid.IntRange(-1, j-1).Draw(t, "parent")
		if active[1] = active[0]; parent >= 0 {
			active[1] = share.Draw(t, "with its parent")
		}
		p.Parent, p.Active = append(p.Parent, parent), append(p.Active, active)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "sets") {
		set := []int{}
		for j := range k {
			if rapid.Bool().Draw(t, "in it") {
				set = append(set, j)
			}
		}
		p.Sets, p.Share = append(p.Sets, set), append(p.Share, share.Draw(t, "share")/float64(3+i))
	}
	empty := func(set []int) bool { return len(set) == 0 }
	if len(p.Sets) == 0 || slices.ContainsFunc(p.Sets, empty) || !rapid.Bool().Draw(t, "compounds") {
		return p
	}
	for j := range k {
		p.Parent[j], p.Active[j][1] = -1, p.Active[j][0]
	}
	for _, set := range p.Sets {
		sure := []float64{}
		for range set {
			sure = append(sure, share.Draw(t, "sure"))
		}
		p.Sure = append(p.Sure, sure)
	}
	if rapid.Bool().Draw(t, "above") {
		p.Above = drawSetPrior(t, len(p.Sets))
	}
	return p
}

func drawModel(t *rapid.T) *patchwork.Model {
	cfg, k := drawConfig(t), rapid.IntRange(1, 4).Draw(t, "experts")
	n := cfg.Height * cfg.Width
	m, err := patchwork.NewModel(cfg, rapid.SliceOfN(rapid.SliceOfN(probability, n, n), k, k).Draw(t, "templates"))
	if err != nil {
		t.Fatal(err)
	}
	var e patchwork.Extras
	if rapid.Bool().Draw(t, "counts") {
		var c patchwork.Counts
		c.On, c.Seen = drawPair(t, k*n, "won")
		if rapid.Bool().Draw(t, "lost counts") {
			c.LostOn, c.LostSeen = drawPair(t, k*n, "lost")
		}
		if e.Counts, err = patchwork.TallyOf(m, c, rapid.Int64Range(0, maxCount).Draw(t, "rows")); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, "usage") {
		e.Usage = rapid.SliceOfN(rapid.Float64Range(0, 2), k, k).Draw(t, "usage of each")
	}
	if rapid.Bool().Draw(t, "means") {
		e.Means = rapid.SliceOfN(rapid.Float64Range(0, 1), n, n).Draw(t, "mean of each")
	}
	if rapid.Bool().Draw(t, "geometry") {
		e.Geometry = drawGeometry(t, k)
	}
	if rapid.Bool().Draw(t, "set prior") {
		e.SetPrior = drawSetPrior(t, k)
	}
	if rapid.Bool().Draw(t, "record") {
		e.Record = drawRecord(t)
	}
	drawTexts(t, &e, n, k)
	if m, err = m.WithExtras(e); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRoundTrip: reading restores every part exactly, and writing again gives
// the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		var one, two bytes.Buffer
		if err := Write(&one, m); err != nil {
			t.Fatal(err)
		}
		back, err := read(one.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if diff := same(m, back); diff != "" {
			t.Fatal(diff)
		}
		if err := Write(&two, back); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatal("other bytes the second time", err)
		}
	})
}

// TestRoundTripExtremes covers values that random search rarely meets.
func TestRoundTripExtremes(t *testing.T) {
	for name, m := range map[string]*patchwork.Model{
		"least":      least(t),
		"everything": everything(t),
		"named":      named(t),
		"counted":    with(t, least(t), patchwork.Extras{Counted: []byte("kept as it is")}),
		"tiny values": model(t, patchwork.Config{Height: 1, Width: 2, Q: math.SmallestNonzeroFloat64,
			Poses: pose.Grid{Angles: []float64{math.Copysign(0, -1), math.MaxFloat64}}},
			[]float64{math.SmallestNonzeroFloat64, math.Nextafter(1, 0)}),
		"64 experts": sixtyFour(t),
	} {
		back, err := read(encode(t, m))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := same(m, back); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func model(t testing.TB, cfg patchwork.Config, templates ...[]float64) *patchwork.Model {
	t.Helper()
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func with(t testing.TB, m *patchwork.Model, e patchwork.Extras) *patchwork.Model {
	t.Helper()
	m, err := m.WithExtras(e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// least returns a model without optional parts.
func least(t testing.TB) *patchwork.Model {
	return model(t, patchwork.Config{Height: 1, Width: 2}, []float64{0.25, 1})
}

// everything returns a model with every part.
func everything(t testing.TB) *patchwork.Model {
	m := model(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 2, Width: 2, Q: 0.5,
		QMap:  []float64{0.5, 0.25, 0.5, 0.75},
		Poses: pose.Grid{DY: pose.Range{Min: -1, Max: 3, Step: 2}, DX: pose.Symmetric(3, 1), Angles: pose.Evenly(12, 6)},
		Reuse: 2, Defaults: patchwork.Defaults{UnknownOutside: true, Prior: patchwork.Prior{On: 0.05, Off: 1}}},
		[]float64{0, 0.25, 0.5, 1}, []float64{0.9, 0.5, 0.5, 0.1})
	tally, err := patchwork.TallyOf(m, patchwork.Counts{On: []int64{0, 1, 2, 3, 4, 5, 6, 7},
		Seen:   []int64{9, 9, 9, 9, 9, 9, 9, 9},
		LostOn: []int64{0, 0, 0, 0, 0, 0, 0, 1}, LostSeen: []int64{0, 0, 0, 0, 0, 0, 0, 2}}, 11)
	if err != nil {
		t.Fatal(err)
	}
	normal, err := gauss.New([]float64{1, 2, 3, 4, 5, 6}, diagonal(6))
	if err != nil {
		t.Fatal(err)
	}
	return with(t, m, patchwork.Extras{Counts: tally, Usage: []float64{0.75, 0.5},
		Geometry: &patchwork.Geometry{Normal: normal, Presence: gauss.Presence{{Mask: 0, N: 1}, {Mask: 3, N: 10}}},
		Record: patchwork.Record{Method: "both", Mode: "default", Seed: 1<<64 - 1, Rows: 11, LogLik: math.Inf(-1), Chosen: 1,
			Starts: []patchwork.Start{{Seed: 7, Score: math.Inf(-1), Method: "online"}, {Seed: 7, Score: -3.25}}}})
}

// named returns a table's model with names and a reading.
func named(t testing.TB) *patchwork.Model {
	m := model(t, patchwork.Config{Height: 1, Width: 3}, []float64{0.25, 1, 0.5}, []float64{0, 0, 1})
	return with(t, m, patchwork.Extras{Columns: []string{"Veronica <minor>", "Poa\nrepens", "Grün"},
		Names:   []string{"", "bog"},
		Reading: json.RawMessage(`{"meta":["site"],"threshold":1e-300,"later":{"a":[1,null]}}`)})
}

// withMeans returns a model with column means.
func withMeans(t testing.TB, m *patchwork.Model) *patchwork.Model {
	e := m.Extras()
	for i := range m.Height() * m.Width() {
		e.Means = append(e.Means, 1/float64(i+1))
	}
	return with(t, m, e)
}

// withCompounds returns the model with compounds of its two experts.
func withCompounds(t testing.TB, m *patchwork.Model) *patchwork.Model {
	e := m.Extras()
	e.SetPrior = &patchwork.SetPrior{Sets: [][]int{{0, 1}}, Sure: [][]float64{{0.9, 0.75}}, Share: []float64{0.25},
		Parent: []int{-1, -1}, Active: [][2]float64{{0.5, 0.5}, {0.25, 0.25}}}
	return with(t, m, e)
}

// sixtyFour returns a model with as many experts as a geometry can hold.
func sixtyFour(t testing.TB) *patchwork.Model {
	templates := make([][]float64, gauss.MaxExperts)
	for k := range templates {
		templates[k] = []float64{float64(k) / 64}
	}
	d := gauss.PerExpert * len(templates)
	normal, err := gauss.New(make([]float64, d), diagonal(d))
	if err != nil {
		t.Fatal(err)
	}
	return with(t, model(t, patchwork.Config{Height: 1, Width: 1}, templates...),
		patchwork.Extras{Geometry: &patchwork.Geometry{Normal: normal,
			Presence: gauss.Presence{{Mask: 1, N: 1}, {Mask: 1<<63 | 1, N: 2}}}})
}

func diagonal(d int) []float64 {
	cov := make([]float64, d*d)
	for i := range d {
		cov[i*d+i] = float64(i + 1)
	}
	return cov
}

// TestBytesArePinned guards the contract: these bytes may change only with the
// version of the format, and files written by this version must stay readable.
func TestBytesArePinned(t *testing.T) {
	pin(t, "everything-v1.npz", everything(t))
	pin(t, "named-v1.npz", named(t))
	pin(t, "means-v1.npz", withMeans(t, named(t)))
}

// pin checks that a model has the bytes of a file, and that the file is read as this
// model.
func pin(t *testing.T, name string, m *patchwork.Model) {
	t.Helper()
	path := filepath.Join("testdata", name)
	got := encode(t, m)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes differ from the %d of %s", len(got), len(want), path)
	}
	back, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := same(m, back); diff != "" {
		t.Error(diff)
	}
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npz")
	if err := Save(path, everything(t)); err != nil {
		t.Fatal(err)
	}
	// A model that cannot be written leaves the old file unchanged.
	unwritable := with(t, least(t), patchwork.Extras{Record: patchwork.Record{LogLik: math.NaN()}})
	var fe *FormatError
	if err := Save(path, unwritable); !errors.As(err, &fe) {
		t.Fatalf("NaN was written: %v", err)
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := same(everything(t), m); diff != "" {
		t.Error(diff)
	}
}

// TestLearningContinuesFromFile: a tally read from a file takes more images and gives the
// same model as the one that never left memory.
func TestLearningContinuesFromFile(t *testing.T) {
	m := everything(t)
	back, err := read(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	more := func(m *patchwork.Model) *patchwork.Tally {
		sum := patchwork.NewTally(m)
		sum.Merge(m.Extras().Counts)
		sum.Merge(m.Extras().Counts)
		return sum
	}
	a, b := more(m), more(back)
	if diff := cmp.Diff(a.Counts(), b.Counts()); diff != "" || a.Rows() != b.Rows() || a.Rows() != 22 {
		t.Errorf("rows %d and %d; counts %s", a.Rows(), b.Rows(), diff)
	}
}
