package dataset

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestVocabularies: what a cell means depends on its column.
func TestVocabularies(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		opts   Options
		want   string
		meta   string
		notes  string
		column []string
	}{
		"words": {"a,b,c\nYes,PRESENT,f\n no ,absent,T\nNULL,n/a,none\n.,NaN,?\n", Options{},
			"##.\n..#\n???\n???\n", "", "", []string{"a", "b", "c"}},
		"numbers":     {"a,b\n0.0,1.0\n1.00,0\n,1e0\n", Options{}, ".#\n#.\n?#\n", "", "", []string{"a", "b"}},
		"signs":       {"a,b,c\n+,-,1\n-,-,-\n,-,0\n", Options{}, "#.#\n..?\n?..\n", "", "", []string{"a", "b", "c"}},
		"minus alone": {"a,b\n1,-\n0,-\n", Options{}, "#?\n.?\n", "", "", []string{"a", "b"}},
		"marks": {"site,a,b,c\nu,X,,\nv,,x,\nw,X,NA,\n", Options{}, "#..\n.#.\n#?.\n", "site",
			"site is taken as a label|an empty cell means off in a, b and c, where the others hold a mark; write NA for what " +
				"is not known", []string{"a", "b", "c"}},
		"plus alone": {"a,b\n+,1\n,0\n+,1\n", Options{}, "##\n..\n##\n", "",
			"an empty cell means off in a, where the others hold a mark; write NA for what is not known", []string{"a", "b"}},
		"letters":    {"a,b,c\nP,A,1\nA,A,0\n,a,\n", Options{}, "#.#\n...\n?.?\n", "", "", []string{"a", "b", "c"}},
		"one letter": {"grade,b\nA,1\nA,0\n", Options{}, "#\n.\n", "grade", "grade is taken as a label", []string{"b"}},
		"votes": {"party,a,b\nrep,y,n\ndem,?,y\n", Options{}, "#.\n?#\n", "party", "party is taken as a label",
			[]string{"a", "b"}},
		"dates and codes": {"day,id,b\n2024-01-03,007,1\n2024-02-03,008,0\n", Options{}, "#\n.\n", "day id",
			"day and id are taken as labels", []string{"b"}},
		"few values": {"soil,b\nclay,1\nsand,0\nclay,1\nsand,0\n", Options{}, "##\n..\n##\n..\n", "",
			"yes is clay in soil (no is sand); to change it: --column soil=label", []string{"soil=clay", "b"}},
		"a few values": {"soil,b\nclay,1\nsand,0\nclay,1\nloam,0\nsand,0\nclay,1\n", Options{}, "#\n.\n#\n.\n.\n#\n",
			"soil", "soil is taken as a label; to change it: --column soil=category", []string{"b"}},
		"pandas": {"Unnamed: 0,b\n17,1\n4,0\n9,1\n", Options{}, "#\n.\n#\n", "Unnamed: 0",
			`"Unnamed: 0" counts or names the rows and is taken as a label`, []string{"b"}},
		"pandas, no name": {",b\n0,1\n1,0\n2,1\n", Options{}, "#\n.\n#\n", "row",
			`"row" counts or names the rows and is taken as a label`, []string{"b"}},
		"counting": {"id,b\n1,1\n2,0\n3,1\n", Options{}, "#\n.\n#\n", "id",
			`"id" counts or names the rows and is taken as a label`, []string{"b"}},
		"two rows": {"id,b\n0,1\n1,0\n", Options{}, ".#\n#.\n", "", "", []string{"id", "b"}},
		"no header": {"0,1\n1,0\n2,1\n", Options{}, "#\n.\n#\n", "1",
			`"1" counts or names the rows and is taken as a label`, []string{"column 2"}},
		"R": {"\"a\" \"b\"\n\"u\" 1 0\n\"v\" 0 1\n", Options{Delimiter: ' '}, "#.\n.#\n", "row",
			"row is taken as a label", []string{"a", "b"}},
		"trailing": {"a,b,\n0,1,\n1,1,\n", Options{}, ".#\n##\n", "",
			"every line ends in a delimiter; the empty last column is left out", []string{"a", "b"}},
		"trailing below":  {"a,b\n0,1,\n1,1,\n", Options{}, ".#\n##\n", "", "", []string{"a", "b"}},
		"named by letter": {"t,f\n1,1\n0,1\n", Options{}, "##\n.#\n", "", "", []string{"t", "f"}},
		"utf-16":          {utf16le("a;b\r\n1;0\r\n"), Options{}, "#.\n", "", "", []string{"a", "b"}},
		"threshold": {"n;a\n0,5;1\n2,5;0\n1,0;1\n", Options{Threshold: threshold(0.9)}, ".#\n#.\n##\n", "", "",
			[]string{"n", "a"}},
		"invert": {"a,b\nX,1\n,0\n", Options{Invert: true}, "..\n##\n", "",
			"an empty cell means off in a, where the others hold a mark; write NA for what is not known", []string{"a", "b"}},
		"words and 0": {"a\nyes\n0\nNone\n1\n", Options{}, "#\n.\n?\n#\n", "", "", []string{"a"}},
		"categories": {"soil,b\nclay,1\n,0\nloam,1\n", Options{Edits: []Edit{{Column: "soil", Want: "category"}}}, "#.#\n??.\n.##\n",
			"",
			"a column of bits was made for each value of soil (clay, loam)", []string{"soil=clay", "soil=loam", "b"}},
		"numeric codes": {"b,soil\n1,2\n0,10\n1,2.0\n", Options{Edits: []Edit{{Column: "soil", Want: "category"}}}, "##.\n..#\n##.\n",
			"",
			"a column of bits was made for each value of soil (2, 10)", []string{"b", "soil=2", "soil=10"}},
		"all categories": {"soil,name,b\nclay,u,1\nsand,v,0\nclay,w,1\nsand,x,1\n",
			Options{Edits: []Edit{{Column: "*", Want: "category"}}}, "#.#\n.#.\n#.#\n.##\n", "name",
			"name is taken as a label|a column of bits was made for each value of soil (clay, sand)",
			[]string{"soil=clay", "soil=sand", "b"}},
		"only categories": {"soil,name\nclay,u\nsand,v\nclay,w\nsand,x\n", Options{}, "#\n.\n#\n.\n", "name",
			"name is taken as a label|yes is clay in soil (no is sand); to change it: --column soil=label",
			[]string{"soil=clay"}},
		"mostly categories": {"a,e,x,y,f\nb,f,x,n,s\na,e,y,y,f\nb,f,y,n,s\n", Options{Header: HeaderAbsent},
			"#####\n..#..\n##.##\n.....\n", "",
			"yes is a in 1 (no is b), e in 2 (no is f), x in 3 (no is y) and f in 5 (no is s); to change it: " +
				"--column 1=label or --column 2=label or --column 3=label", []string{"1=a", "2=e", "3=x", "4", "5=f"}},
		"labels beside bits": {"a,b,s,t,u\n1,0,x,k,p\n0,1,y,l,q\n1,0,v,m,r\n0,1,w,n,s\n", Options{}, "#.\n.#\n#.\n.#\n",
			"s t u",
			"s, t and u are taken as labels", []string{"a", "b"}},
		"letters, no header": {"p,x,s\np,x,t\ne,b,s\np,x,s\ne,b,t\ne,x,s\n", Options{},
			"...\n..#\n##.\n...\n###\n#..\n", "",
			"yes is e in 1 (no is p), b in 2 (no is x) and t in 3 (no is s); to change it: --column 1=label or --column 2=label or --column 3=label",
			[]string{"1=e", "2=b", "3=t"}},
		"other values": {"soil,b\nclay,1\npeat,0\n",
			Options{settled: []Coding{{Name: "soil", Kind: Category, Levels: []string{"clay", "sand"}}}},
			"#.#\n??.\n", "",
			`in the column soil 1 cell is none of clay, sand, such as "peat", and taken as unknown`,
			[]string{"soil=clay", "soil=sand", "b"}},
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
		if got := pixels(s); got != c.want || strings.Join(meta, " ") != c.meta || strings.Join(sentences(s), "|") != c.notes ||
			!cmp.Equal(s.Columns, c.column) {
			t.Errorf("%s: columns %q, meta %q, notes %q, pixels\n%s", name, s.Columns, meta, sentences(s), got)
		}
	}
}

