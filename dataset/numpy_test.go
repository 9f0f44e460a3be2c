package dataset

import (
	"path/filepath"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestNumPyRoundTrip: NumPy writes an archive of awkward arrays, we read it and
// write it again, and NumPy finds the same arrays in the copy.
func TestNumPyRoundTrip(t *testing.T) {
	numpy, dir := testenv.NumPy(t), t.TempDir()
	run := func(script string) { t.Helper(); numpy(dir, script) }
	run(`
import numpy as n
g = n.random.default_rng(1)
x = (g.random((50, 7, 9)) < .4).astype('>f2')
x[g.random(x.shape) < .1] = n.nan
n.savez_compressed('in.npz', x=n.asfortranarray(x), y=g.choice(list('TLV'), 50).astype('>U1'),
    writer=g.integers(0, 9, 50).astype('>i2'), weight=g.integers(0, 5, 50), other=n.eye(3))
`)
	s, err := Read([]string{filepath.Join(dir, "in.npz")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeNPZ(filepath.Join(dir, "out.npz"), s); err != nil {
		t.Fatal(err)
	}
	run(`
import numpy as n
a, b = n.load('in.npz'), n.load('out.npz')
assert list(b.files) == ['x', 'known', 'weight', 'y', 'writer'], b.files
assert b['x'].dtype == n.uint8 and b['known'].dtype == bool
assert (b['known'] == ~n.isnan(a['x'])).all() and 0 < b['known'].mean() < 1
assert (b['x'] == n.nan_to_num(a['x'])).all()
for k in ['weight', 'y', 'writer']: assert (a[k] == b[k]).all(), k
`)
}
