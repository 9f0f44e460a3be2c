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

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/render"
)

// deviations returns what an expert says as signed deviations from the background; 0 where it abstains. Those of
// tables, whose columns have different units, are in standard deviations of the background.
func deviations(m *real.Model, k int) []float64 {
	out := make([]float64, m.F())
	for f, e := range m.Experts[k] {
		if e.Vote == real.Abstains {
			continue
		}
		b := m.Background[min(f, m.D()-1)]
		if out[f] = e.Mean - b.Mean; isTableModel(m) {
			out[f] /= math.Sqrt(b.Var)
		}
	}
	return out
}

// fullColours returns the deviation that is drawn in full colours: of twenty votes one is beyond it.
func fullColours(m *real.Model) float64 {
	var all []float64
	for k := range m.K() {
		for _, d := range deviations(m, k) {
			if d != 0 {
				all = append(all, math.Abs(d))
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)*19/20]
}

// deviationTile draws signed deviations: blue below the background, yellow above, grey for none; most is the deviation of the
// full colours.
func deviationTile(h, w int, dev []float64, most float64) image.Image {
	p := make([]float64, len(dev))
	for i, d := range dev {
		p[i] = .5
		if most > 0 {
			p[i] += max(-.5, min(.5, .5*d/most))
		}
	}
	return render.Template(h, w, p, render.Symmetric)
}

// greyTile draws values from black, low, to white, high; unknown ones are blue.
func greyTile(h, w int, values []float64, low, high float64) image.Image {
	p := make([]float64, len(values))
	for i, x := range values {
		if p[i] = .5; high > low {
			p[i] = 1 - (max(low, min(high, x))-low)/(high-low)
		}
	}
	return render.Template(h, w, p, render.Ink)
}

// realParts returns a picture of the parts of a model, most used first, as signed deviations from the background.
func realParts(m *real.Model) render.Sheet {
	h, w := m.Frame()
	most := fullColours(m)
	order := make([]int, m.K())
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(usageOf(m, b), usageOf(m, a)) })
	s := render.Sheet{Title: fmt.Sprintf("%s as deviations from the background", words.Count(m.K(), "part"))}
	if m.K() == 0 {
		s.Title = "No parts: the background alone"
	}
	low, high := math.Inf(1), math.Inf(-1)
	mean := make([]float64, m.D())
	for d, b := range m.Background {
		mean[d] = b.Mean
		low, high = min(low, b.Mean), max(high, b.Mean)
	}
	if !isTableModel(m) {
		s.Tiles = append(s.Tiles, render.Tile{Image: greyTile(m.Height, m.Width, mean, low, high), Caption: "background"})
	}
	for _, k := range order {
		s.Tiles = append(s.Tiles, render.Tile{Image: deviationTile(h, w, deviations(m, k), most),
			Caption: fmt.Sprintf("%s\nin %.0f %%", words.NameOf(m.Names, k), 100*usageOf(m, k))})
	}
	unit := ""
	if isTableModel(m) {
		unit = " standard deviations"
	}
	s.Legend = []render.Swatch{{Colour: render.Symmetric(1), Text: digits(most) + unit + " above, or more"},
		{Colour: render.Symmetric(.5), Text: "no vote"}, {Colour: render.Symmetric(0), Text: digits(most) + " below"}}
	return s
}

// usageOf returns how often part k is active; 0 if that is not known.
func usageOf(m *real.Model, k int) float64 {
	if m.Pi == nil {
		return 0
	}
	return m.Pi[k]
}

// drawReal draws the parts of a model.
func (a *app) drawReal(cmd *cobra.Command, path, output string) error {
	if err := onlyReal(cmd, "output"); err != nil {
		return err
	}
	m, err := loadReal(path)
	if err != nil {
		return err
	}
	switch {
	case output != "":
		return render.Save(output, realParts(m))
	case isTableModel(m):
		return a.print(partLines(m))
	}
	return a.show(realParts(m))
}

// partLines describes the parts of a table: what each says of which columns, in the units of the columns.
func partLines(m *real.Model) []string {
	var out []string
	for k := range m.K() {
		out = append(out, fmt.Sprintf("%s, in %.0f %% of the rows", words.NameOf(m.Names, k), 100*usageOf(m, k)))
		dev := deviations(m, k)
		order := make([]int, 0, len(dev))
		for d, e := range m.Experts[k] {
			if e.Vote != real.Abstains {
				order = append(order, d)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(dev[b]), math.Abs(dev[a])) })
		for _, d := range order {
			e, b := m.Experts[k][d], m.Background[d]
			sd := b.Var
			if e.Vote == real.MeanAndVar {
				sd = e.Var
			}
			out = append(out, fmt.Sprintf("  %-24s %s ± %s, otherwise %s ± %s", realColumn(m, d), digits(e.Mean), digits(math.Sqrt(sd)), digits(b.Mean), digits(math.Sqrt(b.Var))))
		}
	}
	if m.K() == 0 {
		out = append(out, "no parts: the background alone")
	}
	return out
}

