package learn

import (
	"math"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"
)

// leaveOneOut gives the same as counting the other images' explanations again, for
// any number of workers.
func TestLeaveOneOutCountsTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.InnerLevel), testkit.InnerLevel)
		var data patchwork.Data
		for range rapid.IntRange(2, 5).Draw(t, "images") {
			data.Images = append(data.Images, testkit.DrawImage(t, m.Height(), m.Width(), ".#?"))
		}
		opt := patchwork.PursuitOptions{Forced: true}
		want := 0.0
		for i, img := range data.Images {
			others, all := patchwork.NewTally(m), patchwork.NewTally(m)
			var own *patchwork.Explanation
			for j, o := range data.Images {
				e := testkit.MustExplain(t, m, o, opt)
				all.Add(m, o, e, 1)
				if j == i {
					own = e
					continue
				}
				others.Add(m, o, e, 1)
			}
			next := leftOut(m, others, all, patchwork.MStep{})
			want += patchwork.LogLik(img, next.Compose(img.Height(), img.Width(), own.Picks).P)
		}
		for _, workers := range []int{1, 3} {
			got, _, err := leaveOneOut(t.Context(), m, data, opt, patchwork.MStep{}, workers)
			if err != nil || got != want && math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Fatalf("%d workers: %v, %v, want %v", workers, got, err, want)
			}
		}
	})
}
