package stack

import (
	"context"
	"math"
	"math/rand/v2"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/matrix"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// Held says how bits were predicted that were hidden of rows that were held out, by the weights that predict them best.
type Held struct {
	Bits    int64
	LogLoss float64 // nats a bit
}

// Options say how a predictor is learned. The zero value is the recommended default, without parts.
type Options struct {
	// Parts learns parts from rows; nil leaves the parts out. It is called where there are up to 500 rows: of more,
	// parts add nothing to what the others predict.
	Parts func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error)

	Exclusive posterior.Exclusive // columns of which exactly one is on are hidden together
	Seed      uint64
	Workers   int // goroutines; 0 means 1. The result is the same for any number.
}

const (
	fewRows     = 500     // up to which each row is held out once
	folds       = 5       // a share of the rows that is held out
	mostRows    = 20000   // that are learned from
	mostCells   = 30000   // that are hidden
	mostColumns = 512     // of Gaussians, whose covariance is the square of them
	mostNumbers = 1 << 24 // of mixtures, which a file holds
	leastRows   = 10      // fewer tell nothing

	hiddenShare = .2
)

// candidates are what is tried of each kind.
type candidates struct {
	sizes, starts []int // of mixtures
	shares        []float64
	ranks         []int
}

// candidatesOf returns what is tried for a table of so many rows and columns.
func candidatesOf(n int64, columns int) (c candidates) {
	numbers := 0 // of all mixtures
	for k := 1; k <= 64 && int64(k) <= max(n/3, 1); k *= 2 {
		starts := 8
		switch {
		case k == 1:
			starts = 1
		case k > 16:
			starts = 4
		}
		if numbers += k * starts * columns; numbers > mostNumbers && k > 1 {
			break
		}
		c.sizes, c.starts = append(c.sizes, k), append(c.starts, starts)
	}
	if columns > mostColumns {
		return c
	}
	c.shares = []float64{.03, .1, .3, .6}
	for k := 1; k <= 32 && k < columns; k *= 2 {
		c.ranks = append(c.ranks, k)
	}
	return c
}

// Fit learns a predictor from the rows of a table, nil from too few. Weights are those that predict best what is hidden
// of rows that are held out: of up to 500 rows each once, of more a fifth. All is then learned again from all rows, of
// which a uniform sample of 20,000 is taken.
func Fit(ctx context.Context, data patchwork.Data, opt Options) (*Predictor, *Held, error) {
	if err := rows.Validate(ctx, data); err != nil {
		return nil, nil, err
	}
	if data = rows.Units(few(data, mostRows, opt.Seed)); len(data.Images) < leastRows || data.Images[0].Len() < 2 {
		return nil, nil, nil
	}
	n := rows.Total(data)
	if n > fewRows {
		opt.Parts = nil
	}
	c := candidatesOf(n*(folds-1)/folds, data.Images[0].Len())
	var all cells
	for _, f := range foldsOf(data, opt.Seed) {
		if err := f.hide(ctx, c, opt, &all); err != nil {
			return nil, nil, err
		}
	}
	if len(all.on) == 0 {
		return nil, nil, nil
	}
	w, loss := all.weigh(c)
	p, err := fit(ctx, data, w, opt)
	return p, &Held{int64(len(all.on)), loss}, err
}

// few returns at most so many rows, drawn at random.
func few(data patchwork.Data, most int64, seed uint64) patchwork.Data {
	if n := rows.Total(data); n > most {
		_, data = rows.SplitUnits(data, float64(most)/float64(n), seed)
	}
	return data
}

// fold is a part of the rows that is held out, and the rest.
type fold struct {
	train, held patchwork.Data
	times       int // that cells of each are hidden
	seed        uint64
}

