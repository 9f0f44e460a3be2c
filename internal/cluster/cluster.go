// Package cluster divides points of the plane into clusters: by a mixture of
// Gaussians, which finds elongated ones, started by k-means.
package cluster

import (
	"context"
	"math"
	"math/rand/v2"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
)

// cutRestarts is the number of starts of Cut: the likelihood of a mixture of
// Gaussians has many local maxima, and for three pieces the best of ten starts is
// nearly always the best of a hundred.
const cutRestarts = 10

// Cut assigns each point to one of k elongated clouds: EM of a mixture of k
// Gaussians from k-means, the likeliest of cutRestarts runs, ties to the lowest
// cloud. The error is the context's: a large picture has points for minutes.
func Cut(ctx context.Context, points []Point, k int, rng *rand.Rand) ([]int, error) {
	var best mixedClouds
	most := math.Inf(-1)
	for range cutRestarts {
		m := newMixedClouds(points, k, kMeans(ctx, points, k, rng))
		if logLik := m.climb(ctx); logLik > most {
			best, most = m, logLik
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return best.likeliest(), nil
}

// mixedClouds is a mixture of Gaussians over the plane, with the probability of
// each Gaussian for each point.
type mixedClouds struct {
	points []Point
	clouds []cloud
	share  []float64 // len(points) x len(clouds): probability that the cloud made the point
}

// cloud is a Gaussian over the plane with its weight in a mixture.
type cloud struct {
	mean       Point
	yy, yx, xx float64 // inverse covariance
	logHeight  float64 // log of weight / sqrt(det covariance): log-density at the mean, up to a constant
}

// cloudWidth is added to the variances of a cloud, in pixels squared; without it
// a line one pixel wide would be infinitely likely.
const cloudWidth = 1

func newMixedClouds(points []Point, k int, cluster []int) mixedClouds {
	m := mixedClouds{points, make([]cloud, k), make([]float64, len(points)*k)}
	for i, c := range cluster {
		m.share[i*k+c] = 1
	}
	return m
}

// climb runs EM until a round gains less than 0.01 nats, and returns the
// log-likelihood of the points, up to a constant; early if the context ends.
func (m *mixedClouds) climb(ctx context.Context) float64 {
	logLik := math.Inf(-1)
	for n := 0; n < 100 && ctx.Err() == nil; n++ {
		for c := range m.clouds {
			m.fit(c)
		}
		before := logLik
		if logLik = m.shareOut(); logLik-before < 1e-2 {
			break
		}
	}
	return logLik
}

// fit makes the M-step of cloud c: the mean and covariance of its share.
func (m *mixedClouds) fit(c int) {
	k := len(m.clouds)
	var n, sy, sx, syy, syx, sxx float64
	for i, p := range m.points {
		w := m.share[i*k+c]
		n, sy, sx = n+w, sy+float64(w*p.Y), sx+float64(w*p.X)
		syy, syx, sxx = syy+float64(w*p.Y*p.Y), syx+float64(w*p.Y*p.X), sxx+float64(w*p.X*p.X)
	}
	if n < 1e-9 { // empty cluster: weight 0, so no point is assigned to it again
		m.clouds[c] = cloud{logHeight: math.Inf(-1)}
		return
	}
	mean := Point{sy / n, sx / n}
	vyy := max(syy/n-float64(mean.Y*mean.Y), 0) + cloudWidth
	vxx := max(sxx/n-float64(mean.X*mean.X), 0) + cloudWidth
	vyx := syx/n - float64(mean.Y*mean.X)
	det := float64(vyy*vxx) - float64(vyx*vyx)
	m.clouds[c] = cloud{mean, vxx / det, -vyx / det, vyy / det, elem.Log(n) - float64(elem.Log(det)/2)}
}

// shareOut makes the E-step and returns the log-likelihood, up to a constant.
func (m *mixedClouds) shareOut() float64 {
	sum, k := 0.0, len(m.clouds)
	for i, p := range m.points {
		share, top := m.share[i*k:(i+1)*k], math.Inf(-1)
		for c := range m.clouds {
			g := &m.clouds[c]
			dy, dx := p.Y-g.mean.Y, p.X-g.mean.X
			share[c] = g.logHeight - float64((float64(g.yy*dy*dy)+float64(2*g.yx*dy*dx)+float64(g.xx*dx*dx))/2)
			top = max(top, share[c])
		}
		total := 0.0
		for c, l := range share {
			if share[c] = 1; l != top {
				share[c] = elem.Exp(l - top)
			}
			total += share[c]
		}
		if total == 1 { // most points are those of one cloud
			sum += top
			continue
		}
		for c := range share {
			share[c] /= total
		}
		sum += top + elem.Log(total)
	}
	return sum
}

// likeliest returns for each point the cloud that most probably made it.
func (m *mixedClouds) likeliest() []int {
	k, out := len(m.clouds), make([]int, len(m.points))
	for i := range out {
		for c := range k {
			if m.share[i*k+c] > m.share[i*k+out[i]] {
				out[i] = c
			}
		}
	}
	return out
}

// Point is a point of the plane.
type Point struct{ Y, X float64 }

func (p Point) distance2(q Point) float64 {
	return float64((p.Y-q.Y)*(p.Y-q.Y)) + float64((p.X-q.X)*(p.X-q.X))
}

// kMeans assigns each point to one of k clusters (Lloyd's algorithm from a
// k-means++ start), ties to the lowest; it ends early if the context does.
func kMeans(ctx context.Context, points []Point, k int, rng *rand.Rand) []int {
	centres := spread(points, k, rng)
	cluster := make([]int, len(points))
	for n := 0; n < 100 && ctx.Err() == nil; n++ { // converges in about a dozen rounds
		moved := false
		for i, p := range points {
			if c := nearest(p, centres); c != cluster[i] {
				cluster[i], moved = c, true
			}
		}
		sum, count := make([]Point, k), make([]float64, k)
		for i, p := range points {
			c := cluster[i]
			sum[c].Y, sum[c].X, count[c] = sum[c].Y+p.Y, sum[c].X+p.X, count[c]+1
		}
		for c := range centres {
			if count[c] > 0 {
				centres[c] = Point{sum[c].Y / count[c], sum[c].X / count[c]}
			}
		}
		if !moved {
			break
		}
	}
	return cluster
}

func nearest(p Point, centres []Point) int {
	best, least := 0, math.Inf(1)
	for c, q := range centres {
		if d := p.distance2(q); d < least {
			best, least = c, d
		}
	}
	return best
}

// spread draws k centres among the points, each with a probability proportional
// to its squared distance from those before (Arthur and Vassilvitskii 2007).
func spread(points []Point, k int, rng *rand.Rand) []Point {
	centres := []Point{points[rng.IntN(len(points))]}
	distance := make([]float64, len(points))
	for len(centres) < k {
		for i, p := range points {
			distance[i] = p.distance2(centres[nearest(p, centres)])
		}
		i := draw.ByWeight(rng, distance)
		if i < 0 {
			i = len(points) - 1 // every point is a centre already
		}
		centres = append(centres, points[i])
	}
	return centres
}
