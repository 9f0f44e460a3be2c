package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
)

// mistakes are what goes wrong with people's files, and what the command says: the
// file, the place and the way out. Each line is the whole of stderr, but for its
// beginning "patchwork: "; the exit code is 2 where it is an error.
var mistakes = []struct{ name, file, content, line, says string }{
	{"another delimiter", "t.csv", "a|b|c\n1|0|1\n0|1|0\n", "learn t.csv",
		`t.csv: line 1, column "1": the only column holds text, such as "a|b|c"; cells are 0 or 1, yes or no, and the like; if "|" separates columns, say --delimiter "|", and if each line is a list of items --items`},
	{"a delimiter that it has not", "t.csv", "a,b,c\n1,0,1\n0,1,0\n", "learn t.csv --delimiter ;",
		`t.csv: line 1, column "1": the only column holds text, such as "a,b,c"; cells are 0 or 1, yes or no, and the like; if "," separates columns, say --delimiter ",", and if each line is a list of items --items`},
	{"counts", "t.csv", "site,Poa,Carex,Salix\nu,0,3,1\nv,12,0,1\nw,1,0,0\n", "learn t.csv",
		`t.csv: line 3: 2 columns hold numbers that are neither 0 nor 1: "Poa" (12 on line 3), "Carex" (3 on line 2); give --threshold T to convert them to bits (greater than T is on); --threshold 0 makes presences of counts; --meta Poa,Carex keeps them as labels, --categories Poa,Carex makes a column of bits for each value, --columns chooses others; --for real learns from the numbers as they are`},
	{"one cell of a column", "t.csv", "site,a,b\nu,0,1\nv,1,-7.5\n", "learn t.csv",
		`t.csv: line 3, column "b": value -7.5 is neither 0 nor 1; give --threshold T to convert it to bits (greater than T is on); --meta b keeps the column as a label, --categories b makes a column of bits for each value, --columns chooses others; --for real learns from the numbers as they are`},
	{"text only", "t.csv", "name,town\nann,Delft\nbob,Gent\ncyd,Bonn\n", "learn t.csv",
		`t.csv: line 1, column "1": none of the 2 columns is data; 2 hold text, such as "name"; cells are 0 or 1, yes or no, and the like; --categories NAME,... makes a column of bits for each value of a column`},
	{"a letter among digits", "t.csv", "a,b\n0,1\n1,l\n1,0\n0,1\n", "learn t.csv",
		`t.csv: line 3, column "b": "l" is none of 0, 1, y, n, true, false, yes and no in several languages, ?, NA and empty; write 0 or 1, yes or no, and leave unknown cells empty; if the column is a label, add --meta b; --categories b makes a column of bits for each value`},
	{"letters in several columns", "t.csv", "a,b,c\n0,1,1\no,1,0\n1,0,0\n0,1,l\n", "learn t.csv",
		`t.csv: line 3: 2 columns of bits hold text too: "a" (o on line 3), "c" (l on line 5); write 0 or 1, yes or no, and leave unknown cells empty; if they are labels, add --meta a,c; --categories a,c makes a column of bits for each value`},
	{"a ragged row", "t.csv", "a,b,c\n1,0,1\n0,1\n1,1,1\n", "learn t.csv",
		`t.csv: line 3: 2 cells, but line 1 has 3; make all lines of one length, check the delimiter, or say --items if each line is a list`},
	{"a doubled column", "t.csv", "a,b,a\n1,0,1\n0,1,0\n", "learn t.csv",
		`t.csv: line 1, column "a": columns 1 and 3 both have this name; rename one of them`},
	{"an empty file", "t.csv", "", "learn t.csv", `t.csv: the file is empty; copy or save the file again`},
	{"a header alone", "t.csv", "a,b,c\n", "learn t.csv",
		`t.csv: there is one line only, which begins with "a": names of columns, perhaps, and no rows; cells are 0 or 1, yes or no, and the like`},
	{"a header that is none", "t.csv", "1,0,1\n0,1,0\n", "learn t.csv --header yes",
		`t.csv: line 1, column "1": columns 1 and 3 both have this name; rename one of them; if the first line is a row, say --header no`},
	{"UTF-16 without a mark", "t.csv", wide("a,b\n1,0\n"), "learn t.csv", `t.csv: is UTF-16 text without a mark at its beginning, which is not read here; save it as UTF-8`},
	{"a page", "t.csv", "<!DOCTYPE html>\n<html><body>Please sign in</body></html>\n", "learn t.csv",
		`t.csv is a page (HTML), not data; name the images or the table that it was made from`},
	{"JSON", "t.json", `[{"a": 1, "b": 0}]`, "learn t.json",
		`t.json: is JSON, which is not read here; save it as CSV; pandas does with pandas.read_json(...).to_csv(..., index=False)`},
	{"Excel", "t.xlsx", workbook(), "learn t.xlsx", `t.xlsx: is an Excel or OpenDocument workbook, which is not read here; save the sheet as CSV`},
	{"old Excel", "t.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "learn t.xls",
		`t.xls: is a document of Excel or Word from before 2007, which is not read here; save the sheet as CSV`},
	{"decimal commas", "t.csv", "site;ph;wet\nu;5,3;1\nv;6,1;0\n", "learn t.csv",
		`t.csv: line 2, column "ph": value 5,3, with a comma, is neither 0 nor 1; give --threshold T to convert it to bits (greater than T is on); --meta ph keeps the column as a label, --categories ph makes a column of bits for each value, --columns chooses others; --for real learns from the numbers as they are`},
	{"dates as data", "t.csv", "day,a\n2024-01-03,1\n2024-02-03,0\n", "learn t.csv --columns day,a",
		`t.csv: line 2, column "day": "2024-01-03" is none of 0, 1, y, n, true, false, yes and no in several languages, ?, NA and empty; write 0 or 1, yes or no, and leave unknown cells empty; if the column is a label, add --meta day; --categories day makes a column of bits for each value`},
	{"thousands of columns of text", "t.csv", genes(), "learn t.csv",
		`t.csv: line 1, column "1": none of the 2000 columns is data; 2000 hold text, such as "gene0"; cells are 0 or 1, yes or no, and the like; --categories NAME,... makes a column of bits for each value of a column`},
	{"a quote that is not closed", "t.csv", "a,b\n1,\"0\n0,1\n", "learn t.csv",
		`t.csv: line 3: malformed CSV: extraneous or missing " in quoted-field; quote a cell as a whole and double the quotes inside it`},
	{"weights below 0", "t.csv", "a,b,n\n1,0,2\n0,1,-1\n", "learn t.csv --weight n", `t.csv: line 3, column "n": the weight "-1" is not a non-negative integer`},
	{"categories that are not there", "t.csv", "a,b\n1,0\n", "learn t.csv --categories soil", `t.csv: no column "soil"; there is: a, b`},
	{"all labels", "t.csv", "a,b\n1,0\n", "learn t.csv --meta a,b", `t.csv: none of the 2 columns is left as data; choose some with --columns`},
	{"pairs of other columns", "t.csv", "site,species\nu,Poa\n", "learn t.csv --pairs site,kind", `t.csv: line 1: no column "kind"; there is: site, species`},
	{"columns of another table", "t.csv", "b,d\n1,0\n", "explain -m m.npz t.csv",
		`t.csv: the columns are not those of the model: missing: "a"; not in the model: "d"; add what is missing, with empty cells if it is unknown; leave out what is no data with --meta "d", or choose with --columns`},
	{"compressed twice", "t.csv.gz", packed(packed("a,b\n1,0\n")), "learn t.csv.gz", `t.csv.gz: compressed twice; decompress it once`},
	{"no such file", "", "", "learn nosuch.csv", `open nosuch.csv: no such file or directory; check the name`},
}

