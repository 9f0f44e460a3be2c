package dataset

import "strconv"

// columnKind is the type of the values of a metadata column.
type columnKind uint8

// Of two kinds the later one can hold the values of both.
const (
	intKind columnKind = iota
	floatKind
	textKind
)

func kindOf(values any) columnKind {
	switch values.(type) {
	case []int64:
		return intKind
	case []float64:
		return floatKind
	}
	return textKind
}

// guesser infers the type of text: integers or floats if every value is one;
// empty values and NA are NaN among floats. Integers must be in plain form, so
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

func (g *guesser) kind() columnKind {
	switch {
	case !g.noInts:
		return intKind
	case !g.noFloats && g.numbers > 0:
		return floatKind
	}
	return textKind
}

// guess gives text its type.
func guess(text rawText) any {
	var g guesser
	g.add(text)
	return retype(text, g.kind())
}

// retype converts values to another kind that can hold them.
func retype(values any, kind columnKind) any {
	raw, ok := values.(rawText)
	switch {
	case !ok && kindOf(values) == kind:
		return values
	case !ok && kind == floatKind:
		ints := values.([]int64)
		floats := make([]float64, len(ints))
		for i, x := range ints {
			floats[i] = float64(x)
		}
		return floats
	case !ok:
		c := Labels{Values: values}
		text := make([]string, c.Len())
		for i := range text {
			text[i] = c.Text(i)
		}
		return text
	}
	switch kind {
	case intKind:
		ints := make([]int64, len(raw))
		for i, s := range raw {
			ints[i], _ = strconv.ParseInt(s, 10, 64) // guess has checked that it parses
		}
		return ints
	case floatKind:
		floats := make([]float64, len(raw))
		for i, s := range raw {
			floats[i], _ = parseCell(s)
		}
		return floats
	}
	return []string(raw)
}
