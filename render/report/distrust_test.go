package report

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

// noise returns a model learned from a table of noise, and the table.
func noise(t *testing.T) (*patchwork.Model, *dataset.Set) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	set := &dataset.Set{Table: true, Source: "noise.csv", Columns: []string{"a", "b", "c", "d", "e"}}
	for range 62 {
		img := bitmap.New(1, 5)
		for j := range 5 {
			img.Set(0, j, rng.IntN(2) == 1)
		}
		set.Images = append(set.Images, img)
	}
	m, err := table.Learn(context.Background(), set.Data, patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 5},
		table.Options{Experts: 5})
	if err != nil {
		t.Fatal(err)
	}
	return m, set
}

func TestPartsOfNoiseAreNotToBeReliedOn(t *testing.T) {
	m, set := noise(t)
	r := build(t, m, set, Options{Stability: 2})
	if k := r.Findings[0].Kind; k != kindUnstable && k != kindNoBetter {
		t.Fatalf("findings %v", r.Findings)
	}
	for _, want := range []string{
		"Do not rely on these parts: ", "learned again, by other starts and from rows drawn anew, 0 of 1 part comes back",
		"More rows or other columns"} {
		if !strings.Contains(r.Summary[0], want) {
			t.Errorf("the summary begins %q, without %q", r.Summary[0], want)
		}
	}
	text, err := json.Marshal(r.Findings)
	if err != nil || strings.Contains(string(text), "learn more parts") {
		t.Errorf("%s advises more parts, %v", text, err)
	}
	if n := strings.Count(strings.Join(r.Summary, " "), "by other starts"); n != 1 {
		t.Errorf("the summary says %d times what comes back", n)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page, "noise"); err != nil {
		t.Fatal(err)
	}
	html := page.String()
	warning, lead := strings.Index(html, `<p class="warning"><b>Do not rely on these parts:</b>`),
		strings.Index(html, "What this page shows")
	if warning < 0 || warning > lead || strings.Count(html, "Do not rely on these parts:") < 2 {
		t.Errorf("the page warns at %d, begins at %d", warning, lead)
	}
}

// One part of the model that was made by hand is not like the one that is learned: it
// alone is named, and the summary does not begin with it.
func TestPlantedPartsAreReliedOn(t *testing.T) {
	m, set := planted(t, 90)
	r := build(t, m, set, Options{Stability: 2})
	if r.warning != "" || r.Findings[0].Kind != kindUnstable ||
		!strings.HasPrefix(r.Findings[0].Facts, "Do not rely on part 2 (") {
		t.Errorf("warning %q, findings %v", r.warning, r.Findings)
	}
	if strings.Contains(strings.Join(r.Summary, " "), "rely") {
		t.Errorf("summary %q", r.Summary)
	}
}

// judged returns what a report says of parts with these mean similarities, and of these
// losses of the parts and of the means, by fold; with rows, of a table of so many of which 100
// were drawn.
func judged(similar []float64, parts, means []float64, rows ...int) *Report {
	m, err := patchwork.NewModel(patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 2, Q: 0.1},
		slices.Repeat([][]float64{{0.9, 0.1}}, max(len(similar), 1)))
	if err != nil {
		panic(err)
	}
	r := &Report{Table: true, Rows: 100,
		Findings: []Finding{{"unexplained", "Nothing explains 3 of 100 rows.", "learn more parts."}}}
	if similar != nil {
		r.Stability = &Stability{Rows: 100}
	}
	for k, v := range similar {
		r.Parts = append(r.Parts, Part{Number: k, Name: "part " + string(rune('1'+k))})
		r.Stability.Parts = append(r.Stability.Parts, Returning{k, []float64{1}, []float64{v}})
	}
	if parts != nil {
		r.Quality = &Quality{Rows: 100, By: []Method{{Bits: Number(Mean(parts)), Folds: parts},
			{Bits: Number(Mean(means)), Folds: means}}}
	}
	if rows != nil {
		r.Rows = rows[0]
	}
	(&builder{m: workbench.Bits{Model: m}, r: r}).distrust()
	return r
}

