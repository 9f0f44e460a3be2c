package tables

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// The network itself has all its sources, and without one of them it has one less and describes rows worse.
func TestJudgeOfTheTruth(t *testing.T) {
	dir := filepath.Dir(testenv.Shared(t, "data/peers/overparam_UNIF.npz"))
	n, err := LoadNetwork(dir, "UNIF")
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Failure) != 8 || n.Sources != 8 || len(n.Noise) != n.Rows[0].Width() || len(n.Rows) != 10000 {
		t.Fatalf("%d sources of %d, %d columns, %d rows", len(n.Failure), n.Sources, len(n.Noise), len(n.Rows))
	}
	train, tests := n.Draw(200, 100, 1)
	for _, row := range tests.Images {
		for _, other := range train.Images {
			if row == other {
				t.Fatal("a row to test is one to learn from")
			}
		}
	}
	m, err := n.Model()
	if err != nil {
		t.Fatal(err)
	}
	all, err := n.Judge(t.Context(), m, tests, 1)
	if err != nil || all.Matched != 8 || all.Supports != 8 {
		t.Errorf("%+v, %v", all, err)
	}
	fewer := *n
	fewer.Failure, fewer.Priors = n.Failure[1:], n.Priors[1:]
	if m, err = fewer.Model(); err != nil {
		t.Fatal(err)
	}
	less, err := n.Judge(t.Context(), m, tests, 1)
	if err != nil || less.Matched != 7 || less.Supports != 7 || less.Test > all.Test {
		t.Errorf("%+v, %v; with all sources %+v", less, err, all)
	}
	if _, err := LoadNetwork(dir, "none"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("no such network: %v", err)
	}
}

// A product has a bit where a part of a row has it; rows are explained by the parts that they are made of.
func TestProduct(t *testing.T) {
	parts := [][]bool{{true, true, false, false}, {false, true, true, false}}
	rows := product([][]bool{{false, false}, {true, false}, {true, true}}, parts)
	for i, want := range []*bitmap.Image{bitmap.Parse("...."), bitmap.Parse("##.."), bitmap.Parse("###.")} {
		if !rows[i].Equal(want) {
			t.Errorf("row %d is %v", i, rows[i])
		}
		if n := unexplained(rows[i], parts); n != 0 {
			t.Errorf("row %d: %d cells are wrong", i, n)
		}
	}
	if n := unexplained(bitmap.Parse("#..#"), parts); n != 2 {
		t.Errorf("two bits of no part: %d cells are wrong", n)
	}
	if ones(parts) != 4 {
		t.Errorf("%d ones", ones(parts))
	}
}

// Hidden bits are those of the given columns, and what is there is the truth.
func TestHidden(t *testing.T) {
	h := hidden([]*bitmap.Image{bitmap.Parse("#.#"), bitmap.Parse("##.")}, [][]int{{0}, {1, 2}})
	if h.Visible[0].String() != "?.#\n" || h.Visible[1].String() != "#??\n" || h.Data.Images[0].String() != "#.#\n" {
		t.Errorf("%v %v", h.Visible, h.Data.Images)
	}
	if b := bits(h.Visible); b[0][0] != -1 || b[0][2] != 1 || b[1][1] != -1 {
		t.Errorf("bits %v", b)
	}
	if _, err := Load(dir(t), "nothing"); err == nil || !strings.Contains(err.Error(), "votes") {
		t.Errorf("no such table: %v", err)
	}
	if len(Rules()) != 7 || Rules()[2] != patchwork.RuleMax {
		t.Errorf("rules %v", Rules())
	}
}
