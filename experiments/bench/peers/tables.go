package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
)

// table holds rows drawn from a max model, and the experts that were active in the first
// of them.
type table struct {
	model  *patchwork.Model
	data   patchwork.Data
	active [][]int

	// A pursuit of the model, used repeatedly, and its memory for what it finds.
	pursuit *patchwork.Pursuit
	found   patchwork.Explanations
}

// tableSeed is the seed of the tables in the README.
const tableSeed = 2

// checked is the number of rows whose explanations are compared with the truth.
const checked = 2000

// plantTable draws n rows of d columns. Each of k experts votes from 0.8 to 1, no two alike, for an eighth
// of the columns (at least nine) and is active in a few rows: four experts per row on average, at most a
// quarter of them. The abstention value is 0.02. The rows are in memory as rows read from a file are.
func plantTable(n, d, k int, seed uint64) (*table, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	const off = 0.02
	templates := make([][]float64, k)
	votes := make([][]int, k)
	for j := range templates {
		templates[j] = make([]float64, d)
		votes[j] = rng.Perm(d)[:min(d, max(9, d/8))]
		for _, i := range votes[j] {
			templates[j][i] = 0.8 + 0.2*rng.Float64()
		}
	}
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: d, Q: off}, templates)
	if err != nil {
		return nil, err
	}
	p, err := patchwork.NewPursuit(m, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return nil, err
	}
	t := &table{model: m, pursuit: p, data: patchwork.Data{Images: bitmap.NewBlock(n, 1, d)},
		active: make([][]int, min(n, checked))}
	probs, pixels := make([]float64, d), make([]uint8, d)
	for i := range n {
		clear(probs)
		for j := range k {
			if rng.Float64() < min(0.25, 4/float64(k)) {
				if i < checked {
					t.active[i] = append(t.active[i], j)
				}
				for _, c := range votes[j] {
					probs[c] = max(probs[c], templates[j][c])
				}
			}
		}
		for c := range pixels {
			pixels[c] = 0
			if rng.Float64() < max(probs[c], off) {
				pixels[c] = 1
			}
		}
		t.data.Images[i].SetBytes(pixels)
	}
	return t, nil
}

// block is the number of rows that are explained at a time; their explanations are dropped
// before the next.
const block = 8192

// explainAll makes the measured call of P3's rows: every row, on one core, by a pursuit
// that was used before, into memory that was used before.
func (t *table) explainAll() error { return t.explainBy(t.pursuit, &t.found) }

// explainAnew does what explainAll does by a new pursuit, whose tables it has to make.
func (t *table) explainAnew() error {
	p, err := patchwork.NewPursuit(t.model, patchwork.PursuitOptions{Paper: true})
	if err != nil {
		return err
	}
	return t.explainBy(p, new(patchwork.Explanations))
}

func (t *table) explainBy(p *patchwork.Pursuit, out *patchwork.Explanations) error {
	for rows := range slices.Chunk(t.data.Images, block) {
		if err := p.ExplainAll(rows, out); err != nil {
			return err
		}
	}
	return nil
}

// iterate makes the measured call of P3's learning: an E-step over all rows, and the
// M-step.
func (t *table) iterate() (*patchwork.Model, error) {
	tally, err := patchwork.EStep(context.Background(), t.model, t.data,
		patchwork.PursuitOptions{Paper: true, Forced: true}, 1, nil)
	if err != nil {
		return nil, err
	}
	return tally.MStep(t.model, patchwork.MStep{}), nil
}

