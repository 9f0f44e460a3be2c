package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
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

// many returns rows three times.
func many(rows ...string) string { return strings.Repeat(strings.Join(rows, "\n")+"\n", 3) }

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
		{"lines of cBioPortal", "#Patient\tSex\n#STRING\tSTRING\n#1\t1\nPATIENT\tSEX\n" + "p1\tF\np2\tM\np3\tF\np4\tM\n",
			"4: label bit", "left out lines 1 to 3"},
		{"an index at the end", "a,b,_index\n1,0,1\n0,1,2\n1,1,3\n0,0,4\n", "4: label 2 bit", "_index"},
		{"# as names of rows", "#,b,c\n#r1,1,0\n#r2,0,1\n#r3,1,1\n", "3: label 2 bit", "#"},
		{"titles", "Survey, of 2024\n\nmade;today\nid;a;b;c;d\n" + "p;1;0;1;1\nq;0;1;0;1\nr;1;1;1;0\n", "3: label 4 bit",
			`left out lines 1 to 3 above the table: "Survey, of 2024"`},
		{"a title and no names", "Survey\n" + rows, "the first line has 1", ""},
		{"a first row of few cells", "p,x,,\nq,x,x,\nr,,x,x\ns,x,x,x\n", "4: label 3 bit", "off"},
		{"a first row of few words", "p,pear,,\nq,pear,plum,fig\nr,,plum,fig\ns,pear,,fig\n", "4: label 3 bit",
			"an empty cell"},
		{"names above all columns but the first", ",a,b,c\np,1,0,1\nq,0,1,1\nr,1,1,0\n", "3: label 3 bit", "row"},
		{"names of R in quotes, and spaces", "\"a\" \"b\" \"c\"\n\"r1\" 1 0 1\n\"r2\" 0 1 1\n\"r3\" 1 1 0\n",
			"3: label 3 bit", "row"},
		{"bars", "a|b|c\n1|0|1\n0|1|1\n1|1|0\n", "3: 3 bit", ""},
		{"names of R", "a,b,c\np1,1,0,1\nq1,0,1,1\nr1,1,1,0\n", "3: label 3 bit", "row"},
		{"a second header of Qualtrics", "a,b\nA?,B?\n\"{\"\"ImportId\"\":\"\"1\"\"}\",\"{\"\"ImportId\"\":\"\"2\"\"}\"\n" +
			"1,0\n0,1\n1,1\n", "3: 2 bit", "left out 2 lines below the header"},
		{"a second header of SurveyMonkey", "who,Which?,,,Why?\n,a,b,c,Response\nq9,1,0,1,1\nq7,1,1,0,1\nq9,0,0,1,0\n",
			"3: label 4 bit", "left out 1 line below"},
		{"names that a column lacks", "id,,x\np,1,1\nq,0,0\nr,1,0\n", "3: label 2 bit", "id"},
	})
}

