package table

import (
	"context"
	"errors"
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// StartFrom says what learning starts from.
type StartFrom uint8

const (
	// StartFromBoth tries both starts; each wins on some tables.
	StartFromBoth StartFrom = iota
	// StartFromGrow appends experts one by one, made of badly explained rows.
	StartFromGrow
	// StartFromMixture takes the components of a Bernoulli mixture.
	StartFromMixture
)

var startFromNames = []string{"both", "grow", "mixture"}

// String returns the name used in flags: "both", "grow" or "mixture".
func (s StartFrom) String() string { return enum.Name("StartFrom", startFromNames, uint8(s)) }

// ParseStartFrom reads what String returns.
func ParseStartFrom(name string) (StartFrom, error) {
	return enum.Parse[StartFrom]("what a table is learned from", startFromNames, name)
}

// Options holds the settings of Learn and Run. The zero value is the recommended
// default.
type Options struct {
	// Experts is K; 0 finds it out, from MinExperts (0 means 1) up to MaxExperts
	// (0 means 64). An expert must explain something: if no model with K of them is
	// found, the best with fewer is chosen, as if K had been found out up to there.
	Experts, MinExperts, MaxExperts int

	StartFrom StartFrom

	// Iterations counts the rounds of soft EM from each start; 0 means 12. The
	// models after a third, two thirds and all of them are candidates.
	Iterations int

	// Explain holds the settings of the search for explanations, while learning
	// and for the choice.
	Explain posterior.Options

	// AnyRule chooses the rule as well. The structure is learned once, under the rule of
	// the configuration, and carried to each of the other six, where what an expert says
	// alone stays what it says; soft EM follows, and needless experts are deleted. So rules
	// under which experts vote for off do not get caught where few bits are on. The rule
	// is chosen as the number of experts is, by description length.
	AnyRule bool

	// Sample is how many rows, drawn at random, the search takes; 0 means 3000. If more
	// than that differ, learning goes on from the choice with all rows.
	Sample int

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.

	ofSets bool // rows are sets of parts, of which no part depends on one other
}

const (
	maxExperts = 1 << 10
	searchRows = 3000
)

// WithDefaults returns the options as Run uses them: zero values are replaced by their
// defaults.
func (o Options) WithDefaults() Options {
	if o.Experts > 0 {
		o.MinExperts, o.MaxExperts = o.Experts, o.Experts
	}
	if o.MaxExperts == 0 {
		o.MaxExperts = 64
	}
	if o.Iterations == 0 {
		o.Iterations = 12
	}
	if o.Sample == 0 {
		o.Sample = searchRows
	}
	o.Workers = max(o.Workers, 1)
	return o
}

func (o Options) validate(data patchwork.Data, cfg patchwork.Config) error {
	switch {
	case o.MinExperts < 0 || o.Experts == 0 && o.MaxExperts > 0 && o.MinExperts > o.MaxExperts:
		return fmt.Errorf("patchwork: from %d to %d experts is no range", o.MinExperts, o.MaxExperts)
	case o.Experts < 0 || o.MaxExperts < 0 || max(o.Experts, o.MaxExperts) > maxExperts:
		return fmt.Errorf("patchwork: cannot learn %d parts of at most %d; there may be %d", o.Experts, o.MaxExperts,
			maxExperts)
	case int(o.StartFrom) >= len(startFromNames):
		return fmt.Errorf("patchwork: unknown start (%v)", o.StartFrom)
	case o.Iterations < 0 || o.Workers < 0 || o.Sample < 0:
		return fmt.Errorf("patchwork: %d iterations on %d workers, from a sample of %d rows", o.Iterations, o.Workers,
			o.Sample)
	}
	if err := errors.Join(rows.Validate(context.Background(), data), rows.ValidateConfig(cfg), refuseMoving(cfg),
		o.Explain.Validate()); err != nil {
		return err
	}
	return rows.SameSize(data.Images, cfg.Height, cfg.Width)
}
