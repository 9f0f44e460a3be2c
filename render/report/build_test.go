package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

// planted returns a table of two overlapping groups of columns among ten, with
// unknown cells, weights, labels, and a model of the two groups.
func planted(t testing.TB, rows int) (*patchwork.Model, *dataset.Set) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	set := &dataset.Set{Table: true, Source: "folder/plants & <b>.csv"}
	for j := range 10 {
		set.Columns = append(set.Columns, fmt.Sprintf("species %c", 'A'+j))
	}
	set.Columns[0] = `<script>alert("x")</script>`
	var site, habitat []string
	var year []int64
	for i := range rows {
		kind := i % 3 // both, first, second
		img := bitmap.New(1, 10)
		for j := range 10 {
			p := 0.1
			if kind != 2 && j < 5 || kind != 1 && j >= 4 && j < 8 {
				p = 0.9
			}
			if rng.Float64() < p {
				img.Set(0, j, true)
			}
			if rng.Float64() < 0.05 {
				img.SetUnknown(0, j)
			}
		}
		set.Images = append(set.Images, img)
		set.Weights = append(set.Weights, 1+int64(i%2))
		site = append(site, fmt.Sprintf("site <%d>", i+1))
		habitat = append(habitat, []string{"bog", "meadow", "shore"}[kind])
		year = append(year, 2001)
	}
	set.Meta = []dataset.Labels{dataset.LabelsOf("site", site), dataset.LabelsOf("habitat", habitat),
		dataset.LabelsOf("year", year)}
	template := func(from, to int) []float64 {
		p := make([]float64, 10)
		for j := range p {
			if p[j] = 0.1; j >= from && j < to {
				p[j] = 0.9
			}
		}
		return p
	}
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 10, Q: 0.1},
		[][]float64{template(0, 5), template(4, 8)})
	if err != nil {
		t.Fatal(err)
	}
	m, err = m.WithExtras(patchwork.Extras{Names: []string{"wet & <i>cold</i>", ""}, Usage: []float64{0.7, 0.7}, Columns: set.Columns,
		Record: patchwork.Record{Method: "soft", Mode: "interpret", Rows: int64(rows)}})
	if err != nil {
		t.Fatal(err)
	}
	return m, set
}