// TestTwoWords: two words, one word and empty cells, and 1 and 2 are bits; what only looks so is none.
func TestTwoWords(t *testing.T) {
	check(t, []verdict{
		{"two words", "diet,a\n" + many("meat,1", "meat,0", "vegan,1"), "9: 2 bit", "yes is vegan in diet (no is meat)"},
		{"two words as often", "diet,a\n" + many("vegan,1", "meat,0"), "6: 2 bit", "yes is meat in diet (no is vegan)"},
		{"two names of rows", "name,a\nAnn,1\nBob,0\n", "2: label bit", "name is taken as a label"},
		{"denied", "state,a\n" + many("in use,1", "not in use,0", "in use,1"), "9: 2 bit", "yes is in use in state"},
		{"letters", "sex,a\n" + many("f,1", "m,0", "m,1"), "9: 2 bit", "yes is f in sex (no is m)"},
		{"known words", "a,b\n" + many("Checked,Selected", "Unchecked,Not Selected"), "6: 2 bit", ""},
		{"a mark, and a slip", "a,b\n" + many("X,1", ",0", "X,0", ",1") + "maybe,1\n", "13: 2 bit", "a is taken as a label"},
		{"three words", "diet,a\n" + many("meat,1", "fish,0", "vegan,1"), "9: bit category", "label"},
		{"answers", "id,apple,pear\np1,apple,\np2,,pear\np3,apple,pear\np4,,pear\n", "4: label 2 bit",
			"an empty cell means off"},
		{"answers without a header", "p1,apple,\np2,,pear\np3,apple,pear\np4,,pear\n", "4: label 2 bit", "an empty cell"},
		{"one answer", "id,pizza,a\np1,pizza,1\np2,,0\np3,pizza,1\n", "3: label 2 bit", "an empty cell means off in pizza"},
		{"a remark", "id,remark,a\np1,good,1\np2,,0\np3,,1\n", "3: 2 label bit", "id and remark"},
		{"one word in all", "land,a\n" + many("here,1", "here,0"), "6: label bit", "land is taken as a label"},
		{"one word but once", "land,a\n" + many("here,1", "here,0", "here,1", "here,0") + ",1\n", "13: label bit", "land is"},
		{"ticks", "id,a,b\np1,✓,\np2,,✔\np3,✓,✔\n", "3: label 2 bit", "an empty cell means off in a and b"},
		{"1 and 2", "id,a,b\np1,1,2\np2,2,2\np3,,1\np4,1,1\np5,2,1\n", "5: label 2 bit",
			"yes is 1 in a and b (no is 2); --threshold 1"},
		{"only 2 beside 1 and 2", "a,b,c\n" + many("1,2,0", "2,2,1"), "6: 3 bit", "yes is 1 in a and b"},
		{"2 is a count", "a,b\n" + many("1,1", "2,0", "3,1"), "9: bit number", ""},
		{"blanks before thousands", "a,b\n" + many("7 398,1", "12\u00a0567,0", "1\u202f234,1"), "9: bit number", ""},
		{"points before thousands", "a;b\n" + many("7.398;1", "504;0", "1.234;1"), "9: bit number", "7398: in this file"},
		{"points before other places", "a;b\n" + many("7.398;1", "504;0", "1.2;1"), "9: bit number", ""},
		{"points and a decimal comma", "a;b;c\n" + many("7.398;1,5;1", "1.234;2,25;0"), "6: bit 2 number", "in this file a point"},
		{"a line of units", "time,temp,hum\n,°C,%\nx1,8.5,70\nx2,9.1,65\nx3,7.2,80\n", "3: label 2 number",
			"left out 1 line below the header"},
		{"names that come again", "id,a,a\np,1,1\nq,0,0\nr,1,0\n", "3: label 2 bit", "these are called a (2)"},
		{"names like bits", "t,p\n" + many("vegan,1", "meat,0"), "6: 2 bit", "yes is meat in t"},
	})
}

