package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/workbench"
)

// sameElsewhere returns an error if the command line means another learner without its engine.
func (f *learnFlags) sameElsewhere(facts recipe.Facts, resolved *recipe.Recipe) error {
	switch {
	case resolved.Soft():
		return usagef("--method soft, by which this line learns, weighs counts, and --engine beam adds them; " +
			"give --experts K and --method both, or batch for --rule max-minus-min, with and without an engine, or leave " +
			"--engine out")
	case !f.Everywhere(facts):
		return usagef("without --engine this line looks at what the images hold, and learns by it; say how they are " +
			"learned: " +
			"give --experts K and --shift S (0 for parts in their places), or leave --engine out")
	}
	return nil
}

// notTo returns where a report goes: standard output, unless a model goes there.
func (a *app) notTo(output string) io.Writer {
	if output == "-" {
		return a.err
	}
	return a.out
}

// sayProfile says, when learning begins, what was recognised of the data, and which
// images are left out.
func (a *app) sayProfile(f *learnFlags, l *learning) error {
	var lines []string
	if l.Profile != "" {
		lines = append(lines, l.Profile)
	}
	if l.Blank > 0 {
		lines = append(lines, fmt.Sprintf("left out: %s without ink, on which a part would be spent",
			words.Count(l.Blank, "image")))
	}
	if f.json {
		return nil
	}
	return a.sayAll(a.notTo(f.output), lines)
}

// summary prints what was learned, and warns of what is wrong with it.
func (a *app) summary(f *learnFlags, head *dataset.Set, l *learning, last *workbench.Step, took time.Duration) error {
	var object any
	var lines []string
	switch m := last.Model.(type) {
	case workbench.Bits:
		if l.Answers != nil {
			object, lines = picturesSaid(f, l, m.Model, took)
		} else if object = bitsLearned(f, l, m.Model, took); !f.json {
			a.warnFindings(m.Model)
			lines = summaryLines(f, head, l, m.Model, took)
		}
	case workbench.Numbers:
		object, lines = numbersLearned(f, m, last, took)
	case workbench.Mixed:
		object, lines = mixedLearned(f, m, l, took)
	case workbench.Lists:
		object, lines = listsLearned(f, m, l, took)
	case workbench.Classes:
		return a.classSummary(f, l, m, head, took)
	}
	if f.json {
		a.written, a.carried = append(a.written, f.output), true
		return encodeJSON(a.notTo(f.output), object)
	}
	if err := a.sayAll(a.notTo(f.output), lines); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", last.Model.Size())
}

// summaryLines says what was learned.
func summaryLines(f *learnFlags, head *dataset.Set, l *learning, m *patchwork.Model, took time.Duration) []string {
	r := m.Extras().Record
	nouns := words.NounsOf(head.Table)
	image, pixel := nouns.Image, nouns.Pixel
	lines := []string{
		fmt.Sprintf("learned %s from %s in %.2f s", words.Count(m.K(), "part"), describe(l.Images, head),
			took.Seconds()),
		fmt.Sprintf("%slog-likelihood %.3f per %s, %.5f per %s (nats)",
			startWords(&r, nouns.Image, m.K()), r.LogLik/float64(r.Rows), image, r.LogLik/l.Pixels, pixel),
		fmt.Sprintf("%.2f parts used per %s", sum(m.Extras().Usage), image),
	}
	if f.Begin == "pairs" {
		length := ""
		if r.DescriptionLength != 0 { // not of images that were streamed
			length = fmt.Sprintf("description length %.1f nats, ", r.DescriptionLength)
		}
		lines[1] = fmt.Sprintf("grown from what pairs of images have in common: %slog-likelihood %.3f per %s (nats)", length,
			r.LogLik/float64(r.Rows), image)
	}
	if f.Soft() {
		lines = slices.Concat(lines[:1], tableLines(m, image), lines[2:])
	}
	lines = append(lines, allLines(l)...)
	if n := int(r.Rows); f.Alphabet != 0 && n < l.Images {
		lines = append(lines, fmt.Sprintf("learned from %d of the images, drawn at random", n))
	}
	if r.Sample > 0 {
		lines = append(lines, fmt.Sprintf("starts were learned from a uniform sample of %d of %d %ss", r.Sample, r.Rows,
			image))
	}
	if f.Open() || f.Soft() && m.K() < f.Experts {
		lines = append(lines, curveLines(&r, head.Table, l.Plan)...)
	}
	return append(lines, countLines(f, m)...)
}

