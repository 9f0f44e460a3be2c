package tables

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/assign"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// Network is a noisy-or network whose sources are known, and rows drawn from it
// (Buhai et al. 2020).
type Network struct {
	Name    string
	Rows    []*bitmap.Image
	Priors  []float64   // of the sources
	Failure [][]float64 // probability that an active source fails to turn a bit on
	Noise   []float64   // probability that nothing else turns a bit on fails to
	Sources int         // there are; the file may have some of them only
}

// NetworkNames are the networks, in the order of the report. The rows of IMG-FLIP are no
// noisy-ors: two columns are inverted in a tenth of them.
var NetworkNames = []string{"IMG", "CON24", "UNIF", "IMG-UNIF", "IMG-FLIP"}

// LoadNetwork reads a network from the folder of the closest peers.
func LoadNetwork(dir, name string) (*Network, error) {
	f, err := os.Open(filepath.Join(dir, "overparam_"+name+".npz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := npy.ReadZip(f, info.Size(), 0)
	if err != nil {
		return nil, err
	}
	var numbers [4][]float64
	for i, array := range []string{"x", "priors", "failure", "noise"} {
		a, err := z.Array(array)
		if err != nil {
			return nil, err
		}
		if numbers[i], err = a.Float64s(); err != nil {
			return nil, err
		}
	}
	width := len(numbers[3])
	n := &Network{Name: name, Priors: numbers[1], Noise: numbers[3], Sources: len(numbers[1])}
	if name == "IMG-UNIF" {
		n.Sources = 16
	}
	for row := range slices.Chunk(numbers[0], width) {
		bits := make([]uint8, width)
		for i, v := range row {
			bits[i] = uint8(v)
		}
		n.Rows = append(n.Rows, bitmap.FromBytes(1, width, bits))
	}
	for row := range slices.Chunk(numbers[2], width) {
		n.Failure = append(n.Failure, row)
	}
	return n, nil
}

// Draw returns rows drawn without replacement, and as many others as tests has.
func (n *Network) Draw(rows, tests int, seed uint64) (train, test patchwork.Data) {
	order := rand.New(rand.NewPCG(seed, 64)).Perm(len(n.Rows))
	for _, i := range order[:rows] {
		train.Images = append(train.Images, n.Rows[i])
	}
	for _, i := range order[len(order)-tests:] {
		test.Images = append(test.Images, n.Rows[i])
	}
	return train, test
}

// Model returns the network as a model: what each source alone says.
func (n *Network) Model() (*patchwork.Model, error) {
	cfg := patchwork.Config{Rule: ruleOf("noisy-or"), Height: 1, Width: len(n.Noise)}
	for _, fail := range n.Noise {
		cfg.QMap = append(cfg.QMap, 1-fail)
	}
	var templates [][]float64
	for _, failure := range n.Failure {
		t := make([]float64, len(failure))
		for i, fail := range failure {
			t[i] = 1 - fail*n.Noise[i]
		}
		templates = append(templates, t)
	}
	m, err := patchwork.NewModel(cfg, templates)
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: n.Priors})
}

// SourcesRow says how well the sources of a network were found.
type SourcesRow struct {
	Experts  int
	Matched  int // sources whose failures are right, within a factor of e
	Supports int // sources whose bits (failure below 1/2) are those of a part
	Test     float64
	Truth    float64 // the same by the network itself; NaN if that is not known
	Took     time.Duration
}

// Judge compares a model with the network: parts active in more than 2 % of the rows,
// paired with sources so that as many as can be agree on every bit within one nat of
// log failure. Test is the mean log P of a test row, in nats.
func (n *Network) Judge(ctx context.Context, m *patchwork.Model, test patchwork.Data, workers int) (SourcesRow, error) {
	r := SourcesRow{Experts: m.K()}
	var near, same [][]float64
	for _, failure := range n.Failure {
		var a, b []float64
		for k := range m.K() {
			worst, support := 0.0, 1.0
			for i, p := range m.Template(k) {
				fail := max((1-p)/(1-m.Abstention(i)), 1e-6)
				worst = max(worst, math.Abs(math.Log(fail)-math.Log(failure[i])))
				if (fail < 0.5) != (failure[i] < 0.5) {
					support = 0
				}
			}
			agrees := 0.0
			if m.Extras().Usage[k] > 0.02 && worst <= 1 {
				agrees = 1
			}
			a, b = append(a, agrees), append(b, support)
		}
		near, same = append(near, a), append(same, b)
	}
	r.Matched, r.Supports = pairs(near), pairs(same)
	r.Test = math.NaN()
	sum := make([]float64, len(test.Images))
	err := posterior.Explain(ctx, m, test.Images, posterior.Options{}, workers,
		func(i int, p *posterior.Posterior) { sum[i] = p.Evidence })
	if err == nil {
		r.Test = stat.Mean(sum)
	}
	return r, err
}

// pairs returns how many pairs can be made of rows and columns that agree.
func pairs(agree [][]float64) int {
	n := 0
	for i, k := range assign.Pairs(agree) {
		if k >= 0 && agree[i][k] > 0 {
			n++
		}
	}
	return n
}

// SourcesSizes are the numbers of rows to learn from.
var SourcesSizes = []int{1000, 3000, 9000}

// ReportSources prints how many sources of the networks are found under noisy-or, and how well rows
// are described that were not learned from, by number of rows; their number is not told.
func ReportSources(ctx context.Context, w io.Writer, dir string, names []string, sizes []int, draws int,
	o Options) error {
	rule := ruleOf("noisy-or")
	fmt.Fprintf(w, "rule %v\n\n", rule)
	t := stat.NewTable(w, "set", "rows", "sources matched, by draw", "supports", "parts", "test, nats a row", "the truth",
		"CPU s per draw")
	for _, name := range names {
		n, err := LoadNetwork(dir, name)
		if err != nil {
			return err
		}
		for _, rows := range sizes {
			all, err := stat.Seeds(draws, func(draw uint64) (r SourcesRow, err error) {
				train, tests := n.Draw(rows, 1000, o.Seed+draw)
				began := stat.ProcessorTime()
				m, err := table.Learn(ctx, train, patchwork.Config{Rule: rule, Height: 1, Width: len(n.Noise)},
					table.Options{Seed: o.Seed + draw, Workers: o.Workers})
				if err != nil {
					return r, err
				}
				took := stat.ProcessorTime() - began
				if r, err = n.Judge(ctx, m, tests, o.Workers); err != nil {
					return r, err
				}
				r.Took, r.Truth = took, math.NaN()
				if len(n.Failure) != n.Sources { // the others are not in the file
					return r, nil
				}
				if m, err = n.Model(); err != nil {
					return r, err
				}
				truth, err := n.Judge(ctx, m, tests, o.Workers)
				r.Truth = truth.Test
				return r, err
			})
			if err != nil {
				return err
			}
			var matched, supports, experts []int
			for _, r := range all {
				matched, supports, experts = append(matched, r.Matched), append(supports, r.Supports), append(experts, r.Experts)
			}
			t.Row("%s | %d | %v | %v | %v | %.3f | %.3f | %.1f", name, rows, matched, supports, experts,
				stat.MeanOf(all, func(r SourcesRow) float64 { return r.Test }),
				stat.MeanOf(all, func(r SourcesRow) float64 { return r.Truth }),
				stat.MeanOf(all, func(r SourcesRow) float64 { return r.Took.Seconds() }))
		}
	}
	return nil
}
