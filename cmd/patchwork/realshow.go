package main

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// usageOf returns how often part k is active; 0 if that is not known.
func usageOf(m *real.Model, k int) float64 {
	if m.Pi == nil {
		return 0
	}
	return m.Pi[k]
}

// drawReal draws the parts of a model.
func (a *app) drawReal(cmd *cobra.Command, path, output string) error {
	if err := meantFor(cmd, realValues); err != nil {
		return err
	}
	m, err := loadReal(path)
	if err != nil {
		return err
	}
	parts := render.RealParts(m)
	if output != "" {
		return a.savePictureUntil(cmd.Context(), output, parts)
	}
	if sheet, ok := parts.(render.Sheet); ok {
		return a.show(sheet)
	}
	return a.print(partLines(m))
}

// partLines describes the parts of a table: what each says of which columns, in the units of the columns.
func partLines(m *real.Model) []string {
	var out []string
	for k := range m.K() {
		out = append(out, fmt.Sprintf("%s, in %.0f %% of the rows", words.NameOf(m.Names, k), 100*usageOf(m, k)))
		for _, v := range words.RealVotes(m, k) {
			out = append(out, fmt.Sprintf("  %-24s %s ± %s, otherwise %s ± %s", words.RealColumn(m, v.At),
				words.Digits(v.Mean), words.Digits(v.Deviation), words.Digits(v.Before), words.Digits(v.Otherwise)))
		}
	}
	if m.K() == 0 {
		out = append(out, "no parts: the background alone")
	}
	return out
}

// realInfo is what info reports of a model of real values.
type realInfo struct {
	Rule      string    `json:"rule"`
	Tau       float64   `json:"tau,omitempty"`
	Experts   int       `json:"experts"`
	Height    int       `json:"height"`
	Width     int       `json:"width"`
	Votes     int       `json:"votes"`
	Variances int       `json:"variances"`
	Places    int       `json:"places"`
	Committee int       `json:"committee,omitempty"` // other models that the file predicts with
	Usage     []float64 `json:"usage,omitempty"`
	Columns   []string  `json:"columns,omitempty"`
	Names     []string  `json:"names,omitempty"`

	Learned *real.Record `json:"learned,omitempty"`
}

// infoReal describes a model.
func (a *app) infoReal(cmd *cobra.Command, path string, asJSON bool, paths []string) error {
	if err := meantFor(cmd, realValues); err != nil {
		return err
	}
	if len(paths) > 0 {
		return usagef("for a model of real values info reads no data; patchwork score does")
	}
	m, err := loadReal(path)
	if err != nil {
		return err
	}
	r := realInfo{Rule: m.Rule.String(), Tau: m.Tau, Experts: m.K(), Height: m.Height, Width: m.Width,
		Places: m.Poses.Len(), Committee: len(m.Committee), Usage: m.Pi, Columns: m.Columns, Names: m.Names}
	r.Votes, r.Variances = m.Votes()
	if m.Record.Rows > 0 {
		r.Learned = &m.Record
	}
	if asJSON {
		return a.printObject(r)
	}
	lines := []string{realSize(m) + ", rule " + r.Rule,
		fmt.Sprintf("%s, %d of them with a variance of their own", words.Count(r.Votes, "vote"), r.Variances)}
	if m.Moves() {
		lines = append(lines, words.Count(m.Poses.Len(), "place")+" for each part")
	}
	if l := r.Learned; l != nil {
		lines = append(lines, fmt.Sprintf("learned from %s with seed %d; description length %.1f nats, of %s: %s",
			words.Count(l.Rows, "row"), l.Seed, l.DescriptionLength, words.Count(len(l.Starts), "start"), tenths(l.Starts)))
		if l.Interrupted {
			lines = append(lines, words.Interrupted)
		}
	}
	if r.Committee > 0 {
		lines = append(lines, fmt.Sprintf("predicts by the average with what %d other starts learned, which the file holds",
			r.Committee))
	}
	if isTableModel(m) {
		lines = append(lines, partLines(m)...)
	} else {
		for k := range m.K() {
			lines = append(lines, fmt.Sprintf("%s: %s, in %.1f %% of the images", words.NameOf(m.Names, k),
				words.RealPart(m, k, wordsColumns), 100*usageOf(m, k)))
		}
	}
	return a.print(lines)
}

// sampleReal draws rows from a model.
func (a *app) sampleReal(cmd *cobra.Command, f *sampleFlags) error {
	if err := meantFor(cmd, realValues); err != nil {
		return err
	}
	n, output := f.n, f.output
	format, err := checkOutput("sample", output)
	if err != nil {
		return err
	}
	m, err := loadReal(f.model)
	if err != nil {
		return err
	}
	if err := f.check(m.Height, m.Width, m.K()); err != nil {
		return err
	}
	var flat []float64
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = m.Sample(sampleSource(f.seed, i))
		flat = append(flat, rows[i]...)
	}
	switch csv := strings.HasPrefix(format, ".csv"); {
	case isTableModel(m) && (output == "" || csv):
		roundAll(flat)
		t := new(answers)
		t.add("x", flat, realColumns(m)...)
		err = a.outputAnswers(cmp.Or(output, "-"), ".csv", t, t.once())
	case output == "":
		return a.show(sampledSheet(m, rows))
	case isPicture(output):
		err = a.savePictureUntil(cmd.Context(), output, sampledSheet(m, rows))
	case csv:
		return usagef("-o %s: a CSV file holds the rows of a table, and the model is of images; choose .npz, .png or .svg",
			output)
	default:
		err = a.output(output, func(w io.Writer) error { return writeRealRows(w, m, isTableModel(m), m.Columns, flat) })
	}
	if err != nil {
		return err
	}
	return a.wrote(output, "%s", sizeOf(n, m.Height, m.Width, isTableModel(m)))
}

// sampledSheet draws sampled images in grey.
func sampledSheet(m *real.Model, rows [][]float64) render.Sheet {
	scale := render.RealScale{Low: math.Inf(1), High: math.Inf(-1)}
	for _, row := range rows {
		scale.Low, scale.High = min(scale.Low, slices.Min(row)), max(scale.High, slices.Max(row))
	}
	tiles := make([]image.Image, len(rows))
	for i, row := range rows {
		tiles[i] = scale.Grey(m.Height, m.Width, row)
	}
	return samplesSheet(tiles)
}
