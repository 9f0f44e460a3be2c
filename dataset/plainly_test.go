package dataset_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/npy"
)

// TestPlainly: tables of decimals and arrays of real numbers are plainly real values; whole numbers, single columns and
// stray
// values leave it open.
func TestPlainly(t *testing.T) {
	table := func(text string) string {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	array := func(a *npy.Array) string {
		path := filepath.Join(t.TempDir(), "a.npy")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := npy.Write(f, a); err != nil {
			t.Fatal(err)
		}
		return path
	}
	few := make([]float64, 100)
	few[7] = .5
	for _, c := range []struct {
		name, path, want string
	}{
		{"decimals", table("a,b,c\n1.5,2,0\n,3.25,1\n"), "2 of 3 columns hold decimals"},
		{"decimals beside text", table("a,b\n1.5,x\n2.5,y\n"), "1 of 1 column holds decimals"},
		{"whole numbers", table("a,b\n12,2\n15,3\n"), "2 of 2 columns hold numbers other than 0 and 1"},
		{"one of three", table("a,b,c\n1.5,0,0\n2.5,1,1\n"), "1 of 3 columns holds decimals"},
		{"one of five", table("a,b,c,d,e\n1.5,0,0,1,0\n2.5,1,1,0,0\n"), "1 of 5 columns holds decimals"},
		{"bits", table("a,b\n1,0\n0,1\n"), ""},
		// 1 of 7,
		{"images", array(npy.New([]float64{0, .5, math.NaN(), 1, 0, 0, 1, 1}, 2, 2, 2)),
			"15 % of the pixels lie between whole numbers"},
		{"whole grey levels", array(npy.New([]float32{0, 12, 0, 1, 0, 0, 16, 1}, 2, 2, 2)),
			"25 % of the pixels are neither 0 nor 1, in an array of real numbers"},
		{"whole numbers in images", array(npy.New([]uint8{0, 12, 0, 1, 0, 0, 16, 1}, 2, 2, 2)), ""},
		{"one stray value", array(npy.New(few, 1, 10, 10)), ""},
	} {
		src, err := dataset.Open(t.Context(), []string{c.path}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f, _ := src.Read(t.Context()); f.Why != c.want {
			t.Errorf("%s: %q, want %q", c.name, f.Why, c.want)
		}
	}
}
