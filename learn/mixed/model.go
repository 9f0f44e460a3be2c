package mixed

import (
	"encoding/json"

	"example.com/patchwork/internal/elem"
)

// Entry is what a part says of a column: nothing if Numbers is 0; else an opinion that has so many numbers of its own.
// Level is the level that an opinion of one number about words names.
type Entry struct {
	Numbers int
	Level   int
	Opinion
}

// Part is a part: how often it is there, 0 < Share < 1, and what it says of each column.
type Part struct {
	Name    string
	Share   float64
	Entries []Entry
}

// PartNames returns the names that people gave to the parts, "" for none; nil if no part has one.
func (m *Model) PartNames() (names []string) {
	named := false
	for i := range m.Parts {
		names, named = append(names, m.Parts[i].Name), named || m.Parts[i].Name != ""
	}
	if !named {
		return nil
	}
	return names
}

// Votes returns the numbers of the columns that a part speaks of.
func (p *Part) Votes() (out []int) {
	for d := range p.Entries {
		if p.Entries[d].Numbers > 0 {
			out = append(out, d)
		}
	}
	return out
}

// MostParts is how many parts a model may have.
const MostParts = 60

// Model is a background and parts. Fields must not be changed once it is in use; then it is safe for concurrent use.
type Model struct {
	Columns    []Column
	Background []Opinion // of each column, where no part speaks
	Parts      []Part
	// Graded are parts that are in every row to some degree, nil for none. Both predict, and GradedShare, below 1, is
	// the weight of these; 0 stands for one half.
	Graded      *Graded
	GradedShare float64
	// ShowGraded says that graded parts fit better, by cells that were held out.
	ShowGraded bool
	Record     Record
	// Reading says how the data were read, as package dataset keeps it.
	Reading json.RawMessage
}

// Record says how a model was learned.
type Record struct {
	Rows   int    `json:"rows"`
	Sample int    `json:"sample,omitempty"` // rows that parts were looked for in, if not in all
	Seed   uint64 `json:"seed"`
	// LogLik is the sum of the logarithms of the evidence, Length that of the description, Starts those of all starts.
	LogLik float64   `json:"log_lik"`
	Length float64   `json:"description_length"`
	Starts []float64 `json:"starts,omitempty"`
	// HeldOut and HeldOutGraded are gains over the columns alone in cells that were held out, in nats a cell.
	HeldOut       float64 `json:"held_out,omitempty"`
	HeldOutGraded float64 `json:"held_out_graded,omitempty"`
	Interrupted   bool    `json:"interrupted,omitempty"` // before learning was done
}

// Code returns the codes of a row, which has a value for each column.
func (m *Model) Code(row []float64) []float64 {
	out := make([]float64, len(m.Columns))
	for d := range out {
		out[d] = m.Columns[d].Code(row[d])
	}
	return out
}

// prior returns the logarithms of the probability that no part is there, and of the odds of each.
func (m *Model) prior() (none float64, odds []float64) {
	for k := range m.Parts {
		s := m.Parts[k].Share
		none += elem.Log1p(-s)
		odds = append(odds, elem.Log(s/(1-s)))
	}
	return none, odds
}

// numbers returns what the votes cost, in nats, at a price for each number.
func (m *Model) price(lambda float64) float64 {
	sum := 0.0
	for k := range m.Parts {
		sum += lambda
		for d := range m.Parts[k].Entries {
			sum += m.Columns[d].price(&m.Parts[k].Entries[d], lambda)
		}
	}
	return sum
}

// price returns what an entry costs: lambda for each number, and half the logarithm of how many levels one could name.
func (c *Column) price(e *Entry, lambda float64) float64 {
	sum := float64(lambda * float64(e.Numbers))
	if c.Family == Words && e.Numbers == 1 && len(c.Values) > 2 {
		sum += elem.Log(float64(len(c.Values))) / 2
	}
	return sum
}
