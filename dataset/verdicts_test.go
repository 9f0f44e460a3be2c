package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verdict is a small table, what is right for it, as in corpus, and part of a note; "" for no note.
type verdict struct{ name, text, right, said string }

// check reads the tables.
func check(t *testing.T, verdicts []verdict) {
	t.Helper()
	for _, v := range verdicts {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(v.text), 0o600); err != nil {
			t.Fatal(err)
		}
		kinds, _, notes := readAsIs(t, path, Options{})
		if !strings.Contains(kinds, v.right) || !strings.Contains(notes, v.said) || v.said == "" && notes != "" {
			t.Errorf("%s: %s, said %q; want %s, said %q", v.name, kinds, notes, v.right, v.said)
		}
	}
}

// TestFirstLines: what stands above or below a header and is none is left out; what only looks so stays.
func TestFirstLines(t *testing.T) {
	const rows = "1,0,1\n0,1,1\n1,1,0\n0,0,1\n"
	check(t, []verdict{
		{"plain", "a,b,c\n" + rows, "4: 3 bit", ""},
		{"a separator", "sep=;\na;b;c\n" + strings.ReplaceAll(rows, ",", ";"), "4: 3 bit",
			`left out line 1 above the table: "sep=;"`},
		{"a separator in quotes", "\"sep=,\"\r\na,b,c\n" + rows, "4: 3 bit", "left out line 1"},
		{"comments", "# made by it, on a day; 'so\"\n#\na,b,c\n" + rows + "# the end\n", "4: 3 bit",
			"left out 1 line with # among the rows"},
		{"comments without a header", "# made\n" + rows, "4: 3 bit", "left out line 1"},
		{"a header with #", "##form 4\n#a,b,c\n" + rows, "4: 3 bit", "left out line 1"},
		{"a header with # and a blank", "# a,b,c\n" + rows, "4: 3 bit", ""},
		{"# as names of rows", "#,b,c\n#r1,1,0\n#r2,0,1\n#r3,1,1\n", "3: label 2 bit", "#"},
		{"titles", "Survey, of 2024\n\nmade;today\nid;a;b;c;d\n" + "p;1;0;1;1\nq;0;1;0;1\nr;1;1;1;0\n", "3: label 4 bit",
			`left out lines 1 to 3 above the table: "Survey, of 2024"`},
		{"a title and no names", "Survey\n" + rows, "the first line has 1", ""},
		{"a first row of few cells", "p,x,,\nq,x,x,\nr,,x,x\ns,x,x,x\n", "4: label 3 bit", "off"},
		{"a first row of few words", "p,pear,,\nq,pear,plum,fig\nr,,plum,fig\ns,pear,,fig\n", "none of the 4", ""},
		{"names above all columns but the first", ",a,b,c\np,1,0,1\nq,0,1,1\nr,1,1,0\n", "3: label 3 bit", "row"},
		{"names of R", "a,b,c\np1,1,0,1\nq1,0,1,1\nr1,1,1,0\n", "3: label 3 bit", "row"},
		{"a second header of Qualtrics", "a,b\nA?,B?\n\"{\"\"ImportId\"\":\"\"1\"\"}\",\"{\"\"ImportId\"\":\"\"2\"\"}\"\n" +
			"1,0\n0,1\n1,1\n", "3: 2 bit", "left out 2 lines below the header"},
		{"a second header of SurveyMonkey", "who,Which?,,,Why?\n,a,b,c,Response\nq9,1,0,1,1\nq7,1,1,0,1\nq9,0,0,1,0\n",
			"3: label 4 bit", "left out 1 line below"},
		{"names that a column lacks", "id,,x\np,1,1\nq,0,0\nr,1,0\n", "3: label 2 bit", "id"},
	})
}
