package main

import (
	"reflect"
	"testing"

	"github.com/spf13/cobra"

	"example.com/patchwork/internal/recipe"
)

// TestFlagsOfRecipe: a recipe written as flags is read as the same recipe.
func TestFlagsOfRecipe(t *testing.T) {
	side := 5
	for _, want := range []recipe.Recipe{
		{Count: recipe.Count{Experts: 2}},
		{For: "drawings", Poses: recipe.Poses{Given: true}},
		{Count: recipe.Count{Auto: true}, Rule: "max-minus-min", Method: "soft", Aim: "interpret", Begin: "grow", Seed: 1},
		{Count: recipe.Count{AtLeast: 2, AtMost: 3}, Poses: recipe.Poses{Shift: 3, ShiftX: &side, ShiftStep: 2,
			Rotate: "10:5", Given: true},
			Rule: "max-minus-min", Method: "both", Begin: "orders", Starts: 2, Seed: 1 << 63},
		{Count: recipe.Count{Experts: 3}, Poses: recipe.Poses{Shift: 3, Given: true}, Method: "strokes", Straight: 62.5},
		{Count: recipe.Count{Experts: 1}, Poses: recipe.Poses{Shift: 3, Given: true}, For: "paper"},
	} {
		cmd, f := new(cobra.Command), new(learnFlags)
		f.add(cmd)
		if err := cmd.ParseFlags(append(want.Args(), "-o", "model.npz")); err != nil {
			t.Fatal(err)
		}
		if err := f.check(cmd); err != nil {
			t.Fatal(err)
		}
		f.Memory, f.Workers = 0, 0 // of the machine
		if !reflect.DeepEqual(f.Recipe, want) {
			t.Errorf("%s: %+v, want %+v", recipe.CommandLine(want.Args()), f.Recipe, want)
		}
	}
}
