package tables

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/table/blocks"
)

// RoleSets are HP Labs' tables of users and permissions, as used by Ene et al. 2008.
var RoleSets = []struct{ Name, File string }{
	{"healthcare", "roles_hc.npz"}, {"domino", "roles_domino.npz"}, {"firewall 1", "roles_fire1.npz"},
	{"firewall 2", "roles_fire2.npz"},
}

// ReportRoles writes a table of the roles that cover each role set of a folder, the fewest
// and the cheapest, with several seeds.
func ReportRoles(ctx context.Context, w io.Writer, dir string, seeds int) error {
	fmt.Fprintf(w, "| set | users x permissions | ones | roles | certificate | wrong | s | users + permissions + roles, "+
		"seeds 0-%d | their roles | s |\n|---|---|---|---|---|---|---|---|---|---|\n", seeds-1)
	for _, s := range RoleSets {
		set, err := dataset.Read([]string{filepath.Join(dir, s.File)}, dataset.Options{})
		if err != nil {
			return err
		}
		m := blocks.Of(set.Images)
		began := time.Now()
		few, err := blocks.Find(ctx, m, blocks.Options{})
		if err != nil {
			return err
		}
		took := time.Since(began)
		var sizes, roles, seconds []float64
		for seed := range uint64(seeds) {
			began := time.Now()
			c, err := blocks.Find(ctx, m, blocks.Options{Cheapest: true, Seed: seed})
			if err != nil {
				return err
			}
			if len(c.Left)+len(c.Added) > 0 {
				return fmt.Errorf("%s: %d cells are wrong", s.Name, len(c.Left)+len(c.Added))
			}
			rows, columns, n := c.Size()
			sizes, roles, seconds = append(sizes, float64(rows+columns+n)), append(roles, float64(n)),
				append(seconds, time.Since(began).Seconds())
		}
		fmt.Fprintf(w, "| %s | %d x %d | %d | %d | %d | %d | %.4f | %.0f (%.0f to %.0f) | %.0f to %.0f | %.1f |\n", s.Name,
			m.Rows(), m.Columns, m.Ink(),
			len(few.Blocks), len(few.Certificate), len(few.Left)+len(few.Added), took.Seconds(),
			stat.Mean(sizes), slices.Min(sizes), slices.Max(sizes), slices.Min(roles), slices.Max(roles), stat.Mean(seconds))
	}
	return ctx.Err()
}

// Factors is what became of one noise-free Boolean product.
type Factors struct {
	Blocks int     // found
	Proven bool    // that there are no fewer
	Exact  int     // parts of the truth found to the last column
	Saved  int64   // by how much the blocks cost less than the truth, in rows + columns + blocks
	Error  float64 // share of wrong cells of rows of the same parts, explained by those found
	Took   time.Duration
}

// factorSteps is the work for a product of 50 x 50.
const factorSteps = 2_000_000

// MeasureFactors factors the product of random bits U (n x k) and V (k x n) with about a
// quarter of ones, as np.random.seed(seed) draws them after as many others for test rows.
func MeasureFactors(ctx context.Context, n, k int, seed uint32) (Factors, error) {
	rng, p := newNumPyRand(seed), math.Sqrt(1-math.Pow(0.75, 1/float64(k)))
	other, users, truth := rng.bits(p, n, k), rng.bits(p, n, k), rng.bits(p, k, n)
	began := time.Now()
	c, err := blocks.Find(ctx, blocks.Of(product(users, truth)), blocks.Options{Cheapest: true, Steps: factorSteps})
	if err != nil {
		return Factors{}, err
	}
	f := Factors{Blocks: len(c.Blocks), Took: time.Since(began), Proven: c.Optimal()}
	found := make([][]bool, len(c.Blocks))
	for j, b := range c.Blocks {
		found[j] = make([]bool, n)
		for _, d := range b.Columns {
			found[j][d] = true
		}
	}
	f.Saved = int64(k+ones(users)+ones(truth)) - c.Cost
	for _, t := range truth {
		if slices.ContainsFunc(found, func(f []bool) bool { return slices.Equal(f, t) }) {
			f.Exact++
		}
	}
	wrong := 0
	for _, img := range product(other, truth) {
		wrong += unexplained(img, found)
	}
	f.Error = float64(wrong) / float64(n*n)
	return f, nil
}

func ones(m [][]bool) (n int) {
	for _, row := range m {
		for _, on := range row {
			if on {
				n++
			}
		}
	}
	return n
}

// product returns the rows of the Boolean product of two matrices.
func product(u, v [][]bool) []*bitmap.Image {
	out := make([]*bitmap.Image, len(u))
	for i := range out {
		out[i] = bitmap.New(1, len(v[0]))
		for k, part := range v {
			for d, on := range part {
				if u[i][k] && on {
					out[i].Set(0, d, true)
				}
			}
		}
	}
	return out
}

// unexplained returns how many cells of a row are wrong when the part is taken that gets
// most more of them right, as long as there is one.
func unexplained(img *bitmap.Image, parts [][]bool) int {
	covered := make([]bool, img.Width())
	for {
		best, at := 0, -1
		for k, part := range parts {
			gain := 0
			for d, on := range part {
				switch {
				case !on || covered[d]:
				case img.At(0, d):
					gain++
				default:
					gain--
				}
			}
			if gain > best {
				best, at = gain, k
			}
		}
		if at < 0 {
			break
		}
		for d, on := range parts[at] {
			covered[d] = covered[d] || on
		}
	}
	wrong := 0
	for d, on := range covered {
		if on != img.At(0, d) {
			wrong++
		}
	}
	return wrong
}

// ReportFactors writes how well noise-free Boolean products are factored.
func ReportFactors(ctx context.Context, w io.Writer, seeds int) error {
	fmt.Fprintf(w, "| product | seeds | blocks | proven to be fewest | parts found exactly | as cheap as the truth, "+
		"error on test rows | cheaper, by, error on test rows | dearer | error on test rows | s "+
		"|\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, size := range []struct{ n, k int }{{50, 15}, {100, 25}} {
		var found, exact, wrong, took []float64
		proven, dearer := 0, 0
		var same, cheaper, saved []float64 // errors, and by how much it is cheaper
		for seed := range seeds {
			f, err := MeasureFactors(ctx, size.n, size.k, uint32(seed))
			if err != nil {
				return err
			}
			found, exact, wrong, took = append(found, float64(f.Blocks)), append(exact, float64(f.Exact)),
				append(wrong, f.Error), append(took, f.Took.Seconds())
			if f.Proven {
				proven++
			}
			switch {
			case f.Saved < 0:
				dearer++
			case f.Saved == 0:
				same = append(same, f.Error)
			default:
				cheaper, saved = append(cheaper, f.Error), append(saved, float64(f.Saved))
			}
		}
		if saved == nil {
			saved = []float64{0}
		}
		fmt.Fprintf(w, "| %d x %d, rank %d | 0-%d | %.2f | %d of %d | %.2f ± %.2f | %d, %.4f | %d, %.0f to %.0f, %.4f | %d "+
			"| %.4f ± %.4f | %.3f |\n", size.n, size.n, size.k, seeds-1,
			stat.Mean(found), proven, seeds, stat.Mean(exact), stat.SD(exact), len(same), stat.Mean(same), len(cheaper),
			slices.Min(saved), slices.Max(saved), stat.Mean(cheaper), dearer, stat.Mean(wrong), stat.SD(wrong), stat.Mean(took))
	}
	return ctx.Err()
}
