package diagnose

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/gauss"
	"example.com/patchwork/pose"
)

// ofKind returns the findings of one kind.
func ofKind(findings []Finding, kind Kind) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Kind != kind })
}

// only checks that there is one finding of the kind, about the experts.
func only(t *testing.T, findings []Finding, kind Kind, experts ...int) Finding {
	t.Helper()
	of := ofKind(findings, kind)
	if len(of) != 1 || !slices.Equal(of[0].Experts, experts) {
		t.Fatalf("findings %v, want one %v about experts %v", findings, kind, experts)
	}
	if f := of[0]; !strings.HasSuffix(f.Facts, ".") || !strings.HasSuffix(f.Advice, ".") ||
		!strings.HasPrefix(f.String(), kind.String()+": ") {
		t.Errorf("finding %q is not two sentences under its kind", f)
	}
	return of[0]
}

// noisy returns a sound model: two experts on halves of the frame, over a soft
// background, with rows it explains.
func noisy(t *testing.T) (*patchwork.Model, patchwork.Data) {
	t.Helper()
	a, b := make([]float64, 20), make([]float64, 20)
	for i := range a {
		a[i], b[i] = 0.5, 0.5
		if i < 10 {
			a[i] = 0.9
		} else {
			b[i] = 0.1
		}
	}
	m := testkit.MustModel(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 20, Q: 0.5},
		[][]float64{a, b})
	rng := rand.New(rand.NewPCG(36, 0))
	var data patchwork.Data
	for i := range 60 {
		p := m.Compose(1, 20, []patchwork.Pick{{Expert: 0}, {Expert: 1}}[i%2:min(2, 1+i%3)]).P
		data.Images = append(data.Images, bitmap.Sample(rng, 1, 20, p))
	}
	return m, data
}

// examine diagnoses a model by how it explains data.
func examine(t *testing.T, m *patchwork.Model, data patchwork.Data, workers int) []Finding {
	t.Helper()
	explained := make([]*patchwork.Explanation, len(data.Images))
	tally, err := patchwork.EStep(t.Context(), m, data, patchwork.PursuitOptions{}, workers,
		func(i int, e *patchwork.Explanation) { explained[i] = e })
	if err != nil {
		t.Fatal(err)
	}
	return Model(m, Evidence{Tally: tally, Explained: explained})
}

// A model that is as it should be gives rise to no finding but images of pure
// noise, which nothing explains.
func TestSoundModelHasNoFindings(t *testing.T) {
	m, data := noisy(t)
	findings := examine(t, m, data, 2)
	if f := slices.DeleteFunc(findings, func(f Finding) bool { return f.Kind == KindUnexplained }); len(f) != 0 {
		t.Errorf("findings about a sound model: %v", f)
	}
	if f := Model(m, Evidence{}); len(f) != 0 {
		t.Errorf("findings about a sound model alone: %v", f)
	}
}

func TestUnusedIsFound(t *testing.T) {
	m, data := noisy(t)
	never := slices.Clone(m.Template(0))
	for i := range never {
		never[i] = 0.5
		if i%7 == 3 {
			never[i] = 0.001 // these are mostly on or unsure: it never gains
		}
	}
	m = testkit.MustModel(t, m.Config(), [][]float64{m.Template(0), m.Template(1), never})
	for _, img := range data.Images {
		for i := 3; i < 20; i += 7 {
			img.Set(0, i, true)
		}
	}
	findings := examine(t, m, data, 1)
	if f := only(t, findings, KindUnused, 2); !strings.Contains(f.Facts, "none of the 60 rows") {
		t.Errorf("facts %q", f.Facts)
	}
	only(t, Model(testkit.WithUsage(t, m, 60, []float64{0.5, 0.4, 0}), Evidence{}), KindUnused, 2)
}

