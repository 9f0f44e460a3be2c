// Package report says what a model shows about data: which parts there are, which
// rows or images have them, what goes together, what nothing explains, how well
// hidden cells are predicted, and how stable the parts are.
//
// Build computes all numbers and returns them as a Report, which is also its JSON.
// Report.CSV has them as tables, and Report.WriteHTML draws them as one page that
// needs nothing else.
//
// Read report.go (what is reported), build.go (in which order it is computed), and
// then the file of each section: parts.go, labels.go, together.go, rest.go (what
// nothing explains), missing.go, quality.go, stability.go, images.go.
package report

import (
	"encoding/json"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/elem"
)

// Options says what to compute. The zero value is the recommended default.
type Options struct {
	// Stability is how often the model is learned again from other starts, and how
	// often from rows drawn with replacement; 0 means 10 for small tables, 2 for
	// larger ones and 4 for images, a negative number leaves it out.
	Stability int

	// Sample is how many rows at most the model is learned from again, for Quality
	// and Stability, drawn at random; 0 means 600 to 2,000, the fewer the more columns
	// and parts there are, or 24 to 200 images.
	Sample int

	Seed    uint64 // of hidden cells, samples and drawn rows
	Workers int    // goroutines; 0 means 1. The report is the same for any number.

	// Progress, if not nil, is told how far a step of the work is. It is called by
	// several goroutines.
	Progress func(step string, done, total int)
}

// Report holds all numbers of a report. Rows and columns are counted from 1, parts
// from 0. Numbers of rows count weights.
type Report struct {
	Source  string `json:"source"`
	Table   bool   `json:"table"`
	Rule    string `json:"rule"`
	Rows    int    `json:"rows"`    // or images
	Weight  int64  `json:"weight"`  // of all rows; their number if there are no weights
	Columns int    `json:"columns"` // of a table
	Height  int    `json:"height"`
	Width   int    `json:"width"`
	Unknown int64  `json:"unknown_cells"` // or pixels; weights not counted
	Seed    uint64 `json:"seed"`

	Summary  []string  `json:"summary"` // sentences
	Findings []Finding `json:"findings"`

	Parts      []Part     `json:"parts"`
	PartCounts []int64    `json:"rows_by_number_of_parts"` // of 0, 1, 2, ...
	LogLik     Number     `json:"log_lik_per_row"`         // nats
	PerCell    Number     `json:"log_lik_per_cell"`        // nats per known cell or pixel
	Impossible int64      `json:"impossible_rows"`         // of probability 0
	Together   []Pair     `json:"together"`
	Labels     []Label    `json:"labels"`
	Skipped    []Skipped  `json:"labels_skipped"`
	NamedBy    []string   `json:"rows_named_by"` // label columns
	ByRow      []Row      `json:"by_row"`        // every row; the page has a selection
	ByColumn   []Column   `json:"by_column"`     // of tables
	Missing    *Missing   `json:"missing,omitempty"`
	Quality    *Quality   `json:"quality,omitempty"`
	Stability  *Stability `json:"stability,omitempty"`
	Places     []Places   `json:"places,omitempty"` // where the parts of images sit

	*Numbers // nil of bits

	// NoQuality and NoStability say why there is none.
	NoQuality   string `json:"no_quality,omitempty"`
	NoStability string `json:"no_stability,omitempty"`

	interrupted bool // learning was, so that the parts are the best so far

	warning string // not to rely on the parts, and why; "" for none

	model *patchwork.Model // of bits
	set   *dataset.Set
	picks [][]patchwork.Pick // of every row
}

// Finding is something that may be wrong with the model.
type Finding struct {
	Kind   string `json:"kind"`
	Facts  string `json:"facts"`
	Advice string `json:"advice"`
}

// Part is one part of the model.
type Part struct {
	Number int     `json:"part"`
	Name   string  `json:"name"`
	Words  string  `json:"words"` // what it says of columns, or the shape of its ink
	Rows   int64   `json:"rows"`  // that use it
	Share  float64 `json:"share"` // of all rows
	Alone  int64   `json:"alone"` // rows that use it and no other part

	Votes   []Vote    `json:"votes,omitempty"`        // of tables: the strongest first
	Typical []Typical `json:"typical_rows,omitempty"` // in which it gains most
}

// Vote is what a part says about one column.
type Vote struct {
	Column      string  `json:"column"`
	Number      int     `json:"column_number"`
	Probability float64 `json:"probability"` // that the part gives
	Background  float64 `json:"background"`  // that the model gives where no part votes
	Everywhere  Number  `json:"everywhere"`  // share of all rows that have the column
	Among       Number  `json:"among"`       // the same of the rows that use the part
}

// Typical is a row in which a part gains much.
type Typical struct {
	Row  int    `json:"row"`
	Name string `json:"name"`
	Gain Number `json:"gain"` // nats

	at int // index in the set
}

// Row is a row or an image and the parts that explain it.
type Row struct {
	Row   int      `json:"row"` // in the input, from 1
	Name  string   `json:"name"`
	Parts []int    `json:"parts"` // in the order of the pursuit
	Gains []Number `json:"gains"` // nats
	Known int      `json:"known"` // cells or pixels
	Loss  Number   `json:"loss"`  // -log P(row), nats per known cell or pixel

	Surprises []Surprise `json:"surprises,omitempty"` // of tables: the cells expected least
}

// Surprise is a cell of a row that the model did not expect.
type Surprise struct {
	Column      string `json:"column"`
	On          bool   `json:"on"`
	Probability Number `json:"probability"` // that the model gave to what the cell is
}

// Column is a column of a table: how common it is, and how much of it the parts
// leave unexplained.
type Column struct {
	Number  int    `json:"column"`
	Name    string `json:"name"`
	Known   int64  `json:"known"`
	On      int64  `json:"on"`
	Loss    Number `json:"loss"`      // nats per known cell, by the parts
	ByShare Number `json:"mean_loss"` // the same by the column's mean alone
}

// Number is a number that JSON writes as null if it is not finite.
type Number float64

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// least and most bound probabilities in losses per cell, so that one impossible cell
// does not make all sums infinite.
const least, most = 1e-6, 1 - 1e-6

// loss returns -log of the probability of a cell being as it is, at most 13.8 nats.
func loss(on bool, p float64) float64 {
	if !on {
		p = 1 - p
	}
	return -elem.Log(min(max(p, least), most))
}
