package patchwork

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// What LeaveOneOut says is what counting the other images' explanations anew
// says, for any number of workers.
func TestLeaveOneOutCountsTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := DrawModel(t, DrawConfig(t, InnerLevel), InnerLevel)
		var data Data
		for range rapid.IntRange(2, 5).Draw(t, "images") {
			data.Images = append(data.Images, DrawImage(t, m.Height(), m.Width(), ".#?"))
		}
		opt := PursuitOptions{Forced: true}
		want := 0.0
		for i, img := range data.Images {
			others, all := NewTally(m), NewTally(m)
			var own *Explanation
			for j, o := range data.Images {
				e := MustExplain(t, m, o, opt)
				all.Add(m, o, e, 1)
				if j == i {
					own = e
					continue
				}
				others.Add(m, o, e, 1)
			}
			next := leftOut(m, others, all, MStep{})
			want += LogLik(img, next.Compose(img.Height(), img.Width(), own.Picks).P)
		}
		for _, workers := range []int{1, 3} {
			got, err := LeaveOneOut(t.Context(), m, data, opt, MStep{}, workers)
			if err != nil || got != want && math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Fatalf("%d workers: %v, %v, want %v", workers, got, err, want)
			}
		}
	})
}
