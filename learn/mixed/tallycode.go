package mixed

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"example.com/patchwork/internal/wire"
)

// tallyMagic is what the bytes of a tally begin with; it ends with the version.
const tallyMagic = "pwmixed\x02"

// AreCounts reports whether bytes begin as those of MarshalBinary do.
func AreCounts(data []byte) bool { return bytes.HasPrefix(data, []byte(tallyMagic)) }

// MarshalBinary returns the tally as bytes, the same on every machine: a magic word with the version; the number of
// parts, of columns and of cells a row, and where each column begins; the rows and their unit; the log-likelihood; how
// often parts are there; and the cells of the background and of each part, as varints. It never fails.
func (t *Tally) MarshalBinary() ([]byte, error) { return wire.Marshal(t.code), nil }

// code writes the tally, or reads it into an empty one.
func (t *Tally) code(c *wire.Codec) {
	parts, columns := len(t.Used), len(t.at)
	c.Magic(tallyMagic)
	wire.Count(c, &parts, MostParts)
	wire.Count(c, &columns, math.MaxInt32)
	wire.Count(c, &t.width, math.MaxInt32)
	wire.Count(c, &t.Rows, MostRows)
	wire.Count(c, &t.Unit, mostUnit)
	wire.Signed(c, &t.LogLik)
	wire.List(c, &t.at, columns)
	wire.Counts(c, t.at, uint64(t.width))
	wire.List(c, &t.Used, parts)
	wire.Counts(c, t.Used, MostRows*unit)
	wire.List(c, &t.cells, (parts+1)*t.width)
	for i := range t.cells {
		wire.Signed(c, &t.cells[i])
	}
}

// UnmarshalBinary replaces t by the tally that MarshalBinary wrote. After an error t is unchanged.
func (t *Tally) UnmarshalBinary(data []byte) error {
	var read Tally
	if err := wire.Unmarshal(data, read.code); err != nil {
		return fmt.Errorf("mixed: not the counts of an E-step, or damaged ones: %w", err)
	}
	if read.Unit == 0 {
		return errors.New("mixed: the counts are of rows of weight 0")
	}
	*t = read
	return nil
}