// verdict explains the first rows and compares them with the active experts. It is an
// error if the truth explains the rows better, or most of it is not found.
func (t *table) verdict() (string, error) {
	var found, besides, all int
	var ours, truth float64
	n := len(t.active)
	var out patchwork.Explanations
	if err := t.pursuit.ExplainAll(t.data.Images[:n], &out); err != nil {
		return "", err
	}
	for i, row := range t.data.Images[:n] {
		e := out.At(i)
		active := map[int]bool{}
		var picks []patchwork.Pick
		for _, k := range t.active[i] {
			active[k] = true
			picks = append(picks, patchwork.Pick{Expert: k})
		}
		for _, pick := range e.Picks {
			if active[pick.Expert] {
				found++
			} else {
				besides++
			}
		}
		all += len(picks)
		ours += e.LogLikModel
		truth += patchwork.LogLik(row, t.model.Compose(1, row.Width(), picks).P)
	}
	text := fmt.Sprintf("%.1f %% of active experts found, %.3f others per row; log-likelihood %.2f per row, of the "+
		"planted %.2f",
		100*float64(found)/float64(all), float64(besides)/float64(n), ours/float64(n), truth/float64(n))
	if 10*found < 9*all {
		return "", fmt.Errorf("wrong explanations: %s", text)
	}
	return text, nil
}

// array returns the rows as NumPy gets them.
func (t *table) array() *npy.Array {
	n, d := len(t.data.Images), t.model.Width()
	data := make([]uint8, 0, n*d)
	for _, row := range t.data.Images {
		data = row.AppendBytes(data)
	}
	return npy.New(data, n, d)
}

// tableTasks returns P3 of one size: a learning iteration, and explaining rows.
func (s *session) tableTasks(n, d, k int, goals tableGoals) ([]task, error) {
	size := fmt.Sprintf("%d rows x %d, K=%d", n, d, k)
	if at := strings.Index(s.only, "K="); at >= 0 && !strings.HasSuffix(size, s.only[at:]) {
		return nil, nil // none is asked for
	}
	t, err := plantTable(n, d, k, s.seed)
	if err != nil {
		return nil, err
	}
	rows, err := s.save("rows", t.array())
	if err != nil {
		return nil, err
	}
	templates, err := s.save("templates", floats(t.model.Templates(), d))
	if err != nil {
		return nil, err
	}
	learn := task{name: "P3 EM iteration", ours: func() error { _, err := t.iterate(); return err }}
	explain := task{name: "P3 explain", ours: t.explainAll}
	anew := task{name: "P3 explain by a new pursuit", ours: t.explainAnew}
	add := func(to *task, name string, take int, target float64, work string, args map[string]any) {
		args["rows"] = rows
		_, run, e := prepare(work, args)
		err = errors.Join(err, e)
		to.peers = append(to.peers, peer{name, float64(take), target, run})
	}
	for _, batch := range []int{10, 100, 1000} { // 10 is the default, 1000 the fastest
		name, take := fmt.Sprintf("BernoulliRBM.partial_fit, one epoch in batches of %d", batch), n
		if batch == 10 && n > 50000 { // minutes; the work is the same for every batch
			take = 50000
			name += fmt.Sprintf(" (%d rows)", take)
		}
		add(&learn, name, take, goals.epoch, "rbm epoch", map[string]any{"experts": k, "batch": batch, "take": take})
	}
	add(&learn, "Bernoulli mixture, E-step in NumPy", n, 0, "mixture e-step", map[string]any{"templates": templates})
	for _, to := range []*task{&explain, &anew} {
		add(to, "BernoulliRBM.transform", n, goals.explain, "rbm transform", map[string]any{"experts": k})
	}
	few := min(n, s.size(10000, 500))
	add(&explain, fmt.Sprintf("NMF.transform (%d rows)", few), few, goals.nmf, "nmf transform",
		map[string]any{"templates": templates, "take": few})
	tasks := []task{learn, explain, anew}
	for i := range tasks {
		tasks[i].name += ", " + size
		tasks[i].unit, tasks[i].units, tasks[i].check = "row", float64(n), t.verdict
	}
	return tasks, err
}

// tableGoals holds the targets: the largest ratios of times; 0 for none.
type tableGoals struct{ epoch, explain, nmf float64 }
