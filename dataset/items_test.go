package dataset

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestItems(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		opts    Options
		want    string
		columns []string
		meta    string
		notes   string
	}{
		"baskets": {"milk,bread\nmilk\nbread, eggs,milk\n", Options{Items: true}, "#.#\n..#\n###\n",
			[]string{"bread", "eggs", "milk"}, "", ""},
		"names": {"fir,de,ch\noak,de\nelm,ch,fr,de\nash,fr\nyew\nbeech,de,fr\n", Options{Items: true},
			"##.\n.#.\n###\n..#\n...\n.##\n", []string{"ch", "de", "fr"}, "name",
			"the first field of each line is taken as the name of the row, since it is in no other"},
		"few lines": {"fir,de,ch\noak,de\n", Options{Items: true}, "###.\n.#.#\n", []string{"ch", "de", "fir", "oak"},
			"", ""},
		"twice in a line": {strings.Repeat("milk,bread\nmilk\nbread,eggs,milk\n", 4) + "milk,milk\n", Options{Items: true},
			strings.Repeat("#.#\n..#\n###\n", 4) + "..#\n", []string{"bread", "eggs", "milk"}, "", ""},
		"said": {"milk,bread\neggs,jam\n", Options{Items: true}, "#..#\n.##.\n",
			[]string{"bread", "eggs", "jam", "milk"}, "", ""},
		"numbers":  {"1 10\n2\n10 2\n", Options{Items: true}, "#.#\n.#.\n.##\n", []string{"1", "2", "10"}, "", ""},
		"inverted": {"a;b\na\n", Options{Items: true, Invert: true}, "..\n.#\n", []string{"a", "b"}, "", ""},
		"pairs": {"site,species\nu,Poa\nv,Carex\nu,Salix\nw,\nv,Carex\n",
			Options{Pairs: []string{"site", "species"}}, ".##\n#..\n...\n", []string{"Carex", "Poa", "Salix"}, "site", ""},
		"counts": {"n;site;species\n3;u;Poa\n0;u;Carex\nNA;v;Carex\n",
			Options{Pairs: []string{"site", "species", "n"}}, ".#\n?.\n", []string{"Carex", "Poa"}, "site", ""},
		"by number": {"u,x,Poa\nv,x,Poa\n", Options{Pairs: []string{"1", "3"}}, "#\n#\n", []string{"Poa"}, "1", ""},
		"on wins":   {"a,b,n\nu,x,?\nu,x,1\n", Options{Pairs: []string{"a", "b", "n"}}, "#\n", []string{"x"}, "a", ""},
	} {
		s, err := readBytes([]byte(c.text), c.opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var meta []string
		for _, m := range s.Meta {
			meta = append(meta, m.Name)
		}
		if pixels(s) != c.want || !cmp.Equal(s.Columns, c.columns) || strings.Join(meta, " ") != c.meta ||
			strings.Join(sentences(s), "|") != c.notes {
			t.Errorf("%s: columns %q, meta %q, notes %q\n%s", name, s.Columns, meta, sentences(s), pixels(s))
		}
	}
}

func TestItemRefusals(t *testing.T) {
	refused(t, "t.csv", []byte("a,b,c\nx,y\n"), Options{})
	refused(t, "t.csv", []byte("a,b\n0,1,1\n0,1\n"), Options{})
	refused(t, "t.csv", []byte("x,y,z\nx,y\nx,x,y\n"), Options{}) // an item twice: a table, perhaps
	refused(t, "t.csv", []byte(" , \n"), Options{Items: true})
	long := strings.Repeat("y", maxItem)
	refused(t, "t.csv", []byte("a,b\nx"+long+",b\n"), Options{Items: true})
	refused(t, "t.csv", []byte("a,b\nc,x"+long+"\n"), Options{Pairs: []string{"1", "2"}})
	var many strings.Builder
	for i := range maxNames/maxItem + 2 {
		fmt.Fprintf(&many, "%s%d,b\n", long[8:], i)
	}
	refused(t, "t.csv", []byte(many.String()+many.String()), Options{Items: true})
	refused(t, "t.csv", []byte("site,species\n"), Options{Pairs: []string{"site", "species"}})
	refused(t, "t.csv", []byte("site,species\nu,x\n"), Options{Pairs: []string{"site", "kind"}})
	refused(t, "t.csv", []byte("site,species\nu,x\n,y\n"), Options{Pairs: []string{"site", "species"}})
	refused(t, "t.csv", []byte("site,species,n\nu,x,many\n"), Options{Pairs: []string{"site", "species", "n"}})
	refused(t, "t.csv", []byte("site,species\nu\n"), Options{Pairs: []string{"site", "species"}})
	if _, err := readBytes(nil, Options{Items: true}); err == nil {
		t.Error("no text was read")
	}
	if _, err := Read([]string{"-"}, Options{Pairs: []string{"site"}}); err == nil || !testenv.Said(t, err.Error()) {
		t.Error(err)
	}
}

