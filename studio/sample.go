package studio

import (
	"context"
	"math"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

type sampleRequest struct {
	Model string    `json:"model" maxLength:"64" doc:"id of a model"`
	N     int       `json:"n,omitempty" minimum:"1" doc:"number of samples; default 1"`
	Seed  uint64    `json:"seed,omitempty" doc:"sample i depends only on the seed and i"`
	Along []float64 `json:"along,omitempty" maxItems:"64" doc:"instead of random poses: coordinates along geometry.components, in standard deviations"`
	Noise bool      `json:"noise,omitempty" doc:"draw every bit; otherwise a bit is 1 if its probability is at least 1/2"`
}

type sampleAnswer struct {
	Height  int      `json:"height"`
	Width   int      `json:"width"`
	Samples []sample `json:"samples"`
}

type sample struct {
	Picks    []place `json:"picks"`
	P        f32     `json:"p" doc:"composed probabilities"`
	Bits     string  `json:"bits"`
	Speakers string  `json:"speakers" doc:"as in detail"`
	Values   f32     `json:"values,omitempty" doc:"instead of both, of real values: row-major"`
}

func (s *core) sampleRoutes() {
	addJSON(s, operation("POST", "/v1/sample", "sample", "Draw new images from a model", 200), s.sample)
}

// maxAlong bounds the coordinates, in standard deviations.
const maxAlong = 20

func (s *core) sample(ctx context.Context, _ *struct{}, req *sampleRequest) (*sampleAnswer, error) {
	m, err := s.models.find(req.Model)
	if err != nil {
		return nil, err
	}
	n, h, w := max(req.N, 1), 0, 0
	if m.bits() == nil {
		h, w = m.about.Height, m.about.Width
	} else {
		c := m.bits().Config()
		h, w = c.ImageHeight, c.ImageWidth
	}
	if n > s.limits.Samples || n > maxDetail/8/(h*w) {
		return nil, problemAt(statusRequestEntityTooLarge, "body.n", req.N,
			"%d samples of %d x %d pixels are more than this server returns at a time (%d)", n, h, w, s.limits.Samples)
	}
	var fixed []patchwork.Pick
	if req.Along != nil {
		if fixed, err = placeAlong(m.bits(), req.Along); err != nil {
			return nil, err
		}
	}
	out := new(sampleAnswer)
	out.Height, out.Width = h, w
	if m.bits() == nil {
		drawn, err := m.of.Sample(n, req.Seed)
		if err != nil {
			return nil, problem(422, err.Error())
		}
		for _, values := range drawn.Frame.Values {
			out.Samples = append(out.Samples, sample{Picks: []place{}, Values: newF32(values)})
		}
		return out, nil
	}
	for i := range n {
		if ctx.Err() != nil {
			return nil, s.workError(context.Cause(ctx))
		}
		rng := rand.New(rand.NewPCG(req.Seed, uint64(i)))
		out.Samples = append(out.Samples, drawSample(m.bits(), req.Noise, fixed, rng))
	}
	return out, nil
}

// drawSample returns a sample, the same that patchwork sample draws, with picks that are fixed if there are some.
func drawSample(m *patchwork.Model, noise bool, picks []patchwork.Pick, rng *rand.Rand) sample {
	if picks == nil {
		picks = m.SamplePicks(rng)
	}
	h, w := m.Config().ImageHeight, m.Config().ImageWidth
	c := m.Compose(h, w, picks)
	var img *bitmap.Image
	if noise {
		img = bitmap.Sample(rng, h, w, c.P)
	} else {
		img = bitmap.New(h, w)
		for j, p := range c.P {
			img.Set(j/w, j%w, p >= 0.5)
		}
	}
	return sample{Picks: newPlaces(picks), P: newF32(c.P), Bits: newImage(img).Bits, Speakers: speakers(m, c)}
}

// placeAlong places every expert at its mean pose, moved along the principal
// directions.
func placeAlong(m *patchwork.Model, along []float64) ([]patchwork.Pick, error) {
	if m == nil || m.Extras().Geometry == nil {
		return nil, problemAt(422, "body.along", nil, "the model has no geometry")
	}
	g := m.Extras().Geometry
	if rank := min(g.Normal.Rank(), maxComponents); len(along) > rank {
		return nil, problemAt(422, "body.along", nil, "%d coordinates, but the geometry has %d components", len(along), rank)
	}
	x := g.Normal.Mean()
	for i, z := range along {
		if !(math.Abs(z) <= maxAlong) {
			return nil, problemAt(422, "body.along", nil, "coordinate %d is %g standard deviations, beyond %d", i, z, maxAlong)
		}
		u, sd := g.Normal.Principal(i)
		for j := range x {
			x[j] += float64(z * sd * u[j])
		}
	}
	picks := make([]patchwork.Pick, m.K())
	for k := range picks {
		picks[k] = patchwork.Pick{Expert: k, Pose: pose.Pose{DY: clampRound(x[3*k]), DX: clampRound(x[3*k+1]),
			Angle: x[3*k+2]}}
	}
	return picks, nil
}

// clampRound rounds a shift to whole pixels within the bounds of a pose.
func clampRound(v float64) int {
	return int(math.Round(min(max(v, -pose.MaxShift), pose.MaxShift)))
}
