package dataset

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"example.com/patchwork/diagnose/words"
)

// mostPrinted is how many columns of a plan are printed.
const mostPrinted = 60

// Print writes the plan for people: a line for each column with what it is, what was seen in it and who decided,
// then the notes with the flags that decide otherwise. Lines have at most width letters; 0 bounds none.
func (p *Plan) Print(w io.Writer, width int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.Source, p.size())
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "column\tkind\tby\tseen")
	for _, c := range p.Columns[:min(len(p.Columns), mostPrinted)] {
		fmt.Fprintf(t, "%s\t%v\t%v\t%s\n", words.Visible(shortName(c.Name)), c.kindText(), c.By, words.Visible(c.Seen()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := len(p.Columns) - mostPrinted; n > 0 {
		fmt.Fprintf(&b, "and %s more\n", words.Count(n, "column"))
	}
	for line := range strings.Lines(b.String()) {
		if err := printLine(w, strings.TrimRight(line, " \n"), width); err != nil {
			return err
		}
	}
	for _, n := range p.Notes {
		text := "note: " + words.Visible(n.Text)
		if len(n.Fix) > 0 {
			text += "\n      to decide: " + words.Visible(strings.Join(n.Fix, "   "))
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

// kindText returns the kind, and that the column is a label nevertheless.
func (c *Column) kindText() string {
	if c.Aside {
		return c.Kind.String() + ", a label"
	}
	return strings.TrimSuffix(c.Kind.String()+", "+c.Unit, ", ")
}

// printLine writes a line, cut to a width.
func printLine(w io.Writer, line string, width int) error {
	if width > 0 {
		line = words.Clip(line, width)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// Line says in one line how much there is, and how many columns are of which kind.
func (p *Plan) Line() string {
	if p.Form == FormImages {
		return p.Source + ": " + p.size()
	}
	var order, aside []string
	of := map[string]int{}
	for _, c := range p.Columns {
		if c.Aside || c.Kind == Label {
			aside = append(aside, words.Visible(shortName(c.Name)))
			continue
		}
		name := c.Kind.String()
		if of[name]++; of[name] == 1 {
			order = append(order, name)
		}
	}
	for i, name := range order {
		order[i] = words.Count(of[name], kindNouns[name])
	}
	if n := len(aside); n > 0 {
		order = append(order, fmt.Sprintf("%s (%s)", words.Count(n, "label"), words.Listed(aside, 6)))
	}
	return fmt.Sprintf("%s: %s: %s", p.Source, words.Count(p.Rows, "row"), strings.Join(order, ", "))
}

// kindNouns are the kinds as they are counted.
var kindNouns = map[string]string{"unknown": "unknown column", "bit": "yes/no column", "category": "category",
	"ordinal": "scale", "count": "count", "number": "number", "weight": "weight"}

// size says how much there is, and of what.
func (p *Plan) size() string {
	what := "bits"
	switch {
	case p.Open:
		what = "numbers, or bits at a threshold: say which"
	case p.Why != "":
		what = "numbers, since " + p.Why
	case !p.Packed:
		what = "numbers"
	}
	if p.Form == FormImages {
		return fmt.Sprintf("%s of %d x %d pixels, %s", words.Count(p.Rows, "image"), p.Height, p.Width, what)
	}
	return fmt.Sprintf("%s of %s, %s", words.Count(p.Rows, "row"), words.Count(p.Width, "column"), what)
}

// Seen says in words what was seen in a column.
func (c *Column) Seen() string {
	var parts []string
	switch {
	case c.Yes != nil:
		bar := strings.Repeat("█", int(math.Round(10**c.Yes)))
		parts = append(parts,
			strings.TrimRight(fmt.Sprintf("%6s %s %s", words.PercentFine(*c.Yes), cmp.Or(shorten(c.Means), "yes"), bar), " "))
	case c.Range != nil:
		parts = append(parts, fmt.Sprintf("%s to %s, mean %s", short(c.Range.Low), short(c.Range.High), short(c.Range.Mean)))
	}
	if c.Distinct > 0 {
		parts = append(parts, c.values())
	}
	switch {
	case c.Missing > 0 && c.Missing == c.Cells:
		parts = append(parts, "nothing known")
	case c.Missing > 0:
		also := ""
		if len(c.Unknown) > 0 {
			also = ", also " + listShort(c.Unknown)
		}
		parts = append(parts, fmt.Sprintf("%d of %d unknown%s", c.Missing, c.Cells, also))
	}
	return strings.Join(parts, "; ")
}

// values lists the most frequent values.
func (c *Column) values() string {
	const most = 5
	var names []string
	for _, v := range c.Values[:min(len(c.Values), most)] {
		name := shorten(v.Value)
		if v.N > 1 {
			name += fmt.Sprintf(" (%d)", v.N)
		}
		names = append(names, name)
	}
	if c.Distinct > len(names) {
		names = append(names, "...")
	}
	return words.Count(c.Distinct, "value") + ": " + strings.Join(names, ", ")
}

// short returns a number with six digits.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
