package table

import (
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score/joint"
)

// Every rule is tried from one structure, the best judged is chosen, and what was
// learned is said of every rule, on any number of workers.
func TestAnyRule(t *testing.T) {
	var first Step
	for _, workers := range []int{1, 3} {
		var last Step
		for s, err := range Run(t.Context(), bars(200, 3), patchwork.Config{Rule: noisyOr, Height: 1, Width: 12},
			Options{AnyRule: true, MaxExperts: 6, StartFrom: StartFromGrow, Workers: workers}) {
			if err != nil {
				t.Fatal(err)
			}
			last = s
		}
		lengths := map[string]float64{}
		for _, p := range last.Model.Extras().Record.Curve {
			if slices.Contains(joint.Names, p.Stage) {
				lengths[p.Stage] = p.DescriptionLength
			}
		}
		chosen := last.Model.Config().Rule.String()
		for name, length := range lengths {
			if length < lengths[chosen] {
				t.Errorf("%s is chosen with %v, but %s has %v", chosen, lengths[chosen], name, length)
			}
		}
		if len(lengths) != 7 || last.Experts != 4 || last.Rows != 200 {
			t.Errorf("%d rules tried, %+v", len(lengths), last.CurvePoint)
		}
		if first.Model == nil {
			first = last
		} else if first.CurvePoint != last.CurvePoint || !slices.EqualFunc(first.Model.Templates(), last.Model.Templates(),
			slices.Equal) {
			t.Errorf("%+v with one worker, %+v with %d", first.CurvePoint, last.CurvePoint, workers)
		}
	}
}

// Each expert alone says under any rule what it said.
func TestCarried(t *testing.T) {
	m, err := Learn(t.Context(), bars(100, 3), patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: 12},
		Options{Experts: 3, StartFrom: StartFromGrow})
	if err != nil {
		t.Fatal(err)
	}
	for r := range patchwork.Rule(len(joint.Names)) {
		c, err := carried(m, r)
		if err != nil {
			t.Fatal(err)
		}
		for k := range m.K() {
			picks := []patchwork.Pick{{Expert: k}}
			if got, want := c.Compose(1, 12, picks).P, m.Compose(1, 12, picks).P; !slices.Equal(got, want) {
				t.Errorf("%v: expert %d alone says %v, it said %v", r, k, got, want)
			}
		}
	}
}

// A row of weight 2 is the row twice, under both aims, and a table of two columns learns.
func TestWeightsAreRepetitions(t *testing.T) {
	data := bars(80, 6)
	for r := range data.Images {
		data.Weights = append(data.Weights, int64(1+r%2))
	}
	var twice patchwork.Data
	for r, row := range data.Images {
		for range data.Weight(r) {
			twice.Images = append(twice.Images, row)
		}
	}
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, noisyOr} {
		cfg, opt := patchwork.Config{Rule: rule, Height: 1, Width: 12}, Options{MaxExperts: 5, Iterations: 4}
		a, err := Learn(t.Context(), data, cfg, opt)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Learn(t.Context(), twice, cfg, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(a.Templates(), b.Templates(), slices.Equal) ||
			!slices.Equal(a.Config().QMap, b.Config().QMap) {
			t.Errorf("%v: rows of weight 2 and rows twice are learned differently", rule)
		}
	}
	var narrow patchwork.Data
	for _, row := range data.Images {
		narrow.Images = append(narrow.Images, bitmap.FromBytes(1, 2, row.AppendBytes(nil)[:2]))
	}
	if _, err := Learn(t.Context(), narrow, patchwork.Config{Height: 1, Width: 2}, Options{}); err != nil {
		t.Errorf("two columns: %v", err)
	}
}
