package modelfile

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/table"
	"example.com/patchwork/table/stack"
)

// withPredictor returns a model that predicts by every kind.
func withPredictor(t testing.TB, m *patchwork.Model) *patchwork.Model {
	d := m.Height() * m.Width()
	p := &stack.Predictor{Moments: stack.Moments{Covariance: make([]float64, d*d)}, Shrunk: []stack.Shrunk{{Weight: .5,
		Share: .1}, {Weight: .5, Share: .3}}, Few: []stack.Few{{Weight: 1, Rank: 2}}, Weights: [4]float64{.5, .25, .125, .25}}
	x, y := &table.Mixture{Share: []float64{.25, .75}}, &table.Mixture{Share: []float64{.5, .5}}
	for c, z := range []*table.Mixture{x, x, y, y} {
		z.Components = append(z.Components, make([]float64, d))
		for i := range d {
			z.Components[c%2][i] = float64(1+(c+i)%4) / 8
		}
	}
	p.Mixtures = []stack.Mixtures{{Weight: 1, Starts: []*table.Mixture{x, y}}}
	for i := range d {
		p.Means = append(p.Means, 1/float64(i+2))
		p.Covariance[i*d+i] = .25
		p.Covariance[i*d+(i+1)%d] += .1
		p.Covariance[(i+1)%d*d+i] += .1
	}
	e := m.Extras()
	e.Predictor = p
	return with(t, m, e)
}

// predicting returns such a model of three columns.
func predicting(t *testing.T) *patchwork.Model {
	return withPredictor(t, model(t, patchwork.Config{Height: 1, Width: 3}, []float64{0, .5, 1}))
}

// TestPredictor: a file holds what predicts beside the parts, and it predicts the same.
func TestPredictor(t *testing.T) {
	m := predicting(t)
	var file, again bytes.Buffer
	if err := Write(&file, m); err != nil {
		t.Fatal(err)
	}
	back, err := read(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(&again, back); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Error("other bytes the second time", err)
	}
	row, parts := bitmap.New(1, 3), []float64{.5, .5, .5}
	row.SetUnknown(0, 1)
	want, got := m.Extras().Predictor, back.Extras().Predictor
	if got == nil || !reflect.DeepEqual(got.Predict(row, parts), want.Predict(row, parts)) || got.String() != want.String() {
		t.Errorf("%v predicts otherwise than %v", got, want)
	}
}

// TestPredictorRefusals: numbers that are no predictor are refused by name.
func TestPredictorRefusals(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, predicting(t)); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{`"weights":[0.5,`: `"weights":[`, `"components":2`: `"components":3`,
		`"starts":2`: `"starts":0`, `"rank":2`: `"rank":0`, `"share":0.3`: `"share":1.5`, `"weight":1,"comp`: `"weight":-1,"comp`} {
		z, err := npy.ReadZip(bytes.NewReader(file.Bytes()), int64(file.Len()), maxArray)
		if err != nil {
			t.Fatal(err)
		}
		text, err := z.File(jsonName)
		if err != nil || !strings.Contains(string(text), from) {
			t.Fatalf("no %s in %s (%v)", from, text, err)
		}
		members := []npy.Member{{Name: jsonName, Raw: []byte(strings.Replace(string(text), from, to, 1))}}
		for _, name := range []string{"experts", "predictor_shares", "predictor_components", "predictor_means",
			"predictor_covariance"} {
			raw, err := z.File(name + npySuffix)
			if err != nil {
				t.Fatal(err)
			}
			members = append(members, npy.Member{Name: name + npySuffix, Raw: raw})
		}
		var bad bytes.Buffer
		if err := npy.WriteZip(&bad, npy.Store, members...); err != nil {
			t.Fatal(err)
		}
		if _, err := read(bad.Bytes()); err == nil || !strings.Contains(err.Error(), "predictor") {
			t.Errorf("%s for %s: %v", to, from, err)
		}
	}
}

// TestEarlierCommittee: of a file of an earlier version, with models that predicted together, the parts remain.
func TestEarlierCommittee(t *testing.T) {
	var file, old bytes.Buffer
	if err := Write(&file, model(t, patchwork.Config{Height: 1, Width: 3}, []float64{0, .5, 1})); err != nil {
		t.Fatal(err)
	}
	z, err := npy.ReadZip(bytes.NewReader(file.Bytes()), int64(file.Len()), maxArray)
	if err != nil {
		t.Fatal(err)
	}
	members := []npy.Member{{Name: committeeName(0), Raw: file.Bytes()}}
	for _, name := range []string{jsonName, "experts" + npySuffix} {
		raw, err := z.File(name)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, npy.Member{Name: name, Raw: raw})
	}
	if err := npy.WriteZip(&old, npy.Store, members...); err != nil {
		t.Fatal(err)
	}
	m, err := read(old.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	p := m.Extras().Predictor
	if p == nil || !strings.Contains(p.String(), "earlier version") || p.Predict(nil, []float64{1})[0] != 1 {
		t.Errorf("it predicts by %v", p)
	}
	if err := Write(new(bytes.Buffer), m); err != nil {
		t.Error(err)
	}
}
