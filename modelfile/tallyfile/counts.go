package tallyfile

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/table"
)

// counts are what a part holds: of bits by one explanation of each row, or by several, or of real values.
type counts interface {
	encoding.BinaryMarshaler
	Rows() int64
	LogLik() float64
	picks() int64
	size() string       // of what model, for people
	add(o counts) error // of the same kind and size
}

// counts returns what was counted.
func (p *Part) counts() counts {
	switch {
	case p.Mixed != nil:
		return cells{p.Mixed}
	case p.Real != nil:
		return values{p.Real}
	case p.Soft != nil:
		return soft{p.Soft}
	}
	return hard{p.Tally}
}

// hard are counts by one explanation of each row.
type hard struct{ *patchwork.Tally }

func (h hard) picks() int64 { return h.Picks() }

func (h hard) add(o counts) error {
	h.Merge(o.(hard).Tally)
	return nil
}

func (h hard) size() string {
	k, height, width := h.Size()
	return fmt.Sprintf("%d parts of %d x %d", k, height, width)
}

// soft are counts by several explanations of each row.
type soft struct{ *table.Counts }

func (s soft) picks() int64 { return int64(math.Round(s.Picks())) }

func (s soft) add(o counts) error {
	s.Merge(o.(soft).Counts)
	return nil
}

func (s soft) size() string {
	k, width := s.Size()
	return fmt.Sprintf("%d parts of 1 x %d", k, width)
}

// values are counts of real values.
type values struct{ *real.Tally }

func (v values) Rows() int64 { return v.Images }

func (v values) picks() int64 {
	n := int64(0)
	for _, p := range v.Picks {
		n += p
	}
	return (n + real.Unit/2) / real.Unit
}

func (v values) add(o counts) error { return v.Merge(o.(values).Tally) }

func (v values) size() string {
	k, frame, pixels := v.Size()
	if k == 0 {
		frame = 0
	}
	return fmt.Sprintf("%d parts of %d of %d values", k, frame, pixels)
}

// cells are counts of tables of every kind of column.
type cells struct{ *mixed.Tally }

func (c cells) Rows() int64        { return int64(math.Round(c.Count())) }
func (c cells) LogLik() float64    { return c.Nats() }
func (c cells) picks() int64       { return c.Picks() }
func (c cells) add(o counts) error { return c.Merge(o.(cells).Tally) }
func (c cells) size() string {
	k, columns, levels := c.Size()
	return fmt.Sprintf("%d parts of %d columns with %d numbers", k, columns, levels)
}

// decodeCounts reads the body of a record.
func (p *Part) decodeCounts(body []byte) error {
	p.Tally = new(patchwork.Tally)
	switch {
	case real.AreCounts(body):
		p.Real = new(real.Tally)
		return p.Real.UnmarshalBinary(body)
	case mixed.AreCounts(body):
		p.Mixed = new(mixed.Tally)
		return p.Mixed.UnmarshalBinary(body)
	case table.AreCounts(body):
		p.Soft = new(table.Counts)
		return p.Soft.UnmarshalBinary(body)
	}
	return p.Tally.UnmarshalBinary(body)
}

// HashReal is HashModel for a model of real values: of all that its explanations and the grid of its counts
// depend on.
func HashReal(m *real.Model) (string, error) {
	bare := *m
	bare.Names, bare.Record, bare.Reading = nil, real.Record{}, nil
	h := sha256.New()
	if err := modelfile.WriteReal(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// HashMixed is HashModel for a model of a table of every kind of column.
func HashMixed(m *mixed.Model) (string, error) {
	bare := *m
	bare.Columns, bare.Parts = slices.Clone(m.Columns), slices.Clone(m.Parts)
	for d := range bare.Columns {
		bare.Columns[d].Name = ""
	}
	for k := range bare.Parts {
		bare.Parts[k].Name = ""
	}
	bare.Graded, bare.Record, bare.Reading = nil, mixed.Record{}, nil
	h := sha256.New()
	if err := modelfile.WriteMixed(h, &bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// AddValues is Add for rows of real values; all unknown ones are alike.
func (id *Identity) AddValues(height, width int, rows [][]float64) {
	var line []byte
	for _, row := range rows {
		line = fmt.Appendf(line[:0], "%dx%d real ", height, width)
		for _, x := range row {
			if math.IsNaN(x) {
				x = math.NaN()
			}
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(x+0)) // -0 is 0
		}
		_, _ = io.Writer(id.hash).Write(line) // which never fails
	}
}
