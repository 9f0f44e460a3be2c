package studio

import (
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

var octets = []string{"Content-Type: application/octet-stream"}

// counted is a table of counts of which more than 3 is on, and of what soil the row has.
const counted = "site,soil,bread,jam,tofu\nUlm,peat,9,0,4\nBonn,clay,1,5,2\nKiel,peat,7,7,0\n"

// countedServer returns the server with a model, m3, that was learned from such a table.
func countedServer(t *testing.T) *Server {
	limit := 3.0
	set, err := dataset.Decode(t.Context(), "counted.csv", []byte(counted),
		dataset.Options{Edits: []dataset.Edit{{Column: "site", Want: "label"}, {Column: "soil", Want: "label"}}, Threshold: &limit})
	if err != nil {
		t.Fatal(err)
	}
	m, err := set.Describe(voters(t))
	if err != nil {
		t.Fatal(err)
	}
	return newServer(t, func(o *Options) {
		o.Models = append(o.Models, NamedModel{Name: "shop", Model: workbench.Bits{Model: m}})
	})
}

// TestReadForModel: data opened after a model are read as it reads them, with their
// columns matched by name, and say so.
func TestReadForModel(t *testing.T) {
	s := countedServer(t)
	turned := "soil,tofu,site,bread,jam\npeat,4,Ulm,9,0\nclay,2,Bonn,1,5\npeat,0,Kiel,7,7\n"
	d := ask[toldData](t, s, request{method: "POST", path: "/v1/data?name=turned.csv&model=m3", body: turned,
		headers: octets}, 201)
	if want := []string{"bread", "jam", "tofu"}; !slices.Equal(d.Columns, want) || len(d.Labels) != 2 {
		t.Errorf("columns %q, labels %v", d.Columns, d.Labels)
	}
	if len(d.Notes) == 0 || !strings.Contains(d.Notes[0].Text, "“shop”") {
		t.Errorf("notes %q", d.Notes)
	}
	var bits []string
	for _, img := range ask[struct{ Images []labelled }](t, s, request{path: "/v1/data/" + d.ID + "/images"}, 200).Images {
		bits = append(bits, img.Bits)
	}
	if want := []string{"101", "010", "110"}; !slices.Equal(bits, want) {
		t.Errorf("bits %q, want %q", bits, want)
	}
	if kept, err := s.data.find(d.ID); err != nil || !kept.noCommand {
		t.Errorf("a command line reads them: %+v, %v", kept, err)
	}
}

// TestReadForModelRefuses: what does not fit the model is refused in the words of the
// command line, and nothing is kept.
func TestReadForModelRefuses(t *testing.T) {
	s := countedServer(t)
	before := len(s.data.list())
	for name, text := range map[string]string{
		"misspelt": "site,soil,bread,jam,tofuu\nUlm,peat,9,0,4\n",
		"narrow":   "bread,jam\n9,0\n",
		"doubled":  "bread,jam,jam,tofu\n9,0,0,1\n",
	} {
		m, err := s.models.find("m3")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := m.of.Plan()
		if err != nil {
			t.Fatal(err)
		}
		_, want := dataset.Decode(t.Context(), name+".csv", []byte(text), dataset.Options{Model: plan})
		if want == nil {
			t.Fatalf("%s: the command line takes it", name)
		}
		got := ask[struct{ Detail string }](t, s, request{method: "POST", path: "/v1/data?name=" + name + ".csv&model=m3",
			body: text, headers: octets}, 422)
		if got.Detail != want.Error() {
			t.Errorf("%s: %q, want %q", name, got.Detail, want)
		}
	}
	ask[struct{ Detail string }](t, s, request{method: "POST", path: "/v1/data?name=a.csv&model=m99", body: counted,
		headers: octets}, 404)
	if now := len(s.data.list()); now != before {
		t.Errorf("%d data sets, were %d", now, before)
	}
}

// TestFlags: what parameters say, flags say, too.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		how  ReadOptions
		args string
	}{
		{ReadOptions{}, ""},
		{ReadOptions{Threshold: "0.5", Invert: true, Size: "2x3", Array: "x"},
			"--array x --invert --size 2x3 --threshold 0.5"},
		{ReadOptions{Threshold: "auto", Items: true, Names: "{y}"}, "--items --names {y} --threshold auto"},
		{ReadOptions{Pairs: "site,kind", Column: []string{"age=number"}},
			"--column age=number --items=site,kind"},
	} {
		if args := strings.Join(c.how.flags(), " "); args != c.args {
			t.Errorf("%+v: %q", c.how, args)
		}
	}
}

// TestColumnIs: a column is what a parameter says.
func TestColumnIs(t *testing.T) {
	s := newServer(t, nil)
	d := got[toldData](t, s, request{path: "/v1/data?name=t.csv&column=a%3Dlabel&column=b%3Dcategory",
		body: "a,b,c\n5,x,1\n7,y,0\n4,x,1\n"})
	if len(d.Plan) != 3 || d.Plan[0].Kind != "label" || d.Plan[1].Kind != "category" || d.Plan[2].Kind != "bit" {
		t.Errorf("%+v", d.Plan)
	}
	w := request{path: "/v1/data?name=t.csv&column=a%3Dlable", body: "a,b\n1,0\n"}.send(t, s)
	if w.Code != 422 || !strings.Contains(w.Body.String(), "label") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