// TestItemsAreStreamed: lists of items, pairs and sparse matrices are read in parts as in memory.
func TestItemsAreStreamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"milk", "bread", "eggs", "jam", "tea"}), 1,
			4, rapid.ID[string]), 1, 8).Draw(t, "lists")
		var text strings.Builder
		for _, l := range lists {
			text.WriteString(strings.Join(l, ",") + "\n")
		}
		dir, err := os.MkdirTemp("", "items")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := dir + "/t.csv"
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		opts := Options{Items: true, partBytes: 1}
		want, err := Read([]string{path}, opts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := gather(t.Context(), []string{path}, opts, 0, -1)
		if err != nil || cmp.Diff(want, got, sameSets) != "" {
			t.Fatalf("%v: %s", err, cmp.Diff(want, got, sameSets))
		}
		for i, l := range lists {
			for x, item := range want.Columns {
				if want.Images[i].At(0, x) != slices.Contains(l, item) {
					t.Fatalf("row %d, %s:\n%s", i, item, pixels(want))
				}
			}
		}
	})
	for name, text := range map[string]string{"p.csv": "a,b\nu,x\nv,y\nu,y\nw,x\n",
		"m.mtx": matrixMarket + " coordinate\n3 4 2\n1 1 1\n3 2 1\n", "l.txt": "0 1:1 3:1\n1 2:1\n0 3:1\n"} {
		path, opts := write(t, name, []byte(text)), Options{partBytes: 1}
		if name == "p.csv" {
			opts.Pairs = []string{"a", "b"}
		}
		want, err := Read([]string{path}, opts)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := gather(t.Context(), []string{path}, opts, 0, -1); err != nil || cmp.Diff(want, got, sameSets) != "" {
			t.Errorf("%s: %v: %s", name, err, cmp.Diff(want, got, sameSets))
		}
	}
}

// TestItemsOfAModel: a model reads lists with the items that it knows.
func TestItemsOfAModel(t *testing.T) {
	for text, later := range map[string][2]string{
		"milk,bread\nmilk\nbread,eggs\n": {"milk,tea\nbread\n", "..#\n#..\n"},
		"a,b\nu,x\nu,y\nv,z\n":           {"b,a\nw,k\nz,l\nx,k\n", "#..\n..#\n"},
	} {
		opts := Options{Items: true}
		if strings.HasPrefix(text, "a,b") {
			opts = Options{Pairs: []string{"a", "b"}}
		}
		learned := mustRead(t, "t.csv", []byte(text), opts)
		m, err := learned.Describe(tableModel(t, 3, nil, ""))
		if err != nil {
			t.Fatal(err)
		}
		s, err := readBytes([]byte(later[0]), optionsFor(t, Options{}, m))
		if err != nil || pixels(s) != later[1] || len(sentences(s)) != 1 || !strings.Contains(sentences(s)[0], "1 item") {
			t.Errorf("%q: %v, %v", later[0], s, err)
		}
	}
}

// TestValuesOfSeveralFiles: the values of categories, and items, are those of all files.
func TestValuesOfSeveralFiles(t *testing.T) {
	for name, c := range map[string]struct {
		texts   []string
		opts    Options
		columns []string
		want    string
	}{
		"categories": {[]string{"soil,b\nclay,1\nsand,0\n", "soil,b\npeat,1\n"},
			Options{Edits: []Edit{{Column: "soil", Want: "category"}}}, []string{"soil=clay", "soil=peat", "soil=sand", "b"},
			"#..#\n..#.\n.#.#\n"},
		"items": {[]string{"milk,tea\n", "jam\nmilk\n"}, Options{Items: true}, []string{"jam", "milk", "tea"},
			".##\n#..\n.#.\n"},
	} {
		var paths []string
		for _, text := range c.texts {
			paths = append(paths, write(t, "t.csv", []byte(text)))
		}
		s, err := Read(paths, c.opts)
		if err != nil || pixels(s) != c.want || !cmp.Equal(s.Columns, c.columns) {
			t.Errorf("%s: %v, %v", name, s, err)
			continue
		}
		if got, err := gather(t.Context(), paths, c.opts, 0, -1); err != nil || pixels(got) != c.want {
			t.Errorf("%s, streamed: %v, %v", name, got, err)
		}
	}
}