func utf16le(s string) string {
	b := []byte("\xff\xfe")
	for _, r := range s {
		b = append(b, byte(r), 0)
	}
	return string(b)
}

// TestGroups: the columns of a category are known to exclude each other.
func TestGroups(t *testing.T) {
	s := mustRead(t, "t.csv", []byte("a,soil,wet\n1,clay,y\n0,peat,n\n"),
		Options{Edits: []Edit{{Column: "soil", Want: "category"}, {Column: "wet", Want: "category"}}})
	if got := s.Exclusive(); !cmp.Equal(got, [][]int{{1, 2}, {3, 4}}) {
		t.Errorf("groups %v of %q", got, s.Columns)
	}
	if got := pixels(s); got != "##..#\n..##.\n" {
		t.Error(got)
	}
}

// vocabulary is a way of writing off, on and unknown.
var writings = [][3][]string{
	{{"0", "0.0", "no", "N", "False", "f", "absent"}, {"1", "1.0", "yes", "Y", "TRUE", "t", "Present"},
		{"", "?", "NA", "n/a", "NaN", "null", "None", "."}},
	{{"-"}, {"+"}, {"", "NA"}},
	{{"A", "a"}, {"P", "p"}, {"", "?"}},
	{{""}, {"X", "x"}, {"?", "NA"}},
}

