package report

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/pose"
	"example.com/patchwork/workbench"
)

// effortOf returns the defaults for so many rows.
func effortOf(t *rapid.T, height, width, k, rows int, table bool, opt Options) (Options, int) {
	experts := make([][]float64, k)
	for i := range experts {
		experts[i] = make([]float64, height*width)
		for j := range experts[i] {
			experts[i][j] = 0.5
		}
	}
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, height, width, pose.Grid{}), experts)
	if err != nil {
		t.Fatal(err)
	}
	set := &dataset.Set{Table: table, Data: patchwork.Data{Images: make([]*bitmap.Image, rows)}}
	set.Images[0] = bitmap.New(height, width)
	n := opt.settle(workbench.Bits{Model: m}, set, false)
	return opt, n
}

// TestEffort: what is learned again stays within its bounds whatever the data, small
// tables get all of it, and what the user asks for is kept.
func TestEffort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, k := rapid.IntRange(1, 3000).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "parts")
		rows := rapid.IntRange(1, 300_000).Draw(t, "rows")
		o, folds := effortOf(t, 1, width, k, rows, true, Options{})
		refits := 2*o.Stability + folds
		if used := min(o.Sample, rows); int64(refits*used*width*k) > workOfRefits &&
			(o.Sample > fewestRefitRows || refits > 2*fewTimes+fewFolds) {
			t.Errorf("%d refits of %d rows x %d columns x %d parts", refits, used, width, k)
		}
		if int64(rows*width*k) < workOfRefits/30 && (o.Stability != mostTimes || folds != mostFolds || o.Sample < rows &&
			o.Sample < mostRefitRows) {
			t.Errorf("%d rows x %d columns x %d parts: %d times, %d folds, %d rows", rows, width, k, o.Stability, folds,
				o.Sample)
		}
		if o, _ := effortOf(t, 1, width, k, rows, true, Options{Stability: 7, Sample: 99}); o.Stability != 7 ||
			o.Sample != 99 {
			t.Errorf("asked for 7 times and 99 rows, got %d and %d", o.Stability, o.Sample)
		}
		o, folds = effortOf(t, 8, 8, k, rows, false, Options{})
		if o.Stability != timesOfImages || folds != fewFolds || o.Sample < fewestRefitImages || o.Sample > mostRefitImages {
			t.Errorf("images: %d times, %d folds, %d images", o.Stability, folds, o.Sample)
		}
	})
}
