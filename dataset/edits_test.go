package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestEdits: what columns are said to be decides how they are read, by names or numbers, among bits and numbers; what
// the cells do not have is an error with the place.
func TestEdits(t *testing.T) {
	const ages = "id,age,uses,ok\na,31,bus;tram,1\nb,44,tram,0\nc,50,bus;bike,1\nd,?,,1\ne,62,bike;tram;bus,0\nf,70,bus,1\n"
	for _, c := range []struct {
		edits, want string
	}{
		{"age=bit>44", "age>44 ok: 01 00 11 ?1 10 11"},
		{"2=bands", "age=to 44 age=44 to 62 age=over 62 ok: 1001 1000 0101 ???1 0100 0011"},
		{"uses=split age=unknown", "uses=bike uses=bus uses=tram ok: 0111 0010 1101 0001 1110 0101"},
		{"age=yes:44|50 uses=yes:bus", "age uses ok: 001 100 101 ??1 000 011"},
		{"uses=yes:BUS none=yes:a ok=yes:0 age=label", "uses ok: 00 01 00 ?0 01 10"},
		{"age=number", "age ok: 31,1 44,0 50,1 ?,1 62,0 70,1"},
		{"age=count uses=split",
			"age uses=bike uses=bus uses=tram ok: 31,0,1,1,1 44,0,0,1,0 50,1,1,0,1 ?,0,0,0,1 62,1,1,1,0 70,0,1,0,1"},
		{"age=number uses=category ok=label", "age uses: 31,3 44,4 50,2 ?,? 62,0 70,1"},
		{"age=label ok=weight uses=split", "uses=bike uses=bus uses=tram: 011 001 110 000 111 010"},
		{"id=number", `line 2, column "id": "a" is not a number; correct it, take it as unknown (--missing id=a), or make ` +
			`the column a label: --column id=label`},
		{"age=bit", `line 2, column "age": 31 is neither 0 nor 1; say from which number on it is on: --column "age=bit>31"`},
		{"id=split", `column "id": no cell has several answers with ; | or , between them; ask for a category instead`},
		{"id=bands", `column "id": holds no numbers to cut in bands; ask for a category instead`},
		{"agee=label", `no column "agee"`},
		{"age=half", "age=half: all columns are cut in two, as *=half"},
		{"*=ordinal", `*=ordinal: all columns may be bit, category or number; name the columns`},
	} {
		var opts Options
		err := error(nil)
		for text := range strings.FieldsSeq(c.edits) {
			e, problem := ParseEdit(text)
			if problem != nil {
				t.Fatal(problem)
			}
			if opts, err = opts.With(e); err != nil {
				break
			}
		}
		got := ""
		if err == nil {
			got, err = cellsOf(t, ages, opts)
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.edits, got, c.want)
		}
	}
	for _, bad := range []string{"age", "=bit", "age=bool", "age=bit>x", "age=bit>NaN", "age=bit>=44"} {
		if e, err := ParseEdit(bad); err == nil {
			t.Errorf("%s is taken as %v", bad, e)
		}
	}
}

// TestMissingCodes: cells that say that nothing is known are named, for all columns or for one, also in arrays.
func TestMissingCodes(t *testing.T) {
	for _, c := range []struct {
		text    string
		missing []string
		want    string
	}{
		{"a,b\n1,0\n7,1\n0,7\n", []string{"7"}, "a b: 10 ?1 0?"},
		{"a,b\n1,0\nnope,1\n0,1\n", []string{"a:nope"}, "a b: 10 ?1 01"},
		{"a,b\n1.5,2\n-999,-999\n3,4\n", []string{"b:-999"}, "a b: 1.5,2 -999,? 3,4"},
		{"a,b\n1.5,2\n-999,-999\n3,4\n", []string{"b=-999"}, "a b: 1.5,2 -999,? 3,4"},
		{"id,a\n1,2\n2,1\n3,1\n", []string{"2"}, "a: ? 1 1"}, // a row is called 2
		{"0,1,2\n1,1,0\n0,2,1\n", []string{"2"}, "0 1 2: 110 0?1"},
	} {
		if got, err := cellsOf(t, c.text, Options{Missing: c.missing}); got != c.want {
			t.Errorf("%q %v: %s %v, want %s", c.text, c.missing, got, err, c.want)
		}
	}
	if got, err := cellsOf(t, "made by us\n\na,b\n1,0\n0,1\n", Options{SkipLines: 2}); got != "a b: 10 01" {
		t.Errorf("lines above: %s %v", got, err)
	}
}

