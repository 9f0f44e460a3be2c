package tallyfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/modelfile/tallyfile"
	"pgregory.net/rapid"
)

// drawRanges draws ranges of few rows, in any order, some empty, some overlapping.
func drawRanges(t *rapid.T) []tallyfile.Range {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tallyfile.Range {
		from := rapid.Int64Range(0, 200).Draw(t, "from")
		return tallyfile.Range{From: from, To: from + rapid.Int64Range(0, 9).Draw(t, "rows")}
	}), 1, 12).Draw(t, "ranges")
}

// among returns which rows are in ranges, one by one.
func among(ranges []tallyfile.Range) map[int64]bool {
	rows := map[int64]bool{}
	for _, r := range ranges {
		for i := r.From; i < r.To; i++ {
			rows[i] = true
		}
	}
	return rows
}

// TestRanges: ranges are the rows that they were made of, in one form, and come back from JSON.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := drawRanges(t)
		got := tallyfile.NewRanges(parts...)
		if fmt.Sprint(among(got)) != fmt.Sprint(among(parts)) {
			t.Fatalf("%v is not %v", got, parts)
		}
		for i, r := range got {
			if r.From >= r.To || i > 0 && r.From <= got[i-1].To {
				t.Fatalf("%v is not in its shortest form", got)
			}
		}
		slices.Reverse(parts)
		if other := tallyfile.NewRanges(parts...); !slices.Equal(got, other) {
			t.Fatalf("in another order %v, not %v", other, got)
		}
		text, err := json.Marshal(got)
		var back tallyfile.Ranges
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || !slices.Equal(got, back) {
			t.Fatalf("%v came back as %v, %v", got, back, err)
		}
	})
	if text, _ := json.Marshal(tallyfile.NewRanges(tallyfile.Range{From: 1e6, To: 2e6})); len(text) > 12 {
		t.Errorf("a range of a million rows takes %s", text)
	}
}

// counting returns a part that counts rows of inputs.
func counting(t interface{ Fatal(...any) }, name string, inputs ...tallyfile.Input) *tallyfile.Part {
	p := part(t, name, 1, 2)
	p.Shards[0].Inputs = inputs
	return p
}

// TestOverlapIsRefused: parts merge exactly if they have no row of an input in common.
func TestOverlapIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawRanges(t), drawRanges(t), drawRanges(t)
		input := func(id string, r []tallyfile.Range) tallyfile.Input {
			return tallyfile.Input{ID: id, Ranges: append(tallyfile.NewRanges(r...), tallyfile.Range{From: 1000, To: 1001})[:max(1, len(tallyfile.NewRanges(r...)))]}
		}
		both := false
		for row := range among(input("", a).Ranges) {
			both = both || among(input("", b).Ranges)[row]
		}
		p, q := counting(t, "p", input("f", a), input("g", c)), counting(t, "q", input("f", b), input("h", c))
		before := bytesOf(t, p)
		err := p.Merge(q)
		var mismatch *tallyfile.MismatchError
		if both != errors.As(err, &mismatch) || !both && err != nil {
			t.Fatalf("%v and %v: %v", a, b, err)
		}
		if both && !bytes.Equal(before, bytesOf(t, p)) {
			t.Fatal("a refused part changed the sum")
		}
	})
	p := counting(t, "a", tallyfile.Input{ID: "f", Ranges: tallyfile.Ranges{{From: 0, To: 60}}})
	if err := p.Merge(counting(t, "b", tallyfile.Input{ID: "f", Ranges: tallyfile.Ranges{{From: 60, To: 99}}})); err != nil {
		t.Fatal(err)
	}
	err := p.Merge(counting(t, "c", tallyfile.Input{ID: "f", Ranges: tallyfile.Ranges{{From: 40, To: 100}}}))
	if err == nil || !strings.Contains(err.Error(), "rows 41:60 of one file would be counted twice: one part counts rows 1:60 (of a.npy), another rows 41:100 (of c.npy)") {
		t.Errorf("error %v", err)
	}
	if err := p.Merge(part(t, "d", 2, 2)); err != nil { // which does not say what rows it counts
		t.Error(err)
	}
}

// TestVersions: a part that does not say which rows it counts is written as before there were
// two versions, and a part of version 2 is what was written; lies about rows are refused.
func TestVersions(t *testing.T) {
	old := bytesOf(t, part(t, "a", 0, 3))
	if !bytes.HasPrefix(old, []byte("patchwork-tally 1 ")) || bytes.Contains(old, []byte("inputs")) {
		t.Errorf("%.80q", old)
	}
	p := counting(t, "a", tallyfile.Input{ID: "f", Ranges: tallyfile.Ranges{{From: 0, To: 60}, {From: 70, To: 71}}})
	file := bytesOf(t, p)
	parts, err := readAll(bytes.NewReader(file))
	if err != nil || !bytes.HasPrefix(file, []byte("patchwork-tally 2 ")) || fmt.Sprint(parts[0].Shards) != fmt.Sprint(p.Shards) {
		t.Errorf("%.80q: %v, %v", file, parts, err)
	}
	if _, err := readAll(bytes.NewReader(append([]byte("patchwork-tally 1"), file[len("patchwork-tally 2"):]...))); err == nil || !strings.Contains(err.Error(), "of version 2") {
		t.Errorf("rows in version 1: %v", err)
	}
	for name, inputs := range map[string][]tallyfile.Input{
		"no ID":    {{Ranges: tallyfile.Ranges{{From: 0, To: 1}}}},
		"no rows":  {{ID: "f"}},
		"twice":    {{ID: "f", Ranges: tallyfile.Ranges{{From: 0, To: 1}}}, {ID: "f", Ranges: tallyfile.Ranges{{From: 1, To: 2}}}},
		"touching": {{ID: "f", Ranges: tallyfile.Ranges{{From: 0, To: 1}, {From: 1, To: 2}}}},
		"order":    {{ID: "f", Ranges: tallyfile.Ranges{{From: 5, To: 6}, {From: 1, To: 2}}}},
		"empty":    {{ID: "f", Ranges: tallyfile.Ranges{{From: 5, To: 5}}}},
		"negative": {{ID: "f", Ranges: tallyfile.Ranges{{From: -5, To: 5}}}},
	} {
		if err := tallyfile.Write(new(bytes.Buffer), counting(t, "a", inputs...)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, text := range []string{`"AA=="`, `"gICAgICAgICAgIA="`, `"/////////////38A"`, `"AP////////////8B"`, `"AAAAAA=="`, `"%"`, `7`, `"AAB="`} {
		if err := json.Unmarshal([]byte(text), new(tallyfile.Ranges)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
