package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
)

// tableModel returns a model of a table with these columns, none for nil, and a
// reading, none for "".
func tableModel(t testing.TB, width int, columns []string, reading string) *patchwork.Model {
	t.Helper()
	e := patchwork.Extras{Columns: columns}
	if reading != "" {
		e.Reading = json.RawMessage(reading)
	}
	m, err := modelOf(t, 1, width, "").WithExtras(e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// planFor returns the plan of a model.
func planFor(m *patchwork.Model) (*Plan, error) {
	c, x := m.Config(), m.Extras()
	if c.Scene {
		c.ImageHeight, c.ImageWidth = 0, 0
	}
	return PlanOf(x.Reading, x.Columns, c.ImageHeight, c.ImageWidth, true)
}

// optionsFor returns the options for a model.
func optionsFor(t testing.TB, o Options, m *patchwork.Model) Options {
	t.Helper()
	var err error
	if o.Model, err = planFor(m); err != nil {
		t.Fatal(err)
	}
	return o
}

// someTable is a table of text: a header and rows.
type someTable struct {
	names []string
	rows  [][]string
}

func (s *someTable) csv() string {
	var b strings.Builder
	for _, row := range append([][]string{s.names}, s.rows...) {
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

// columns returns the table with these columns, -1 for a foreign one of 0s.
func (s *someTable) columns(index []int, names []string) *someTable {
	out := &someTable{names: names}
	for _, row := range s.rows {
		var cells []string
		for _, i := range index {
			if i < 0 {
				cells = append(cells, "0")
			} else {
				cells = append(cells, row[i])
			}
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

// save writes the table as CSV, npz or Parquet; the latter two only without labels.
func (s *someTable) save(t testing.TB, dir, format string) string {
	t.Helper()
	path := filepath.Join(dir, "t."+format)
	var err error
	switch format {
	case "csv":
		err = os.WriteFile(path, []byte(s.csv()), 0o666)
	case "npz":
		set := &Set{Table: true, Columns: s.names}
		for _, row := range s.rows {
			img := bitmap.New(1, len(row))
			for x, cell := range row {
				img.Set(0, x, cell == "1")
				if cell == "" {
					img.SetUnknown(0, x)
				}
			}
			set.Images = append(set.Images, img)
		}
		err = writeNPZ(path, set)
	case "parquet":
		group := parquet.Group{}
		for _, name := range s.names {
			group[name] = parquet.Optional(parquet.Leaf(parquet.Int32Type))
		}
		schema := parquet.NewSchema("t", group)
		var f *os.File
		if f, err = os.Create(path); err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := parquet.NewGenericWriter[any](f, schema)
		for _, row := range s.rows {
			var cells parquet.Row // in the order of the names, which is that of the file
			for c, i := range inOrder(s.names) {
				v, level := parquet.Value{}, 0
				if row[i] != "" {
					v, level = parquet.ValueOf(int32(row[i][0]-'0')), 1
				}
				cells = append(cells, v.Level(0, level, c))
			}
			if _, err := w.WriteRows([]parquet.Row{cells}); err != nil {
				t.Fatal(err)
			}
		}
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// inOrder returns the indices of names in their order.
func inOrder(names []string) []int {
	index := identity(len(names))
	slices.SortFunc(index, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	return index
}

// readBoth reads data as a whole and as a stream, which must agree.
func readBoth(t testing.TB, path string, o Options) (*Set, error) {
	t.Helper()
	set, err := Read([]string{path}, o)
	stream, streamErr := OpenStream(t.Context(), []string{path}, o)
	if (err == nil) != (streamErr == nil) || err != nil && err.Error() != streamErr.Error() {
		t.Fatalf("read: %v; streamed: %v", err, streamErr)
	}
	if err != nil {
		return nil, err
	}
	again, err := stream.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(set.Images, again.Images, (*bitmap.Image).Equal) || !reflect.DeepEqual(set.Meta, again.Meta) ||
		!slices.Equal(set.Columns, again.Columns) {
		t.Fatalf("a stream has other images of %s", path)
	}
	return set, nil
}

// TestMatchByName: columns in any order, with others between them that are left out,
// give the same images to the bit, and a note says what is foreign; what is missing or doubled is an error that
// names it, and nothing else.
func TestMatchByName(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		width := rapid.IntRange(1, 7).Draw(r, "width")
		s := &someTable{}
		for i := range width {
			s.names = append(s.names, fmt.Sprintf("species %c", 'Z'-i))
		}
		for range rapid.IntRange(1, 5).Draw(r, "rows") {
			s.rows = append(s.rows, rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", ""}), width, width).Draw(r, "row"))
		}
		for _, row := range s.rows {
			if strings.Join(row, "") == "" {
				row[0] = "0" // an empty line is none
			}
		}
		s.rows[0][0] = "1" // and a header is above a value
		m := tableModel(t, width, s.names, "")
		want, err := Read([]string{s.save(t, dir, "csv")}, Options{})
		if err != nil {
			r.Fatal(err)
		}
		index := rapid.Permutation(identity(width)).Draw(r, "order")
		dropped := rapid.IntRange(0, width-1).Draw(r, "dropped")
		index = index[:width-dropped]
		var missing, foreign, doubled []string
		for i := range width {
			if !slices.Contains(index, i) {
				missing = append(missing, s.names[i])
			}
		}
		names := pick(s.names, index)
		if rapid.Bool().Draw(r, "foreign") {
			foreign = append(foreign, "zebra")
			index, names = slices.Insert(index, len(index)/2, -1), slices.Insert(names, len(names)/2, "zebra")
		}
		format := rapid.SampledFrom([]string{"csv", "npz", "parquet"}).Draw(r, "format")
		if format != "parquet" && rapid.Bool().Draw(r, "doubled") {
			k := rapid.IntRange(0, len(index)-1).Draw(r, "which")
			if names[k] != "zebra" {
				doubled = append(doubled, names[k])
				index, names = append(index, index[k]), append(names, names[k])
			}
		}
		got, err := readBoth(t, s.columns(index, names).save(t, dir, format), optionsFor(t, Options{}, m))
		if missing == nil && doubled == nil {
			if err != nil {
				r.Fatal(err)
			}
			if said := strings.Join(sentences(got), "\n"); foreign != nil && !strings.Contains(said, `in the model and`) {
				r.Fatalf("%s: %q does not say what is foreign", format, said)
			}
			if !slices.Equal(got.Columns, s.names) || !slices.EqualFunc(got.Images, want.Images, (*bitmap.Image).Equal) {
				r.Fatalf("%s: other images of columns %q", format, names)
			}
			return
		}
		var fe *FormatError
		if !errors.As(err, &fe) {
			r.Fatalf("%s: missing %q, foreign %q, doubled %q: %v", format, missing, foreign, doubled, err)
		}
		named := slices.Concat(missing, doubled)
		if missing != nil {
			named = append(named, foreign...)
		}
		for _, name := range named {
			if !strings.Contains(fe.Msg, fmt.Sprintf("%q", name)) {
				r.Fatalf("%v does not name %q", err, name)
			}
		}
		for _, name := range s.names {
			if strings.Contains(fe.Msg, fmt.Sprintf("%q", name)) && !slices.Contains(missing, name) &&
				!slices.Contains(doubled, name) {
				r.Fatalf("%v names %q", err, name)
			}
		}
	})
}

// TestMatchMessages fixes what people read when columns do not fit, and the way out.
func TestMatchMessages(t *testing.T) {
	dir := t.TempDir()
	columns := []string{"Poa repens", "Salix alba", "Bellis"}
	named := tableModel(t, 3, columns, "")
	for _, c := range []struct {
		text string
		opts Options
		want string
	}{
		{"Poa repns,Bellis,Salix alba\n0,1,1\n", Options{},
			`the columns are not those of the model: missing: "Poa repens"; not in the model: "Poa repns" (did you mean "Poa repens"?); rename what means the same`},
		{"Poa repens,Bellis,Salix alba,Bellis\n0,1,1,1\n", Options{},
			`the columns are not those of the model: more than once: "Bellis"; rename or remove what comes more than once`},
		{"Poa repens,Bellis,Salix alba\n0,1,1\n", Options{Edits: []Edit{{Column: "Bellis", Want: "label"}}},
			`column "Bellis": is bit in the model, not label; leave that out, or learn again with --column Bellis=label`},
		{"Poa repns,a b,Salix alba\n0,1,1\n", Options{},
			`the columns are not those of the model: missing: "Poa repens", "Bellis"; not in the model: "Poa repns" (did you mean "Poa repens"?), "a b"; ` +
				`rename what means the same; add what is missing, with empty cells if it is unknown`},
		{"0,1\n1,1\n", Options{},
			`2 columns of data, but the model has 3: "Poa repens", "Salix alba", "Bellis"; choose the model's with --columns, or say which are no data with --column NAME=label`},
		{"0,1,1,0\n", Options{}, `4 columns of data, but the model has 3`},
	} {
		path := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readBoth(t, path, optionsFor(t, c.opts, named)); err == nil ||
			!strings.HasPrefix(err.Error(), path+": "+c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestMatchReads covers what fits without the same columns: labels, columns that
// learning left out or weighed, numbers instead of names, a header without values.
func TestMatchReads(t *testing.T) {
	dir := t.TempDir()
	columns := []string{"a", "b"}
	for name, c := range map[string]struct {
		columns []string
		reading string
		text    string
		opts    Options
		want    string // rows, in the model's order
		meta    string // names of the metadata
	}{
		"labels are text":    {columns, "", "site,b,a\nA1,1,0\n", Options{}, "01", "site"},
		"labels of learning": {columns, `{"columns":[{"name":"year","kind":"label","by":"you"},{"name":"gone","kind":"label","by":"you"}]}`, "b,year,a\n1,1987,0\n", Options{}, "01", "year"},
		"labels asked for": {columns, `{"columns":[{"name":"year","kind":"label","by":"you"}]}`, "b,year,a,n\n1,1987,0,7\n", Options{Edits: []Edit{{Column: "n", Want: "label"}}},
			"01", "n year"},
		"weights of learning": {columns, `{"columns":[{"name":"n","kind":"weight","by":"you"}]}`, "n,b,a\n3,1,0\n", Options{}, "01", ""},
		"others left out":     {columns, `{"only":true}`, "b,c,a,d\n1,9,0,9\n", Options{}, "01", ""},
		"chosen here":         {columns, "", "b,c,a,d\n1,9,0,9\n", Options{Columns: []string{"b", "3"}}, "01", ""},
		"where": {columns, "", "b,a\n1,0\n1,1\n",
			Options{Where: []Condition{{Name: "a", Op: "=", Values: []string{"0"}}}}, "01", "a"},
		"where of a label": {columns, "", "b,k,a\n1,x,0\n1,y,1\n",
			Options{Where: []Condition{{Name: "k", Op: "=", Values: []string{"x"}}}}, "01", "k"},
		"unknown below":         {columns, "", "b,a\n?,NA\n", Options{}, "??", ""},
		"by position":           {columns, "", "1,0\n1,1\n", Options{}, "10 11", ""},
		"model without names":   {nil, "", "b,a\n1,0\n", Options{}, "10", ""},
		"numbers":               {[]string{"column 3", "column 1"}, `{"numbered":true,"only":true,"header":"no"}`, "1,0,0\n", Options{}, "01", ""},
		"number of a label":     {nil, `{"columns":[{"name":"1","kind":"label","by":"you"}],"header":"no"}`, "x,1,0\n", Options{}, "10", "1"},
		"numbers are no names":  {columns, `{"columns":[{"name":"1","kind":"label","by":"you"}]}`, "a,b\n1,0\n", Options{}, "10", ""},
		"the same doubled":      {[]string{"a", "a"}, "", "a,a\n1,0\n", Options{}, "10", ""},
		"delimiter":             {columns, `{"delimiter":"|"}`, "b|a\n1|0\n", Options{}, "01", ""},
		"delimiter not there":   {columns, `{"delimiter":"|"}`, "b;a\n1;0\n", Options{}, "01", ""},
		"threshold":             {columns, `{"threshold":5}`, "b,a\n7,2\n", Options{}, "01", ""},
		"another threshold":     {columns, `{"threshold":5}`, "b,a\n7,2\n", Options{Threshold: threshold(1)}, "11", ""},
		"invert":                {columns, `{"invert":true}`, "b,a\n1,0\n", Options{}, "10", ""},
		"names that are values": {[]string{"0", "1"}, "", "1,0\n1,0\n", Options{Header: HeaderPresent}, "01", ""},
	} {
		path := filepath.Join(dir, "t.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		set, err := readBoth(t, path, optionsFor(t, c.opts, tableModel(t, 2, c.columns, c.reading)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var rows, meta []string
		for _, img := range set.Images {
			rows = append(rows, strings.NewReplacer("#", "1", ".", "0", "\n", "").Replace(img.String()))
		}
		for _, c := range set.Meta {
			meta = append(meta, c.Name)
		}
		if got := strings.Join(rows, " "); got != c.want || strings.Join(meta, " ") != c.meta {
			t.Errorf("%s: rows %s, labels %q, want %s, %q", name, got, meta, c.want, c.meta)
		}
	}
}

// TestForNotes: what is given overrides the model's reading, and says so.
func TestForNotes(t *testing.T) {
	m := modelOf(t, 2, 2, `{"threshold":128,"invert":true,"size":[2,2],"header":"no"}`)
	o, notes := optionsFor(t, Options{Threshold: threshold(3), Height: 4, Width: 1, Header: HeaderPresent}, m).forModel()
	want := []string{
		"--threshold 3 is given, but the model was learned from data read with 128",
		"--size 4x1 is given, but the model was learned from data read as 2x2",
		"--header yes is given, but the model was learned from data read with no",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
	if *o.Threshold != 3 || !o.Invert || o.Height != 4 || o.Header != HeaderPresent {
		t.Errorf("%+v", o)
	}
	if o, notes = optionsFor(t, Options{}, m).forModel(); notes != nil || *o.Threshold != 128 || !o.Invert ||
		o.Height != 2 || o.Header != HeaderAbsent || o.Kind != Bit {
		t.Errorf("%+v, %q", o, notes)
	}
	if o, notes = optionsFor(t, Options{AutoThreshold: true}, m).forModel(); o.Threshold != nil ||
		!slices.Equal(notes, []string{"--threshold auto is given, but the model was learned from data read with 128"}) {
		t.Errorf("%+v, %q", o, notes)
	}
	o, notes = optionsFor(t, Options{}, modelOf(t, 1, 1, `{"threshold":"auto"}`)).forModel()
	if notes != nil || !o.AutoThreshold {
		t.Errorf("%+v, %q", o, notes)
	}
	if _, notes = optionsFor(t, Options{Invert: true}, modelOf(t, 1, 1, "")).forModel(); !slices.Equal(notes,
		[]string{"--invert true is given, but the model was learned from data read without"}) {
		t.Errorf("%q", notes)
	}
	if _, err := planFor(modelOf(t, 1, 1, `{"tilt":1}`)); err == nil {
		t.Error("an unknown reading is taken")
	}
}

// TestForPictures: the size and the turn of a model's rows are for rows, its pattern of
// names for pictures that match it.
func TestForPictures(t *testing.T) {
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.npz")
	set := &Set{Table: true,
		Data: patchwork.Data{Images: []*bitmap.Image{bitmap.FromBytes(1, 6, []byte{1, 1, 0, 0, 0, 0})}}}
	if err := writeNPZ(rows, set); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "p", "T"), 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "p", "T", "7_x.png")
	if err := os.WriteFile(file, picture(t, "P1 3 2 1 1 0 0 0 0"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, scene := range []bool{false, true} {
		m := modelOf(t, 2, 3, `{"size":[2,3],"transpose":true,"names":"{y}/{writer}_{}.png"}`)
		c := m.Config()
		c.Scene = scene
		m, err := m.WithConfig(c)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{rows: "#..\n#..\n", file: "##.\n...\n",
			filepath.Join(dir, "p"): "##.\n...\n"} {
			got, err := readBoth(t, path, optionsFor(t, Options{}, m))
			if err != nil {
				t.Fatal(err)
			}
			if s := got.Images[0].String(); strings.TrimSpace(s) != strings.TrimSpace(want) {
				t.Errorf("scene %v, %s:\n%s", scene, path, s)
			}
			if _, err := got.Column("writer"); (err == nil) != (path == filepath.Join(dir, "p")) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	other := modelOf(t, 2, 3, `{"names":"{writer:9}-{y}.png"}`)
	got, err := readBoth(t, filepath.Join(dir, "p"), optionsFor(t, Options{}, other))
	if err != nil {
		t.Fatal(err)
	}
	if y, err := got.Column("y"); err != nil || y.Text(0) != "T" {
		t.Errorf("pictures that do not match: %+v, %v", got.Meta, err)
	}
}

// TestMatchCategories: a model reads the columns of its categories by name, with the
// values that it knows.
func TestMatchCategories(t *testing.T) {
	learned := mustRead(t, "t.csv", []byte("soil,b,wet\nclay,1,y\nsand,0,n\n"),
		Options{Edits: []Edit{{Column: "soil", Want: "category"}}})
	m := tableModel(t, 4, nil, "")
	m, err := learned.Describe(m)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"wet,site,soil,b\ny,u,sand,0\nn,v,peat,1\n": ".#.#\n??#.\n",
		"soil,b,wet\nclay,1,\n":                     "#.#?\n",
	} {
		s, err := readBoth(t, write(t, "t.csv", []byte(text)), optionsFor(t, Options{}, m))
		if err != nil || pixels(s) != want || !slices.Equal(s.Columns, []string{"soil=clay", "soil=sand", "b", "wet"}) {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	o := optionsFor(t, Options{}, m)
	if _, err := readBytes([]byte("b,wet\n1,0\n"), o); err == nil || !strings.Contains(err.Error(), `missing: "soil"`) {
		t.Error(err)
	}
	// A set that was saved has the columns of bits themselves.
	var b bytes.Buffer
	if err := EncodeNPZ(&b, learned); err != nil {
		t.Fatal(err)
	}
	s, err := readBytes(b.Bytes(), o)
	if err != nil || pixels(s) != pixels(learned) {
		t.Errorf("%v, %v", s, err)
	}
}
