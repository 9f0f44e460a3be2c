package main

import (
	"strings"
	"testing"

	"example.com/patchwork"
)

func TestParse(t *testing.T) {
	a, err := parse(strings.Fields("votes 3 max n=1,5 5 rows"))
	if err != nil {
		t.Fatal(err)
	}
	sizes, err := a.sizes()
	if err != nil || len(sizes) != 2 || sizes[1] != 5 {
		t.Errorf("sizes %v, %v", sizes, err)
	}
	if a.number(1) != 5 || len(a.numbers) != 2 || a.rule(patchwork.RuleMaxMinusMin) != patchwork.RuleMax ||
		strings.Join(a.words, " ") != "votes rows" {
		t.Errorf("%+v", a)
	}
	if none, err := parse(nil); err != nil || none.number(7) != 7 || none.wordsOr([]string{"all"})[0] != "all" ||
		none.rule(patchwork.RuleMax) != patchwork.RuleMax {
		t.Errorf("%+v, %v", none, err)
	}
}

func TestRunRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"nothing": "lists them", "scenes 3": "no arguments", "counts -3": "not negative",
		"sheets small": "large, odds or opencv", "mixed lines": "choose of planted, tables, numbers", "mixed set=9": "from 1 to",
		"real lines": "choose quadrants", "sources n=0": "from 1", "fewshot n=x": "from 1", "strokes wrong": "wrong",
	} {
		err := run(t.Context(), &strings.Builder{}, strings.Fields(line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// The list has every experiment once, with its help.
func TestList(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, nil); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range experiments {
		if seen[e.name] || e.help == "" || !strings.Contains(out.String(), e.name+" "+e.args) {
			t.Errorf("%s is there twice, or without help", e.name)
		}
		seen[e.name] = true
	}
}
