package main

import (
	"testing"

	"example.com/patchwork/internal/testenv"
)

// A session in which NumPy writes the data and the model, and reads our results.
func TestNumPySession(t *testing.T) {
	numpy := testenv.NumPy(t)
	t.Chdir(t.TempDir())
	script := func(code string) {
		t.Helper()
		numpy(".", "import json, numpy as np\n"+code)
	}
	script(`
r = np.random.default_rng(1)
x = (r.random((30, 5, 5)) < .1)
x[::2, 1, :] = True
x[::3, :, 3] = True
np.savez_compressed("x.npz", x=x, y=np.where(np.arange(30) % 2, "odd", "even"), weight=np.arange(30) % 3)
f = x.astype(float); f[0, 0, 0] = np.nan
np.save("f.npy", f)
np.savez("mine.npz", experts=np.full((2, 5, 5), .5), **{"model.json": json.dumps({"rule": "max", "height": 5, "width": 5})})`)
	must(t, "learn", "x.npz", "-k", "2", "-o", "m.npz", "--where", "y=even", "-q")
	must(t, "learn", "f.npy", "-k", "2", "-o", "f-model.npz", "-q")
	must(t, "explain", "-m", "mine.npz", "f.npy", "-o", "e.jsonl")
	must(t, "explain", "-m", "m.npz", "x.npz", "-o", "c.npz", "-q")
	must(t, "sample", "-m", "m.npz", "-n", "4", "-o", "s.npz")
	must(t, "synth", "letters", "--letters", "T", "--writers", "2", "-o", "t.npz")
	script(`
assert np.load("m.npz")["experts"].shape == (2, 5, 5)
c = np.load("c.npz")
assert c["codes"].shape == c["gain"].shape == (30, 2) and c["codes"].dtype == np.uint8 and c["gain"].dtype == np.float64
assert ((c["gain"] > 0) == (c["codes"] > 0)).all() and c["codes"].any() and c["row"].tolist() == list(range(1, 31))
assert c["y"].tolist() == np.load("x.npz")["y"].tolist() and c["log_lik"].shape == (30,)
s = np.load("s.npz")
assert s["x"].shape == (4, 5, 5) and s["pose"].shape == (4, 2, 3)
t = np.load("t.npz")
assert t["x"].shape == (2, 56, 56) and t["y"].tolist() == ["T", "T"]
assert [json.loads(l)["index"] for l in open("e.jsonl")] == list(range(30))`)
}