// startWords says which of several starts was chosen and by what, to go before its
// figures; nothing for a single one.
func startWords(r *patchwork.Record, image string, k int) string {
	if len(r.Starts) < 2 {
		return ""
	}
	by := "explains the " + image + "s best"
	switch s := r.Starts[r.Chosen]; {
	case s.Pieces > 0:
		return fmt.Sprintf("%s, of %s: ", words.Count(k, "part"), words.Count(s.Pieces, "piece"))
	case s.DescriptionLength != 0:
		by = "has the shortest description"
	case s.LeaveOneOut != 0:
		by = "explains " + image + "s left out best"
	}
	with := ""
	if len(learn.ByExperts(r.Curve)) > 1 { // of several numbers of parts
		with = " with " + words.Count(k, "part")
	}
	return fmt.Sprintf("start %d of %d%s %s: ", r.Chosen+1, len(r.Starts), with, by)
}

// curveLines returns a table of the numbers of parts tried, and why one was chosen.
func curveLines(r *patchwork.Record, table bool, plan *recipe.Plan) []string {
	points, moving := learn.ByExperts(r.Curve), plan.Config.Poses.Len() > 1
	if len(points) < 2 {
		return nil
	}
	lines := append(triedLines(points, words.NounsOf(table).Image, moving), choiceLines(points, moving)...)
	if at := slices.IndexFunc(points, chosenByJoining); at >= 0 {
		lines = append(lines, joinedLine(points, points[at], r.Starts[r.Chosen].Pieces))
	}
	return lines
}

// triedLines returns a table of the numbers of parts tried: those around the chosen one, else the last. Columns without
// any figure are left out.
func triedLines(points []patchwork.CurvePoint, image string, moving bool) []string {
	if len(points) == 0 {
		return nil
	}
	heads := []string{"parts", "description length", "gain per " + image, "log-likelihood per " + image, image + "s"}
	mixed := slices.ContainsFunc(points, func(p patchwork.CurvePoint) bool { return p.Rows != points[0].Rows })
	digits := "%.1f"
	if mixed { // lengths of different numbers of rows cannot be compared
		heads[1], digits = heads[1]+" per "+image, "%.3f"
	}
	figure := func(has bool, format string, v float64) string {
		if !has {
			return ""
		}
		return fmt.Sprintf(format, v)
	}
	var cells [][]string
	for i, p := range points {
		n, described, length := float64(p.Rows), p.DescriptionLength != 0, p.DescriptionLength
		if mixed {
			length /= n
		}
		grown := moving && i > 0 && described && p.Stage != learn.StageJoined
		cells = append(cells, []string{figure(true, "%.0f", float64(p.Experts)), figure(described, digits, length),
			figure(grown, "%.1f", (points[max(i-1, 0)].DescriptionLength-p.DescriptionLength)/n),
			figure(true, "%.3f", p.LogLik/n), figure(mixed, "%.0f", n)})
	}
	lines := workbench.Columns(heads, cells)
	lines[0] += "  (nats)"
	for i, p := range points {
		switch {
		case chosenByJoining(p):
			lines[i+1] += "  joined, chosen"
		case p.Chosen:
			lines[i+1] += "  chosen"
		}
	}
	at := slices.IndexFunc(points, func(p patchwork.CurvePoint) bool { return p.Chosen })
	if at < 0 {
		at = len(points)
	}
	from := max(0, min(at-mostTried/2, len(points)-mostTried))
	shown := append([]string{lines[0]}, lines[1+from:1+min(from+mostTried, len(points))]...)
	if len(points) > mostTried {
		shown = append(shown, fmt.Sprintf("%d numbers of parts were tried; --json lists all", len(points)))
	}
	return shown
}

