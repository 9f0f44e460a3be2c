package workbench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
)

// Lines says what the model is, for people.
func (d *Description) Lines() []string {
	var out []string
	line := func(name, format string, args ...any) {
		out = append(out, fmt.Sprintf("%-9s  "+format, append([]any{name}, args...)...))
	}
	out = d.sayParts()
	if d.OfBits != nil {
		q := "per pixel"
		if !d.QPerPixel {
			q = fmt.Sprint(d.Q)
		}
		line("rule", "%s, abstention value %s", d.Rule, q)
		for i, text := range d.Together {
			line(map[bool]string{true: "together"}[i == 0], "%s", text)
		}
	}
	if d.Level != "" {
		line("level", "%s", d.Level)
	}
	if d.OfNumbers != nil {
		line("rule", "%s, %s, %d of them with a variance of their own", d.Rule, words.Count(d.OfNumbers.Votes, "vote"),
			d.Variances)
	}
	if o := d.OfMixed; o != nil {
		line("rule", "%s, %s", d.Rule, words.Count(o.ColumnVotes, "vote"))
		better := map[bool]string{true: "better", false: "no better"}[o.GradedBetter]
		for k, text := range o.Graded {
			line(map[bool]string{true: "graded"}[k == 0], "%s", text)
		}
		if len(o.Graded) > 0 {
			line("", "these are in every row to some degree; alone they predict %s than the parts, and both together are used",
				better)
		}
	}
	if flags := dataset.ReadWith(d.Reading, d.Columns); flags != nil {
		line("read with", "%s", words.Clean(strings.Join(flags, " ")))
	}
	d.sayMore(line)
	d.sayLearned(line)
	if d.OfBits != nil {
		for i, f := range d.Findings {
			line(map[bool]string{true: "findings"}[i == 0], "%s: %s %s", f.Kind, f.Facts, f.Advice)
		}
		if len(d.Findings) == 0 {
			line("findings", "none; patchwork report says how stable the parts are")
		}
	}
	return out
}

// sayParts says how many parts there are, and what each says; or so of classes.
func (d *Description) sayParts() []string {
	m := d.model
	size := m.Size()
	switch {
	case d.OfClasses != nil && d.By != "":
		size += ", of the label " + words.Clean(d.By)
	case d.OfBits != nil && d.Images != [2]int{d.Height, d.Width}:
		size += fmt.Sprintf(" anywhere in images of %d x %d", d.Images[0], d.Images[1])
	}
	out := []string{size}
	for k, p := range d.Parts {
		out = append(out, Full(m, k)+", "+p.Words)
	}
	if d.OfClasses != nil {
		for _, c := range d.OfClasses.Classes {
			out = append(out, fmt.Sprintf("%s, %s", words.Clean(c.Name), words.Count(int(c.Rows),
				words.NounsOf(m.Table()).Image)))
		}
	}
	return out
}

// sayMore says where the parts may be, and what the file holds beside them.
func (d *Description) sayMore(line func(string, string, ...any)) {
	if d.OfNumbers != nil && d.Places > 1 {
		line("poses", "%s for each part", words.Count(d.Places, "place"))
	}
	if d.OfBits != nil {
		if d.Scene || d.Poses.Count > 1 {
			line("poses", "%s", d.Poses.text(d.Scene))
		}
		if d.Counted > 0 {
			line("counts", "of %s", words.Count(int(d.Counted), words.NounsOf(d.Height == 1).Image))
		}
		if g := d.Geometry; g != nil {
			for k, at := range g.Mean {
				line(map[bool]string{true: "geometry"}[k == 0], "%s at dy %.1f, dx %.1f, angle %.1f on average",
					Full(d.model, k), at[0], at[1], at[2])
			}
			line("", "rank %d, standard deviations %.3g", g.Rank, g.SD)
		}
	}
	if d.Predictor != "" {
		line("predicts", "by %s", d.Predictor)
	}
}

