package modelfile

import (
	"path/filepath"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testenv"
	"example.com/patchwork/pose"
)

// TestNumPyReadsOurFiles checks from NumPy's side: names, types, shapes and values.
func TestNumPyReadsOurFiles(t *testing.T) {
	run, dir := testenv.NumPy(t), t.TempDir()
	if err := Save(filepath.Join(dir, "m.npz"), everything(t)); err != nil {
		t.Fatal(err)
	}
	if err := Save(filepath.Join(dir, "named.npz"), named(t)); err != nil {
		t.Fatal(err)
	}
	run(dir, `
import json, numpy as n
h = json.loads(n.load('named.npz')['model.json'])
assert h['columns'] == ['Veronica <minor>', 'Poa\nrepens', 'Grün'] and h['names'] == ['', 'bog'], h
assert h['reading'] == {'meta': ['site'], 'threshold': 1e-300, 'later': {'a': [1, None]}}, h
z = n.load('m.npz')
assert z.files == ['model.json', 'experts', 'on', 'seen', 'lost_on', 'lost_seen', 'q', 'usage', 'geometry_mean', 'geometry_cov'], z.files
h = json.loads(z['model.json'])
assert (h['format'], h['version'], h['rule'], h['height'], h['width']) == ('patchwork-model', 1, 'max-minus-min', 2, 2), h
assert h['shift_y'] == [-1,3,2] and h['rotations'] == [-12,-6,0,6,12] and h['reuse'] == 2 and h['record']['log_lik'] is None, h
e = z['experts']
assert e.dtype == n.float64 and e.shape == (2,2,2) and (e == [[[0,.25],[.5,1]],[[.9,.5],[.5,.1]]]).all(), e
assert z['on'].dtype == n.int64 and (z['on'].ravel() == n.arange(8)).all()
assert z['seen'].shape == (2,2,2) and z['lost_seen'][1,1,1] == 2
assert z['q'].shape == (2,2) and z['usage'].tolist() == [.75,.5]
assert z['geometry_mean'].tolist() == [1,2,3,4,5,6] and (z['geometry_cov'] == n.diag(n.arange(1,7.))).all()
`)
}

// TestReadsNumPyFiles reads models made by NumPy alone, in each of the three ways
// open to a user.
func TestReadsNumPyFiles(t *testing.T) {
	run, dir := testenv.NumPy(t), t.TempDir()
	run(dir, `
import json, zipfile, numpy as n
E = n.array([[[0,.25,1],[.5,1,0]],[[1,0,0],[0,0,.125]]])
head = json.dumps({"rule": "max", "height": 2, "width": 3, "shift": 1})
n.savez('text.npz', experts=E, **{'model.json': head})
n.savez_compressed('fortran.npz', experts=n.asfortranarray(E.astype('>f4')), **{'model.json': head})
n.savez('zip.npz', experts=E)
with zipfile.ZipFile('zip.npz', 'a') as z: z.writestr('model.json', head)
`)
	shifts := pose.Range{Min: -1, Max: 1}
	want := model(t, patchwork.Config{Height: 2, Width: 3, Poses: pose.Grid{DY: shifts, DX: shifts}},
		[]float64{0, 0.25, 1, 0.5, 1, 0}, []float64{1, 0, 0, 0, 0, 0.125})
	for _, name := range []string{"text.npz", "fortran.npz", "zip.npz"} {
		m, err := Load(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := same(want, m); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