// TestMistakes: every message names the place and the way out.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "g.csv", "a,b\n1,0\n0,1\n1,0\n")
	must(t, "learn", "g.csv", "-k", "1", "-o", "m.npz", "-q")
	for _, m := range mistakes {
		if m.file != "" {
			write(t, m.file, m.content)
		}
		words := fields(m.line)
		if words[0] == "learn" {
			words = append(words, "-k", "1", "-o", "out.npz")
		}
		var out, errs bytes.Buffer
		code := run(context.Background(), words, console{out: &out, err: &errs, getenv: os.Getenv})
		if got := strings.TrimSuffix(strings.TrimPrefix(errs.String(), "patchwork: "), "\n"); got != m.says || code != exitRequest || out.Len() > 0 {
			t.Errorf("%s: exit %d\n--- got\n%s\n--- want\n%s", m.name, code, got, m.says)
		}
		if _, err := os.Stat("out.npz"); err == nil {
			t.Errorf("%s: a model was written", m.name)
		}
	}
}

// TestNotMistakes: files that look wrong and can be read without a doubt are read,
// with a note where something was decided.
func TestNotMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "want.csv", "a,b\n1,0\n0,1\n1,0\n")
	must(t, "learn", "want.csv", "-k", "1", "-o", "want.npz", "-q")
	for name, c := range map[string]struct{ content, notes string }{
		"UTF-16 with a mark":  {"\xff\xfe" + wide("a,b\n1,0\n0,1\n1,0\n"), ""},
		"CRLF and semicolons": {"\xef\xbb\xbfa;b\r\n1;0\r\n0;1\r\n1;0\r\n", ""},
		"words":               {"a,b\nYES,no\nn,True\npresent,absent\n", ""},
		"trailing delimiters": {"a,b,\n1,0,\n0,1,\n1,0,\n", "every line ends in a delimiter; the empty last column is left out"},
		"an index of pandas":  {",a,b\n0,1,0\n1,0,1\n2,1,0\n", `"row" counts or names the rows and is taken as a label`},
		"names of rows":       {"site,a,b\nmoor,1,0\nfen,0,1\nbog,1,0\n", "site is taken as a label"},
		"gzip":                {packed("a,b\n1,0\n0,1\n1,0\n"), ""},
	} {
		write(t, "t.csv", c.content)
		var errs bytes.Buffer
		if code := run(context.Background(), fields("learn t.csv -k 1 -o t.npz"), console{out: &bytes.Buffer{}, err: &errs, getenv: os.Getenv}); code != 0 {
			t.Errorf("%s: %s", name, &errs)
			continue
		}
		var notes []string
		for line := range strings.Lines(errs.String()) {
			if note, ok := strings.CutPrefix(line, "patchwork: note: "); ok {
				notes = append(notes, strings.TrimSpace(note))
			}
		}
		if got := strings.Join(notes, "|"); got != c.notes {
			t.Errorf("%s: notes %q", name, got)
		}
		if a, b := experts(t, "t.npz"), experts(t, "want.npz"); a != b {
			t.Errorf("%s: another model", name)
		}
	}
}

// experts returns the experts of a model file as text.
func experts(t *testing.T, path string) string {
	m, err := loadModel(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(m.Template(0))
}

// wide encodes text in UTF-16, without a mark.
func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// workbook returns as much of a workbook as shows what it is.
func workbook() string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"[Content_Types].xml", "xl/workbook.xml"} {
		if _, err := z.Create(name); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// genes returns a table of many columns of text.
func genes() string {
	var b strings.Builder
	for row := range 5 {
		for i := range 2000 {
			if i > 0 {
				b.WriteByte(',')
			}
			if row == 0 {
				fmt.Fprintf(&b, "gene%d", i)
			} else {
				fmt.Fprintf(&b, "%s%d", strings.Repeat("ACGT"[i%4:i%4+1], 3), row*2000+i)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// packed compresses text with gzip.
func packed(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}
