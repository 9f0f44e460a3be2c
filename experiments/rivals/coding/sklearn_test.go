package coding_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"testing"

	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/experiments/rivals/coding"
	"example.com/patchwork/experiments/rivals/dae"
	"example.com/patchwork/experiments/rivals/nmf"
	"example.com/patchwork/experiments/rivals/rbm"
	"example.com/patchwork/experiments/rivals/sparse"
	"example.com/patchwork/experiments/stat"
)

//go:embed testdata/sklearn.py
var script string

// python is an interpreter with scikit-learn: $PYTHON, the one on the path,
// Debian's.
func python(t *testing.T) string {
	t.Helper()
	names := []string{"python3", "/usr/bin/python3"}
	if chosen := os.Getenv("PYTHON"); chosen != "" {
		names = []string{chosen}
	}
	const probe = `import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ("sklearn", "numpy"))))`
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", probe).Run() == nil {
			return path
		}
	}
	t.Skip("no Python here has sklearn and numpy (Debian: apt-get install python3-sklearn); PYTHON=/path/to/python3 names another one")
	return ""
}

// answer is what the script prints.
type answer struct {
	RBM, Pseudo, Lasso, Frobenius, KL, Autoencoder []float64 // by seed
	OMP                                            [][]float64
	Atoms, LassoCodes, OMPCodes                    [][]float64
	Units, NMFCodes                                [][]float64
}

var nonzeros = []int{1, 2, 3, 4, 8}

const rate, seeds = 0.1, 3

// quadrants is n images as rows.
func quadrants(t *testing.T, n int, seed uint64) [][]float64 {
	t.Helper()
	s, err := synth.Quadrants(synth.QuadrantsOptions{N: n, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := coding.Rows(s.Images)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func ask(t *testing.T, train, test [][]float64) (a answer) {
	t.Helper()
	in, err := json.Marshal(map[string]any{"train": train, "test": test, "rate": rate, "seeds": []int{0, 1, 2}, "nonzeros": nonzeros})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), "-c", script)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &problem
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &problem)
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLikeScikitLearn: the same models on the same rows come out alike, within
// 5 % in the mean of three seeds, or as much better; and codes from the very
// same units are the same.
func TestLikeScikitLearn(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts Python")
	}
	train, test := quadrants(t, 200, 5), quadrants(t, 300, 6)
	a := ask(t, train, test)
	ours := learn(t, train, test)
	near := func(what string, got, want float64) {
		t.Helper()
		t.Logf("%-22s ours %9.3f, scikit-learn %9.3f", what, got, want)
		if !(math.Abs(got-want) <= 0.05*math.Abs(want)) {
			t.Errorf("%s: %v, scikit-learn has %v", what, got, want)
		}
	}
	near("RBM cross-entropy", stat.Mean(ours.RBM), stat.Mean(a.RBM))
	near("RBM pseudo-likelihood", stat.Mean(ours.Pseudo), stat.Mean(a.Pseudo))
	near("autoencoder", stat.Mean(ours.Autoencoder), stat.Mean(a.Autoencoder))
	near("dictionary, lasso", stat.Mean(ours.Lasso), stat.Mean(a.Lasso))
	near("NMF, squared error", stat.Mean(ours.Frobenius), stat.Mean(a.Frobenius))
	near("NMF, divergence", stat.Mean(ours.KL), stat.Mean(a.KL))
	for i := range nonzeros {
		got, want := 0.0, 0.0
		for s := range seeds {
			got, want = got+ours.OMP[s][i]/seeds, want+a.OMP[s][i]/seeds
		}
		near("dictionary, nonzeros", got, want)
	}
	sameCodes(t, a, test)
}

// learn does what the script does.
func learn(t *testing.T, train, test [][]float64) (a answer) {
	t.Helper()
	ctx := t.Context()
	code, y := make([]float64, 8), make([]float64, 36)
	n := float64(len(test))
	for seed := range uint64(seeds) {
		r, err := rbm.Fit(ctx, train, rbm.Options{Rate: rate, Persistent: true, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		d, err := sparse.Fit(ctx, train, sparse.Options{Epochs: 20, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		e, err := dae.Fit(ctx, train, dae.Options{Untied: true, Rate: 0.3, Batch: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		a.Autoencoder = append(a.Autoencoder, entropyOf(e, test))
		var pseudo, lasso float64
		omp := make([]float64, len(nonzeros))
		for _, x := range test {
			pseudo += r.PseudoLogLik(x) / n
			d.Code(x, code)
			lasso += d.Cost(x, code) / n
			for i, k := range nonzeros {
				d.OMP(x, k, code)
				d.Decode(code, y)
				omp[i] += coding.SquaredError(x, y) / n
			}
		}
		a.RBM, a.Pseudo, a.Lasso, a.OMP = append(a.RBM, entropyOf(r, test)), append(a.Pseudo, pseudo), append(a.Lasso, lasso), append(a.OMP, omp)
		a.Frobenius = append(a.Frobenius, factorise(t, train, nmf.Options{Seed: seed}))
		a.KL = append(a.KL, factorise(t, train, nmf.Options{Loss: nmf.KL, Seed: seed}))
	}
	return a
}

// entropyOf is the mean cross-entropy of the rows and their reconstructions.
func entropyOf(c coding.Coder, rows [][]float64) float64 {
	code, y, sum := make([]float64, c.Units()), make([]float64, len(rows[0])), 0.0
	for _, x := range rows {
		c.Code(x, code)
		c.Decode(code, y)
		sum += coding.CrossEntropy(x, y)
	}
	return sum / float64(len(rows))
}

// factorise is the loss on the rows themselves.
func factorise(t *testing.T, rows [][]float64, o nmf.Options) float64 {
	t.Helper()
	m, err := nmf.Fit(t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	code, y, sum := make([]float64, 8), make([]float64, 36), 0.0
	for _, x := range rows {
		m.Code(x, code)
		m.Decode(code, y)
		sum += m.Cost(x, y)
	}
	return sum
}

// sameCodes compares codes from scikit-learn's units.
func sameCodes(t *testing.T, a answer, test [][]float64) {
	t.Helper()
	d, f := sparse.New(a.Atoms, 1), nmf.New(a.Units, nmf.Frobenius)
	code := make([]float64, 8)
	for _, c := range []struct {
		what string
		want [][]float64
		tol  float64
		code func(x []float64)
	}{
		{"lasso", a.LassoCodes, 1e-5, func(x []float64) { d.Code(x, code) }},
		{"orthogonal matching pursuit", a.OMPCodes, 1e-6, func(x []float64) { d.OMP(x, nonzeros[2], code) }},
		{"NMF", a.NMFCodes, 1e-3, func(x []float64) { f.Code(x, code) }},
	} {
		worst := 0.0
		for i, x := range test {
			c.code(x)
			for k, u := range code {
				worst = max(worst, math.Abs(u-c.want[i][k]))
			}
		}
		t.Logf("%s codes: largest difference %.2g", c.what, worst)
		if !(worst < c.tol) {
			t.Errorf("%s codes differ by %v", c.what, worst)
		}
	}
}
