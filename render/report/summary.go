package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// summary says in a few sentences what the numbers say.
func (r *Report) summary() []string {
	return said(r.warning, r.sayAnswers(), r.sayParts(), r.sayWeights(), r.sayInterrupted(), r.sayCommonest(), r.sayLabel(),
		r.sayTogether(), r.sayColumns(), r.sayQuality(), r.sayStability(), r.sayMissing())
}

// Verdict says whether the parts can be relied on, in the sentences of the summary that do: what they predict, and
// whether they come back.
func (r *Report) Verdict() []string { return said(r.warning, r.sayQuality(), r.sayStability()) }

// said returns the sentences that there are.
func said(sentences ...string) []string {
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}

// sayColumns names the columns of which the parts explain most.
func (r *Report) sayColumns() string {
	best := slices.Clone(r.ByColumn)
	slices.SortStableFunc(best, func(x, y Column) int { return cmp.Compare(x.Rest(), y.Rest()) })
	var most []string
	for _, c := range best[:min(len(best), 3)] {
		if c.Rest() < .9 {
			most = append(most, fmt.Sprintf("%s of that of %s", percent(1-c.Rest()), c.Name))
		}
	}
	if most == nil {
		return ""
	}
	return "Of the variance of the columns the parts take away most: " + strings.Join(most, ", ") + "."
}

func (r *Report) sayMissing() string {
	if r.Missing == nil {
		return ""
	}
	return fmt.Sprintf("%s %s unknown and predicted.", plural(r.Missing.Cells, "cell"),
		verb(int(min(r.Missing.Cells, 2)), "is", "are"))
}

// Noun is what a row is called: row or image.
func (r *Report) Noun() string {
	return words.NounsOf(r.Table).Image
}

// what returns the data in words.
func (r *Report) what() string {
	if r.Table {
		return fmt.Sprintf("%s of %s", plural(int64(r.Rows), "row"), plural(int64(r.Columns), "column"))
	}
	return fmt.Sprintf("%s of %d x %d pixels", plural(int64(r.Rows), "image"), r.Height, r.Width)
}

// share returns how many of all rows a number is.
func (r *Report) share(n int64) float64 { return float64(n) / float64(max(r.Weight, 1)) }

// usedParts counts the parts that some row uses.
func (r *Report) usedParts() int {
	n := 0
	for _, p := range r.Parts {
		if p.Rows > 0 {
			n++
		}
	}
	return n
}

func (r *Report) sayParts() string {
	if r.Answers != nil && len(r.Answers.names) == 0 {
		return ""
	}
	parts := r.usedParts()
	s := fmt.Sprintf("%s explain%s %s", plural(int64(parts), "part"), map[bool]string{true: "s"}[parts == 1], r.what())
	var shares []string
	say := func(rows int64, words string) {
		if rows > 0 {
			shares = append(shares, percent(r.share(rows))+" "+words)
		}
	}
	say(r.PartCounts[0], "use none")
	few, sum, used := int64(0), 0.0, r.Weight-r.PartCounts[0]
	for n, rows := range r.PartCounts {
		if n == 1 || n == 2 {
			few += rows
		}
		sum += float64(float64(n) * float64(rows))
	}
	if most := len(r.PartCounts) - 1; most > 2 && r.PartCounts[most] == used {
		say(used, fmt.Sprintf("use %d", most))
	} else if 2*few < used { // most use three or more
		say(used, fmt.Sprintf("use one to %d, on average %.1f", len(r.PartCounts)-1, sum/float64(used)))
	} else {
		for n, words := range []string{1: "use one", 2: "use two"} {
			if n > 0 && n < len(r.PartCounts) {
				say(r.PartCounts[n], words)
			}
		}
		say(used-few, "use more")
	}
	return s + ": " + strings.Join(shares, ", ") + "."
}

func (r *Report) sayWeights() string {
	if r.Weight == int64(r.Rows) {
		return ""
	}
	return fmt.Sprintf("Numbers of %ss are sums of their weights, %s in all.", r.Noun(), thousands(r.Weight))
}