// digits returns a number with three digits.
func digits(x float64) string { return fmt.Sprintf("%.3g", x) }

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
	Usage     []float64 `json:"usage,omitempty"`
	Columns   []string  `json:"columns,omitempty"`
	Names     []string  `json:"names,omitempty"`

	Learned *real.Record `json:"learned,omitempty"`
}

// infoReal describes a model.
func (a *app) infoReal(cmd *cobra.Command, path string, asJSON bool, paths []string) error {
	if err := onlyReal(cmd, ""); err != nil {
		return err
	}
	if len(paths) > 0 {
		return usagef("for a model of real values info reads no data; patchwork score does")
	}
	m, err := loadReal(path)
	if err != nil {
		return err
	}
	r := realInfo{Rule: m.Rule.String(), Tau: m.Tau, Experts: m.K(), Height: m.Height, Width: m.Width, Places: m.Poses.Len(), Usage: m.Pi, Columns: m.Columns, Names: m.Names}
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
		lines = append(lines, fmt.Sprintf("learned from %s with seed %d; description length %.1f nats, of %s: %s", words.Count(l.Rows, "row"), l.Seed, l.DescriptionLength, words.Count(len(l.Starts), "start"), tenths(l.Starts)))
	}
	if isTableModel(m) {
		lines = append(lines, partLines(m)...)
	} else {
		for k := range m.K() {
			votes := 0
			for _, e := range m.Experts[k] {
				if e.Vote != real.Abstains {
					votes++
				}
			}
			lines = append(lines, fmt.Sprintf("%s: %s, in %.1f %% of the images", words.NameOf(m.Names, k), words.Count(votes, "vote"), 100*usageOf(m, k)))
		}
	}
	return a.print(lines)
}

// sampleReal draws rows from a model.
func (a *app) sampleReal(cmd *cobra.Command, path string, n int, seed uint64, output string) error {
	if err := onlyReal(cmd, "number seed output"); err != nil {
		return err
	}
	format, err := checkOutput("sample", output)
	if err != nil {
		return err
	}
	m, err := loadReal(path)
	if err != nil {
		return err
	}
	if most := max(1, maxSampleValues/m.D()/max(m.K(), 1)); n < 1 || n > most {
		return usagef("-n %d samples: give at least 1 and at most %d", n, most)
	}
	var flat []float64
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = m.Sample(sampleSource(seed, i))
		flat = append(flat, rows[i]...)
	}
	switch kind, table := isTable(format); {
	case output == "" && isTableModel(m):
		return a.output("-", func(w io.Writer) error { return writeSampled(w, m, dataset.TableCSV, flat) })
	case output == "":
		return a.show(sampledSheet(m, rows))
	case isPicture(output):
		err = render.Save(output, sampledSheet(m, rows))
	case table && kind == dataset.TableCSV && isTableModel(m):
		err = a.output(output, func(w io.Writer) error { return writeSampled(w, m, kind, flat) })
	case strings.HasPrefix(format, ".csv"):
		return usagef("-o %s: a CSV file holds the rows of a table, and the model is of images; choose .npz, .png or .svg", output)
	default:
		shape := []int{n, m.Height, m.Width}
		if isTableModel(m) {
			shape = []int{n, m.Width}
		}
		members := []npy.Member{{Name: "x", Array: npy.New(flat, shape...)}}
		if m.Columns != nil {
			members = append(members, npy.Member{Name: "columns", Array: npy.New(m.Columns, len(m.Columns))})
		}
		err = a.output(output, func(w io.Writer) error { return npy.WriteZip(w, npy.Deflate, members...) })
	}
	if err != nil {
		return err
	}
	return a.wrote(output, "%s", sizeOf(n, m.Height, m.Width, isTableModel(m)))
}

// writeSampled writes sampled rows as a table.
func writeSampled(w io.Writer, m *real.Model, kind dataset.TableFormat, flat []float64) error {
	var names []string
	for d := range m.D() {
		names = append(names, realColumn(m, d))
	}
	return writeOnce(w, kind, []dataset.TableColumn{{Name: "x", Type: dataset.ColumnFloat, Block: names}}, []any{flat})
}

// sampledSheet draws sampled images in grey.
func sampledSheet(m *real.Model, rows [][]float64) render.Sheet {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		low, high = min(low, slices.Min(row)), max(high, slices.Max(row))
	}
	s := render.Sheet{Title: "Samples"}
	for i, row := range rows {
		s.Tiles = append(s.Tiles, render.Tile{Image: greyTile(m.Height, m.Width, row, low, high), Caption: fmt.Sprint(i)})
	}
	return s
}
