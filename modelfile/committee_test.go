package modelfile

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/npy"
)

// A file holds the models that predict together with its own, each as a file of its own.
func TestCommittee(t *testing.T) {
	table := patchwork.Config{Height: 1, Width: 3}
	odds := patchwork.Config{Height: 1, Width: 3, QMap: []float64{0.25, 0.5, 0.75}}
	if err := odds.Rule.UnmarshalText([]byte("sum-of-log-odds")); err != nil {
		t.Fatal(err)
	}
	m, one, two := model(t, table, []float64{0, 0.5, 1}), model(t, table, make([]float64, 3), make([]float64, 3)),
		model(t, odds, []float64{1, 0.5, 0})
	one, err := one.WithExtras(patchwork.Extras{Usage: []float64{0.5, 0.25}, Record: patchwork.Record{Rows: 9}})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithExtras(patchwork.Extras{Committee: []*patchwork.Model{one, two}}); err != nil {
		t.Fatal(err)
	}
	var file, again bytes.Buffer
	if err := Write(&file, m); err != nil {
		t.Fatal(err)
	}
	back, err := read(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if c := back.Extras().Committee; len(c) != 2 || same(one, c[0])+same(two, c[1]) != "" {
		t.Fatalf("%d models came back: %s %s", len(c), same(one, c[0]), same(two, c[1]))
	}
	if err := Write(&again, back); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Error("other bytes the second time", err)
	}
}

func TestCommitteeRefusals(t *testing.T) {
	bare := model(t, patchwork.Config{Height: 2, Width: 3}, make([]float64, 6))
	if _, err := bare.WithExtras(patchwork.Extras{Committee: []*patchwork.Model{nil}}); err == nil {
		t.Error("a committee of nobody")
	}
	with, err := bare.WithExtras(patchwork.Extras{Committee: []*patchwork.Model{bare}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bare.WithExtras(patchwork.Extras{Committee: []*patchwork.Model{with}}); err == nil {
		t.Error("a committee in a committee")
	}
	many := make([]*patchwork.Model, maxCommittee+1)
	for i := range many {
		many[i] = bare
	}
	if with, err = bare.WithExtras(patchwork.Extras{Committee: many}); err != nil {
		t.Fatal(err)
	}
	if err := Write(new(bytes.Buffer), with); err == nil || !strings.Contains(err.Error(), "of at most 16") {
		t.Errorf("too many: %v", err)
	}
	file := func(m *patchwork.Model) string {
		var out bytes.Buffer
		if err := Write(&out, m); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	inner := valid()
	inner.raw["committee-1.npz"] = file(bare)
	broken := valid()
	broken.arrays["experts"] = npy.New(make([]float64, 9), 1, 3, 3)
	for name, c := range map[string]struct{ text, want string }{
		"no zip":        {"nothing", "committee-1.npz"},
		"another frame": {file(model(t, patchwork.Config{Height: 1, Width: 6}, make([]float64, 6))), "another frame"},
		"nested":        {string(inner.bytes(t, npy.Store)), "of its own"},
		"broken":        {string(broken.bytes(t, npy.Store)), "committee-1.npz"},
	} {
		p := valid()
		p.raw["committee-1.npz"] = c.text
		_, err := read(p.bytes(t, npy.Store))
		var fe *FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