// sayLearned says how the model was learned.
func (d *Description) sayLearned(line func(string, string, ...any)) {
	image := words.NounsOf(d.Height == 1).Image
	switch l := d.Learned.(type) {
	case *Learned:
		from := words.Count(int(l.Rows), image)
		if l.Sample > 0 {
			from += fmt.Sprintf(" (starts from a uniform sample of %d)", l.Sample)
		}
		if l.Method != "" || len(l.Starts) > 0 { // else the run was interrupted before it chose anything
			line("learned", "method %s, mode %s, seed %d, from %s; %s", l.Method, l.Mode, l.Seed, from, l.startsText())
		}
	case *real.Record:
		line("learned", "seed %d, from %s; %s", l.Seed, words.Count(l.Rows, image),
			scoresText("description length", l.Starts, l.DescriptionLength))
	case *mixed.Record:
		line("learned", "seed %d, from %s; %s", l.Seed, words.Count(l.Rows, image),
			scoresText("description length", l.Starts, l.Length))
	}
	if d.Interrupted() {
		line("", "%s", words.Interrupted)
	}
}

// Interrupted reports whether the model is the best that a run had when it was interrupted.
func (d *Description) Interrupted() bool {
	switch l := d.Learned.(type) {
	case *Learned:
		return l.Ended
	case *real.Record:
		return l.Interrupted
	case *mixed.Record:
		return l.Interrupted
	}
	return false
}

// Expected says what is expected of a cell: the ends of an interval, or of a bit, where they are NaN, how probable a 1
// is.
func Expected(mean, low, high float64) string {
	if math.IsNaN(low) {
		return words.Percent(mean)
	}
	return words.Digits(low) + " to " + words.Digits(high)
}

// startsText says how well the starts ended, by the score that judges them.
func (l *Learned) startsText() string {
	if len(l.Starts) == 0 {
		return scoresText("log-likelihood", nil, l.LogLik)
	}
	what, of := "log-likelihood", func(s Start) float64 { return s.Score }
	switch s := l.Starts[l.Chosen]; {
	case s.DescriptionLength != 0:
		what, of = "description length", func(s Start) float64 { return s.DescriptionLength }
	case s.LeaveOneOut != 0:
		what, of = "log-likelihood of images left out", func(s Start) float64 { return s.LeaveOneOut }
	}
	var scores []float64
	for _, s := range l.Starts {
		scores = append(scores, of(s))
	}
	return scoresText(what, scores, scores[l.Chosen])
}

// scoresText says the score that was chosen, and those of all starts if there are several.
func scoresText(what string, scores []float64, chosen float64) string {
	text := fmt.Sprintf("%s %.1f nats", what, chosen)
	if len(scores) < 2 {
		return text
	}
	text += fmt.Sprintf(", of %d starts: ", len(scores))
	for i, s := range scores[:min(len(scores), mostListed)] {
		text += fmt.Sprintf("%s%.1f", map[bool]string{true: ", "}[i > 0], s)
	}
	return text + map[bool]string{true: ", ..."}[len(scores) > mostListed]
}

func (p *Poses) text(scene bool) string {
	shifts := fmt.Sprintf("dy %d..%d step %d, dx %d..%d step %d", p.DY[0], p.DY[1], p.DY[2], p.DX[0], p.DX[1], p.DX[2])
	if scene {
		shifts = "anywhere in the image"
	}
	turns := "no rotations"
	if len(p.Rotations) > 1 {
		turns = fmt.Sprintf("%d rotations from %v to %v degrees", len(p.Rotations), slices.Min(p.Rotations),
			slices.Max(p.Rotations))
	}
	if n := len(p.Stretches); n > 0 {
		turns += fmt.Sprintf(", %d stretches", n)
	}
	if scene {
		return shifts + ", " + turns
	}
	return fmt.Sprintf("%d: %s, %s", p.Count, shifts, turns)
}

// mostListed is how many names or numbers a line has.
const mostListed = 8