// TestLinesOfLists: rows and lines agree, and a header or quotes around a list are no items.
func TestLinesOfLists(t *testing.T) {
	said := Options{Items: true}
	headed := Options{Items: true, Header: HeaderPresent}
	for name, c := range map[string]struct {
		text    string
		opts    Options
		want    string
		columns string
		note    string
	}{
		"empty": {"a,b\n\nb,c\n\r\n\na,c\n\n\n", said, "##.\n...\n.##\n...\n...\n#.#\n", "a b c",
			"3 empty lines are taken as rows without items"},
		"one empty":       {"\na,b\na\n", said, "..\n##\n#.\n", "a b", "1 empty line is taken as a row without items"},
		"inverted":        {"a,b\n\na\n", Options{Items: true, Invert: true}, "..\n##\n.#\n", "a b", "1 empty line"},
		"lines in quotes": {"\"a\nb\",c\nc,d\n\nd\n", said, "##.\n.##\n...\n..#\n", "a\nb c d", "1 empty line"},
		"header":          {"items\na,b\nb,c\n", headed, "##.\n.##\n", "a b c", ""},
		"empty, header":   {"\nitems\n\na,b\nb,c\n", headed, "...\n##.\n.##\n", "a b c", "1 empty line"},
		"names": {"fir,de,ch\noak,de\n\nelm,ch,fr,de\nash,fr\nyew\nbeech,de,fr\n", said,
			"##.\n.#.\n...\n###\n..#\n...\n.##\n", "ch de fr", "name of the row"},
		"quoted":         {"\"a,b\"\n\"b, c\"\nc\n", said, "##.\n.##\n..#\n", "a b c", "divided at every ','"},
		"quoted, header": {"\"items, all\"\n\"a,b\"\n\"b,c\"\n", headed, "##.\n.##\n", "a b c", "divided at every ','"},
		"some quoted":    {"\"a,b\",c\nc\n", said, "##\n.#\n", "a,b c", ""},
		"blanks":         {"a b\nb c\nc\n", said, "#..\n.#.\n..#\n", "a b|b c|c", `--delimiter " "`},
		"words":          {"a b\nb\nc\n", said, "#..\n.#.\n..#\n", "a b|b|c", ""},
		"by blanks":      {"a b\nb c\nc\n", Options{Items: true, Delimiter: ' '}, "##.\n.##\n..#\n", "a b c", ""},
	} {
		s, err := readBytes([]byte(c.text), c.opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sep := " "
		if strings.Contains(c.columns, "|") {
			sep = "|"
		}
		notes := strings.Join(sentences(s), "|")
		if pixels(s) != c.want || strings.Join(s.Columns, sep) != c.columns || !strings.Contains(notes, c.note) ||
			c.note == "" && notes != "" {
			t.Errorf("%s: columns %q, notes %q\n%s", name, s.Columns, sentences(s), pixels(s))
		}
		path := write(t, "t.csv", []byte(c.text))
		c.opts.partBytes = 1
		if got, err := gather(t.Context(), []string{path}, c.opts, 0, -1); err != nil || pixels(got) != c.want {
			t.Errorf("%s, streamed: %v", name, err)
		}
	}
	refused(t, "t.csv", []byte("items\n"), headed)
	refused(t, "t.csv", []byte("\n\n"), said)
}

// TestVeryManyLists: a text of more lists than fit in memory is refused where they are too many, before it is read on.
func TestVeryManyLists(t *testing.T) {
	text := strings.Repeat("a,b\n", 1000) + "c," + strings.Repeat("y", maxItem+1) + "\n"
	refused(t, "t.csv", []byte(text), Options{Items: true, MaxMemory: 1 << 16})
}
