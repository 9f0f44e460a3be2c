package tables

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/mathext/prng"

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
	t := stat.NewTable(w, "set", "users x permissions", "ones", "roles", "certificate", "wrong", "s",
		fmt.Sprintf("users + permissions + roles, seeds 0-%d", seeds-1), "their roles", "s")
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
		t.Row("%s | %d x %d | %d | %d | %d | %d | %.4f | %.0f (%.0f to %.0f) | %.0f to %.0f | %.1f", s.Name,
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
	rng, p := prng.NewMT19937(), math.Sqrt(1-math.Pow(0.75, 1/float64(k)))
	rng.Seed(uint64(seed))
	other, users, truth := numpyBits(rng, p, n, k), numpyBits(rng, p, n, k), numpyBits(rng, p, k, n)
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

// numpyFloat draws a number of 53 bits below 1, as NumPy does.
func numpyFloat(rng *prng.MT19937) float64 {
	a, b := rng.Uint32()>>5, rng.Uint32()>>6
	return (float64(a)*(1<<26) + float64(b)) / (1 << 53)
}

// numpyBits draws a matrix of bits that are 1 with probability p <= 1/2: NumPy's binomial(1, p, (n, d)),
// which inverts the distribution.
func numpyBits(rng *prng.MT19937, p float64, n, d int) [][]bool {
	zero := math.Exp(math.Log(1 - p)) // the probability of a 0
	out := make([][]bool, n)
	for i := range out {
		for range d {
			out[i] = append(out[i], numpyFloat(rng) > zero)
		}
	}
	return out
}

func ones(m [][]bool) (n int) {
	for _, row := range m {
		n += stat.Count(row, func(on bool) bool { return on })
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
	t := stat.NewTable(w, "product", "seeds", "blocks", "proven to be fewest", "parts found exactly",
		"as cheap as the truth, error on test rows", "cheaper, by, error on test rows", "dearer", "error on test rows", "s")
	wrong := func(f Factors) float64 { return f.Error }
	saved := func(f Factors) float64 { return float64(f.Saved) }
	for _, size := range []struct{ n, k int }{{50, 15}, {100, 25}} {
		all, err := stat.Seeds(seeds, func(seed uint64) (Factors, error) {
			return MeasureFactors(ctx, size.n, size.k, uint32(seed))
		})
		if err != nil {
			return err
		}
		var same, cheaper []Factors
		for _, f := range all {
			switch {
			case f.Saved == 0:
				same = append(same, f)
			case f.Saved > 0:
				cheaper = append(cheaper, f)
			}
		}
		by := append(stat.Of(cheaper, saved), 0)[:max(len(cheaper), 1)]
		t.Row("%d x %d, rank %d | 0-%d | %.2f | %d of %d | %s | %d, %.4f | %d, %.0f to %.0f, %.4f | %d | %s | %.3f", size.n,
			size.n, size.k, seeds-1, stat.MeanOf(all, func(f Factors) float64 { return float64(f.Blocks) }),
			stat.Count(all, func(f Factors) bool { return f.Proven }), seeds,
			stat.Spread(stat.Of(all, func(f Factors) float64 { return float64(f.Exact) }), 2), len(same),
			stat.MeanOf(same, wrong), len(cheaper), slices.Min(by), slices.Max(by), stat.MeanOf(cheaper, wrong),
			len(all)-len(same)-len(cheaper), stat.Spread(stat.Of(all, wrong), 4),
			stat.MeanOf(all, func(f Factors) float64 { return f.Took.Seconds() }))
	}
	return ctx.Err()
}
