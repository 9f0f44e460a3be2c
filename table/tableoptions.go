package table

import (
	"errors"
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
)

// Aim is what the experts of a table are for.
type Aim uint8

const (
	// Predicting: a vote must gain 1 nat, and start, number of experts and
	// iteration are chosen by how well hidden bits are predicted.
	Predicting Aim = iota
	// Interpreting: a vote must gain log(rows)/2 nats, and the shortest
	// description is chosen. Experts are fewer and cleaner, predictions a little
	// worse (by 0 to .022 nats a bit in findings, section 6).
	Interpreting
)

var aimNames = []string{"predict", "interpret"}

// String is the name used in flags: "predict" or "interpret".
func (a Aim) String() string { return enum.Name("Aim", aimNames, uint8(a)) }

// ParseAim is the inverse of String.
func ParseAim(name string) (Aim, error) {
	return enum.Parse[Aim]("what experts are for", aimNames, name)
}

// TableStart is what learning a table starts from.
type TableStart uint8

const (
	// TableBoth tries both starts; each wins on some tables.
	TableBoth TableStart = iota
	// TableGrow appends experts one by one, made of badly explained rows.
	TableGrow
	// TableMixture takes the components of a Bernoulli mixture.
	TableMixture
)

var tableStartNames = []string{"both", "grow", "mixture"}

// String is the name used in flags: "both", "grow" or "mixture".
func (s TableStart) String() string { return enum.Name("TableStart", tableStartNames, uint8(s)) }

// ParseTableStart is the inverse of String.
func ParseTableStart(name string) (TableStart, error) {
	return enum.Parse[TableStart]("what a table is learned from", tableStartNames, name)
}

// HiddenBits are rows with some bits hidden, to measure predictions by.
type HiddenBits struct {
	Data    patchwork.Data  // the rows as they are
	Visible []*bitmap.Image // the same rows with bits made unknown
}

// HideBits hides a share of the known bits of every row at random (see Hide), and
// that so many times over: each time the rows appear once more. More times
// measure more exactly, up to a point: the rows stay the same.
func HideBits(data patchwork.Data, share float64, times int, seed uint64) HiddenBits {
	var h HiddenBits
	for n := range times {
		for i, row := range data.Images {
			h.Data.Images = append(h.Data.Images, row)
			h.Data.Weights = append(h.Data.Weights, data.Weight(i))
			h.Visible = append(h.Visible, posterior.Hide(row, share, seed, n*len(data.Images)+i))
		}
	}
	return h
}

// TableOptions are the settings of LearnTable. The zero value is the
// recommended default.
type TableOptions struct {
	// Experts is K; 0 means to find it out, up to MaxExperts (0 means 64).
	Experts, MaxExperts int

	Aim   Aim
	Start TableStart

	// Iterations of soft EM from each start; 0 means 12. A third, two thirds and
	// all of them are candidates for the choice.
	Iterations int

	// Best is how explanations are found, while learning and for the choice.
	Best posterior.NBestOptions

	// Judge, if not nil, is what the choice goes by, whatever the Aim; then the
	// model is learned from all of the data. If it is nil, who learns to predict
	// holds out a share of the rows, HeldOut (0 means a fifth), hides a fifth of
	// their bits, and learns the choice again from all rows.
	Judge   *HiddenBits
	HeldOut float64

	// FixedBackground keeps the background at the marginals. That ruins Max;
	// it is there to show it.
	FixedBackground bool

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.
}

const (
	maxTableExperts = 1 << 10
	hiddenShare     = 0.2
	// growSoftPatience: growing ends when so many experts in a row, and a
	// quarter of them all, have not improved what the choice goes by.
	growSoftPatience = 3
)

func (o TableOptions) withDefaults() TableOptions {
	if o.Experts > 0 {
		o.MaxExperts = o.Experts
	}
	if o.MaxExperts == 0 {
		o.MaxExperts = 64
	}
	if o.Iterations == 0 {
		o.Iterations = 12
	}
	if o.HeldOut == 0 {
		o.HeldOut = 0.2
	}
	o.Workers = max(o.Workers, 1)
	return o
}

func (o TableOptions) validate(data patchwork.Data, cfg patchwork.Config) error {
	switch {
	case o.Experts < 0 || o.MaxExperts < 0 || max(o.Experts, o.MaxExperts) > maxTableExperts:
		return fmt.Errorf("patchwork: cannot learn %d experts of at most %d; there may be %d", o.Experts, o.MaxExperts, maxTableExperts)
	case o.Aim > Interpreting || int(o.Start) >= len(tableStartNames):
		return fmt.Errorf("patchwork: unknown aim or start (%v, %v)", o.Aim, o.Start)
	case o.Iterations < 0 || o.Workers < 0:
		return fmt.Errorf("patchwork: %d iterations on %d workers", o.Iterations, o.Workers)
	case !(o.HeldOut >= 0 && o.HeldOut < 1):
		return fmt.Errorf("patchwork: held-out share %v is not between 0 and 1", o.HeldOut)
	}
	if err := errors.Join(data.Validate(), cfg.Validate(), still(cfg), o.Best.WithDefaults().Validate()); err != nil {
		return err
	}
	return rows.SameSize(data.Images, cfg.Height, cfg.Width)
}
