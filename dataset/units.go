package dataset

import (
	"regexp"
	"slices"
	"strings"
)

// measure matches a number with a unit before or after it, such as 23.1 °C, 76% and $1,200.
var measure = regexp.MustCompile(`^((?:[€$£¥]|EUR|USD|CHF|GBP) ?)?([+-]?[0-9][0-9.,]*|[+-]?[.,][0-9]+) ?` +
	`([%‰€$£¥]|[mgshlLKVAWJNdkMCF]|°[CF]?|µ?\pL[\pL/·]{1,10}[23²³]?|µ?\pL+/\pL+[23²³]?)?$`)

// measured reads such a number.
func measured(cell string) (v float64, unit string, ok bool) {
	if cell == "" || cell[0] > '9' && cell[0] < 0x80 && !strings.ContainsRune("EUCG", rune(cell[0])) { // nearly all text
		return 0, "", false
	}
	if inner, below := inBrackets(cell); below {
		v, unit, ok = measured(inner)
		return -v, unit, ok
	}
	m := measure.FindStringSubmatch(cell)
	if m == nil || (m[1] == "") == (m[3] == "") || isCode(m[2]) {
		return 0, "", false
	}
	if v, ok = thousands(m[2]); !ok {
		v, ok = bareNumber(m[2])
	}
	return v, strings.TrimSpace(m[1] + m[3]), ok
}

// bareNumber reads a number without a unit.
func bareNumber(cell string) (v float64, ok bool) {
	t, v := tokenOf(cell)
	return v, t == zeroToken || t == oneToken || t == numberToken || t == commaToken
}

// unitStats says which unit the numbers of a column have.
type unitStats struct {
	unit  string
	n     int  // cells with it
	mixed bool // some have another
	numberRange
}

// measure counts a cell of text that is a number with a unit.
func (c *columnStats) measure(cell string) {
	v, unit, ok := measured(cell)
	if !ok {
		return
	}
	if c.unit == nil {
		c.unit = &unitStats{unit: unit}
	}
	u := c.unit
	if c.all != nil {
		c.all = append(c.all, v)
	}
	u.n, u.mixed = u.n+1, u.mixed || unit != u.unit
	u.widen(v)
}

// takeUnit makes numbers of the cells of a column if all that are known have one unit.
func (c *columnStats) takeUnit() {
	u := c.unit
	if u == nil || u.mixed || u.n != c.known() {
		return
	}
	if n := c.count(textToken); n > 0 {
		c.move(textToken, numberToken, n)
	}
	c.numbers = &numberRange{least: u.least, most: u.most, fractions: u.fractions, pointed: true}
}

// unitName returns the unit of a column of such numbers, "" for others.
func (c *columnStats) unitName() string {
	if c.unit == nil || c.unit.mixed || c.count(textToken) > 0 {
		return ""
	}
	return c.unit.unit
}

// measures reports whether a cell of text is a number with the unit of the column.
func (c *columnStats) measures(cell string) bool {
	_, unit, ok := measured(trim(cell))
	return ok && unit == c.unitName()
}

// noteUnits says which units were taken off.
func (p *tablePlan) noteUnits() {
	var said []string
	names := map[string][]string{}
	for _, d := range p.pixels {
		if d.Unit != "" {
			said, names[d.Unit] = append(said, d.Unit), append(names[d.Unit], p.name(d.column))
		}
	}
	slices.Sort(said)
	for _, unit := range slices.Compact(said) {
		p.note("the numbers in %s are read without their unit %s", andList(names[unit]), unit)
	}
}
