package recipe

import (
	"errors"
	"strings"
	"testing"

	"example.com/patchwork/learn/real"
	"example.com/patchwork/pose"
)

// A recipe says how numbers are learned, or names the setting that is for bits only.
func TestNumbers(t *testing.T) {
	o, err := (&Recipe{Count: Count{Experts: 3}, Rule: "soft", Aim: "predict", Starts: 2, Seed: 7,
		Poses: Poses{Shift: 1}}).Numbers(4, 6)
	if err != nil || o.Experts != 3 || o.Rule != real.Soft || !o.Predict || o.Starts != 2 || o.Seed != 7 ||
		o.Poses.DX != pose.Symmetric(1, 1) {
		t.Errorf("%+v, %v", o, err)
	}
	for field, r := range map[string]Recipe{
		"rule": {Rule: "mean"}, "for": {For: ForTable}, "method": {Method: "batch"}, "begin": {Begin: "pairs"},
		"straight": {Straight: 1}, "alphabet": {Alphabet: 2}, "experts": {Count: Count{AtLeast: 2, AtMost: 3}},
		"shift": {Poses: Poses{Shift: 9}},
	} {
		_, err := r.Numbers(4, 6)
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Field != field || !strings.Contains(wrong.Flags(), "--") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if n := (&Recipe{Memory: 1 << 20}).FittingNumbers(1, 10); n != 1<<18/(160+64) {
		t.Errorf("%d rows of 10 numbers take a quarter of 1 MiB", n)
	}
}