func TestDuplicatesAreFound(t *testing.T) {
	bar := func(first, end int, on float64) []float64 {
		v := make([]float64, 12)
		for i := first; i < end; i++ {
			v[i] = on
		}
		return v
	}
	still := patchwork.Config{Height: 1, Width: 12, Q: 0.01}
	only(t, Model(testkit.MustModel(t, still, [][]float64{bar(0, 5, 0.9), bar(6, 10, 0.9), bar(0, 5, 0.8)}), Evidence{}),
		KindDuplicate, 0, 2)
	// The same bar elsewhere is another expert, unless the poses carry it there.
	shifted := [][]float64{bar(1, 5, 0.9), bar(7, 11, 0.9)}
	if f := ofKind(Model(testkit.MustModel(t, still, shifted), Evidence{}), KindDuplicate); len(f) != 0 {
		t.Errorf("bars in different places: %v", f)
	}
	moving := still
	moving.Poses = pose.Grid{DX: pose.Symmetric(3, 1)}
	f := only(t, Model(testkit.MustModel(t, moving, shifted), Evidence{}), KindDuplicate, 0, 1)
	testkit.Near(t, "votes in dispute", f.Value, 0, 1e-12)
	moving.Poses = pose.Grid{DX: pose.Symmetric(1, 1)} // 2 apart at most, and 6 are needed
	if f := ofKind(Model(testkit.MustModel(t, moving, shifted), Evidence{}), KindDuplicate); len(f) != 0 {
		t.Errorf("bars that cannot meet: %v", f)
	}
	// Votes shifted out of the frame are in dispute too: 2 of 6 pixels.
	moving.Poses = pose.Grid{DX: pose.Symmetric(6, 1)}
	cut := testkit.MustModel(t, moving, [][]float64{bar(0, 4, 0.91), bar(6, 12, 0.91)})
	testkit.Near(t, "dispute beyond the frame", newVoters(cut, 2).dispute(0, 1, 1), 2./6, 1e-12)
	testkit.Near(t, "dispute the other way", newVoters(cut, 2).dispute(1, 0, 1), 2./6, 1e-12)
}

func TestNearConstantIsFound(t *testing.T) {
	c := patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 3, Q: 0.5}
	speaks := []float64{0.9, 0.5, 0.1}
	f := only(t, Model(testkit.MustModel(t, c, [][]float64{speaks, {0.5, 0.52, 0.49}}), Evidence{}), KindNearConstant, 1)
	if !strings.Contains(f.Facts, "does not vote") {
		t.Errorf("facts %q", f.Facts)
	}
	f = only(t, Model(testkit.MustModel(t, c, [][]float64{speaks, {0.8, 0.81, 0.8}}), Evidence{}), KindNearConstant, 1)
	if !strings.Contains(f.Facts, "the same everywhere") {
		t.Errorf("facts %q", f.Facts)
	}
	// Under max, whatever is below the background is no vote.
	only(t, Model(testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2, Q: 0.3}, [][]float64{{0.9, 0.1}, {0.3, 0.1}}),
		Evidence{}), KindNearConstant, 1)
}

func TestPosesAtEdgesAreFound(t *testing.T) {
	c := patchwork.Config{Height: 1, Width: 3, Q: 0.01,
		Poses: pose.Grid{DX: pose.Symmetric(5, 1), Angles: pose.Evenly(20, 10)}}
	m := testkit.MustModel(t, c, [][]float64{{0.1, 0.9, 0.1}, {0.9, 0.2, 0.9}})
	at := func(expert, dx int, angle float64) *patchwork.Explanation {
		return &patchwork.Explanation{LogLik: 1,
			Picks: []patchwork.Pick{{Expert: expert, Pose: pose.Pose{DX: dx, Angle: angle}}}}
	}
	explained := []*patchwork.Explanation{nil}
	for i := range 20 {
		explained = append(explained, at(0, []int{5, 5, 0, 1}[i%4], 0), at(1, i%11-5, []float64{-20, -10, 0, 10, 20}[i%5]))
	}
	f := only(t, Model(m, Evidence{Explained: explained}), KindPoseAtEdge, 0)
	testkit.Near(t, "share at the edge", f.Value, 0.5, 0)
	if !strings.Contains(f.Facts, "dx = 5, in 10 of 20 picks") {
		t.Errorf("facts %q", f.Facts)
	}
	// Too few picks to say, a full circle, and scenes, which have no edge.
	if f := ofKind(Model(m, Evidence{Explained: explained[:9]}), KindPoseAtEdge); len(f) != 0 {
		t.Errorf("4 picks: %v", f)
	}
	c.Poses = pose.Grid{Angles: []float64{0, 90, 180, 270}}
	circle := testkit.MustModel(t, c, m.Templates())
	var turned []*patchwork.Explanation
	for range 20 {
		turned = append(turned, at(0, 0, 270))
	}
	if f := ofKind(Model(circle, Evidence{Explained: turned}), KindPoseAtEdge); len(f) != 0 {
		t.Errorf("a full circle: %v", f)
	}
	c.Poses, c.Scene = m.Config().Poses, true
	if f := ofKind(Model(testkit.MustModel(t, c, m.Templates()), Evidence{Explained: explained}),
		KindPoseAtEdge); len(f) != 0 {
		t.Errorf("a scene: %v", f)
	}
}