// mostTried is how many numbers of parts are printed of those that were tried.
const mostTried = 8

// choiceLines says why a number of parts was chosen, where the figures alone do
// not.
func choiceLines(points []patchwork.CurvePoint, moving bool) []string {
	at := slices.IndexFunc(points, func(p patchwork.CurvePoint) bool { return p.Chosen })
	switch {
	case at < 0:
		return nil
	case chosenByJoining(points[at]):
		return nil
	case moving && points[at].DescriptionLength != 0 && at+1 < len(points):
		chosen, next := points[at], points[at+1]
		return []string{fmt.Sprintf("a part more, %d, shortens the description by %.1f nats per image, which is too little",
			next.Experts, (chosen.DescriptionLength-next.DescriptionLength)/float64(chosen.Rows))}
	case points[at].DescriptionLength != 0 && len(points) > 1:
		return []string{"chosen is the shortest description: parts, who has them and what they do not explain, in nats"}
	}
	return nil
}

func chosenByJoining(p patchwork.CurvePoint) bool { return p.Chosen && p.Stage == learn.StageJoined }

// joinedLine says that parts were joined of so many pieces, and what these would say more.
func joinedLine(points []patchwork.CurvePoint, joined patchwork.CurvePoint, pieces int) string {
	said := "pieces of one smooth stroke were joined"
	for _, p := range points {
		if gain := (joined.DescriptionLength - p.DescriptionLength) / float64(p.Rows); p.Experts == pieces && gain > 0 {
			said += fmt.Sprintf("; the %d pieces would say %.1f nats per image more: -k %d", pieces, gain, pieces)
		}
	}
	return said
}

// countLines says why there are not as many parts as was asked for, or that more
// might be better.
func countLines(f *learnFlags, m *patchwork.Model) []string {
	k := m.K()
	switch {
	case f.Experts > k && f.Soft():
		return []string{f.fewer(k)}
	case f.Experts > k:
		return []string{fmt.Sprintf("%d of the %d parts asked for: there was nothing to make another of", k, f.Experts)}
	case f.AtMost == k:
		return []string{fmt.Sprintf("%d parts are the end of the range; more may be better: try --experts %d..%d", k, k, 2*k)}
	case f.Auto && k == f.Most():
		return []string{fmt.Sprintf(
			"%d parts are the most that are tried by default; more may be better: try --experts %d..%d", k, k, 2*k)}
	case f.AtLeast > k:
		return []string{fmt.Sprintf("%d parts, fewer than the range: no other explains more than its votes cost", k)}
	}
	return nil
}

// fewer says why there are only k of the parts asked for.
func (f *learnFlags) fewer(k int) string {
	return fmt.Sprintf("%d of the %d parts asked for: others explain less than their votes cost", k, f.Experts)
}

// learnReport is what learn --json prints; the names are a contract.
type learnReport struct {
	Experts  int                    `json:"experts"`
	LogLik   float64                `json:"log_lik"`            // of the training images, nats
	Length   float64                `json:"description_length"` // of them, nats
	Seconds  float64                `json:"seconds"`
	Method   string                 `json:"method"`
	Mode     string                 `json:"mode"`
	For      string                 `json:"for,omitempty"`
	Profile  string                 `json:"profile,omitempty"` // what was recognised of the data
	Command  string                 `json:"command"`           // the settings of learning, as flags
	Rows     int64                  `json:"rows"`
	Blank    int                    `json:"blank,omitempty"` // images left out
	Height   int                    `json:"height"`
	Width    int                    `json:"width"`
	Seed     uint64                 `json:"seed"`
	PerPixel float64                `json:"log_lik_per_pixel"`
	Used     float64                `json:"parts_per_image"`
	Usage    []float64              `json:"usage"`
	HeldOut  *heldOut               `json:"held_out,omitempty"`
	Curve    []patchwork.CurvePoint `json:"curve,omitempty"`
	Notes    []string               `json:"notes"`
	Warnings []workbench.Finding    `json:"warnings"`
	Output   string                 `json:"output"`
}

