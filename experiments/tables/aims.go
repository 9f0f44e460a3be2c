package tables

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
	"example.com/patchwork/table"
)

// AimSets lists the files of the tables on which the aims are compared.
var AimSets = []aimSet{
	{"votes", "house_votes_84/house_votes_84.npz"},
	{"spect", "spect_heart/spect_heart.npz"},
	{"brca", "tcga_mutations/BRCA.npz"},
	{"groceries", "groceries/groceries.npz"},
	{"nltcs", "debd/nltcs.train.data.gz"},
	{"plants", "debd/plants.train.data.gz"},
	{"msnbc", "debd/msnbc.valid.data.gz"},
	{"kdd", "debd/kdd.valid.data.gz"},
}

type aimSet struct{ Name, File string }

// String returns its name.
func (s aimSet) String() string { return s.Name }

// Aims is what models learned from one draw lose per hidden bit of other rows, in nats.
type Aims struct {
	Interpret float64
	Predict   float64
	Mixture   float64    // its size chosen on a fifth of the rows
	Took      [2]float64 // seconds of CPU to learn
}

// drawAims returns rows drawn from a table to learn from, and others to test, at most so many each.
func drawAims(all patchwork.Data, most int, seed uint64) (train, tests patchwork.Data) {
	order := rand.New(rand.NewPCG(seed, 99)).Perm(len(all.Images))
	n := min(most, len(order)*7/10)
	return rows.Part(all, order[:n]), rows.Part(all, order[n:min(len(order), n+most)])
}

// MeasureAims learns with either aim from rows drawn from a table: what the parts are for
// is all that it is told.
func MeasureAims(ctx context.Context, all patchwork.Data, rule patchwork.Rule, seed uint64, o Options) (a Aims,
	err error) {
	train, tests := drawAims(all, cmp.Or(o.Rows, 1000), seed)
	hidden := posterior.Exclusive(nil).HideBits(tests, 0.2, 1, seed)
	loss := func(m *patchwork.Model) float64 {
		s, e := posterior.Score(ctx, m, hidden, posterior.Options{}, o.Workers)
		if err = e; e != nil {
			return math.NaN()
		}
		return s.Averaged.LogLoss
	}
	cfg := patchwork.Config{Rule: rule, Height: 1, Width: all.Images[0].Width()}
	opt := table.Options{Seed: seed, Workers: o.Workers}
	for aim, learn := range []func(context.Context, patchwork.Data, patchwork.Config, table.Options) (*patchwork.Model,
		error){table.Learn, predicting} {
		began := stat.ProcessorTime()
		m, e := learn(ctx, train, cfg, opt)
		if e != nil {
			return a, e
		}
		a.Took[aim] = (stat.ProcessorTime() - began).Seconds()
		*[]*float64{&a.Interpret, &a.Predict}[aim] = loss(m)
	}
	if err != nil {
		return a, err
	}
	fit, judge := rows.SplitUnits(train, 0.2, seed)
	judge = rows.Units(judge)
	valid := posterior.Exclusive(nil).HideBits(judge, 0.2, 1, seed)
	row, err := measureMixture(ctx, Split{Train: fit, Valid: valid, Test: hidden, Seed: seed})
	a.Mixture = row.Test
	return a, err
}

// ReportAims prints, of each table named (nil means all), what either aim predicts, over so
// many draws.
func ReportAims(ctx context.Context, w io.Writer, dir string, names []string, rule patchwork.Rule, draws int,
	o Options) error {
	for _, name := range names {
		if !slices.ContainsFunc(AimSets, func(s aimSet) bool { return s.Name == name }) {
			return fmt.Errorf("no table %q: there are %v", name, AimSets)
		}
	}
	fmt.Fprintf(w, "rule %v, %d draws\n\n", rule, draws)
	t := stat.NewTable(w, "set", "interpret", "predict", "gain of predict, ± standard error", "better in",
		"mixture", "CPU s, interpret and predict")
	for _, s := range AimSets {
		if names != nil && !slices.Contains(names, s.Name) {
			continue
		}
		set, err := dataset.Read([]string{filepath.Join(dir, filepath.FromSlash(s.File))}, dataset.Options{})
		if err != nil {
			return err
		}
		all, err := stat.Seeds(draws, func(draw uint64) (Aims, error) {
			return MeasureAims(ctx, set.Data, rule, o.Seed+draw, o)
		})
		if err != nil {
			return err
		}
		mean := func(of func(a Aims) float64) float64 { return stat.MeanOf(all, of) }
		gain := stat.Of(all, func(a Aims) float64 { return a.Interpret - a.Predict })
		t.Row("%s | %.4f | %.4f | %+.4f ± %.4f | %d of %d | %.4f | %.1f %.1f", s.Name,
			mean(func(a Aims) float64 { return a.Interpret }), mean(func(a Aims) float64 { return a.Predict }),
			stat.Mean(gain), stat.SD(gain)/math.Sqrt(float64(draws)),
			stat.Count(all, func(a Aims) bool { return a.Predict < a.Interpret }), draws,
			mean(func(a Aims) float64 { return a.Mixture }), mean(func(a Aims) float64 { return a.Took[0] }),
			mean(func(a Aims) float64 { return a.Took[1] }))
	}
	return nil
}
