package report

import "math"

// Places are where one part sits in the images that use it: shifts in pixels, down
// and to the right, and degrees clockwise.
type Places struct {
	Part   int       `json:"part"`
	Images []int     `json:"images"` // numbers from 1
	DY     []int     `json:"dy"`
	DX     []int     `json:"dx"`
	Angle  []float64 `json:"angle"`

	// Mean and SD are of dy, dx and angle.
	Mean [3]Number `json:"mean"`
	SD   [3]Number `json:"sd"`
}

// places lists where the parts of images sit, if they move.
func (b *builder) places() {
	if b.set.Table || !b.m.Moves() {
		return
	}
	b.r.Places = make([]Places, b.m.K())
	for k := range b.r.Places {
		b.r.Places[k] = Places{Part: k, Images: []int{}, DY: []int{}, DX: []int{}, Angle: []float64{}}
	}
	for i, row := range b.r.rows {
		for _, p := range row.Picks {
			at := &b.r.Places[p.Expert]
			at.Images = append(at.Images, b.r.ByRow[i].Row)
			at.DY, at.DX, at.Angle = append(at.DY, p.Pose.DY), append(at.DX, p.Pose.DX), append(at.Angle, p.Pose.Angle)
		}
	}
	for k := range b.r.Places {
		at := &b.r.Places[k]
		n := len(at.DY)
		for d, value := range []func(i int) float64{
			func(i int) float64 { return float64(at.DY[i]) },
			func(i int) float64 { return float64(at.DX[i]) },
			func(i int) float64 { return at.Angle[i] },
		} {
			sum, square := 0.0, 0.0
			for i := range n {
				sum += value(i)
			}
			mean := sum / float64(n)
			for i := range n {
				square += float64((value(i) - mean) * (value(i) - mean))
			}
			at.Mean[d], at.SD[d] = Number(mean), Number(math.Sqrt(square/float64(n-1)))
		}
	}
}
