package dataset

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
)

// TestPlan: the plan says of every column what it is, what was seen and who decided, for people and as JSON.
func TestPlan(t *testing.T) {
	var grey bytes.Buffer // images of whole numbers
	if err := npy.Write(&grey, npy.New([]uint8{0, 12, 0, 1, 0, 0, 16, 1}, 2, 2, 2)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		opts       Options
		want       []string // parts of the printed plan
	}{
		{"bits.csv", "site,wet,soil\na,1,peat\nb,,peat\nc,0,clay\nd,1,clay\ne,1,peat\n",
			Options{Edits: []Edit{{Column: "soil", Want: "category"}}},
			[]string{"5 rows of 3 columns, bits", "site    label     file  5 values: a, b, c, d, e",
				"wet     bit       file    75 % yes ████████; 1 of 5 unknown",
				"soil    category  you   2 values: peat (3), clay (2)"}},
		{"numbers.csv", "ph,depth,wet\n6.5,3,1\n7,12,0\n", Options{}, []string{
			"2 rows of 3 columns, numbers, since 1 of 3 columns holds decimals", "ph      number  file  6.5 to 7, mean 6.75",
			"depth   count   file  3 to 12, mean 7.5", "wet     bit     file    50 % yes █████"}},
		{"whole.csv", "a,b\n5,3\n2,4\n", Options{},
			[]string{"numbers, since 2 of 2 columns hold numbers other than 0 and 1"}},
		{"few.csv", "age,a,b,c,d\n31,0,1,1,0\n44,1,1,0,0\n44,0,1,0,1\n", Options{}, []string{
			"3 rows of 5 columns, numbers", "age     count  file", "a       bit    file"}},
		{"few.csv", "age,a,b,c,d\n31,0,1,1,0\n44,1,1,0,0\n44,0,1,0,1\n", Options{Kind: Bit}, []string{"3 rows of 4 columns, bits",
			"age     count, a label  file", "note: age is taken as a label, since it holds numbers beside bits",
			"to decide: --column age=number   --column age=bands"}},
		{"words.csv", "age,town,often\n31,Ede,never\n44,Ede,often\n,Goes,always\n31,Ede,often\n44,,never\n50,Urk,always\n50,Urk,x\n",
			Options{Missing: []string{"x"}}, []string{"7 rows of 3 columns, numbers", "town    category  file  3 values: Ede (3), Urk (2), Goes; 1 of 7",
				"often   ordinal   file  3 values: never (2), often (2), always (2)"}},
		{"open.npy", grey.String(), Options{}, []string{"numbers, or bits at a threshold: say which",
			"note: bits or numbers?"}},
		{"units.csv", "t,p\n1.5 °C,1\n2.5 °C,2\n3.5 °C,3\n4.5 °C,oops\n", Options{}, []string{"t       number, °C  file",
			"1 to 3, mean 2; 1 of 4 unknown, also oops"}},
		{"cut.csv", "age,a\n31,1\n44,0\n999,1\n39,0\n", Options{Edits: []Edit{{"age", "bands"}}}, []string{"999 in age (1 cell), far from the others", "--missing age=999"}},
		{"asked.csv", "a,b\n5,3\n2,4\n", Options{Kind: Number}, []string{"rows of 2 columns, numbers\n",
			"a       count  you  2 to 5"}},
	} {
		s, err := Open(t.Context(), []string{write(t, c.name, []byte(c.text))}, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := s.Plan().Print(&b, 0); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, &b)
			}
		}
		if _, err := s.Read(t.Context()); (err != nil) != s.Plan().Open {
			t.Errorf("%s: read by an open plan: %v", c.name, err)
		}
		text, err := json.Marshal(s.Plan())
		if err != nil || !strings.Contains(string(text), `"kind":"`) {
			t.Errorf("%s: %s %v", c.name, text, err)
		}
	}
}

// TestPlanOfPictures: images have one column for all their pixels, and lines are cut to the width.
func TestPlanOfPictures(t *testing.T) {
	folder := testenv.Shared(t, "cases/pictures")
	for _, name := range []string{"half_up.png", "jpeg_1.jpg"} {
		s, err := Open(t.Context(), []string{filepath.Join(folder, name)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := s.Plan()
		if p.Form != FormImages || p.Columns[0].Name != "pixels" || p.Columns[0].Kind != Bit {
			t.Errorf("%s: %+v", name, p)
		}
		var b strings.Builder
		if err := p.Print(&b, 30); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if len([]rune(line)) > 31 && !strings.HasPrefix(line, "note") && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: %q is wider", name, line)
			}
		}
	}
}
