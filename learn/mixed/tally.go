package mixed

import (
	"fmt"
	"math"
	"math/bits"

	"example.com/patchwork/internal/exact"
)

// Tally is what an E-step counts. All are whole numbers, so that counts of parts of the data add up to those of all,
// whatever the parts and their order.
type Tally struct {
	Rows   int64   // their weights
	Unit   int64   // the weight of a row that counts once
	LogLik int64   // of the evidence, in units of 1/exact.NatsUnit
	Used   []int64 // how often each part is there, in units
	// cells are, for the background and then each part, those cells that teach what it says: of each column the weight of
	// each level, or the weight of all, the sum of their scores and that of the squares.
	cells []int64
	at    []int // where a column begins
	width int   // of all columns
}

const (
	unit  = 1 << 14 // of weights
	fine  = 1 << 14 // of scores
	slots = 3       // of a real column
)

// MostRows is how many rows can be counted without overflow.
const MostRows = 1 << 25

// NewTally returns an empty tally for a model; each row counts once.
func NewTally(m *Model) *Tally {
	t := &Tally{Unit: 1, Used: make([]int64, len(m.Parts)), at: make([]int, len(m.Columns))}
	for d := range m.Columns {
		t.at[d] = t.width
		if m.Columns[d].Family == Real {
			t.width += slots
		} else {
			t.width += len(m.Columns[d].Values)
		}
	}
	t.cells = make([]int64, (len(m.Parts)+1)*t.width)
	return t
}

// Merge adds the counts of other rows by the same model.
func (t *Tally) Merge(o *Tally) error {
	if len(t.cells) != len(o.cells) || t.width != o.width {
		return fmt.Errorf("mixed: counts of %d and %d numbers are not of one model", len(t.cells), len(o.cells))
	}
	if t.Rows > 0 && o.Rows > 0 && t.Unit != o.Unit {
		return fmt.Errorf("mixed: counts of rows of weight %d and of %d do not add up", t.Unit, o.Unit)
	}
	if t.Rows == 0 {
		t.Unit = o.Unit
	}
	if t.Rows+o.Rows > MostRows {
		return fmt.Errorf("mixed: %d rows are more than can be counted, %d", t.Rows+o.Rows, int64(MostRows))
	}
	t.Rows, t.LogLik = t.Rows+o.Rows, t.LogLik+o.LogLik
	for k := range t.Used {
		t.Used[k] += o.Used[k]
	}
	for i := range t.cells {
		t.cells[i] += o.cells[i]
	}
	return nil
}

// Size returns the numbers of parts, of columns, and of what is counted of all columns.
func (t *Tally) Size() (parts, columns, numbers int) { return len(t.Used), len(t.at), t.width }

// Nats returns the log-likelihood in nats.
func (t *Tally) Nats() float64 { return float64(t.LogLik) / exact.NatsUnit / float64(t.Unit) }

// Count returns how many rows were counted, by their weights.
func (t *Tally) Count() float64 { return float64(t.Rows) / float64(t.Unit) }

// once returns the units of a row that counts once.
func (t *Tally) once() float64 { return unit * float64(t.Unit) }

// Picks returns how many parts all rows have together, about.
func (t *Tally) Picks() int64 {
	n := int64(0)
	for _, used := range t.Used {
		n += used
	}
	return (n + unit*t.Unit/2) / (unit * t.Unit)
}

// stat are the cells of a column that teach one opinion.
type stat []int64

// of returns those of the background, -1, or a part.
func (t *Tally) of(part, column int) stat {
	from, end := t.at[column], t.width
	if column+1 < len(t.at) {
		end = t.at[column+1]
	}
	return t.cells[(part+1)*t.width:][from:end:end]
}

// fixed is a score as it is added: all bits of all are set, so that unknown scores are those that have none.
type fixed struct{ all, score, square int64 }

func newFixed(x float64) fixed {
	x = min(max(x, -tooFar), tooFar)
	return fixed{-1, int64(math.Round(x * fine)), int64(math.Round(x * x * fine))}
}

// addScore adds a score of a real column.
func (s stat) addScore(x float64, weight int64) {
	f := newFixed(x)
	s[0] += weight
	s[1] += weight * f.score
	s[2] += weight * f.square
}

// normal returns how many scores were counted, by the units of a row, their mean, and the sum of squares about it.
func (s stat) normal(once float64) (n, mean, squares float64) {
	if s[0] == 0 {
		return 0, 0, 0
	}
	n = float64(s[0]) / once
	mean = float64(s[1]) / fine / float64(s[0])
	return n, mean, max(0, float64(float64(s[2])/fine/once)-float64(n*mean*mean))
}

