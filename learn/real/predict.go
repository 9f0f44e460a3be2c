package real

import "math"

// Pixel returns what the explanations together say about pixel d, known or not: the mixture of what each
// says, by their probabilities, and of what each model says, in equal shares, where the posterior is of a committee.
// Mean, Variance and Quantile of the mixture are the prediction, its uncertainty, and the ends of an
// interval.
func (p *Posterior) Pixel(d int) Mixture {
	share := 1 / float64(1+len(p.others))
	out := p.pixel(nil, d, share)
	for _, o := range p.others {
		out = o.pixel(out, d, share)
	}
	return out.joined()
}

// pixel appends what the explanations say about pixel d, with weights that add up to a share.
func (p *Posterior) pixel(to Mixture, d int, share float64) Mixture {
	for i, e := range p.Explanations {
		if p.Weights[i] == 0 {
			continue
		}
		for _, c := range p.bank.compose(d, e.Picks) {
			to = append(to, Component{c.Weight * p.Weights[i] * share, c.Normal})
		}
	}
	return to
}

// joined returns the mixture with equal components made one.
func (m Mixture) joined() Mixture {
	at := map[Normal]int{}
	var out Mixture
	for _, c := range m {
		if i, ok := at[c.Normal]; ok {
			out[i].Weight += c.Weight
			continue
		}
		at[c.Normal] = len(out)
		out = append(out, c)
	}
	return out
}

// compose is Model.Compose with the turns of the bank.
func (b *bank) compose(d int, picks []Pick) Mixture {
	var said []Normal
	for _, p := range picks {
		r, _ := b.m.Poses.RotationIndex(p.Pose.Angle)
		sp := &b.sprites[p.Expert*b.m.Poses.Rotations()+r]
		y, x := d/b.m.Width-p.Pose.DY-sp.top, d%b.m.Width-p.Pose.DX-sp.left
		if y < 0 || x < 0 || y >= sp.h || x >= sp.w || sp.index[y*sp.w+x] < 0 {
			continue
		}
		said = append(said, b.m.opinion(b.m.Experts[p.Expert][sp.frame[y*sp.w+x]], d))
	}
	return b.m.join(d, said)
}

// Prediction is what is believed about the pixels of an image.
type Prediction struct {
	Mean, Deviation []float64 // of all pixels; known pixels have their value, and 0
	Low, High       []float64 // ends of the interval that holds the share asked for
}

// Predict returns what the explanations say about the unknown pixels of an image, with the interval that
// leaves (1 - inside)/2 of the probability on each side; 0 < inside < 1.
func (p *Posterior) Predict(image []float64, inside float64) Prediction {
	n := len(image)
	out := Prediction{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	for d, x := range image {
		if !math.IsNaN(x) {
			out.Mean[d], out.Low[d], out.High[d] = x, x, x
			continue
		}
		m := p.Pixel(d)
		out.Mean[d], out.Deviation[d] = m.Mean(), math.Sqrt(m.Variance())
		out.Low[d], out.High[d] = m.Quantile((1-inside)/2), m.Quantile((1+inside)/2)
	}
	return out
}
