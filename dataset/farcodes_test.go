package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// likert is a table of answers from 1 to 5 with 99, of ages up to 99 where that is said, and of prices.
func likert(ages bool) []byte {
	text := "id,p,q,r,age,price\n"
	for i := range 60 {
		answer := func(j int) int {
			if (i+7*j)%12 == 0 {
				return 99
			}
			return 1 + (i*i+j)%5
		}
		age, price := 18+i, fmt.Sprintf("%d.5", 3+i%8)
		if ages {
			age += 22
		}
		if i%20 == 4 {
			age, price = -9, "9.99e8"
		}
		text += fmt.Sprintf("%d,%d,%d,%d,%d,%s\n", i+1, answer(0), answer(1), answer(2), age, price)
	}
	return []byte(text)
}

// TestFarCodes: what several columns have far from their other values is unknown, and one note names the rest with one
// flag for all; codes of a column that is cut are no answer above.
func TestFarCodes(t *testing.T) {
	unknown := func(s *Set, j int) (n int) {
		for x := range s.numbers(j, j+1) {
			n += btoi(math.IsNaN(x))
		}
		return n
	}
	for _, c := range []struct {
		ages    bool
		edits   []Edit
		missing []string
		said    string
		kept    string
		fix     string
		unknown []int
	}{
		{false, nil, nil, "99 in p (5 cells), q (5 cells) and r (5 cells)", "99", "--missing age=-9,price=9.99e8",
			[]int{5, 5, 5, 0, 0}},
		{true, nil, nil, "taken as unknown", "p=99 q=99 r=99", "--missing age=-9,price=9.99e8", []int{5, 5, 5, 0, 0}},
		{true, []Edit{{"*", "number"}}, nil, "is nothing known there?", "",
			"--missing age=-9,p=99,q=99,r=99,price=9.99e8", []int{0, 0, 0, 0, 0}},
		{false, []Edit{{"p", "number"}}, nil, "99 in q (5 cells) and r (5 cells)", "q=99 r=99",
			"--missing age=-9,p=99,price=9.99e8", []int{0, 5, 5, 0, 0}},
		{false, nil, []string{"age=-9", "price=9.99e8"}, "taken as unknown", "age=-9 price=9.99e8 99", "",
			[]int{5, 5, 5, 3, 3}},
		{false, []Edit{{"p", "bit>3"}}, nil, "5 cells are taken as unknown in p: 99", "99", "", []int{5, 5, 5, 0, 0}},
	} {
		opts, err := Options{Missing: c.missing}.With(c.edits...)
		if err != nil {
			t.Fatal(err)
		}
		src, err := OpenFiles(context.Background(), []File{{"t.csv", likert(c.ages)}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		s := src.frame
		var got []int
		for j := range s.Width {
			got = append(got, unknown(s, j))
		}
		if kept := strings.Join(s.reading.Missing, " "); !slices.Equal(got, c.unknown) || kept != c.kept {
			t.Errorf("%v %v: %v unknown, kept %q; want %v, %q", c.edits, c.missing, got, kept, c.unknown, c.kept)
		}
		if all := strings.Join(sentences(s), "\n"); !strings.Contains(all, c.said) || !strings.Contains(all, c.fix) {
			t.Errorf("%v %v said %s, want %s and %s", c.edits, c.missing, all, c.said, c.fix)
		}
	}
}

// TestFarCodesOfStreams: a table that is read in parts is read as one in memory.
func TestFarCodesOfStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, likert(true), 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := Open(t.Context(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := OpenStream(t.Context(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := stream.Set(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(src.frame.Values), fmt.Sprint(s.Values); a != b {
		t.Errorf("%s\nin parts\n%s", a, b)
	}
	if a, b := src.frame.reading.Missing, s.reading.Missing; !slices.Equal(a, b) {
		t.Errorf("kept %v, in parts %v", a, b)
	}
}

// TestCodeNumbers: which numbers often say that nothing is known.
func TestCodeNumbers(t *testing.T) {
	for _, x := range []float64{99, 98, 97, 999, 9999, -9, -99, -999, -8, -7, 77, 88, 9.99e8, -9999} {
		if !isCodeNumber(x) {
			t.Errorf("%v is no code", x)
		}
	}
	for _, x := range []float64{9, 8, -1, -90, 90, 100, 990, -5, 0, 1, 96, 1e9, 9e8, 99.99, 979, 1e300, math.NaN(), math.Inf(1)} {
		if isCodeNumber(x) {
			t.Errorf("%v is a code", x)
		}
	}
}
