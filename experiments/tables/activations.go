package tables

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// A model says that its parts are active independently. This file measures what it would be
// worth to know which of them exclude or entail each other, by a tree of pairs (Chow and Liu
// 1968) learned for the parts that there are.

const (
	activationSets   = 64 // explanations that are kept of a row
	activationBeam   = 4
	activationRounds = 20 // of EM over the prior
)

// activation is one of the explanations of a row.
type activation struct {
	experts uint64    // that are active
	given   float64   // log P(x | experts)
	truth   []float64 // of each hidden bit: how probable it is that it is what it is
}

// activations returns the explanations of the visible bits of every row, of a model of at
// most 64 experts.
func activations(m *patchwork.Model, hidden posterior.HiddenBits) [][]activation {
	rule, pi, templates := joint.Rule(m.Config().Rule), posterior.ActivationPrior(m), m.Templates()
	search := joint.NewSearch(joint.NewExperts(rule, rows.Background(m), templates), pi, activationBeam, activationSets, 0)
	prior := independent(pi)
	out := make([][]activation, len(hidden.Visible))
	for r, row := range hidden.Visible {
		x, truth := row.AppendValues(nil), hidden.Data.Images[r].AppendValues(nil)
		sets, _ := search.Explain(x)
		for _, s := range sets {
			var a activation
			for _, k := range s.Experts {
				a.experts |= 1 << k
			}
			a.given = s.Joint - prior.log(a.experts)
			for i := range x {
				if x[i] != joint.Unknown || truth[i] == joint.Unknown {
					continue
				}
				opinions := make([]float64, len(s.Experts))
				for j, k := range s.Experts {
					opinions[j] = templates[k][i]
				}
				p := joint.Compose(rule, m.Abstention(i), opinions...)
				if truth[i] != joint.On {
					p = 1 - p
				}
				a.truth = append(a.truth, p)
			}
			out[r] = append(out[r], a)
		}
	}
	return out
}

// forest is a prior of activations: of each expert, which other its activity depends on, if
// any, and log P of being off and on, where that one is off and on.
type forest struct {
	parent []int // -1: none
	logs   [][2][2]float64
}

// independent returns the prior under which expert k is active with probability pi[k].
func independent(pi []float64) *forest {
	f := &forest{parent: make([]int, len(pi)), logs: make([][2][2]float64, len(pi))}
	for k, p := range pi {
		f.parent[k] = -1
		f.logs[k][0] = [2]float64{math.Log1p(-p), math.Log(p)}
	}
	return f
}

func (f *forest) log(experts uint64) float64 {
	sum := 0.0
	for k, parent := range f.parent {
		given := uint64(0)
		if parent >= 0 {
			given = experts >> parent & 1
		}
		sum += f.logs[k][given][experts>>k&1]
	}
	return sum
}

