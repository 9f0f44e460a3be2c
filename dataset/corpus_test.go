package dataset

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// corpus says of tables as people have them what is right: the number of rows and the kinds of the
// columns, read without a flag unless one is named. What today's reader gets wrong is marked.
var corpus = []struct {
	file, right string
	most        float64 // the greatest number; 0: not asked
	said        string  // part of a note
	opts        Options
	today       string // what is wrong today
}{
	{file: "c03_titles.csv", right: "80: 9 bit"},
	{file: "c05b_likert99.csv", right: "80: label 9 scale", said: "99"},
	{file: "c05c_likertwords.csv", right: "80: label 9 scale"},
	{file: "c06_multi.csv", right: "80: label 10 bit"},
	{file: "c07_qualtrics.csv", right: "80: 2 label 9 bit"},
	{file: "c12_species_rows.csv", right: "11: label 80 bit", said: "are the columns what"},
	{file: "c12_species_rows.csv", right: "80: label 11 bit", opts: Options{Transpose: true}},
	{file: "c13_maf.maf", right: "73: label 9 bit"},
	{file: "c14_long.csv", right: "73: label 9 bit"},
	{file: "c15_weights.csv", right: "80: label weight 9 bit", opts: Options{Edits: []Edit{{Column: "wt", Want: "weight"}}},
		said: "weights in wt are decimals"},
	{file: "c16_onetwo.csv", right: "80: label 9 bit", said: "no is 2"},
	{file: "c19_dk.csv", right: "80: label 9 bit", said: "don't know"},
	{file: "c19_hashna.csv", right: "80: label 9 bit"},
	{file: "c19_m9.csv", right: "80: label 9 bit", said: "-9"},
	{file: "c19_n999.csv", right: "80: label 9 bit", said: "999"},
	{file: "c21_thousands.csv", right: "80: label 9 number", most: 8982, said: "before thousands"},
	{file: "c24_redcap.csv", right: "80: label 9 bit"},
	{file: "c24b_tick.csv", right: "80: label 9 bit"},
	{file: "c24e_selected.csv", right: "80: label 9 bit"},
	{file: "c25b_cr.csv", right: "80: label 9 bit"},
	{file: "c26b_blankend.csv", right: "80: label 9 bit", said: "5 lines were left out at the end"},
	{file: "c31_csr.npz", right: "80: 9 bit"},
	{file: "c32.mtx", right: "80: 9 bit"},
	{file: "censored.csv", right: "200: 3 number", said: "<"},
	{file: "clinic.csv", right: "600: label 4 bit 2 category 6 number"},
	{file: "const.csv", right: "100: bit 3 number"},
	{file: "d10_none.csv", right: "120: label 4 bit 2 category"},
	{file: "d11_pct.csv", right: "120: label 9 number"},
	{file: "d20_comment.csv", right: "120: label 9 bit"},
	{file: "d2_surveymonkey.csv", right: "120: 2 label 9 bit scale"},
	{file: "d4_thousands.csv", right: "120: label 9 number", most: 8961, said: "before thousands"},
	{file: "dates.csv", right: "200: 3 label bit 3 number"},
	{file: "likert.csv", right: "200: 8 scale"},
	{file: "prince109.csv", right: "7: category 3 number"},
	{file: "semicolon.csv", right: "200: 3 number"},
	{file: "sentinel.csv", right: "200: 3 number", said: "-999"},
	{file: "survey.csv", right: "180: label 6 bit 4 category number"},
	{file: "units.csv", right: "200: 3 number"},
}

// TestCorpus: every table is read right, but for those that are marked; one that has become right loses its mark.
func TestCorpus(t *testing.T) {
	folder := testenv.Shared(t, "cases/tables")
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range corpus {
		files = slices.DeleteFunc(files, func(f os.DirEntry) bool { return f.Name() == c.file })
		kinds, most, notes := readAsIs(t, filepath.Join(folder, c.file), c.opts)
		right := kinds == c.right && (c.most == 0 || most == c.most) && strings.Contains(notes, c.said)
		if right && c.today != "" {
			t.Errorf("%s is read right: take away its mark %q", c.file, c.today)
		}
		if !right && c.today == "" {
			t.Errorf("%s: %s, up to %v, said %q; want %s, up to %v, said %q", c.file, kinds, most, notes, c.right, c.most,
				c.said)
		}
	}
	for _, f := range files {
		t.Errorf("the corpus does not say what is right for %s", f.Name())
	}
}

// readAsIs reads a table as learn does, and returns the number of rows and the kinds of the columns by its plan, the
// greatest number, and the notes.
func readAsIs(t *testing.T, path string, opts Options) (kinds string, most float64, notes string) {
	s, err := Open(t.Context(), []string{path}, opts)
	if err != nil {
		return err.Error(), 0, ""
	}
	if _, err := s.Read(t.Context()); err != nil {
		return err.Error(), 0, ""
	}
	p := s.Plan()
	n := map[string]int{}
	for _, c := range p.Columns {
		kind := map[Kind]string{Count: "number", Ordinal: "scale"}[c.Kind]
		n[cmp.Or(kind, c.Kind.String())]++
		if c.Range != nil && c.Kind != Weight {
			most = max(most, c.Range.High)
		}
	}
	for _, note := range p.Notes {
		notes += note.Text + "\n"
	}
	kinds = fmt.Sprintf("%d:", p.Rows)
	for _, kind := range []string{"label", "weight", "bit", "category", "number", "scale", "unknown"} {
		if n[kind] == 1 {
			kinds += " " + kind
		} else if n[kind] > 1 {
			kinds += fmt.Sprintf(" %d %s", n[kind], kind)
		}
	}
	return kinds, most, notes
}