// heldOut is how the chosen number of parts did on rows that were not used to
// learn it.
type heldOut struct {
	HiddenBits int64   `json:"hidden_bits,omitempty"`
	HiddenLoss float64 `json:"hidden_loss,omitempty"` // per bit
}

// bitsLearned returns what was learned of bits as one JSON object.
func bitsLearned(f *learnFlags, l *learning, m *patchwork.Model, took time.Duration) learnReport {
	e := m.Extras()
	r := e.Record
	out := learnReport{Experts: m.K(), LogLik: r.LogLik, Length: lengthOf(m), Seconds: took.Seconds(), Method: r.Method,
		Mode: r.Mode, For: f.For, Profile: l.Profile, Command: recipe.CommandLine(f.Args()), Rows: r.Rows, Blank: l.Blank,
		Height: m.Height(), Width: m.Width(), Seed: r.Seed, PerPixel: r.LogLik / l.Pixels, Used: sum(e.Usage),
		Usage: append([]float64{}, e.Usage...), Curve: r.Curve,
		Notes:    append(append([]string{}, allLines(l)...), countLines(f, m)...),
		Warnings: workbench.NewFindings(worthWarning(m, diagnose.Model(m, diagnose.Evidence{}))),
		Output:   f.output}
	for _, p := range learn.ByExperts(r.Curve) {
		if p.Chosen && p.HiddenBits > 0 {
			out.HeldOut = &heldOut{p.HiddenBits, p.HiddenLoss}
		}
	}
	return out
}

// lengthOf returns the description length of the training images, in nats: that of
// learning, or if it had none, that of the counts.
func lengthOf(m *patchwork.Model) float64 {
	e := m.Extras()
	for _, p := range learn.ByExperts(e.Record.Curve) {
		if p.Chosen && p.DescriptionLength != 0 {
			return p.DescriptionLength
		}
	}
	switch {
	case e.Record.DescriptionLength != 0:
		return e.Record.DescriptionLength
	case e.Counts != nil && e.Counts.Fits(m):
		return learn.DescriptionLength(m, e.Counts)
	}
	return math.NaN()
}

// allLines says how well all rows are explained, beside those of the sample.
func allLines(l *learning) []string {
	if l.Sampled <= l.Images {
		return nil
	}
	out := []string{fmt.Sprintf("learned from a uniform sample of %s of %d, as many as --memory allows",
		words.Count(l.Images, "row"), l.Sampled)}
	if l.All != nil && l.All.Rows > 0 {
		logLik := l.All.LogLik
		if math.IsInf(logLik, -1) {
			return append(out, "some of the other rows are impossible under the model; patchwork score says how many")
		}
		out = append(out, fmt.Sprintf(
			"all %d rows: log-likelihood %.3f per row, %.5f per cell, by the best explanations (nats)",
			l.All.Rows, logLik/float64(l.All.Rows), logLik/l.All.Pixels))
	}
	return out
}

// realLearned is what learn --json reports of real values.
type realLearned struct {
	Output            string    `json:"output"`
	For               string    `json:"for"`
	Rule              string    `json:"rule"`
	Rows              int       `json:"rows"`
	Experts           int       `json:"experts"`
	LogLik            float64   `json:"log_lik"`
	DescriptionLength float64   `json:"description_length"`
	Votes             int       `json:"votes"`
	Variances         int       `json:"variances"`
	Starts            []float64 `json:"starts"`
	Seconds           float64   `json:"seconds"`
}

// numbersLearned returns what was learned of numbers, as one JSON object and in lines.
func numbersLearned(f *learnFlags, m workbench.Numbers, last *workbench.Step, took time.Duration) (any, []string) {
	votes, variances := m.Votes()
	rows, starts := int(last.Rows), m.Record.Starts
	return realLearned{f.output, "real", m.Rule.String(), rows, m.K(), last.LogLik, last.DescriptionLength,
			votes, variances, starts, took.Seconds()}, []string{
			fmt.Sprintf("learned %s from %s in %.1f s", words.Count(m.K(), "part"),
				workbench.RowsText(rows, m.Height, m.Width, m.Table()), took.Seconds()),
			fmt.Sprintf("%s, %d of them with a variance of their own; %.2f parts used per row", words.Count(votes, "vote"),
				variances, sum(m.Pi)),
			fmt.Sprintf("description length %.1f nats, the shortest of %s: %s", last.DescriptionLength,
				words.Count(len(starts), "start"), tenths(starts)),
		}
}