func TestWhenNotToRely(t *testing.T) {
	for _, c := range []struct {
		name                  string
		similar, parts, means []float64
		kinds, facts          string
	}{
		{"nothing measured", nil, nil, nil, "unexplained", ""},
		{"all come back", []float64{0.7, 0.9, 1}, []float64{0.5, 0.5}, []float64{0.9, 0.9}, "unexplained", ""},
		{"one of three", []float64{1, 0.6, 1}, nil, nil, "not-stable unexplained",
			"Do not rely on part 2 (mean similarity 1.00 from other starts, 0.60 from rows drawn anew): it does not come back " +
				"when learned again, which takes 0.7."},
		{"two of three", []float64{1, 0.6, 0.1}, nil, nil, "not-stable unexplained",
			"Do not rely on these parts: learned again, by other starts and from rows drawn anew, 1 of 3 parts come back."},
		{"worse", nil, []float64{1.1, 1.1}, []float64{1, 1}, "no-better-than-means unexplained",
			"Do not rely on these parts: they predict hidden cells no better than the column means (1.100 bits per cell, the " +
				"column means 1.000)."},
		{"1 % better here and worse there", nil, []float64{0.97, 1.01}, []float64{1, 1}, "no-better-than-means unexplained",
			""},
		{"1 % better everywhere", nil, []float64{0.99, 0.99}, []float64{1, 1}, "unexplained", ""},
		{"5 % better in all", nil, []float64{0.8, 1.1}, []float64{1, 1}, "unexplained", ""},
	} {
		r := judged(c.similar, c.parts, c.means)
		var kinds []string
		for _, f := range r.Findings {
			kinds = append(kinds, f.Kind)
		}
		if got := strings.Join(kinds, " "); got != c.kinds {
			t.Errorf("%s: %s, want %s", c.name, got, c.kinds)
		}
		if c.facts != "" && r.Findings[0].Facts != c.facts {
			t.Errorf("%s: %q", c.name, r.Findings[0].Facts)
		}
		if more := strings.Contains(r.Findings[len(r.Findings)-1].Advice, "learn more parts"); more != (r.warning == "") {
			t.Errorf("%s: more parts advised %v beside %q", c.name, more, r.warning)
		}
	}
}

// The kinds of the report's own findings are none of those of the diagnosis.
func TestKindsOfFindingsAreDistinct(t *testing.T) {
	for k := diagnose.KindUnused; k <= diagnose.KindOverlap; k++ {
		if slices.Contains([]string{kindNoBetter, kindUnstable, kindSampled}, k.String()) {
			t.Errorf("%v is there twice", k)
		}
	}
}

func TestASampleIsNamed(t *testing.T) {
	r := judged(nil, []float64{1.1}, []float64{1})
	r.Rows = 3000
	if s := r.fromSample(); s != " This is what a sample of 100 of the 3,000 rows says; report --sample 3000 asks them "+
		"all, and takes longer." {
		t.Error(s)
	}
}

// Parts that a sample of the rows does not bring back may come back from all of them: the
// report says so, and does not say that they are not to be relied on.
func TestASampleDoesNotCondemn(t *testing.T) {
	r := judged([]float64{0.1, 0.2, 0.9}, nil, nil, 3000)
	want := Finding{kindSampled,
		"Learned again from 100 of the 3,000 rows, by other starts and from rows drawn anew, 1 of 3 parts come back.",
		"So few rows may be the reason, so the other parts are not judged. report --sample 3000 judges them by all rows, " +
			"and takes longer."}
	if r.Findings[0] != want || r.warning != "" {
		t.Errorf("warning %q, findings %q", r.warning, r.Findings)
	}
	if s := r.sayStability(); s != want.Facts {
		t.Error(s)
	}
}