func build(t testing.TB, m *patchwork.Model, set *dataset.Set, opt Options) *Report {
	t.Helper()
	r, err := Build(context.Background(), workbench.Bits{Model: m}, set, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// near reports whether two numbers are the same but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// TestWeightsAreSaid: a report says what its numbers of rows are, where rows have weights.
func TestWeightsAreSaid(t *testing.T) {
	m, set := planted(t, 40)
	for _, weights := range []bool{true, false} {
		if !weights {
			set.Weights = nil
		}
		r := build(t, m, set, Options{Stability: -1, Workers: 2})
		if got := r.sayWeights(); strings.Contains(got, " 60 ") != weights || slices.Contains(r.Summary, got) != weights {
			t.Errorf("weights: %v, summary %q", weights, r.Summary)
		}
	}
}

// TestInterruptedIsSaid: a report says that learning was interrupted, if it was.
func TestInterruptedIsSaid(t *testing.T) {
	m, set := planted(t, 40)
	for _, interrupted := range []bool{false, true} {
		e := m.Extras()
		e.Record.Interrupted = interrupted
		m, err := m.WithExtras(e)
		if err != nil {
			t.Fatal(err)
		}
		r := build(t, m, set, Options{Stability: -1, Workers: 2})
		if slices.Contains(r.Summary, words.Interrupted) != interrupted {
			t.Errorf("interrupted: %v, summary %q", interrupted, r.Summary)
		}
	}
}

// TestCountsAgainstBruteForce compares what is counted with a plain loop over the
// rows, explained one by one.
func TestCountsAgainstBruteForce(t *testing.T) {
	m, set := planted(t, 40)
	r := build(t, m, set, Options{Stability: -1, Workers: 3})
	var all int64
	uses, alone, none := [2]int64{}, [2]int64{}, int64(0)
	both, inBog, bog := int64(0), [2]int64{}, int64(0)
	counts := map[int]int64{}
	pursuit, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Costs: posterior.PickCosts(m)})
	if err != nil {
		t.Fatal(err)
	}
	for i, img := range set.Images {
		e, err := pursuit.Explain(img)
		if err != nil {
			t.Fatal(err)
		}
		w := set.Weights[i]
		all += w
		has := [2]bool{}
		for _, p := range e.Picks {
			has[p.Expert] = true
		}
		n := 0
		for k, h := range has {
			if h {
				n++
				uses[k] += w
				if !has[1-k] {
					alone[k] += w
				}
				if i%3 == 0 {
					inBog[k] += w
				}
			}
		}
		if i%3 == 0 {
			bog += w
		}
		if n == 0 {
			none += w
		}
		if n == 2 {
			both += w
		}
		counts[n] += w
		var known int
		sum := 0.0
		p := m.Compose(1, 10, e.Picks).P
		for j := range 10 {
			if img.Known(0, j) {
				known++
				q := p[j]
				if !img.At(0, j) {
					q = 1 - q
				}
				sum -= math.Log(q)
			}
		}
		if row := r.ByRow[i]; row.Known != known || !near(float64(row.Loss), sum/float64(known)) ||
			row.Name != set.Meta[0].Text(i) || row.Row != i+1 {
			t.Errorf("row %d: %+v, want %d known, loss %v", i, row, known, sum/float64(known))
		}
	}
	if r.Weight != all || r.PartCounts[0] != none || r.PartCounts[2] != both || r.PartCounts[1] != counts[1] {
		t.Errorf("weight %d, numbers of parts %v; want %d, %v", r.Weight, r.PartCounts, all, counts)
	}
	soft, err := table.Count(t.Context(), m, set, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range r.Parts {
		if p.Rows != uses[k] || p.Alone != alone[k] || p.Share != soft.Share(k) || math.Abs(p.Share-float64(uses[k])/
			float64(all)) > .1 {
			t.Errorf("part %d: %+v, want %d rows, %d alone, share %v", k, p, uses[k], alone[k], soft.Share(k))
		}
	}
	pair := r.Together[0]
	if pair.Rows != both || !near(float64(pair.Expected), float64(uses[0])*float64(uses[1])/float64(all)) ||
		!near(float64(pair.Lift), float64(both)/float64(pair.Expected)) {
		t.Errorf("pair %+v, want %d rows", pair, both)
	}
	if len(r.Labels) != 1 || r.Labels[0].Name != "habitat" || r.Labels[0].Values[0].Value != "bog" {
		t.Fatalf("labels %+v", r.Labels)
	}
	if v := r.Labels[0].Values[0]; v.Rows != bog || v.Parts[0].Rows != inBog[0] || v.Parts[1].Rows != inBog[1] ||
		!near(float64(v.Parts[0].Lift), float64(inBog[0])/float64(bog)*float64(all)/float64(uses[0])) {
		t.Errorf("bog: %+v, want %d rows, %v", v, bog, inBog)
	}
	want := []Skipped{{"site", "it names the rows"}, {"year", "all rows have the same value"}}
	if !slices.Equal(r.Skipped, want) {
		t.Errorf("skipped %v, want %v", r.Skipped, want)
	}
}

// TestColumnsAgainstBruteForce compares the columns, and what parts say beside what
// the rows say, with a plain loop.
func TestColumnsAgainstBruteForce(t *testing.T) {
	m, set := planted(t, 40)
	r := build(t, m, set, Options{Stability: -1})
	for j := range 10 {
		var on, known, amongOn, among int64
		left := 0.0
		for i, img := range set.Images {
			if !img.Known(0, j) {
				continue
			}
			w := set.Weights[i]
			known += w
			if img.At(0, j) {
				on += w
			}
			p := m.Compose(1, 10, r.rows[i].Picks).P[j]
			x := float64(b2i(img.At(0, j)))
			left += float64(w) * (x - p) * (x - p)
			if slices.Contains(r.ByRow[i].Parts, 0) {
				among += w
				if img.At(0, j) {
					amongOn += w
				}
			}
		}
		c, s := r.ByColumn[j], float64(on)/float64(known)
		if !near(float64(c.Mean), s) || c.Known != known || !near(float64(c.Left*c.Left), left/float64(known)) ||
			!near(float64(c.Deviation*c.Deviation), s*(1-s)) {
			t.Errorf("column %d: %+v, want %d of %d on, %v left", j, c, on, known, left/float64(known))
		}
		for _, v := range r.Parts[0].Votes {
			if v.Number == j+1 && (v.Value != 0.9 || v.Otherwise != 0.1 || v.Spread != 0 ||
				!near(float64(v.Among), float64(amongOn)/float64(among)) || !near(float64(v.Everywhere), s)) {
				t.Errorf("part 0 about column %d: %+v, want %v among its rows", j, v, float64(amongOn)/float64(among))
			}
		}
	}
	if n := len(r.Parts[0].Votes); n != 5 {
		t.Errorf("part 0 has %d votes, want 5", n)
	}
	if r.Parts[0].Name != "wet & <i>cold</i>" || r.Parts[1].Name != "part 2" {
		t.Errorf("names %q, %q", r.Parts[0].Name, r.Parts[1].Name)
	}
	if want := "species E 90 %, species F 90 %, species G 90 %, species H 90 %"; r.Parts[1].Words != want {
		t.Errorf("words %q, want %q", r.Parts[1].Words, want)
	}
}

// TestMissingCells compares the predictions of unknown cells with those of package
// posterior, one row at a time.
func TestMissingCells(t *testing.T) {
	m, set := planted(t, 40)
	r := build(t, m, set, Options{Stability: -1, Workers: 2})
	search, err := posterior.NewSearcher(m, posterior.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, img := range set.Images {
		p, _, err := search.Predict(img)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 10 {
			if img.Known(0, j) {
				continue
			}
			if c := r.Missing.Predicted[at]; c.Row != i+1 || c.Column != set.Columns[j] || float64(c.Mean) != p[j] ||
				c.Name != set.Meta[0].Text(i) || c.Expected != words.Percent(p[j]) {
				t.Errorf("cell %d: %+v, want row %d, %q, %v", at, c, i+1, set.Columns[j], p[j])
			}
			at++
		}
	}
	if int64(at) != r.Missing.Cells || r.Unknown != int64(at) || len(r.Missing.Predicted) != at {
		t.Errorf("%d cells, %d predicted; want %d", r.Missing.Cells, len(r.Missing.Predicted), at)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSameForAllWorkers checks that all that a report writes is the same for any
// number of workers, and for each run.
func TestSameForAllWorkers(t *testing.T) {
	m, set := planted(t, 60)
	write := func(workers int) string {
		r := build(t, m, set, Options{Stability: 2, Workers: workers, Seed: 3})
		var b bytes.Buffer
		if err := r.WriteHTML(&b, "A report"); err != nil {
			t.Fatal(err)
		}
		for _, table := range r.Tables() {
			if err := table.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := json.NewEncoder(&b).Encode(r); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := write(1)
	for _, workers := range []int{1, 2, 7} {
		if write(workers) != one {
			t.Errorf("%d workers write something else", workers)
		}
	}
}

// TestBuildRefuses checks that what cannot be reported on is an error.
func TestBuildRefuses(t *testing.T) {
	m, set := planted(t, 40)
	if _, err := Build(context.Background(), workbench.Bits{Model: m}, set.Take(0), Options{}); err == nil ||
		!testenv.Said(t, err.Error()) {
		t.Errorf("no rows: %v", err)
	}
	narrow := &dataset.Set{Data: patchwork.Data{Images: []*bitmap.Image{bitmap.New(1, 9)}}, Table: true}
	var size *patchwork.SizeError
	if _, err := Build(context.Background(), workbench.Bits{Model: m}, narrow, Options{}); !errors.As(err, &size) {
		t.Errorf("nine columns: %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Build(stopped, workbench.Bits{Model: m}, set, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	inside, stop := context.WithCancel(context.Background())
	defer stop()
	_, err := Build(inside, workbench.Bits{Model: m}, set, Options{Progress: func(step string, done, _ int) {
		if step == stepAgain && done > 0 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped while learning again: %v", err)
	}
}

// TestOddTables builds and draws reports of tables at the edge of what there is.
func TestOddTables(t *testing.T) {
	row := func(bits string) *bitmap.Image {
		img := bitmap.New(1, len(bits))
		for j, c := range bits {
			if c == '?' {
				img.SetUnknown(0, j)
			} else {
				img.Set(0, j, c == '1')
			}
		}
		return img
	}
	for name, rows := range map[string][]*bitmap.Image{
		"one row":          {row("10")},
		"nothing known":    {row("??"), row("??")},
		"all the same":     {row("11"), row("11"), row("11")},
		"a column unknown": {row("1?"), row("0?"), row("1?")},
	} {
		m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: 2, Q: 0.5},
			[][]float64{{0.9, 0.5}})
		if err != nil {
			t.Fatal(err)
		}
		set := &dataset.Set{Data: patchwork.Data{Images: rows}, Table: true}
		r := build(t, m, set, Options{})
		if r.NoQuality == "" || r.NoStability == "" {
			t.Errorf("%s: no reason why nothing was learned again", name)
		}
		var b bytes.Buffer
		if err := r.WriteHTML(&b, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if before, _, _ := strings.Cut(b.String(), "<script>"); strings.Contains(before, "NaN") {
			t.Errorf("%s: the page has NaN", name)
		}
		if err := json.NewEncoder(&b).Encode(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingToLearnAgain checks that a report is made of data from which nothing can
// be learned or predicted, and says so.
func TestNothingToLearnAgain(t *testing.T) {
	full, _ := planted(t, 2)
	for name, known := range map[string]int{"one column": 1, "two columns": 2, "nothing known": 0} {
		width := max(known, 1)
		m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 1, Width: width, Q: 0.5},
			[][]float64{slices.Repeat([]float64{0.9}, width)})
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.WithExtras(patchwork.Extras{Usage: []float64{1}, Record: full.Extras().Record}); err != nil {
			t.Fatal(err)
		}
		set := &dataset.Set{Table: true}
		for i := range 30 {
			img := bitmap.New(1, width)
			img.Set(0, 0, i%2 == 0)
			if known == 0 {
				img.SetUnknown(0, 0)
			}
			set.Images = append(set.Images, img)
		}
		r := build(t, m, set, Options{Stability: 1})
		if known == 2 { // one of two cells is hidden in some rows
			if r.Quality == nil || r.NoQuality != "" {
				t.Errorf("%s: %+v, %q", name, r.Quality, r.NoQuality)
			}
		} else if r.Quality != nil || !strings.Contains(r.NoQuality, "no hidden pixel") {
			t.Errorf("%s: %+v, %q", name, r.Quality, r.NoQuality)
		}
		checkPage(t, html(t, r))
	}
}

// letters returns images of a bar and a dot that move, and a model learned from them.
func letters(t testing.TB) (*patchwork.Model, *dataset.Set) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	set := &dataset.Set{Source: "letters.npz"}
	for range 12 {
		img := bitmap.New(12, 12)
		y, x := 2+rng.IntN(3), 1+rng.IntN(3)
		for d := range 7 {
			img.Set(y, x+d, true)
			img.Set(y+3+d/2, x+3, true)
		}
		set.Images = append(set.Images, img)
	}
	grid := pose.Grid{DY: pose.Symmetric(2, 1), DX: pose.Symmetric(2, 1), Angles: pose.Evenly(10, 10)}
	m, err := learn.Learn(context.Background(), set, patchwork.NewConfig(patchwork.RuleMax, 12, 12, grid),
		learn.Options{Experts: 2, Starts: 2})
	if err != nil {
		t.Fatal(err)
	}
	return m, set
}

// TestPlacesOfImages checks the places of the parts of images against the picks.
func TestPlacesOfImages(t *testing.T) {
	m, set := letters(t)
	r := build(t, m, set, Options{Stability: 1, Workers: 2})
	n := 0
	for k, at := range r.Places {
		sum := 0.0
		for i, dy := range at.DY {
			e, err := m.Explain(set.Images[at.Images[i]-1])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(e.Picks, func(p patchwork.Pick) bool {
				return p.Expert == k && p.Pose.DY == dy && p.Pose.DX == at.DX[i] && p.Pose.Angle == at.Angle[i]
			}) {
				t.Errorf("part %d is not at %d, %d in image %d", k, dy, at.DX[i], at.Images[i])
			}
			sum += float64(dy)
			n++
		}
		if len(at.DY) > 0 && !near(float64(at.Mean[0]), sum/float64(len(at.DY))) {
			t.Errorf("part %d: mean %v, want %v", k, at.Mean[0], sum/float64(len(at.DY)))
		}
	}
	if n == 0 {
		t.Fatal("no place")
	}
	if r.Stability == nil || len(r.Stability.Parts) != 2 || len(r.Stability.Parts[0].Bootstrap) != 1 {
		t.Errorf("stability %+v, %s", r.Stability, r.NoStability)
	}
	bars, highest := angleBars([]float64{-10, 0, 0, 10, 0}, []float64{0, 10, -10})
	if highest != 3 || bars[0].Count != 1 || bars[1].Count != 3 || bars[2].Count != 1 || bars[1].H <= bars[0].H {
		t.Errorf("angles %+v, %d", bars, highest)
	}
}

// TestFirst: the report that is handed out before learning again has all but what that says, and a page; its error ends
// the work.
func TestFirst(t *testing.T) {
	m, set := planted(t, 60)
	var first *Report
	whole := build(t, m, set, Options{Stability: 2, First: func(r *Report) error {
		first = r
		var page strings.Builder
		if err := r.WriteHTML(&page, "first"); err != nil || !strings.Contains(page.String(), comes) {
			t.Errorf("the first page: %v, %d bytes", err, page.Len())
		}
		return nil
	}})
	if first.Quality != nil || first.Stability != nil || len(first.Summary) == 0 || whole.Quality == nil ||
		whole.Stability == nil || whole.NoQuality != "" || len(first.ByRow) != len(whole.ByRow) ||
		len(first.Labels) != len(whole.Labels) {
		t.Errorf("first %v, whole %v", first.Summary, whole.Summary)
	}
	ended := errors.New("no room")
	fail := Options{First: func(*Report) error { return ended }}
	if _, err := Build(t.Context(), workbench.Bits{Model: m}, set, fail); !errors.Is(err, ended) {
		t.Errorf("error %v", err)
	}
}
