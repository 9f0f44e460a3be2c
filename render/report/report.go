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
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
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

	// Brief learns again only as far as that takes some ten seconds: tables three times for Stability, images twice and
	// not for Quality, large ones not at all.
	Brief bool

	Seed    uint64 // of hidden cells, samples and drawn rows
	Workers int    // goroutines; 0 means 1. The report is the same for any number.

	// First, if not nil, is called with the report before the model is learned again, which takes longest. Its error ends
	// the work.
	First func(*Report) error

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
	LogLik     Number     `json:"log_lik_per_row"`         // nats, as score says it
	PerCell    Number     `json:"log_lik_per_cell"`        // nats per known cell or pixel
	Gained     Number     `json:"gained_per_row"`          // nats by the parts, of rows that are possible
	Impossible int64      `json:"impossible_rows"`         // of probability 0
	Together   []Pair     `json:"together"`
	Compounds  []string   `json:"compounds,omitempty"` // of parts of a table of bits, in words
	Labels     []Label    `json:"labels"`
	Skipped    []Skipped  `json:"labels_skipped"`
	NamedBy    []string   `json:"rows_named_by"` // label columns
	ByRow      []Row      `json:"by_row"`        // every row; the page has a selection
	ByColumn   []Column   `json:"by_column"`     // of tables
	Surprises  []Cell     `json:"surprises"`     // known cells of tables that are expected least
	Missing    *Missing   `json:"missing,omitempty"`
	Quality    *Quality   `json:"quality,omitempty"`
	Stability  *Stability `json:"stability,omitempty"`
	Places     []Places   `json:"places,omitempty"` // where the parts of images sit
	Answers    *Answers   `json:"answers,omitempty"`

	// NoQuality and NoStability say why there is none.
	NoQuality   string `json:"no_quality,omitempty"`
	NoStability string `json:"no_stability,omitempty"`

	interrupted bool     // learning was, so that the parts are the best so far
	warning     string   // not to rely on the parts, and why; "" for none
	scores      []string // what score prints of the same data
	model       workbench.Model
	judge       *workbench.Judge // of the rows of a table; else nil
	set         *dataset.Frame
	rows        []workbench.Row
	names       []string // of the columns of a table
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
	Rows   int64   `json:"rows"`  // that use it in their best explanation
	Share  float64 `json:"share"` // of all rows, as score counts it
	Alone  int64   `json:"alone"` // rows that use it and no other part

	Votes   []Vote    `json:"votes,omitempty"`        // of tables: the strongest first
	Typical []Typical `json:"typical_rows,omitempty"` // in which it gains most
}

// Vote is what a part says about one column. Of a bit the values are probabilities of a 1.
type Vote struct {
	Column     string  `json:"column"`
	Number     int     `json:"column_number"`
	Value      float64 `json:"value"`      // that the part says
	Otherwise  float64 `json:"otherwise"`  // that the model says where no part votes
	Spread     float64 `json:"spread"`     // of numbers, the deviation there; 0 of bits
	Everywhere Number  `json:"everywhere"` // mean of all rows
	Among      Number  `json:"among"`      // mean of the rows that use the part
	Says       string  `json:"says"`       // in words
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
}

// Column is a column of a table: what its values are, and how far they are from what the parts of their rows say.
type Column struct {
	Number    int    `json:"column"`
	Name      string `json:"name"`
	Known     int64  `json:"known"`
	Mean      Number `json:"mean"`
	Deviation Number `json:"deviation"`
	Left      Number `json:"left"` // root mean square of what the parts leave
}

// Rest returns the share of the column's variance that the parts leave; 1 where there is none.
func (c Column) Rest() float64 {
	if s := float64(c.Left*c.Left) / float64(c.Deviation*c.Deviation); s >= 0 && !math.IsInf(s, 0) {
		return s
	}
	return 1
}

// Unusual returns the indices of the rows, those with the largest loss per cell first.
// Rows of which nothing is known come last.
func (r *Report) Unusual() []int {
	order := make([]int, len(r.ByRow))
	for i := range order {
		order[i] = i
	}
	key := func(i int) float64 {
		if r.ByRow[i].Known == 0 {
			return math.Inf(-1)
		}
		return float64(r.ByRow[i].Loss)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(key(y), key(x)) })
	return order
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
