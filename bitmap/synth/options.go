package synth

import (
	"fmt"
	"math"
)

// OptionError reports an invalid option of a generator. Nothing was generated.
type OptionError struct {
	Kind   string // the kind of set, or "noise"
	Option string // the field of the options struct
	Value  any    // what it held
	Want   string // what to give instead
}

// Error implements the error interface.
func (e *OptionError) Error() string {
	return fmt.Sprintf("synth: %s: %s is %v; %s", e.Kind, e.Option, e.Value, e.Want)
}

// or returns the value p points to, or the default where p is nil.
func or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

func checkProb(kind, option string, p float64) error {
	if math.IsNaN(p) || p < 0 || p > 1 {
		return &OptionError{kind, option, p, "give a probability, 0 to 1"}
	}
	return nil
}

func checkSide(kind string, side, least, most int) error {
	if side < least || side > most {
		return &OptionError{kind, "Side", side, fmt.Sprintf("give %d to %d pixels", least, most)}
	}
	return nil
}

// checkN bounds the number of images of side x side pixels.
func checkN(kind string, n, side int) error {
	most := MaxTotalPixels / (side * side)
	if n < 1 || n > most {
		return &OptionError{kind, "N", n, fmt.Sprintf("give 1 to %d images of %d x %d pixels", most, side, side)}
	}
	return nil
}