// TestTwoWordsOfFiles: the word for yes is the same in all files, and in a model's new data of one row.
func TestTwoWordsOfFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, text := range []string{"diet,a\nmeat,1\nmeat,0\nvegan,1\nmeat,1\n",
		"diet,a\nvegan,1\nvegan,0\nmeat,1\nvegan,0\n"} {
		paths = append(paths, filepath.Join(dir, string('a'+rune(i))+".csv"))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, order := range [][]string{paths, {paths[0], paths[0], paths[1]}} {
		s, err := Read(order, Options{})
		if err != nil || !slices.Equal(s.Columns, []string{"diet=vegan", "a"}) || !strings.HasSuffix(pixels(s), "#.\n") {
			t.Fatalf("%v, %v", s, err)
		}
	}
	s, err := Read(paths[:1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{settled: s.Codings}
	if s, err = Decode(t.Context(), "new.csv", []byte("diet,a\nmeat,1\nfish,1\n"), opts); err != nil ||
		pixels(s) != ".#\n?#\n" {
		t.Errorf("%v, %v", s, err)
	}
	opts.settled = []Coding{{Name: "a", Kind: Bit, Levels: []string{"1"}, Off: []string{"2"}}}
	if s, err = Decode(t.Context(), "new.csv", []byte("a\nyes\nno\n1\nmaybe\n"), opts); err != nil ||
		pixels(s) != "#\n.\n#\n?\n" {
		t.Errorf("yes and no where the model has 1 and 2: %v, %v", s, err)
	}
}

// TestUnknownCells: words and codes for unknown are unknown beside bits and numbers, not beside other words and counts.
func TestUnknownCells(t *testing.T) {
	check(t, []verdict{
		{"a word", "a,b\n1,0\n0,don't know\n1,1\nrefused,0\n0,1\n", "5: 2 bit",
			"2 cells are taken as unknown in a and b: don't know, refused"},
		{"without a header", "1,0\n0,Unknown\n1,1\n0,0\nunknown,1\n", "5: 2 bit", "2 cells are"},
		{"in the first row", "dk,1\n1,0\n1,1\n0,0\n", "3: 2 bit", ""},
		{"beside yes", "a,b\nyes,0\nno,1\nmissing,1\n", "3: 2 bit", "1 cell is taken as unknown in a: missing"},
		{"beside decimals", "a,b\n1.5,2.5\nn.a.,3.5\n2.5,0.5\n", "3: 2 number", "1 cell is taken as unknown in a: n.a."},
		{"beside words", "a,b\ngood,1\nunknown,0\nfair,1\ngood,0\nfair,0\nunknown,1\n", "6: bit category", "label"},
		{"a code", "a,b\n1,0\n0,999\n1,1\n0,0\n-9,1\n", "5: 2 bit", "2 cells are taken as unknown in a and b: -9, 999"},
		{"a code beside yes", "a,b\nyes,0\nno,1\n99,1\n", "3: 2 bit", "1 cell is taken as unknown in a: 99"},
		{"a code beside 1 and 2", "a,b\n1,1\n2,0\n2,1\n1,1\n99,0\n", "5: 2 bit", "1 cell is taken as unknown in a: 99"},
		{"two words and one for unknown", "a,b\n" + many("agree,1", "disagree,0", "agree,0", "disagree,1") + "no opinion,1\n",
			"13: 2 bit", "1 cell is taken as unknown in a: no opinion"},
		{"words behind codes", "a,b\n" + many("1. Yes,1", "2. No,0", "1. Yes,0") + "-8. Don't know,1\n", "10: 2 bit",
			"taken as unknown in a: -8. Don't know"},
		{"few codes", "a,b\n" + many("1,2", "2,1", "1,1", "2,2", "1,2", "2,1", "1,2", "2,2") + "9,1\n9,2\n1,9\n", "27: 2 bit",
			"3 cells are taken as unknown in a and b: 9"},
		{"one of few codes", "a,b\n" + many("1,0", "0,1", "1,1", "0,0") + "9,1\n", "13: bit number", ""},
		{"a slip", "a,b\n" + many("1,0", "0,1", "1,1", "0,0", "1,0", "0,1", "1,1") + "7,1\n", "22: 2 bit",
			"1 cell is taken as unknown in a: 7"},
		{"slips among numbers", "a,b\n" + many("1.5,0", "2.5,1", "3.5,1", "0.5,0") + "about 4,1\n", "13: bit number",
			"1 cell is taken as unknown in a: about 4"},
		{"many words among numbers", "a,b\n" + many("1.5,0", "some,1", "3.5,1"), "9: bit category", "a is taken as a label"},
		{"a third word", "a,b\n" + many("yes,0", "no,1", "maybe,1", "yes,1"), "12: bit category", "a is taken as a label"},
		{"limits and not detected", "a,b\n" + many("0.5,1", "1.5,0", "<0.1,1", "2.5,1") + "ND,0\n>9,1\n", "14: bit number",
			"5 cells are taken as unknown in a: <0.1, >9, ND"},
		{"a count", "a,b\n1,0.5\n0,2.5\n17,1.5\n99,0.5\n", "4: 2 number", "99 in a (1 cell), far from"},
		{"a limit", "a,b\n1,0\n0,1\n100,1\n", "3: bit number", ""},
		{"mostly a code", "a,b\n1,0\n99,1\n99,1\n", "3: bit number", "99 in a (2 cells), far from the others"},
	})
}

// TestUnits: a unit at every number of a column is taken off; what only looks like numbers with a unit stays text.
func TestUnits(t *testing.T) {
	check(t, []verdict{
		{"units", "t,p,c\n23.1 °C,76%,\"$1,200\"\n24.0 °C,74%,$900\n,52%,\"$1,001.5\"\n", "3: 3 number",
			"the numbers in t are read without their unit °C"},
		{"whole numbers", "a,b\n7%,70%\n0%,100%\n1%,3%\n", "3: 2 number", "a and b are read without their unit %"},
		{"brackets", "a,b\n$5.10,\"(1,234.50)\"\n($6.20),9.50\n$7.30,(3)\n", "3: 2 number",
			"a are read without their unit $"},
		{"a comma before thousands", "a,b\n5.10,\"1,234.50\"\n6.20,9.50\n7.30,3\n", "3: 2 number", "\"1,234.50\" is 1234.5"},
		{"decimal commas", "a;b\n7,5 kg;70 m\n1,25 kg;8 m\n0,5 kg;9 m\n", "3: 2 number",
			"in a are read without their unit kg"},
		{"no header", "7 kg,0.5\n1 kg,1.5\n2 kg,2.5\n", "3: 2 number", "without their unit kg"},
		{"two units", "a,b\n7 kg,0.5\n1 lb,1.5\n2 kg,2.5\n", "3: label number", "a is taken as a label"},
		{"a missing unit", "a,b\n7 kg,0.5\n1,1.5\n2 kg,2.5\n", "3: label number", "a is taken as a label"},
		{"a total", "who,b\nAnn,2.5\nBob,1.5\nEva,3.5\nTotal,7.5\n", "4: label number",
			"the last row is called Total in who"},
		{"a name that comes again", "who,b\nsum,2.5\nBob,1.5\nEva,3.5\nsum,7.5\n", "4: label number", "label"},
		{"EUR", "a,b\nEUR 7,0.5\nEUR 9,1.5\n", "2: 2 number", "without their unit EUR"},
		{"a minus for unknown", "a,b\n7.5,0.5\n-,1.5\n2.5,2.5\n", "3: 2 number", ""},
		{"marks among numbers", "a,b,c\nx,0.5,+\n,1.5,-\nx,2.5,+\n", "3: 2 bit number", "an empty cell means off in a"},
		{"names of rows", "a,b\ns1,0.5\ns2,1.5\ns3,2.5\n", "3: label number", "a is taken as a label"},
		{"places", "a,b\n1st,0.5\n2nd,1.5\n3rd,2.5\n", "3: label number", "a is taken as a label"},
		{"codes", "a,b\n15e054c8,0.5\nca1e53de,1.5\n007kg,2.5\n", "3: label number", "a is taken as a label"},
	})
}

// TestConstantNumbers: a column of one number makes no table of numbers of one of bits.
func TestConstantNumbers(t *testing.T) {
	check(t, []verdict{
		{"a version", "version,a,b\n" + many("2.1,1,0", "2.1,0,1"), "6: label 2 bit",
			"version is 2.1 in all rows where it is known, and left out of the data"},
		{"a year that is known once", "year,a,b\n2024,1,0\n" + many(",0,1", ",1,1"), "7: label 2 bit", "year is 2024"},
		{"among numbers", "year,a,b\n" + many("2024,1,0.5", "2024,0,1.5"), "6: bit 2 number", ""},
		{"nothing else", "n,year\np,2024\nq,2024\nr,2024\n", "3: label number", "n is"},
		{"as far as the beginning shows", "year,a\n" + strings.Repeat("2024,1\n", beyondHead) + "2025,0\n",
			"21846: bit number", ""},
	})
	text := "year,a,b\n" + strings.Repeat("2024,1,0\n", beyondHead) + "2024,0,1\n"
	path := write(t, "t.csv", []byte(text))
	want, err := Read([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenStream(t.Context(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Set(t.Context()); err != nil || !slices.Equal(got.Columns, want.Columns) || got.Len() != want.Len() {
		t.Errorf("a stream has the columns %q of %q: %v", got.Columns, want.Columns, err)
	}
}

// TestExported: what programs write is read as its columns say, and nothing is refused for one cell.
func TestExported(t *testing.T) {
	check(t, []verdict{
		{"infinite", "x,y,z\n" + many("1.5,2.5,1", "Inf,3.5,0", "-2.25,4.5,1", "3.5,#DIV/0!,0"), "12: bit 2 number",
			"6 cells are taken as unknown in x and y: Inf, #DIV/0!"},
		{"a word of the header below it", "rs1,rs2,rs3,case\n" + many("AA,AG,GG,case", "AG,AA,AG,control", "GG,GG,AA,case"),
			"9: bit 3 category", "yes is control in case"},
		{"bands of age", "age,band,pay\n" + many("17,<18,1.5", "20,18-24,2.5", "41,25 - 64,3.5", "70,65+,2.5"),
			"12: 2 number scale", "band (<18, 18-24, 25 - 64, 65+)"},
		{"bands of pay", "a,pay\n" + many("1.5,<20k", "2.5,20k-40k", "3.5,$40k - $60k", "3.5,60k+"), "12: number scale", "pay (<20k, "},
		{"how often", "a,tv\n" + many("1.5,Weekly", "2.5,daily", "3.5,never", "4.5,Monthly"), "12: number scale",
			"tv (never, Monthly, Weekly, daily)"},
		{"codes before words", "pay,edu\n" + many("1.5,1: primary", "2.5,2: secondary", "3.5,3: tertiary"),
			"9: number scale", "edu (1: primary, 2: secondary, 3: tertiary)"},
		{"words for want of bits", "sick,dye,cloth\n" + many("1,red,wool", "0,green,silk", "1,blue,flax"), "9: bit 2 category",
			"each value of dye (blue, green, red) and cloth"},
		{"runs of spaces", many("  1.5  10 0", " 12.5   9 1", "  3.25 7 0"), "9: bit 2 number", ""},
		{"of one space", "a b\n" + many("1 0", "0 1"), "6: 2 bit", ""},
		{"a sentence a line", "text\n" + many("so it is", "so it was", "so it goes"), "9: category", "text (so it goes"},
	})
}

// TestSpelling: words that differ in case only are one, but for letters that are two by it.
func TestSpelling(t *testing.T) {
	check(t, []verdict{
		{"of two words", "sex,a\n" + many("Female,1", "female ,0", "Male,1", "MALE,1", "Male,0"), "15: 2 bit",
			"words of sex that differ in case only are one: female is Female, MALE is Male"},
		{"of letters", "sex,a\n" + many("f,1", "M,0", "m,1", "m,1"), "12: 2 bit", "M is m"},
		{"of genes", "gene,a\n" + many("A,1", "a,0", "A,1"), "9: 2 bit", "yes is a in gene (no is A)"},
		{"of genotypes", "gene,b,c,d\n" + many("AA,x,u,1", "Aa,y,v,0", "aa,z,w,1", "AA,x,u,0"), "12: bit 3 category",
			"a column of bits was made"},
		{"of answers", "fruit,a\n" + many("Apple;Pear,1", "apple,0", "pear;apple,1", "Apple,0"), "12: 3 bit", "fruit (Apple, Pear)"},
	})
	dir := t.TempDir()
	texts := []string{"sex,a\n" + many("Female,1", "Male,0"), "sex,a\n" + many("female,1", "male,0")}
	var paths []string
	for i, text := range texts {
		paths = append(paths, filepath.Join(dir, string('a'+rune(i))+".csv"))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Read(paths, Options{})
	if err != nil || !slices.Equal(s.Columns, []string{"sex=Female", "a"}) || strings.Count(pixels(s), "##") != 6 {
		t.Fatalf("%v, %v", s, err)
	}
	s, err = Read(paths[1:], optionsFor(t, Options{}, describe(t, paths[:1])))
	if err != nil || len(s.Notes) > 0 || strings.Count(pixels(s), "##") != 3 {
		t.Errorf("new words in small letters: %v, %v", s.Notes, err)
	}
}

// describe returns a model of files.
func describe(t *testing.T, paths []string) *patchwork.Model {
	t.Helper()
	s, err := Read(paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, w := s.Size()
	m, err := s.Describe(modelOf(t, 1, w, ""))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestOrder: words have the order that is said, also where the column is told by them only, and the others stay what
// they are.
func TestOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	text := "often,colour,a\n" + many("noon,red,1", "dusk,green,0", "Dawn,blue,1", "noon,red,0")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ edit, right, said string }{
		{"often=dusk<noon<dawn", "12: bit category scale", "dusk, noon, dawn"},
		{"dusk < noon<dawn", "12: bit category scale", "dusk, noon, dawn"},
		{"often=dusk<noon", "12: bit category scale", "3 cells are none of dusk, noon"},
		{"often=ordinal", "12: bit category scale", "the words of often are in the order of the alphabet"},
		{"rarely<once", "no column has the words rarely, once", ""},
	} {
		e, err := ParseEdit(c.edit)
		if err != nil {
			t.Fatal(err)
		}
		opts, err := Options{}.With(e)
		if err != nil {
			t.Fatal(err)
		}
		kinds, _, notes := readAsIs(t, path, opts)
		if s, err := Open(t.Context(), []string{path, path}, opts); err == nil {
			if f, err := s.Read(t.Context()); err != nil || f.Len() != 24 {
				t.Errorf("%s, twice: %v", c.edit, err)
			}
			words := s.Plan().Words("often")
			notes += strings.Join(words.Levels, ", ")
			if want := map[bool]string{true: e.Want, false: "dawn<dusk<noon"}[e.Want != "ordinal"]; words.Kind != Ordinal ||
				words.want() != strings.ReplaceAll(want, " ", "") && words.want() != "Dawn<dusk<noon" {
				t.Errorf("%s: a model keeps %s", c.edit, words.want())
			}
		}
		if !strings.Contains(kinds, c.right) || !strings.Contains(notes, c.said) {
			t.Errorf("%s: %s, said %q; want %s, said %q", c.edit, kinds, notes, c.right, c.said)
		}
	}
}
