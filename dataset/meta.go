package dataset

import (
	"math"
	"strconv"
)

// Labels is one named column of metadata.
type Labels struct {
	Name  string
	Cells []string   // "" where nothing is known; numbers in their shortest decimal form
	Type  ColumnType // ColumnText, or of numbers ColumnInt or ColumnFloat
}

// columnRaw is the type of cells as a text has them, of parts of a file: only the whole column shows what they are.
const columnRaw ColumnType = math.MaxUint8

// LabelsOf returns a column of []string, []int64 or []float64, NaN where nothing is known.
func LabelsOf(name string, values any) Labels {
	c := Labels{Name: name}
	switch v := values.(type) {
	case []int64:
		c.Type = ColumnInt
		for _, x := range v {
			c.Cells = append(c.Cells, strconv.FormatInt(x, 10))
		}
	case []float64:
		c.Type = ColumnFloat
		for _, x := range v {
			text := ""
			if !math.IsNaN(x) {
				text = strconv.FormatFloat(x, 'g', -1, 64)
			}
			c.Cells = append(c.Cells, text)
		}
	case []string:
		c.Cells = v
	}
	return c
}

// Values returns cells [from, to) as a slice of the type.
func (c Labels) Values(from, to int) any {
	switch c.Type {
	case ColumnInt:
		out := make([]int64, to-from)
		for i := range out {
			out[i], _ = strconv.ParseInt(c.Cells[from+i], 10, 64)
		}
		return out
	case ColumnFloat:
		out := make([]float64, to-from)
		for i := range out {
			out[i] = c.Number(from + i)
		}
		return out
	}
	return c.Cells[from:to]
}

// Number returns cell i of a column of numbers, NaN where nothing is known.
func (c Labels) Number(i int) float64 {
	if v, err := strconv.ParseFloat(c.Cells[i], 64); err == nil {
		return v
	}
	return math.NaN()
}

// Len returns the number of cells.
func (c Labels) Len() int { return len(c.Cells) }

// Text returns cell i.
func (c Labels) Text(i int) string { return c.Cells[i] }

// Pick returns the cells at the given indices, in that order. It panics for an index outside.
func (c Labels) Pick(index []int) Labels {
	c.Cells = pick(c.Cells, index)
	return c
}

// append adds the cells of another column: integers and floats together are floats, and anything else is text.
func (c *Labels) append(d Labels) {
	c.Cells = append(c.Cells, d.Cells...)
	switch {
	case c.Type == d.Type:
	case min(c.Type, d.Type) == ColumnText:
		c.Type = ColumnText
	default:
		c.Type = ColumnFloat
	}
}

// distinct lists the values in order of first appearance.
func (c Labels) distinct() []string {
	seen := map[string]bool{}
	var out []string
	for _, v := range c.Cells {
		if v == "" {
			v = `""`
		}
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// guessed returns raw cells with the type that they show.
func (c Labels) guessed() Labels {
	if c.Type != columnRaw {
		return c
	}
	var g guesser
	g.add(c.Cells)
	return c.as(g.kind())
}

// as returns raw cells, or those of another type, as those of a type that can hold them.
func (c Labels) as(t ColumnType) Labels {
	if c.Type == columnRaw && t == ColumnFloat {
		values := make([]float64, len(c.Cells))
		for i, s := range c.Cells {
			values[i], _ = parseCell(s)
		}
		return LabelsOf(c.Name, values)
	}
	c.Type = t
	return c
}

// guesser infers the type of text: integers or floats if every value is one;
// empty values and NA are unknown among floats. Integers must be in plain form, so
// that codes such as 007 stay text.
type guesser struct {
	noInts, noFloats bool
	numbers          int
}

func (g *guesser) add(text []string) {
	for _, s := range text {
		if g.noInts && g.noFloats {
			return
		}
		if v, err := strconv.ParseInt(s, 10, 64); err != nil || strconv.FormatInt(v, 10) != s {
			g.noInts = true
		}
		switch _, state := parseCell(s); {
		case state == cellNumber && (len(s) < 2 || s[0] != '0' || s[1] == '.'):
			g.numbers++
		case state == cellUnknown && s != "?":
		default:
			g.noFloats = true
		}
	}
}

func (g *guesser) kind() ColumnType {
	switch {
	case !g.noInts:
		return ColumnInt
	case !g.noFloats && g.numbers > 0:
		return ColumnFloat
	}
	return ColumnText
}