// weigh returns the posterior weights of a row's explanations, and log P of its visible bits.
func (f *forest) weigh(row []activation) (weights []float64, evidence float64) {
	most, sum := math.Inf(-1), 0.0
	for _, a := range row {
		weights = append(weights, a.given+f.log(a.experts))
		most = max(most, weights[len(weights)-1])
	}
	for i, w := range weights {
		weights[i] = math.Exp(w - most)
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, most + math.Log(sum)
}

// score returns the mean log P of the visible bits of a row, and the mean loss of a hidden
// bit.
func (f *forest) score(all [][]activation) (evidence, loss float64) {
	bits := 0
	for _, row := range all {
		weights, e := f.weigh(row)
		evidence += e / float64(len(all))
		for b := range row[0].truth {
			p := 0.0
			for i, a := range row {
				p += weights[i] * a.truth[b]
			}
			loss -= math.Log(p)
			bits++
		}
	}
	return evidence, loss / float64(max(bits, 1))
}

// next returns the forest that the explanations ask for, by the posterior weights that this
// one gives them; without edges unless pairs is true.
func (f *forest) next(all [][]activation, pairs bool) *forest {
	experts := len(f.parent)
	both := make([][]float64, experts) // rows in which both are active; of one with itself, in which it is
	for k := range both {
		both[k] = make([]float64, experts)
	}
	for _, row := range all {
		weights, _ := f.weigh(row)
		for i, a := range row {
			for k := range experts {
				for j := 0; j <= k && a.experts>>k&1 == 1; j++ {
					if a.experts>>j&1 == 1 {
						both[k][j] += weights[i]
					}
				}
			}
		}
	}
	n := float64(len(all))
	pi := make([]float64, experts)
	for k := range pi {
		pi[k] = (both[k][k] + 0.5) / (n + 1)
		for j := range k {
			both[j][k] = both[k][j]
		}
	}
	out := independent(pi)
	if pairs {
		out.branch(both, n)
	}
	return out
}

// branch gives experts parents: the edges that gain most, as long as one gains more than
// log(n)/2 nats, which is what its number costs.
func (f *forest) branch(both [][]float64, n float64) {
	gains, from := make([]float64, len(f.parent)), slices.Clone(f.parent)
	done := make([]bool, len(f.parent))
	for range f.parent {
		at := -1
		for k := range done {
			if !done[k] && (at < 0 || gains[k] > gains[at]) {
				at = k
			}
		}
		done[at] = true
		if f.parent[at] = from[at]; from[at] >= 0 {
			p := math.Exp(f.logs[at][0][1])
			cells := cellsOf(both, n, from[at], at)
			for given := range cells {
				on := (cells[given][1] + p) / (cells[given][0] + cells[given][1] + 1)
				f.logs[at][given] = [2]float64{math.Log1p(-on), math.Log(on)}
			}
		}
		for k := range done {
			if g := information(cellsOf(both, n, at, k), n) - math.Log(n)/2; !done[k] && g > gains[k] {
				gains[k], from[k] = g, at
			}
		}
	}
}

// cellsOf returns in how many rows expert a is off, on, and b is off, on.
func cellsOf(both [][]float64, n float64, a, b int) [2][2]float64 {
	on := both[a][b]
	return [2][2]float64{{max(n-both[a][a]-both[b][b]+on, 0), max(both[b][b]-on, 0)}, {max(both[a][a]-on, 0), on}}
}

// information returns the nats that one of two experts tells of the other, in n rows.
func information(cells [2][2]float64, n float64) float64 {
	sum := 0.0
	for a := range cells {
		for b, c := range cells[a] {
			if c > 0 {
				sum += c * math.Log(c*n/((cells[a][0]+cells[a][1])*(cells[0][b]+cells[1][b])))
			}
		}
	}
	return sum
}

// edges returns how many experts depend on another.
func (f *forest) edges() int {
	n := 0
	for _, p := range f.parent {
		if p >= 0 {
			n++
		}
	}
	return n
}

// ActivationsRow is what one draw gives, each with independent parts and with a tree of them:
// mean log P of a test row, and mean loss of a hidden bit of the others, in nats.
type ActivationsRow struct {
	Experts, Edges int
	Test, Hidden   [2]float64
}

// MeasureActivations learns rows drawn from a table, then a tree of the parts.
func MeasureActivations(ctx context.Context, all patchwork.Data, rule patchwork.Rule, aim table.Aim, seed uint64, workers int) (a ActivationsRow, err error) {
	train, tests := drawAims(all, seed)
	m, err := table.Learn(ctx, train, patchwork.Config{Rule: rule, Height: 1, Width: all.Images[0].Width()}, table.Options{Aim: aim, Seed: seed, Workers: workers})
	if err != nil {
		return a, err
	}
	seen := activations(m, posterior.HiddenBits{Data: train, Visible: train.Images})
	test := activations(m, posterior.HiddenBits{Data: tests, Visible: tests.Images})
	hidden := activations(m, posterior.HideBits(tests, 0.2, 1, seed))
	for tree := range a.Test {
		f := independent(posterior.ActivationPrior(m))
		for range activationRounds {
			f = f.next(seen, tree == 1)
		}
		a.Test[tree], _ = f.score(test)
		_, a.Hidden[tree] = f.score(hidden)
		a.Experts, a.Edges = m.K(), f.edges()
	}
	return a, nil
}

// ReportActivations prints, of each table named (nil means all), what a tree of the parts is
// worth, over so many draws.
func ReportActivations(ctx context.Context, w io.Writer, dir string, names []string, rule patchwork.Rule, draws int, o Options) error {
	fmt.Fprintf(w, "rule %v, %d draws\n\n| set | aim | parts | edges | test row, independent | gain of the tree | hidden bit, independent | gain of the tree, ± standard error |\n|---|---|---|---|---|---|---|---|\n", rule, draws)
	return eachAimSet(dir, names, func(name string, data patchwork.Data) error {
		for _, aim := range []table.Aim{table.AimInterpret, table.AimPredict} {
			var experts, edges, test, longer, hidden, gain []float64
			for draw := range uint64(draws) {
				a, err := MeasureActivations(ctx, data, rule, aim, o.Seed+draw, o.Workers)
				if err != nil {
					return err
				}
				experts, edges = append(experts, float64(a.Experts)), append(edges, float64(a.Edges))
				test, longer = append(test, a.Test[0]), append(longer, a.Test[1]-a.Test[0])
				hidden, gain = append(hidden, a.Hidden[0]), append(gain, a.Hidden[0]-a.Hidden[1])
			}
			fmt.Fprintf(w, "| %s | %v | %.1f | %.1f | %.3f | %+.3f | %.4f | %+.4f ± %.4f |\n", name, aim, stat.Mean(experts), stat.Mean(edges),
				stat.Mean(test), stat.Mean(longer), stat.Mean(hidden), stat.Mean(gain), stat.SD(gain)/math.Sqrt(float64(draws)))
		}
		return nil
	})
}

// drawAims returns rows drawn from a table to learn from, at most aimRows, and others to test.
func drawAims(all patchwork.Data, seed uint64) (train, tests patchwork.Data) {
	order := rand.New(rand.NewPCG(seed, 99)).Perm(len(all.Images))
	n := min(aimRows, len(order)*7/10)
	return rows.Part(all, order[:n]), rows.Part(all, order[n:min(len(order), n+aimRows)])
}
