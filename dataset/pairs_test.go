package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
)

// baskets returns a text of pairs: rows names of rows, of which each has some of the items.
func baskets(rows, items int, share float64, row func(i int) string) string {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(items)))
	var b strings.Builder
	b.WriteString("row,item\n")
	for i := range rows {
		for k := range items {
			if r.Float64() < share {
				fmt.Fprintf(&b, "%s,item%02d\n", row(i), k)
			}
		}
	}
	return b.String()
}

func TestPairsAreFound(t *testing.T) {
	named := func(i int) string { return fmt.Sprint("site", i) }
	for name, c := range map[string]struct {
		text    string
		rows    int
		columns string
	}{
		"names":        {baskets(300, 30, 0.2, named), 300, "row,item"},
		"few":          {baskets(20, 12, 0.3, named), 20, "row,item"},
		"numbers":      {baskets(60, 20, 0.2, func(i int) string { return fmt.Sprint(i + 1) }), 59, "row,item"},
		"no header":    {strings.TrimPrefix(baskets(60, 20, 0.2, named), "row,item\n"), 60, "1,2"},
		"some doubled": {baskets(60, 20, 0.3, named) + "site3,item05\nsite4,item06\n", 60, "row,item"},
	} {
		s, err := readBytes([]byte(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := readBytes([]byte(c.text), Options{Pairs: strings.Split(c.columns, ",")})
		if err != nil {
			t.Fatal(err)
		}
		if pixels(s) != pixels(want) || !cmp.Equal(s.Columns, want.Columns) || !cmp.Equal(s.Meta, want.Meta) || s.Len() < c.rows-1 {
			t.Errorf("%s: %d rows of %q, as pairs %d rows", name, s.Len(), s.Columns, want.Len())
		}
		if note := strings.Join(s.Notes, "|"); !strings.Contains(note, "pair of a row") || !strings.Contains(note, "--categories "+c.columns) {
			t.Errorf("%s: notes %q", name, s.Notes)
		}
		if s = mustRead(t, "t.csv", []byte(c.text), Options{}); !cmp.Equal(s.reading.Pairs, strings.Split(c.columns, ",")) {
			t.Errorf("%s: the reading forgets the pairs: %q", name, s.reading.Pairs)
		}
	}
}

// TestTablesOfTwoColumnsAreNotPairs: categories, plans and lists of names stay tables.
func TestTablesOfTwoColumnsAreNotPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var categories, plan, season, bits strings.Builder
	categories.WriteString("soil,use\n")
	plan.WriteString("soil,use\n")
	season.WriteString("home,away\n")
	bits.WriteString("a,b\n")
	for i := range 20 {
		fmt.Fprintf(&bits, "%d,%d\n", i%2, i/2%2)
		for k := range 20 {
			fmt.Fprintf(&categories, "soil%d,use%d\n", r.IntN(12), r.IntN(30))
			fmt.Fprintf(&plan, "soil%d,use%d\n", i, k)
			if i != k {
				fmt.Fprintf(&season, "team%d,team%d\n", i, k)
			}
		}
	}
	long := baskets(60, 20, 0.2, func(i int) string { return fmt.Sprint("site", i) })
	for name, c := range map[string]struct {
		text string
		opts Options
	}{
		"categories": {categories.String(), Options{}}, "plan": {plan.String(), Options{}}, "season": {season.String(), Options{}}, "bits": {bits.String(), Options{}},
		"said": {long, Options{Categories: []Category{{Name: "row"}, {Name: "item"}}}},
	} {
		s, err := readBytes([]byte(c.text), c.opts)
		if err != nil || strings.Contains(strings.Join(s.Notes, "|"), "pair of a row") {
			t.Errorf("%s: %v, notes %q", name, err, s.Notes)
		}
	}
}

// TestShortListsOfPairsAreHinted: too few lines to be sure, but enough to ask.
func TestShortListsOfPairsAreHinted(t *testing.T) {
	s, err := readBytes([]byte("site,species\na,Poa\na,Carex\nb,Poa\nb,Salix\nc,Poa\nc,Carex\n"), Options{})
	if err == nil {
		if note := strings.Join(s.Notes, "|"); !strings.Contains(note, "--items=site,species") {
			t.Errorf("notes %q", note)
		}
	} else if !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
	s, err = readBytes([]byte("name,soil\nu,clay\nv,clay\nw,sand\nx1,sand\n"), Options{}) // each name once
	if err == nil && strings.Contains(strings.Join(s.Notes, "|"), "--items=") {
		t.Errorf("notes %q", s.Notes)
	}
}

// TestJSONLinesAreToldApart: the way out of JSON works for both forms.
func TestJSONLinesAreToldApart(t *testing.T) {
	for text, lines := range map[string]bool{
		`{"a":1}` + "\n" + `{"a":2}` + "\n": true, `{"a":1,"b":[` + strings.Repeat("0,", 400) + "0]}\n": true,
		`[{"a":1},{"a":2}]`: false, "{\n \"a\": 1\n}\n": false, `[[1,0]]`: false,
	} {
		_, err := readBytes([]byte(text), Options{})
		if err == nil || strings.Contains(err.Error(), "lines=True") != lines {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}
