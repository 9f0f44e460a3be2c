package dataset

import (
	"math"
	"strings"
)

// surelyKnown is how many cells of a column show whether it holds numbers or text.
const surelyKnown = 20

// grouped reports whether commas in the numbers of a column stand before thousands.
func (s *survey) grouped(c *columnStats) bool { return s.commas && !c.decimal }

// texts are the tokens of cells that are no numbers.
var texts = []token{textToken, xToken, plusToken, pToken, aToken}

// isText reports whether a column has text in more than a tenth of its known cells, or nothing but unknown cells.
func (s *survey) isText(i int) bool {
	class, _ := s.columns[i].classOf(s.vocabularies)
	return class == labelClass || s.columns[i].known() == 0
}

// number returns the value of a cell of a column of numbers: NaN if it is unknown; ok is false for text.
func (d *dataColumn) number(cell string) (v float64, ok bool) {
	if d.Marks != bitCoding {
		state := d.Marks.of(cell, rule{})
		return [...]float64{off: 0, on: 1, unknown: math.NaN(), notBinary: 0}[state], state != notBinary
	}
	if d.Unit != "" {
		if v, unit, ok := measured(trim(cell)); ok {
			return v, unit == d.Unit
		}
	}
	if d.groups && strings.IndexByte(cell, ',') >= 0 {
		return thousands(trim(cell))
	}
	if d.isMissing(cell) {
		return math.NaN(), true
	}
	switch t, v := tokenOf(trim(cell)); t {
	case blankToken, unknownToken, minusToken:
		return math.NaN(), true
	case zeroToken, oneToken, numberToken, commaToken:
		return v, !math.IsInf(v, 0)
	case yesToken:
		return 1, true
	case noToken:
		return 0, true
	}
	return 0, false
}

// addNumbers appends the values of a row.
func (t *textTable) addNumbers(cells []string) error {
	row := make([]float64, t.plan.width)
	for k := range t.plan.pixels {
		d := &t.plan.pixels[k]
		cell := cells[d.column]
		if d.level != nil {
			known, strange := d.turnOn(cell, func(k int) {
				if d.whole {
					row[d.at] = float64(k)
				} else {
					row[d.at+k] = 1
				}
			})
			t.strange(d, strange)
			for k := d.at; !known && k < d.at+d.n; k++ {
				row[k] = math.NaN()
			}
			continue
		}
		v, ok := d.number(cell)
		if !ok && t.plan.model {
			t.strange(d, trim(cell))
			row[d.at] = math.NaN()
			continue
		}
		if !ok {
			fe := noWord(cellPlace{text: shorten(trim(cell))}, t.plan.name(d.column), true)
			fe.early = !t.plan.complete
			return fe
		}
		if d.groups && strings.IndexByte(cell, ',') >= 0 {
			t.in.seen.grouped(cell)
		}
		row[d.at] = v
	}
	t.set.Values = append(t.set.Values, row)
	return nil
}
