package posterior

import (
	"fmt"
	"math"
)

// Options holds the settings of a search for the best explanations. The zero
// value is the recommended default.
type Options struct {
	// Beam counts the explanations that are extended at a time; 0 means 2.
	Beam int
	// Keep counts the explanations that are returned; 0 means 16.
	Keep int
	// MaxPicks limits the picks of an explanation; 0 means no limit but the
	// model's Reuse.
	MaxPicks int
}

// The limits of Options: memory grows with each of them.
const (
	maxBeam = 1 << 8
	maxKeep = 1 << 12
)

// WithDefaults returns the options with defaults in place of zeros.
func (o Options) WithDefaults() Options {
	if o.Beam == 0 {
		o.Beam = 2
	}
	if o.Keep == 0 {
		o.Keep = 16
	}
	return o
}

// Validate returns an error that says which option is out of range.
func (o Options) Validate() error {
	o = o.WithDefaults()
	switch {
	case o.Beam < 1 || o.Beam > maxBeam:
		return fmt.Errorf("patchwork: a beam of %d explanations; it is 1 to %d", o.Beam, maxBeam)
	case o.Keep < 1 || o.Keep > maxKeep:
		return fmt.Errorf("patchwork: cannot keep %d explanations; it is 1 to %d", o.Keep, maxKeep)
	case o.MaxPicks < 0 || o.MaxPicks > math.MaxInt16:
		return fmt.Errorf("patchwork: %d picks at most; it is 0 (no limit) to %d", o.MaxPicks, math.MaxInt16)
	}
	return nil
}
