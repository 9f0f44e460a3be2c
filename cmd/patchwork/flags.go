package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/recipe"
)

// choiceFlag adds a flag whose value is one of several names, which is stored only if it is given.
func choiceFlag(cmd *cobra.Command, to *string, name, value, usage string, names ...string) {
	cmd.Flags().Var(&textFlag{kind: strings.Join(names, "|"), text: value, read: func(text string) error {
		*to = text
		return oneOf(names, text)
	}}, name, usage)
}

// oneOf returns an error about a value that is none of several names.
func oneOf(names []string, value string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return fmt.Errorf("choose %s%s", words.Or(names), enum.DidYouMean(value, names))
}

// mark sets an annotation of a flag.
func mark(flags *pflag.FlagSet, name, key string, values []string) {
	if err := flags.SetAnnotation(name, key, values); err != nil {
		panic(err) // only for a flag that does not exist
	}
}

// given returns the first of some flags that was given, "" if none was.
func given(cmd *cobra.Command, names ...string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// pictureFlag adds a flag that names a picture to write.
func pictureFlag(cmd *cobra.Command, path *string, name, usage string) {
	cmd.Flags().StringVar(path, name, "", usage)
	writes(cmd, name, ".png", ".svg")
}

func isPicture(path string) bool { return suffixOf(path) == ".png" || suffixOf(path) == ".svg" }

// textFlag is a flag whose text is read by a function.
type textFlag struct {
	kind, text string
	read       func(text string) error
}

func (t *textFlag) String() string { return t.text }
func (t *textFlag) Type() string   { return t.kind }

func (t *textFlag) Set(text string) error {
	t.text = text
	return t.read(text)
}

// textVar adds a flag whose text, of a kind that help shows, is read by a function.
func textVar(cmd *cobra.Command, name, kind string, read func(text string) error, usage string) {
	cmd.Flags().Var(&textFlag{kind: kind, read: read}, name, usage)
}

// positiveFlag adds a flag that is a number from 1 to a command. The initial value
// of n is the default; 0 means that no number was given.
func positiveFlag(cmd *cobra.Command, n *int, name, usage string) {
	boundedFlag(cmd, n, math.MaxInt, name, usage)
}

// boundedFlag is positiveFlag for numbers that say how much memory is taken before any work is done.
func boundedFlag(cmd *cobra.Command, n *int, most int, name, usage string) {
	cmd.Flags().Var(&textFlag{kind: "int", text: strconv.Itoa(*n), read: func(text string) (err error) {
		switch *n, err = strconv.Atoi(text); {
		case err != nil:
			return err
		case *n < 1:
			return fmt.Errorf("give at least 1")
		case *n > most:
			return fmt.Errorf("give at most %d", most)
		}
		return nil
	}}, name, usage)
}

// countFlag adds --experts to a command.
func countFlag(cmd *cobra.Command, c *recipe.Count) {
	cmd.Flags().VarP(&textFlag{kind: "K|A..B|auto", read: func(text string) (err error) {
		*c, err = recipe.ParseCount(text)
		return err
	}}, "experts", "k", "number of parts, a range to try such as 2..12, or auto to find it out (default auto)")
}

// poseFlags adds to a command the flags that say where parts may be placed.
func poseFlags(cmd *cobra.Command, p *recipe.Poses) {
	textVar(cmd, "shift", "S|DY,DX", p.SetShift, "how far parts are shifted, in pixels; 14:2 in steps of 2")
	textVar(cmd, "rotate", "RANGE:STEP", func(text string) error {
		_, err := recipe.ParseRotations(text)
		p.Rotate, p.Given = text, true
		return err
	}, "rotations in degrees, such as 24:6")
	groupFlags(cmd.Flags(), wherePosed, "shift", "rotate")
}

// stretchFlag adds to a command the flag that says how parts may be stretched.
func stretchFlag(cmd *cobra.Command, p *recipe.Poses) {
	textVar(cmd, "stretch", "F,F...", func(text string) error {
		_, err := recipe.ParseStretches(text)
		p.Stretch, p.Given = text, true
		return err
	}, "factors by which parts may be stretched along their own axis, the rows of their frame, before they are "+
		"turned, such as "+
		"0.75,1.33; YxX: both ways")
	groupFlags(cmd.Flags(), wherePosed, "stretch")
}

// inFlags returns an error about a recipe in the words of the command.
func inFlags(err error) error {
	var e *recipe.Error
	if errors.As(err, &e) {
		return usagef("%s", e.Flags())
	}
	return err
}
