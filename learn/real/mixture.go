package real

import (
	"math"
	"math/rand/v2"

	"example.com/patchwork/internal/draw"
	"example.com/patchwork/internal/elem"
)

// mixtureSteps are those of EM of a mixture.
const mixtureSteps = 25

// mixtureSizes are the numbers of components that are tried.
var mixtureSizes = []int{5, 10, 20, 40}

// mixture returns the best start from mixtures of diagonal normal distributions of several sizes: a
// component becomes an expert, by the M-step from its soft counts, with the columns' means and variances as
// background. Where experts move, it returns the state without experts.
func (l *learner) mixture(rng *rand.Rand, t *terms) (*state, error) {
	best, err := l.explain(l.model(l.means()))
	if err != nil || l.o.Poses.Len() > 1 {
		return best, err
	}
	for _, k := range mixtureSizes {
		if k > len(l.data.Rows)/5 || l.o.Experts > 0 && k > l.o.Experts {
			if l.o.Experts == 0 || k/2 >= l.o.Experts {
				break
			}
			k = min(l.o.Experts, len(l.data.Rows)/5)
		}
		m := l.model(l.means())
		l.components(rng, t, m, k)
		s, err := l.explain(prune(m))
		if err != nil {
			return nil, err
		}
		if s, err = l.em(s, t, 3); err != nil {
			return nil, err
		}
		if s.length < best.length {
			best = s
		}
	}
	return best, nil
}

// components fits a mixture of k components to the data, and gives the model an expert for each.
func (l *learner) components(rng *rand.Rand, t *terms, m *Model, k int) {
	x := &mixing{data: l.data, columns: l.columns}
	x.begin(rng, k)
	for range mixtureSteps {
		x.step()
	}
	for j := range k {
		e := make([]Entry, m.D())
		for d := range e {
			s := x.sums[j*m.D()+d]
			n, mean, squares := s.n, 0.0, 0.0
			if n > 0 {
				mean = l.columns[d].Mean + s.sum/n
				squares = max(0, s.square-s.sum*s.sum/n)
			}
			e[d] = t.vote(m, d, n, mean, squares)
		}
		m.Experts = append(m.Experts, e)
		m.Pi = append(m.Pi, (float64(x.share[j]*float64(len(l.data.Rows)))+.5)/(float64(len(l.data.Rows))+1))
	}
}

// soft sums are of values about the mean of their column.
type softSums struct{ n, sum, square float64 }

// mixing is EM of a mixture of diagonal normal distributions. Rows are added in their order.
type mixing struct {
	data    *Data
	columns []Normal
	share   []float64
	normals [][]Normal
	sums    []softSums
}

// begin makes k components of rows drawn at a distance from each other.
func (x *mixing) begin(rng *rand.Rand, k int) {
	rows := x.data.Rows
	distance := make([]float64, len(rows))
	for i := range distance {
		distance[i] = math.Inf(1)
	}
	at := rng.IntN(len(rows))
	for range k {
		x.share = append(x.share, 1/float64(k))
		n := make([]Normal, len(x.columns))
		for d, c := range x.columns {
			if n[d] = c; !math.IsNaN(rows[at][d]) {
				n[d].Mean = rows[at][d]
			}
		}
		x.normals = append(x.normals, n)
		for i, row := range rows {
			sum := 0.0
			for d, v := range row {
				if !math.IsNaN(v) {
					sum += (v - n[d].Mean) * (v - n[d].Mean) / n[d].Var
				}
			}
			distance[i] = min(distance[i], sum)
		}
		at = max(0, draw.ByWeight(rng, distance))
	}
}

// step takes a step of EM. A component's variance begins from one observation of the column's.
func (x *mixing) step() {
	width := len(x.columns)
	x.sums = make([]softSums, len(x.share)*width)
	count := x.expect()
	for j := range x.share {
		x.share[j] = (count[j] + .5) / (float64(len(x.data.Rows)) + float64(.5*float64(len(x.share))))
		for d, c := range x.columns {
			s := &x.sums[j*width+d]
			mean := s.sum / (s.n + .5)
			v := (c.Var + s.square - float64(2*mean*s.sum) + float64(s.n*mean*mean)) / (1 + s.n)
			x.normals[j][d] = Normal{c.Mean + mean, max(v, x.data.Scales[d].Floor)}
		}
	}
}

// expect adds every row to the sums of the components by their posteriors, and returns how many rows each has.
func (x *mixing) expect() (count []float64) {
	constant := make([][]float64, len(x.share)) // of ln density
	for j := range constant {
		for _, n := range x.normals[j] {
			constant[j] = append(constant[j], float64(-elem.Log(n.Var)/2)-halfLog2Pi)
		}
	}
	post := make([]float64, len(x.share))
	count = make([]float64, len(x.share))
	for _, row := range x.data.Rows {
		total := math.Inf(-1)
		for j := range post {
			post[j] = elem.Log(x.share[j])
			for d, v := range row {
				if !math.IsNaN(v) {
					n := &x.normals[j][d]
					post[j] += constant[j][d] - (v-n.Mean)*(v-n.Mean)/(2*n.Var)
				}
			}
			total = logAdd(total, post[j])
		}
		for j := range post {
			if w := elem.Exp(post[j] - total); w >= 1e-6 {
				count[j] += w
				x.add(j, row, w)
			}
		}
	}
	return count
}

// add adds a row to the sums of component j with a weight.
func (x *mixing) add(j int, row []float64, w float64) {
	sums := x.sums[j*len(x.columns) : (j+1)*len(x.columns)]
	for d, v := range row {
		if !math.IsNaN(v) {
			v -= x.columns[d].Mean
			sums[d].n += w
			sums[d].sum += float64(w * v)
			sums[d].square += float64(w * v * v)
		}
	}
}
