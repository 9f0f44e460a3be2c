package modelfile

import (
	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/table"
	"example.com/patchwork/table/answers"
	"example.com/patchwork/table/stack"
)

// predictor is what model.json says of a stack.Predictor, whose numbers are in arrays.
type predictor struct {
	Weights  []float64        `json:"weights"` // of mixtures, the Gaussians of each kind, and the parts
	Mixtures []storedMixtures `json:"mixtures,omitempty"`
	Shrunk   []stack.Shrunk   `json:"shrunk,omitempty"`
	Few      []stack.Few      `json:"few,omitempty"`
}

type storedMixtures struct {
	Weight     float64 `json:"weight"`
	Components int     `json:"components"`
	Starts     int     `json:"starts"`
}

// mostComponents bounds the components of the mixtures of a predictor.
const mostComponents = 4096

// newPredictor returns what model.json says of a predictor.
func newPredictor(by patchwork.Predictor) *predictor {
	p, ok := by.(*stack.Predictor)
	if !ok {
		return nil
	}
	out := &predictor{Weights: p.Weights[:], Shrunk: p.Shrunk, Few: p.Few}
	for _, m := range p.Mixtures {
		out.Mixtures = append(out.Mixtures, storedMixtures{m.Weight, len(m.Starts[0].Share), len(m.Starts)})
	}
	return out
}

// layersOf returns the layers of a picture of answers; nil of none.
func layersOf(by patchwork.Predictor) *answers.Layers {
	r, ok := by.(*answers.Reader)
	if !ok {
		return nil
	}
	l := r.Layers()
	return &l
}

// predictorArrays are the numbers of a predictor.
type predictorArrays struct {
	shares, components []float64 // of all mixtures, one after the other
	means, covariance  []float64
}

// stored returns the arrays, of n components and d columns.
func (a *predictorArrays) stored(n, d int) []stored {
	return []stored{numbersOf("predictor_shares", &a.shares, n).optional(),
		numbersOf("predictor_components", &a.components, n, d).optional(),
		numbersOf("predictor_means", &a.means, d).optional(),
		numbersOf("predictor_covariance", &a.covariance, d, d).optional()}
}

// arraysOf returns the arrays of a predictor, none of none.
func arraysOf(by patchwork.Predictor) []stored {
	p, ok := by.(*stack.Predictor)
	if !ok {
		return nil
	}
	a := &predictorArrays{means: p.Means, covariance: p.Covariance}
	for _, m := range p.Mixtures {
		for _, x := range m.Starts {
			a.shares = append(a.shares, x.Share...)
			for _, c := range x.Components {
				a.components = append(a.components, c...)
			}
		}
	}
	return a.stored(len(a.shares), len(p.Means))
}

// read returns the predictor of a model with d columns; nil if the file has none.
func (h *predictor) read(r *reader, d int) (patchwork.Predictor, error) {
	if h == nil {
		if r.zip.HasFile(committeeName(0)) {
			return earlier{d}, nil
		}
		return nil, nil
	}
	p, n := new(stack.Predictor), 0
	if len(h.Weights) != len(p.Weights) {
		return nil, bad("predictor", "", "%d weights; there are %d", len(h.Weights), len(p.Weights))
	}
	copy(p.Weights[:], h.Weights)
	for i, m := range h.Mixtures {
		if m.Components < 1 || m.Starts < 1 || over(mostComponents, m.Components, m.Starts) {
			return nil, bad("predictor", "", "mixtures %d have %d components from %d starts", i+1, m.Components, m.Starts)
		}
		if n += m.Components * m.Starts; n > mostComponents {
			return nil, bad("predictor", "", "more than %d components of mixtures", mostComponents)
		}
	}
	var a predictorArrays
	for _, one := range a.stored(n, d) {
		if !r.zip.Has(one.name) {
			continue
		}
		if err := one.read(r); err != nil {
			return nil, err
		}
	}
	if len(a.components) != n*d || len(a.shares) != n {
		return nil, bad("predictor", "keep both", "needs predictor_shares.npy and predictor_components.npy")
	}
	p.Means, p.Covariance, p.Shrunk, p.Few = a.means, a.covariance, h.Shrunk, h.Few
	for _, m := range h.Mixtures {
		kind := stack.Mixtures{Weight: m.Weight}
		for range m.Starts {
			x := &table.Mixture{Share: a.shares[:m.Components]}
			a.shares = a.shares[m.Components:]
			for range m.Components {
				x.Components, a.components = append(x.Components, a.components[:d]), a.components[d:]
			}
			kind.Starts = append(kind.Starts, x)
		}
		p.Mixtures = append(p.Mixtures, kind)
	}
	if err := p.Check(); err != nil {
		return nil, bad("predictor", "", "%v", err)
	}
	return p, nil
}

// earlier is the predictor of a file of an earlier version, whose parts predicted together with other models: the parts
// alone.
type earlier struct{ pixels int }

// Predict returns what the parts say.
func (earlier) Predict(_ *bitmap.Image, parts []float64) []float64 { return parts }

// Len returns of how many pixels the images are.
func (e earlier) Len() int { return e.pixels }

// String says that other models are not read.
func (earlier) String() string {
	return "the parts alone: an earlier version kept other models in the file, which are not read; learn it again"
}