// A template learned from clean images and used on noisy ones is found out by
// the tally; one that nothing could have taught by itself.
func TestOverconfidenceIsFound(t *testing.T) {
	m, data := noisy(t)
	sure := m.Templates()
	for i := range 10 {
		sure[0][i] = 0.99
	}
	m = testkit.MustModel(t, m.Config(), sure)
	findings := examine(t, m, data, 1)
	if f := only(t, findings, KindOverconfident, 0); f.Value <= f.Limit {
		t.Errorf("value %v within the limit %v", f.Value, f.Limit)
	}
	sure[0][3] = 1 - 1e-6
	f := only(t, Model(testkit.MustModel(t, m.Config(), sure), Evidence{}), KindOverconfident, 0)
	testkit.Near(t, "certain values", f.Value, 1, 0)
	f = only(t, Model(testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.9, 0.1}}), Evidence{}),
		KindOverconfident)
	testkit.Near(t, "certain background", f.Value, 2, 0)
}

func TestSingularGeometryIsFound(t *testing.T) {
	c := patchwork.Config{Height: 1, Width: 3, Q: 0.01,
		Poses: pose.Grid{DX: pose.Symmetric(5, 1), DY: pose.Symmetric(5, 1)}}
	m := testkit.MustModel(t, c, [][]float64{{0.1, 0.9, 0.2}})
	with := func(cov []float64) *patchwork.Model {
		normal, err := gauss.New(make([]float64, 3), cov)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.WithExtras(patchwork.Extras{Geometry: &patchwork.Geometry{Normal: normal}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	f := only(t, Model(with([]float64{4, 4, 0, 4, 4, 0, 0, 0, 0}), Evidence{}), KindSingularGeometry)
	if f.Value != 1 || f.Limit != 2 {
		t.Errorf("rank %v of %v, want 1 of 2", f.Value, f.Limit)
	}
	// That the angle has no variance is no fault: nothing turns.
	if f := ofKind(Model(with([]float64{4, 1, 0, 1, 4, 0, 0, 0, 0}), Evidence{}), KindSingularGeometry); len(f) != 0 {
		t.Errorf("all that can move does: %v", f)
	}
}

// Where there were images enough, the finding names the parts that did not move,
// and does not ask for more images.
func TestSingularOfManyImages(t *testing.T) {
	c := patchwork.Config{Height: 2, Width: 3, Poses: pose.Grid{DY: pose.Symmetric(1, 1), DX: pose.Symmetric(1, 1)}}
	m := testkit.MustModel(t, c, [][]float64{{0.1, 0.9, 0.2, 0, 0, 0}, {0, 0, 0, 0.9, 0.9, 0}, {0.9, 0, 0, 0, 0, 0.9}})
	cov := make([]float64, 81)
	for _, i := range []int{0, 1, 3} { // part 0 moves, part 1 keeps its column
		cov[10*i] = 2
	}
	normal, err := gauss.New(make([]float64, 9), cov)
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.WithExtras(
		patchwork.Extras{Geometry: &patchwork.Geometry{Normal: normal,
			Presence: gauss.Presence{{Mask: 3, N: 519}, {Mask: 7, N: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	f := only(t, Model(m, Evidence{}), KindSingularGeometry, 1, 2)
	if !strings.Contains(f.Facts, "In 520 images part 2 keeps its column, part 3 is used once.") ||
		strings.Contains(f.Advice, "more than") {
		t.Errorf("%s %s", f.Facts, f.Advice)
	}
}

// A part that one or two images of many use is found, by its usage or by counts.
func TestRareIsFound(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 2, Width: 2}, [][]float64{{0.9, 0, 0, 0}, {0, 0.9, 0, 0}})
	f := only(t, Model(testkit.WithUsage(t, m, 520, []float64{1, 1. / 520}), Evidence{}), KindRare, 1)
	if f.Value != 1 || !strings.Contains(f.Facts, "used in 1 of 520 images") {
		t.Errorf("%v: %s", f.Value, f.Facts)
	}
	for rows, usage := range map[int64]float64{520: 3. / 520, 20: 1. / 20, 500: 0} {
		if f := ofKind(Model(testkit.WithUsage(t, m, rows, []float64{1, usage}), Evidence{}), KindRare); len(f) != 0 {
			t.Errorf("%v of %d: %v", usage, rows, f)
		}
	}
	data := patchwork.Data{Images: slices.Repeat([]*bitmap.Image{bitmap.Parse("#.", "..")}, 60)}
	data.Images[7] = bitmap.Parse(".#", "..")
	only(t, examine(t, m, data, 1), KindRare, 1)
}

func TestUnexplainedImagesAreFound(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 3}, [][]float64{{0.9, 0.8, 0}})
	var data patchwork.Data
	for _, row := range []string{"##.", "..#", "...", "#.."} {
		data.Images = append(data.Images, bitmap.Parse(row))
	}
	for range 12 {
		data.Images = append(data.Images, bitmap.New(1, 3))
	}
	findings := examine(t, m, data, 2)
	f := only(t, findings, KindUnexplained)
	if want := []int{2, 4, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(f.Images, want) || f.Value != 13./16 ||
		!strings.Contains(f.Facts, "13 of 16 rows (3, 5, 6") || !strings.Contains(f.Facts, "13, ...)") {
		t.Errorf("unexplained images %v, share %v: %s", f.Images, f.Value, f.Facts)
	}
	if f := only(t, findings, KindImpossible); !slices.Equal(f.Images, []int{1}) {
		t.Errorf("impossible images %v, want image 1", f.Images)
	}
}

// Findings come in the order of their kinds, each kind with a name of its own.
func TestFindingsAreOrderedAndNamed(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{1, 0.5}, {1, 0.5}, {0, 0}})
	findings := Model(testkit.WithUsage(t, m, 0, []float64{1, 1, 0}), Evidence{Explained: []*patchwork.Explanation{{}}})
	if !slices.IsSortedFunc(findings, func(a, b Finding) int { return int(a.Kind) - int(b.Kind) }) || len(findings) < 5 {
		t.Errorf("findings %v, want at least five in the order of their kinds", findings)
	}
	names := map[string]bool{}
	for k := KindUnused; k <= KindOverlap; k++ {
		names[k.String()] = true
	}
	if len(names) != len(kindNames) || (KindOverlap+1).String() != "Kind(10)" {
		t.Errorf("names of the kinds: %v", names)
	}
	defer func() {
		if recover() == nil {
			t.Error("a tally of other experts is taken")
		}
	}()
	Model(m, Evidence{Tally: patchwork.NewTally(testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2},
		[][]float64{{1, 0.5}}))})
}

// Findings call parts and images by their names.
func TestFindingsUseNames(t *testing.T) {
	m := testkit.MustModel(t, patchwork.Config{Height: 1, Width: 2}, [][]float64{{0.9, 0.1}, {0.9, 0.1}})
	m, err := m.WithExtras(patchwork.Extras{Names: []string{"", "bog"}, Usage: []float64{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	findings := Model(m, Evidence{Explained: []*patchwork.Explanation{nil, {}},
		Name: func(i int) string { return fmt.Sprint("site ", i) }})
	for kind, want := range map[Kind]string{
		KindUnused:      "Part 2 (bog) explained no training row.",
		KindDuplicate:   "Part 1 and bog (part 2) say nearly the same: 0 % of their votes are in dispute.",
		KindUnexplained: "Nothing explains 1 of 1 rows (site 1).",
	} {
		if f := ofKind(findings, kind); len(f) != 1 || f[0].Facts != want {
			t.Errorf("%v: %v, want %q", kind, f, want)
		}
	}
}