// cellsOf reads a table, and returns the names of its columns and its rows.
func cellsOf(t *testing.T, text string, opts Options) (string, error) {
	s, err := Open(t.Context(), []string{write(t, "t.csv", []byte(text))}, opts)
	if err != nil {
		return "", err
	}
	f, err := s.Read(t.Context())
	if err != nil {
		return "", err
	}
	if f.Values == nil {
		return strings.Join(f.Columns, " ") + ": " + strings.NewReplacer("\n", " ", ".", "0", "#", "1").Replace(
			strings.TrimSpace(pixels(f))), nil
	}
	out := strings.Join(f.Columns, " ") + ":"
	for _, row := range f.Values {
		var cells []string
		for _, x := range row {
			if cells = append(cells, fmt.Sprint(x)); math.IsNaN(x) {
				cells[len(cells)-1] = "?"
			}
		}
		out += " " + strings.Join(cells, ",")
	}
	return out, nil
}

// TestShellWord: a shell takes what is printed as it is, and runs nothing in it.
func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{"a=label": "a=label", "a b=label": `"a b=label"`, "$x=label": "'$x=label'",
		"`x`'s=label": "'`x`'\\''s=label'", `a"b=label`: `'a"b=label'`} {
		if got := shellWord(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What names no column, or says two things of one, is refused; a condition on a column leaves it among the data, unless
// it makes it the same in all rows.
func TestNamedColumns(t *testing.T) {
	text := []byte("site,a,b,age\nk,0,1,30\nl,1,0,40\nm,1,1,25\nn,0,1,61\n")
	for _, c := range []struct {
		edits   []Edit
		missing []string
		want    string
	}{
		{[]Edit{{"aeg", "number"}}, nil, "did you mean age?"},
		{[]Edit{{"age>6", "bit"}}, nil, `say --column "age=bit>6"`},
		{nil, []string{"Aeg:99"}, "did you mean age?"},
		{[]Edit{{"age", "number"}, {"age", "label"}}, nil, "say one of them"},
	} {
		o, err := Options{Missing: c.missing}.With(c.edits...)
		if err == nil {
			_, err = Decode(t.Context(), "t.csv", text, o)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v", c.edits, c.missing, err)
		}
	}
	for op, want := range map[string]string{"a!=7": "a b", "a=1": "b"} {
		where, err := ParseCondition(op)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Decode(t.Context(), "t.csv", text, Options{Edits: []Edit{{Column: "age", Want: "label"}}, Kind: Bit, Where: []Condition{where}})
		if err != nil || strings.Join(s.Columns, " ") != want ||
			strings.Contains(strings.Join(sentences(s), "\n"), "a is left out of the data") != (want == "b") {
			t.Errorf("%s: %v, %q, %v", op, s.Columns, sentences(s), err)
		}
		if kept := s.reading.Columns; len(kept) != map[string]int{"a b": 2, "b": 3}[want] {
			t.Errorf("%s: kept %+v", op, kept)
		}
	}
	bare := []byte("k,0,1\nl,1,0\nm,1,1\n")
	s, err := Decode(t.Context(), "t.csv", bare, Options{Edits: []Edit{{Column: "column 2", Want: "label"}}, Kind: Bit})
	if err != nil || s.Meta[0].Name != "column 2" {
		t.Errorf("%v, %v", s, err)
	}
}

// An edit that says of a column of a model what that does not is refused.
func TestEditsForAModel(t *testing.T) {
	m := tableModel(t, 2, []string{"a", "age>40"},
		`{"columns":[{"name":"age","kind":"bit","by":"you","levels":["over 40"],"cuts":[40]}]}`)
	text := []byte("age,a\n50,1\nold,maybe\n")
	for want, fits := range map[string]bool{"bit>40": true, "bit>50": false, "label": false} {
		o, err := optionsFor(t, Options{}, m).With(Edit{"age", want})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Decode(t.Context(), "t.csv", text, o)
		if !fits && err == nil || fits && (err != nil || pixels(s) != "##\n??\n" || len(sentences(s)) != 2) {
			t.Errorf("%s: %v, %v", want, s, err)
		}
	}
}

// TestEditsAsJSON: options that were sent as JSON read as before, as a program on another machine does that counts rows.
func TestEditsAsJSON(t *testing.T) {
	text := []byte("name,age,a,b,n\nk,30,0,1,3\nl,40,1,0,x\nm,25,1,1,4\nn,61,0,0,5\n")
	for _, edits := range []string{"n=unknown", "n=unknown age=bands", "n=label age=bit>35", "age=number n=unknown",
		"*=category", "name=weight n=label", "n=unknown age=bit"} {
		var opts, sent Options
		for edit := range strings.FieldsSeq(edits) {
			e, err := ParseEdit(edit)
			if err == nil {
				opts, err = opts.With(e)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		wire, err := json.Marshal(opts)
		if err == nil {
			err = json.Unmarshal(wire, &sent)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := cellsOf(t, string(text), opts)
		got, gotErr := cellsOf(t, string(text), sent)
		if got != want || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: %s, %v as JSON, want %s, %v", edits, got, gotErr, want, wantErr)
		}
	}
}
