package recipe

import (
	"cmp"
	"fmt"
	"strconv"

	"example.com/patchwork/diagnose/words"
)

const (
	// AlphabetParts is the number of parts of an alphabet, unless it is given.
	AlphabetParts = 6
	// The parts of an alphabet are shifted by up to half of the frame, turned all
	// around, stretched, and used several times in an image.
	alphabetShift   = 2
	alphabetStep    = 2
	alphabetTurn    = "180:15"
	alphabetStretch = "0.75,1.33"
	alphabetReuse   = 3
)

// ParseAlphabet reads the number of parts of an alphabet: K or auto.
func ParseAlphabet(text string) (int, error) {
	k, err := strconv.Atoi(text)
	switch {
	case text == "auto":
		return AlphabetParts, nil
	case err != nil || k < 1:
		return 0, fmt.Errorf("give the number of parts of the alphabet, such as %d, or auto", AlphabetParts)
	}
	return k, nil
}

// asAlphabet resolves a recipe for an alphabet: parts that images of many kinds share.
func (r Recipe) asAlphabet(d Facts) (Recipe, string) {
	line := fmt.Sprintf("%s of %d x %d: learning an alphabet of %s, anywhere, turned, stretched and up to %d times "+
		"in an image",
		words.Count(d.Rows, "image"), d.Height, d.Width, words.Count(r.Alphabet, "part"), alphabetReuse)
	r.Count = Count{Experts: r.Alphabet}
	r.Reuse = alphabetReuse
	if r.Shift == 0 && r.ShiftX == nil {
		r.Shift = max(0, d.Height/alphabetShift-1)
		if dx := max(0, d.Width/alphabetShift-1); dx != r.Shift {
			r.ShiftX = &dx
		}
		r.ShiftStep = cmp.Or(r.ShiftStep, alphabetStep)
	}
	r.Rotate = cmp.Or(r.Rotate, alphabetTurn)
	r.Stretch = alphabetStretch
	r.Given = true
	return r, line
}

// checkAlphabet rejects settings that an alphabet does not have.
func (r *Recipe) checkAlphabet() error {
	if r.Alphabet == 0 {
		return nil
	}
	return clash("{alphabet}", []conflict{
		{"experts", r.Count != Count{} && r.Count != Count{Experts: r.Alphabet}, "it is the number of parts itself"},
		{"for", r.For != "" && r.For != ForDrawings, "it is for drawings"},
		{"rule", r.Rule != "" && r.Rule != "max", "its parts are ink under {rule} max"},
		{"method", r.Method != "" && r.Method != "default" && r.Method != "strokes", "it is learned by {method} strokes"},
		{"begin", r.Begin != "" || r.From != nil, "it starts from pieces of the images"},
		{"straight", r.Straight != 0, "its parts have any shape"},
	})
}
