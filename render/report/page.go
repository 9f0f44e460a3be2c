package report

import (
	"bytes"
	"cmp"
	_ "embed" // the templates of the sections
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/markup"
	"example.com/patchwork/render"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

var pageTemplates = markup.New("report", markup.Funcs{
	"percent": func(share float64) string { return joined(percent(share)) }, "joined": joined, "plural": plural,
	"thousands": thousands, "lower": strings.ToLower, "upper": sentence, "capital": capital,
	"mean": Mean, "worst": Worst, "back": Back,
	"hue": hue, "onhue": onHue, "scale": scale, "bits": bits[float64], "times": times, "fixed": fixed[float64],
	"counted": func(part int) int { return part + 1 }, // as people count
	"shown":   shown,
	"tint":    tint, "share": shareOf,
	"hundred": func(share float64) float64 { return 100 * share },
	"fixed2":  func(v float64) string { return fmt.Sprintf("%.2f", v) },
	"way":     way[float64], "middle": func(x, w float64) float64 { return x + float64(w/2) },
	"noun":  func(r interface{ Noun() string }) string { return r.Noun() },
	"title": func(r interface{ Title() string }) string { return r.Title() },
}, pageHTML)

// page is what the templates see.
type page struct {
	*Report
	sections []render.Section
	err      error
}

// WriteHTML draws the report as one page that needs nothing else: it loads nothing,
// adapts to phones, large screens, dark rooms and paper, and can be searched.
// Title is its heading.
func (r *Report) WriteHTML(w io.Writer, title string) error {
	p := &page{Report: r}
	if r.Answers != nil {
		p.section("answers", "The picture of the answers", "answers", p.answersView())
	}
	p.section("parts", "The parts", "parts", p.partViews())
	if !r.Table {
		p.images()
	}
	p.groups()
	if r.Table {
		p.section("rest", "What nothing explains", "rest", p.restView())
	} else {
		order := r.Unusual()
		p.section("rest", "The strangest images", "examples", p.exampleViews("The images with the lowest log-likelihood per "+
			"pixel: the parts describe these worst.", order[:min(len(order), examplesShown)]))
	}
	if r.Missing != nil {
		p.section("missing", "Missing cells", "missing", p.missingView())
	}
	p.section("quality", "How well hidden "+r.cell()+"s are predicted", "quality", p.qualityView())
	p.section("stability", "Would the same parts be found again?", "stability", p.stabilityView())
	if points := r.curve(); points != nil {
		p.section("curve", "How many parts?", "curve", p.curveView(points))
	}
	if len(r.Findings) > 0 {
		p.section("findings", "What may be wrong", "findings", r.Findings)
	}
	p.section("how", "How to read the numbers", "how", struct {
		*Report
		Scores string
	}{r, strings.ReplaceAll(strings.Join(r.scores, "\n"), "NaN", "–")})
	p.section("open", "Open in the page", "open", p.openView())
	return p.write(w, title, p.markup("lead", p.leadView()))
}

// images adds the sections that only images have.
func (p *page) images() {
	p.section("examples", "Explanations", "examples", p.exampleViews("Images spread evenly over the data.",
		p.spread(examplesShown)))
	if p.placed() {
		p.section("places", "Where the parts sit", "places", p.placeViews())
	}
	p.section("samples", "Samples drawn from the model", "samples", p.samples())
}

// write writes the page.
func (p *page) write(w io.Writer, title string, lead markup.HTML) error {
	if p.err != nil {
		return p.err
	}
	return render.Page{Title: title, Lead: lead, Sections: p.sections,
		Style: markup.HTML(pageStyle), Script: markup.HTML(pageScript)}.Write(w)
}

// groups adds the sections that follow from which parts each row has, whatever the rows hold.
func (p *page) groups() {
	if len(p.Labels)+len(p.Skipped) > 0 {
		p.section("labels", "Parts and labels", "labels", p.labelViews())
	}
	if len(p.Parts) > 0 {
		p.section("use", "Which "+p.Noun()+"s have which parts", "use", p.useView())
	}
	if len(p.Parts) > 1 {
		p.section("together", "Which parts occur together", "together", p.heatView())
	}
	if p.Table {
		p.section("rows", "Rows by parts", "rows", p.rowView())
	}
}

// section adds a section whose body a template makes of data.
func (p *page) section(id, heading, name string, data any) {
	p.sections = append(p.sections, render.Section{ID: id, Heading: heading, Body: p.markup(name, data)})
}

// markup returns what a template makes of data.
func (p *page) markup(name string, data any) markup.HTML {
	var b bytes.Buffer
	if err := pageTemplates.Execute(&b, name, data); err != nil && p.err == nil {
		p.err = err
	}
	return markup.HTML(b.String())
}

// joined keeps a number and its sign of per cent on one line.
func joined(text string) string { return strings.ReplaceAll(text, " %", "\u00a0%") }

// hue returns the colour of a part for a style.
func hue(k int) markup.HTML {
	c := render.Hue(k)
	return markup.HTML(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
}

// onHue returns the colour of text on the colour of a part.
func onHue(k int) markup.HTML {
	c := render.Hue(k)
	if float64(0.299*float64(c.R))+float64(0.587*float64(c.G))+float64(0.114*float64(c.B)) > 140 {
		return "#10131a"
	}
	return "#fff"
}

// scale returns a share as a length in per cent; 0 for none.
func scale(share float64) markup.HTML {
	if math.IsNaN(share) {
		share = 0
	}
	return markup.HTML(fmt.Sprintf("%.1f%%", 100*min(max(share, 0), 1)))
}

// shareOf returns a number of rows as a share of all; the template passes what embeds
// the report.
func shareOf(r interface{ share(int64) float64 }, n int64) float64 { return r.share(n) }

// bits returns nats in bits.
func bits[F ~float64](nats F) float64 { return float64(nats) / math.Ln2 }

// fixed writes a number with so many digits after the point, and a dash for none.
func fixed[F ~float64](digits int, v F) string {
	x := float64(v)
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 0):
		return "∞"
	}
	return strings.Replace(fmt.Sprintf("%.*f", digits, x), "-", "−", 1)
}

