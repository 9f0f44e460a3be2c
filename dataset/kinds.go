package dataset

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"example.com/patchwork/internal/enum"
)

// Kind is what a column of data is.
type Kind uint8

// The kinds of columns.
const (
	Unknown  Kind = iota // nothing is known of it
	Bit                  // yes or no
	Category             // one of several words, with a column of bits for each
	Ordinal              // words or numbers in an order
	Count                // whole numbers from 0 on
	Number
	Label  // says which row it is, and is not learned from
	Weight // how many rows a row stands for
)

var kindNames = []string{"unknown", "bit", "category", "ordinal", "count", "number", "label", "weight"}

func (k Kind) String() string { return enum.Name("kind", kindNames, uint8(k)) }

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name.
func (k *Kind) UnmarshalText(text []byte) (err error) {
	*k, err = enum.Parse[Kind]("the kind of a column", kindNames, string(text))
	return err
}

// By says who decided what a column is.
type By uint8

// Who decides.
const (
	Seen    By = iota // the file, by what its cells show
	Asked             // the user
	Learned           // the model that the data are read for
)

var byNames = []string{"file", "you", "model"}

func (b By) String() string { return enum.Name("by", byNames, uint8(b)) }

// MarshalText writes the name.
func (b By) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads a name.
func (b *By) UnmarshalText(text []byte) (err error) {
	*b, err = enum.Parse[By]("who decided", byNames, string(text))
	return err
}

// Coding says what a column is, and how its cells are read: what a model keeps of it.
type Coding struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	By   By     `json:"by"`
	// Levels are the words of a category, or of a bit the word for yes. Where a category is asked for, none means those
	// that the data have.
	Levels []string `json:"levels,omitempty"`
	// Off, if there are any, are the words for no of a bit that is told by words; "" means that an empty cell is no.
	Off []string `json:"off,omitempty"`
	// Cuts, if there are any, make levels of numbers: each is of what is greater than one more of them. With one level
	// the column is a bit. An empty list asks for three levels of about as many rows each.
	Cuts []float64 `json:"cuts,omitzero"`
	// Split separates answers in a cell, each of which is a level: they do not exclude each other.
	Split   string   `json:"split,omitempty"`
	Unit    string   `json:"unit,omitempty"`    // of numbers, taken off
	Unknown []string `json:"unknown,omitempty"` // what says that nothing is known, beside the words that always do
	Marks   marking  `json:"marks,omitempty"`   // what tells yes from no
}

// Column is a column of a plan; images have one for all their pixels.
type Column struct {
	Coding
	// Means is the word for yes of a bit that is told by words, or from which number on it is on.
	Means string `json:"means,omitempty"`
	// Aside says that the column could be learned from, and is a label instead, which a note says.
	Aside bool `json:"aside,omitempty"`
	Stats

	more  bool      // the next column is of the same column of the file
	steps []float64 // the different numbers, unless there are too many
}

// Stats says what was seen in a column.
type Stats struct {
	Cells    int          `json:"cells"`
	Missing  int          `json:"missing"`
	Yes      *float64     `json:"yes,omitempty"`      // of a bit: the share of the known cells that are on
	Range    *Range       `json:"range,omitempty"`    // of numbers
	Values   []LabelCount `json:"values,omitempty"`   // of words: the most frequent, at most 20
	Distinct int          `json:"distinct,omitempty"` // how many values there are
}

// Range says where numbers lie.
type Range struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Mean  float64 `json:"mean"`
	Whole bool    `json:"whole"` // all are whole numbers
}

// numberColumn returns a column of numbers, NaN where they are unknown, of the kind that they show.
func numberColumn(name string, by By, values iter.Seq[float64]) Column {
	c := Column{Coding: Coding{Name: name, Kind: Number, By: by}}
	r := Range{Low: math.Inf(1), High: math.Inf(-1), Whole: true}
	for x := range values {
		if c.Cells++; math.IsNaN(x) {
			c.Missing++
			continue
		}
		r.Low, r.High, r.Whole = min(r.Low, x), max(r.High, x), r.Whole && x == math.Trunc(x)
		r.Mean += x
		if at, known := slices.BinarySearch(c.steps, x); !known && len(c.steps) <= mostSteps {
			c.steps = slices.Insert(c.steps, at, x)
		}
	}
	if c.Missing == c.Cells {
		c.Kind = Unknown
		return c
	}
	r.Mean /= float64(c.Cells - c.Missing)
	switch c.Range = &r; {
	case r.Whole && r.Low >= 0 && r.High <= 1:
		c.Kind, c.Yes, c.Range = Bit, &r.Mean, nil
	case r.Whole && r.Low >= 0:
		c.Kind = Count
	}
	return c
}

// labelColumn returns a column of labels.
func labelColumn(l Labels, by By) Column {
	distinct, counts := l.counts()
	c := Column{Coding: Coding{Name: l.Name, Kind: Label, By: by},
		Stats: Stats{Cells: l.Len(), Values: counts, Distinct: distinct}}
	for i := range l.Len() {
		c.Missing += btoi(l.Missing(i))
	}
	if c.Missing > 0 {
		c.Distinct--
		c.Values = slices.DeleteFunc(c.Values, func(v LabelCount) bool { return v.Value == "" })
	}
	return c
}

// categoryColumn returns a column of categories by the columns of bits that were made of it.
func categoryColumn(of *Coding, by By, bits []Column, rows int) Column {
	c := Column{Coding: *of, Stats: Stats{Cells: rows, Distinct: len(bits)}}
	c.By = by
	for k, b := range bits {
		n := 0.0
		if b.Yes != nil {
			n = *b.Yes * float64(rows-b.Missing)
		}
		c.Missing, c.Values = b.Missing, append(c.Values, LabelCount{of.Levels[k], int(math.Round(n))})
	}
	slices.SortStableFunc(c.Values, func(a, b LabelCount) int { return cmp.Compare(b.N, a.N) })
	c.Values = c.Values[:min(len(c.Values), mostLabels)]
	return c
}

// bitColumn returns a column of bits, of which so many are on and known.
func bitColumn(name string, by By, on, known, cells int) Column {
	c := Column{Coding: Coding{Name: name, Kind: Bit, By: by}, Stats: Stats{Cells: cells, Missing: cells - known}}
	if share := ratio(on, known); known > 0 {
		c.Yes = &share
	} else {
		c.Kind = Unknown
	}
	return c
}