// TestAnyVocabulary: bits written in any of the vocabularies are the same bits.
func TestAnyVocabulary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, w := rapid.IntRange(2, 6).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		comma := rapid.SampledFrom([]string{",", ";", "\t"}).Draw(t, "delimiter")
		lines, want := make([]string, n), make([]strings.Builder, n)
		head := "site"
		for i := range lines {
			lines[i] = "s" + string(rune('a'+i))
		}
		for x := range w {
			head += comma + "c" + string(rune('a'+x))
			way := writings[rapid.IntRange(0, len(writings)-1).Draw(t, "way")]
			for i := range lines {
				state := rapid.IntRange(0, 2).Draw(t, "state")
				if i < 2 {
					state = i // off and on: one value of a pair proves nothing
				}
				lines[i] += comma + " " + rapid.SampledFrom(way[state]).Draw(t, "word")
				want[i].WriteByte(".#?"[state])
			}
		}
		s, err := readBytes([]byte(head+"\n"+strings.Join(lines, "\n")+"\n"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		expect := ""
		for i := range want {
			expect += want[i].String() + "\n"
		}
		if got := pixels(s); got != expect || len(s.Meta) != 1 {
			t.Fatalf("%s\nread as\n%s", strings.Join(lines, "\n"), got)
		}
	})
}

// TestSurveyIsOfTheWholeTable: what the beginning of a long table shows is
// corrected by the rest, in memory and as a stream.
func TestSurveyIsOfTheWholeTable(t *testing.T) {
	long := strings.Repeat("0,-,\n", headBytes/4)
	text := []byte("a,b,c\n" + long + "1,+,X\n0,-,\n")
	s := mustRead(t, "t.csv", text, Options{})
	last := s.Take(s.Len()).Cut(s.Len()-2, -1)
	if got := pixels(last); got != "###\n...\n" {
		t.Errorf("the last two rows:\n%s", got)
	}
	if got := pixels(s.Take(1)); got != "...\n" {
		t.Errorf("the first row: %s", got)
	}
	refused(t, "t.csv", []byte("a,b,c\n"+long+"1,oops,\n0,7,\n"), Options{Columns: []string{"a", "b"}})
	s = mustRead(t, "t.csv", []byte("a,b\n"+strings.Repeat("0,1\n", headBytes/4)+"1,oops\n7,1\n"), Options{})
	last = s.Take(s.Len()).Cut(s.Len()-2, -1)
	if got := pixels(last); got != "#?\n?#\n" || !slices.Contains(sentences(s), "2 cells are taken as unknown in a and b: 7, oops") {
		t.Errorf("slips at the end: %s %q", got, sentences(s))
	}
}

// Numbers are those of strconv.ParseFloat: what is told to be none at a glance is none.
func TestParseFloatAsStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(
			`[-+]?(0x)?[0-9a-f_]{0,3}[.]?[0-9]{0,2}([eEpP]?[-+]?[0-9]{0,2})(-[0-9]+)?|[-+]?(inf|Infinity|NaN|nan)`).Draw(t, "s")
		got, gotErr := parseFloat(s)
		want, wantErr := strconv.ParseFloat(s, 64)
		if (gotErr == nil) != (wantErr == nil) || gotErr == nil && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%q: %v %v, want %v %v", s, got, gotErr, want, wantErr)
		}
	})
}