// way writes a distance with the word for its direction: 0.8 up.
func way[F ~float64](v F, forward, back string) string {
	x := float64(v)
	if x < 0 {
		x, forward = -x, back
	}
	text := fixed(1, x)
	if strings.HasPrefix(forward, "°") {
		return text + forward
	}
	return text + " " + forward
}

// times writes a lift: 2.4×.
func times(lift float64) string {
	if !math.IsNaN(lift) {
		return timesText(lift) + "×"
	}
	return "–"
}

// tint returns the class and strength, from 0 to 100, of a cell that compares a number
// with chance: more or less, by its lift; none within two standard deviations.
type shade struct {
	Class    string
	Strength int
}

func tint(lift, z Number) shade {
	v, how := float64(lift), math.Abs(float64(z))
	if !(how >= 2) || math.IsNaN(v) {
		return shade{"", 0}
	}
	s := shade{"more", int(math.Round(100 * math.Min(math.Abs(elem.Log2(max(v, 0.05)))/2, 1)))}
	if v < 1 {
		s.Class = "less"
	}
	s.Strength = max(s.Strength, 12)
	return s
}

// leadView is the top of the page.
type leadView struct {
	*Report
	Links []render.Section
	Facts []fact

	Warning *warning // nil for none
	Said    []string // the summary without the warning
}

// warning is what stands before all else: not to rely on the parts, and why.
type warning struct{ First, Rest string }

// fact is a number that stands out.
type fact struct{ Value, Words string }

// facts are how many parts are used, how many rows there are, and how many of these have a part.
func (r *Report) facts() []fact {
	n := r.usedParts()
	return []fact{{fmt.Sprint(n), verb(n, "part is", "parts are") + " used"},
		{thousands(int64(r.Rows)), verb(r.Rows, r.Noun(), r.Noun()+"s")},
		{percent(1 - r.share(r.PartCounts[0])), r.Noun() + "s have a part"}}
}

// verb returns the form for a number of things.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (p *page) leadView() any {
	r := p.Report
	v := leadView{Report: r, Links: p.sections, Said: r.Summary}
	if rest, ok := strings.CutPrefix(r.warning, doNotRely); ok {
		v.Warning, v.Said = &warning{strings.TrimSpace(doNotRely), rest}, r.Summary[1:]
	}
	v.Facts = append(r.facts(), fact{fixed(2, r.Gained), "nats gained per " + r.Noun()})
	if r.Quality != nil {
		v.Facts = append(v.Facts, fact{fixed(2, r.Quality.By[0].Bits), "bits per hidden " + r.cell() + "; " + r.means() +
			" " + fixed(2, r.Quality.By[1].Bits)})
	}
	if r.Stability != nil {
		v.Facts = append(v.Facts, fact{fmt.Sprintf("%d of %d", len(r.Parts)-len(r.lost()), len(r.Parts)),
			verb(len(r.Parts), "part comes", "parts come") + " back"})
	}
	return v
}

// Title is the file that the report is about, without its folder.
func (r *Report) Title() string {
	name := r.Source
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return name
}

// mostShown bounds the parts in tables and charts of pairs; the tables of numbers
// have them all.
const mostShown = 24

// shown returns the parts that a chart shows, by number: the most used ones.
func (r *Report) shown() []Part {
	parts := byUse(r.Parts)
	parts = parts[:min(len(parts), mostShown)]
	slices.SortFunc(parts, func(x, y Part) int { return x.Number - y.Number })
	return parts
}

// byUse returns the parts, the most used first.
func byUse(parts []Part) []Part {
	out := slices.Clone(parts)
	slices.SortStableFunc(out, func(x, y Part) int { return cmp.Compare(y.Share, x.Share) })
	return out
}