// foldsOf splits rows.
func foldsOf(data patchwork.Data, seed uint64) []fold {
	n, times := len(data.Images), 4
	if n > fewRows && data.Images[0].Len() > 40 {
		times = 2
	}
	order := rand.New(rand.NewPCG(seed, 77)).Perm(n)
	some := folds
	if n > fewRows {
		some = 1
	}
	out := make([]fold, some)
	for f := range out {
		var train, held []int
		for at, i := range order {
			if at%folds == f {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		if most := mostCells/int(hiddenShare*float64(data.Images[0].Len()*times*some)+1) + 1; len(held) > most {
			held = held[:most]
		}
		out[f] = fold{rows.Part(data, train), rows.Part(data, held), times, seed + uint64(f)}
	}
	return out
}

// hide learns from the rows of a fold that are not held out, and adds what all candidates, one after the other, and the
// parts say of what is hidden of the others.
func (f *fold) hide(ctx context.Context, c candidates, opt Options, all *cells) error {
	p, err := train(ctx, f.train, c, opt)
	if err != nil {
		return err
	}
	p.prepare()
	h := opt.Exclusive.HideBits(f.held, hiddenShare, f.times, f.seed)
	parts := make([][]float64, len(h.Visible))
	if opt.Parts != nil {
		m, err := opt.Parts(ctx, rows.Distinct(f.train))
		if err != nil {
			return err
		}
		err = posterior.Predict(ctx, m, h.Visible, posterior.Options{}, opt.Workers,
			func(i int, p []float64, _ *posterior.Posterior) { parts[i] = p })
		if err != nil {
			return err
		}
	}
	said := make([][][]float64, len(h.Visible)) // by row, voter and hidden bit
	_, err = pool.Run(ctx, len(h.Visible), opt.Workers, 1, func(_, r int) error {
		said[r] = p.saidOf(h.Visible[r], parts[r])
		return nil
	})
	if err == nil {
		all.add(h, said)
	}
	return err
}

// saidOf returns what every voter and the parts, unless nil, say of the bits of a row that are not known.
func (p *Predictor) saidOf(visible *bitmap.Image, parts []float64) (out [][]float64) {
	x, one := newRow(visible, p.Means), make([]float64, len(p.Means))
	keep := func(all []float64) {
		said := make([]float64, len(x.hidden))
		for j, i := range x.hidden {
			said[j] = all[i]
		}
		out = append(out, said)
	}
	for _, voters := range p.voters {
		for _, v := range voters {
			v.predict(x, one)
			keep(one)
		}
	}
	if parts != nil {
		keep(parts)
	}
	return out
}

// add adds cells of rows of which voters said something.
func (c *cells) add(h posterior.HiddenBits, said [][][]float64) {
	for r, visible := range h.Visible {
		on, there, seen := h.Data.Images[r].AppendBytes(nil), h.Data.Images[r].AppendKnown(nil), visible.AppendKnown(nil)
		j := -1
		for i, known := range seen {
			if known != 0 {
				continue
			}
			if j++; there[i] == 0 {
				continue
			}
			c.on, c.weight = append(c.on, on[i] != 0), append(c.weight, h.Data.Times(r))
			for v, said := range said[r] {
				if v == len(c.said) {
					c.said = append(c.said, nil)
				}
				c.said[v] = append(c.said[v], said[j])
			}
		}
	}
}

// weighedCandidates are candidates with weights, those of the kinds among them.
type weighedCandidates struct {
	candidates
	weights [kinds - 1][]float64
	kinds   [kinds]float64
}

// weigh returns the candidates that predict cells together, with their weights, and the mean loss.
func (c *cells) weigh(tried candidates) (out weighedCandidates, loss float64) {
	var said [][]float64
	var which []int
	from := 0
	for kind, n := range []int{len(tried.sizes), len(tried.shares), len(tried.ranks)} {
		if n > 0 {
			weights, together := c.averaged(from, from+n)
			out.weights[kind], said, which = weights, append(said, together), append(which, kind)
			from += n
		}
	}
	if from < len(c.said) {
		said, which = append(said, c.said[from]), append(which, byParts)
	}
	weights, loss := added(said, c.on, c.weight)
	for i, w := range weights {
		out.kinds[which[i]] = w
	}
	out.candidates = tried
	return out, loss
}

// train learns all candidates, of equal weight.
func train(ctx context.Context, data patchwork.Data, c candidates, opt Options) (*Predictor, error) {
	w := weighedCandidates{candidates: c}
	for kind, n := range []int{len(c.sizes), len(c.shares), len(c.ranks)} {
		for range n {
			w.weights[kind] = append(w.weights[kind], 1)
		}
		w.kinds[kind] = 1
	}
	return fit(ctx, data, w, opt)
}

// fit learns those candidates that have a weight.
func fit(ctx context.Context, data patchwork.Data, c weighedCandidates, opt Options) (*Predictor, error) {
	data = rows.Distinct(data)
	p := &Predictor{Weights: c.kinds}
	type start struct {
		size int
		seed uint64
		to   **table.Mixture
	}
	var todo []start
	for i, w := range c.weights[byMixtures] {
		if w == 0 || c.kinds[byMixtures] == 0 {
			continue
		}
		m := Mixtures{w, make([]*table.Mixture, c.starts[i])}
		for n := range m.Starts {
			todo = append(todo, start{c.sizes[i], opt.Seed + uint64(n)<<32, &m.Starts[n]})
		}
		p.Mixtures = append(p.Mixtures, m)
	}
	_, err := pool.Run(ctx, len(todo), opt.Workers, 1, func(_, i int) (err error) {
		*todo[i].to, err = table.FitMixture(ctx, data, todo[i].size, todo[i].seed)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, w := range c.weights[byShrunk] {
		if w > 0 && c.kinds[byShrunk] > 0 {
			p.Shrunk = append(p.Shrunk, Shrunk{w, c.shares[i]})
		}
	}
	for i, w := range c.weights[byFew] {
		if w > 0 && c.kinds[byFew] > 0 {
			p.Few = append(p.Few, Few{w, c.ranks[i]})
		}
	}
	p.Means = rows.Means(data)
	if p.Shrunk != nil || p.Few != nil {
		p.Covariance = covariance(data, p.Means)
	}
	return p, nil
}

// covariance returns that of the columns, row by row, each of the rows that know both: of numbers that are means, the
// nearest that is one.
func covariance(data patchwork.Data, means []float64) []float64 {
	d := len(means)
	sum, seen := matrix.New(d, d), matrix.New(d, d)
	above, there := make([]float64, d), make([]float64, d)
	whole := 0.0 // rows without unknown bits
	rows.Each(data, func(weight float64, x, known []uint8) {
		complete := true
		for i, k := range known {
			above[i], there[i] = 0, float64(k)
			if complete = complete && k != 0; k != 0 {
				above[i] = float64(x[i]) - means[i]
			}
		}
		for i, v := range above {
			matrix.AddTo(sum.Row(i)[i:], weight*v, above[i:])
		}
		if complete {
			whole += weight
			return
		}
		for i, v := range there {
			matrix.AddTo(seen.Row(i)[i:], weight*v, there[i:])
		}
	})
	for i := range d {
		for j := i; j < d; j++ {
			n := max(whole+seen.At(i, j), math.SmallestNonzeroFloat64)
			sum.SetBoth(i, j, sum.At(i, j)/n)
		}
	}
	return sum.Data
}