// levels returns how often each level was counted, by the units of a row, and all, into out.
func (s stat) levels(once float64, out []float64) (n float64) {
	for l, c := range s {
		out[l] = float64(c) / once
		n += out[l]
	}
	return n
}

// presence is, of the sets of a row, the weight of all and of those with each part, and of those with both of two
// parts.
type presence struct {
	there []int64
	both  [][]int64
}

// newPresence returns room for some parts.
func newPresence(parts int) *presence {
	p := &presence{make([]int64, parts+1), make([][]int64, parts)}
	for k := range p.both {
		p.both[k] = make([]int64, parts)
	}
	return p
}

// count counts the sets of a row.
func (p *presence) count(sets []weighted) {
	clear(p.there)
	for _, row := range p.both {
		clear(row)
	}
	add(p.there, sets, 0)
	for _, s := range sets {
		for one := s.set; one != 0; one &= one - 1 {
			row := p.both[bits.TrailingZeros64(one)]
			for two := s.set; two != 0; two &= two - 1 {
				row[bits.TrailingZeros64(two)] += s.units
			}
		}
	}
}

// row counts a row of a weight that sets of parts explain.
func (t *Tally) row(b *bank, codes []float64, weight int64, sets []weighted, evidence float64, in *presence) {
	t.Rows += weight
	t.LogLik += weight * int64(math.Round(evidence*exact.NatsUnit))
	for i := range sets {
		sets[i].units *= weight
	}
	in.count(sets)
	for k := range t.Used {
		t.Used[k] += in.there[k+1]
	}
	for d, x := range codes {
		if math.IsNaN(x) {
			continue
		}
		c := cellOf(&b.columns[d], x)
		switch voters := b.columns[d].voters; len(voters) {
		case 0:
			t.silent(d, c, in.there)
		case 1:
			t.single(voters[0].part, d, c, in)
		default:
			t.spoken(&b.columns[d], d, c, sets, in)
		}
	}
}

// add adds the weight of sets that have none of some parts to weights of all, and of each part.
func add(to []int64, sets []weighted, without uint64) {
	for _, s := range sets {
		if s.set&without != 0 {
			continue
		}
		to[0] += s.units
		for k := s.set; k != 0; k &= k - 1 {
			to[1+bits.TrailingZeros64(k)] += s.units
		}
	}
}

// cell is the code of a cell as it is counted.
type cell struct {
	level int // -1 of a real column
	fixed
}

func cellOf(c *bankColumn, x float64) cell {
	if c.Family == Real {
		return cell{-1, newFixed(x)}
	}
	return cell{level: int(x)}
}

// silent counts a cell of which nobody speaks: for the background, and all parts that are there, which may begin to
// speak.
func (t *Tally) silent(d int, c cell, there []int64) {
	for k, w := range there {
		if w != 0 {
			t.add(k, d, c, w)
		}
	}
}

// single counts a cell of which only part k speaks, where it is there.
func (t *Tally) single(k, d int, c cell, in *presence) {
	with := in.there[k+1]
	if with == 0 {
		t.silent(d, c, in.there)
		return
	}
	t.add(k+1, d, c, with)
	if with == in.there[0] {
		return
	}
	t.add(0, d, c, in.there[0]-with)
	for j, w := range in.both[k] {
		if w = in.there[j+1] - w; w != 0 && j != k {
			t.add(j+1, d, c, w)
		}
	}
}

// spoken counts a cell of which several parts speak: for the strongest of those that are there.
func (t *Tally) spoken(b *bankColumn, d int, c cell, sets []weighted, in *presence) {
	before := uint64(0)
	for v := range b.voters {
		k, w := b.voters[v].part, int64(0)
		if in.there[k+1] == 0 {
			continue
		}
		for _, s := range sets {
			if s.set>>k&1 != 0 && s.set&before == 0 {
				w += s.units
			}
		}
		if w != 0 {
			t.add(k+1, d, c, w)
		}
		if before |= 1 << k; w == in.there[0] {
			return
		}
	}
	if before == 0 {
		t.silent(d, c, in.there)
		return
	}
	var room [MostParts + 1]int64
	there := room[:len(t.Used)+1]
	add(there, sets, before)
	t.silent(d, c, there)
}

// add adds a cell to those of the background, 0, or of a part, from 1.
func (t *Tally) add(who, d int, c cell, w int64) {
	at := who*t.width + t.at[d]
	if c.level >= 0 {
		t.cells[at+c.level] += w
		return
	}
	s := t.cells[at : at+slots]
	s[0] += w
	s[1] += w * c.score
	s[2] += w * c.square
}