func (r *Report) sayInterrupted() string {
	if r.interrupted {
		return words.Interrupted
	}
	return ""
}

func (r *Report) sayCommonest() string {
	if r.usedParts() == 0 {
		return ""
	}
	best := slices.MaxFunc(r.Parts, func(x, y Part) int { return cmp.Compare(x.Share, y.Share) })
	if !r.Table && best.Share > 0.995 {
		return ""
	}
	s := fmt.Sprintf("The commonest is %s (%s of the %ss)", within(best.Name), percent(best.Share), r.Noun())
	return s + ": " + best.Words + "."
}

// sayLabel names the part and the label value that go together most clearly.
func (r *Report) sayLabel() string {
	best, text := Number(beyond), ""
	for _, l := range r.Labels {
		for _, v := range l.Values {
			for _, p := range v.Parts {
				if p.Z > best && p.Lift > 1.2 {
					best = p.Z
					text = fmt.Sprintf("%s goes with %s %s: %s of those %ss use it, of all %ss %s.", sentence(r.Parts[p.Part].Name),
						l.Name, v.Value,
						percent(p.Share), r.Noun(), r.Noun(), percent(r.share(r.Parts[p.Part].Rows)))
				}
			}
		}
	}
	return text
}

// sayTogether names the first compound, or the pair that is furthest from chance.
func (r *Report) sayTogether() string {
	if len(r.Compounds) > 0 {
		return sentence(r.Compounds[0]) + "."
	}
	best, text := beyond+0.0, ""
	for _, p := range r.Together {
		if z := math.Abs(float64(p.Z)); z > best {
			best = z
			how := timesText(float64(p.Lift)) + " times as often as chance would give"
			if p.Rows == 0 {
				how = "though chance would give " + plural(int64(math.Round(float64(p.Expected))), r.Noun())
			}
			text = fmt.Sprintf("%s and %s occur together in %s, %s.", sentence(r.Parts[p.A].Name), within(r.Parts[p.B].Name),
				noneOf(p.Rows, r.Noun()), how)
		}
	}
	return text
}

// timesText writes how many times as large something is, wherever the report says so:
// two digits that count, and all digits before the point.
func timesText(x float64) string {
	if x >= 10 {
		return fixed(0, x)
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64) // its own output
	return strconv.FormatFloat(short, 'f', -1, 64)
}

func noneOf(n int64, noun string) string {
	if n == 0 {
		return "no " + noun
	}
	return plural(n, noun)
}

func (r *Report) sayQuality() string {
	if r.Quality == nil {
		return ""
	}
	by := r.Quality.By
	parts, means := float64(by[0].Bits), float64(by[1].Bits)
	out := fmt.Sprintf("Hidden %ss cost %.3f bits each when the parts predict them: %s the %s (%.3f)", r.cell(), parts,
		against(parts, means), r.means(), means)
	if len(by) > 2 {
		mixture := float64(by[2].Bits)
		out += fmt.Sprintf(" and %s a mixture (%.3f)", against(parts, mixture), mixture)
	}
	return out + "."
}

// against compares what a prediction costs with what another one does; a difference
// of 2 % is none.
func against(cost, other float64) string {
	switch {
	case cost < 0.98*other:
		return "less than with"
	case cost > 1.02*other:
		return "more than with"
	}
	return "about as much as with"
}

func (r *Report) sayStability() string {
	if r.Stability == nil || strings.Contains(r.warning, r.sayBack()) { // it is said already
		return ""
	}
	return capital(r.sayBack()) + "."
}

// within returns a name as it stands within a sentence: what people call a part is in
// quotes, what we call it is not.
func within(name string) string {
	for _, begin := range []string{"part ", "a ", "an ", "ink "} {
		if strings.HasPrefix(name, begin) {
			return name
		}
	}
	return `"` + name + `"`
}

// sentence returns a name as it stands at the beginning of a sentence.
func sentence(name string) string {
	if said := within(name); said != name {
		return said
	}
	return capital(name)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
