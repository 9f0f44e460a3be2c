package tallyfile

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
)

// Input is which rows of a file, a folder or another numbered list of rows were counted.
type Input struct {
	ID     string `json:"id"` // identifies the file, under any name and on any machine
	Ranges Ranges `json:"ranges"`
}

// Range is rows From to To-1 of an input, counted from 0 before any selection.
type Range struct{ From, To int64 }

// String returns the range as --rows takes it: from 1, the last one included.
func (r Range) String() string { return fmt.Sprintf("%d:%d", r.From+1, r.To) }

// Ranges are rows in rising order; neither do two ranges touch, nor is one empty. In JSON they
// are base64 of numbers of variable length, as of [binary.AppendUvarint], two for each range: how many
// rows were left out since the range before it (or the first row), and how many rows it has, less one.
type Ranges []Range

// NewRanges returns the union of ranges in any order. It panics for a negative row.
func NewRanges(ranges ...Range) Ranges {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	var out Ranges
	for _, r := range sorted {
		n := len(out) - 1
		switch {
		case r.From < 0:
			panic(fmt.Sprintf("tallyfile: row %d", r.From))
		case r.From >= r.To:
		case n >= 0 && r.From <= out[n].To:
			out[n].To = max(out[n].To, r.To)
		default:
			out = append(out, r)
		}
	}
	return out
}

// overlap returns the first range of r and the first of o that share a row.
func (r Ranges) overlap(o Ranges) (a, b Range, found bool) {
	for len(r) > 0 && len(o) > 0 {
		switch {
		case r[0].To <= o[0].From:
			r = r[1:]
		case o[0].To <= r[0].From:
			o = o[1:]
		default:
			return r[0], o[0], true
		}
	}
	return Range{}, Range{}, false
}

// MarshalJSON returns the ranges as text.
func (r Ranges) MarshalJSON() ([]byte, error) {
	var code []byte
	at := int64(0)
	for _, x := range r {
		code = binary.AppendUvarint(code, uint64(x.From-at))
		code = binary.AppendUvarint(code, uint64(x.To-x.From-1))
		at = x.To
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(code))
}

// UnmarshalJSON reads ranges.
func (r *Ranges) UnmarshalJSON(text []byte) error {
	var coded string
	if err := json.Unmarshal(text, &coded); err != nil {
		return err
	}
	code, err := base64.StdEncoding.Strict().DecodeString(coded)
	if err != nil {
		return fmt.Errorf("ranges of rows: %w", err)
	}
	ends := 0 // of numbers
	for _, b := range code {
		if b < 0x80 {
			ends++
		}
	}
	*r = make(Ranges, 0, ends/2) // there may be millions, which must not be copied as they grow
	at := int64(0)
	for len(code) > 0 {
		gap, n := binary.Uvarint(code)
		more, m := binary.Uvarint(code[max(n, 0):])
		if n <= 0 || m <= 0 || gap >= 1<<62 || more >= 1<<62 || uint64(at)+gap+more >= 1<<62 || gap == 0 && len(*r) > 0 {
			return fmt.Errorf("ranges of rows are damaged after row %d", at)
		}
		code = code[n+m:]
		from := at + int64(gap)
		at = from + int64(more) + 1
		*r = append(*r, Range{from, at})
	}
	return nil
}

// overlap returns an error if a row of other was counted in p.
func (p *Part) overlap(other *Part) error {
	theirs := map[string][]int{} // shards of other by input
	for i, s := range other.Shards {
		for _, in := range s.Inputs {
			theirs[in.ID] = append(theirs[in.ID], i)
		}
	}
	if len(theirs) == 0 {
		return nil
	}
	for _, s := range p.Shards {
		for _, in := range s.Inputs {
			for _, i := range theirs[in.ID] {
				if err := twice(s, in, other.Shards[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// twice returns an error if rows of an input that a shard counts are also in another shard.
func twice(s Shard, in Input, other Shard) error {
	for _, o := range other.Inputs {
		if a, b, found := in.Ranges.overlap(o.Ranges); o.ID == in.ID && found {
			both := Range{max(a.From, b.From), min(a.To, b.To)}
			return mismatch("rows %v of one file would be counted twice: one part counts rows %v (of %s), another rows %v (of %s); "+
				"give each its own rows with stats --rows A:B, or if it is on purpose, a name with --shard", both, a, sourceOf(s), b, sourceOf(other))
		}
	}
	return nil
}

// checkInputs returns an error that says what is wrong with the inputs of a shard.
func (s Shard) checkInputs() error {
	for i, in := range s.Inputs {
		switch {
		case in.ID == "":
			return fmt.Errorf("shard %q has rows of an input without an ID", s.ID)
		case i > 0 && s.Inputs[i-1].ID >= in.ID:
			return fmt.Errorf("shard %q has input %q after %q, or twice", s.ID, in.ID, s.Inputs[i-1].ID)
		case len(in.Ranges) == 0:
			return fmt.Errorf("shard %q has no rows of input %q", s.ID, in.ID)
		}
		for j, r := range in.Ranges {
			if r.From < 0 || r.From >= r.To || r.To > 1<<62 || j > 0 && in.Ranges[j-1].To >= r.From {
				return fmt.Errorf("shard %q has rows %v of input %q out of order", s.ID, r, in.ID)
			}
		}
	}
	return nil
}

// version returns the version of the format that a part needs: parts that do not say which
// rows they count are written as before there was a second version.
func (p *Part) version() int {
	if slices.ContainsFunc(p.Shards, func(s Shard) bool { return len(s.Inputs) > 0 }) {
		return 2
	}
	return 1
}