// mixedLearned returns what was learned of a table of every kind, as one JSON object and in lines.
func mixedLearned(f *learnFlags, m workbench.Mixed, l *learning, took time.Duration) (any, []string) {
	d := m.Describe()
	r := m.Record
	lines := []string{fmt.Sprintf("learned %s from %s in %.1f s; %.2f parts used per row", words.Count(m.K(), "part"),
		workbench.RowsText(r.Rows, 1, d.Width, true), took.Seconds(), sum(d.Usage))}
	for k, p := range d.Parts {
		lines = append(lines, workbench.Full(m, k)+", "+p.Words)
	}
	lines = append(lines, fmt.Sprintf("description length %.1f nats, improved from the shortest of %s: %s", r.Length,
		words.Count(len(r.Starts), "start"), tenths(r.Starts)))
	if f.Experts > m.K() {
		lines = append(lines, f.fewer(m.K()))
	}
	return mixedReport{f.output, "mixed", r.Rows, m.K(), r.LogLik, r.Length, d.ColumnVotes, len(d.Graded), d.Usage, d.Parts,
		d.Means, d.Everywhere, r.Starts, l.Profile, took.Seconds()}, lines
}

// mixedReport is what learn --json reports of a table of every kind.
type mixedReport struct {
	Output            string                `json:"output"`
	For               string                `json:"for"`
	Rows              int                   `json:"rows"`
	Experts           int                   `json:"experts"`
	LogLik            float64               `json:"log_lik"`
	DescriptionLength float64               `json:"description_length"`
	Votes             int                   `json:"votes"`
	Graded            int                   `json:"graded"`
	Usage             []float64             `json:"usage"`
	Parts             []workbench.NamedPart `json:"parts"`
	Means             [][]*float64          `json:"means"`      // of the parts by column, null where they abstain
	Everywhere        []float64             `json:"everywhere"` // of all rows
	Starts            []float64             `json:"starts"`
	Profile           string                `json:"profile"`
	Seconds           float64               `json:"seconds"`
}

// sum returns the sum of values.
func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// tenths returns numbers with one decimal, for people.
func tenths(values []float64) string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf("%.1f", v))
	}
	return strings.Join(out, ", ")
}

// classesLearned is what learn --by --json reports.
type classesLearned struct {
	Output    string       `json:"output"`
	By        string       `json:"by"`
	Classes   []classCount `json:"classes"`
	Examples  int          `json:"examples"`
	Sharpness float64      `json:"sharpness"`
	Seconds   float64      `json:"seconds"`
}

type classCount struct {
	Name     string `json:"name"`
	Examples int64  `json:"examples"`
	Kept     int    `json:"kept"` // whole
}

// classSummary says what was learned.
func (a *app) classSummary(f *learnFlags, l *learning, c workbench.Classes, set *dataset.Set,
	took time.Duration) error {
	r := classesLearned{Output: f.output, By: f.by, Examples: l.Images, Sharpness: c.Sharpness(),
		Seconds: took.Seconds()}
	least, most := c.Classes()[0].Rows, int64(0)
	for _, k := range c.Classes() {
		r.Classes = append(r.Classes, classCount{k.Name, k.Rows, len(k.Examples)})
		least, most = min(least, k.Rows), max(most, k.Rows)
	}
	if f.json {
		return a.printObject(r, f.output)
	}
	each := fmt.Sprint(least)
	if most > least {
		each = fmt.Sprintf("%d to %d", least, most)
	}
	if most == 1 {
		a.warn("every class has one example: how sure a name is cannot be measured, and its probability is a guess")
	}
	return a.wrote(f.output, "%d classes of %s, %s examples each, of %s", len(r.Classes), f.by, each,
		describe(l.Images, set))
}
