package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/posterior/sheets"
	"example.com/patchwork/render"
)

// findReport is what find --json prints.
type findReport struct {
	Output   string       `json:"output,omitempty"`
	Finds    []foundMark  `json:"finds"`
	Withheld []foundMark  `json:"withheld"`
	Counts   []foundCount `json:"counts"`
	Pages    []foundPage  `json:"pages"`
}

// foundMark is a find as JSON, and a row of the table.
type foundMark struct {
	Page     string  `json:"page"`
	Part     int     `json:"part"`
	Name     string  `json:"name"`
	Y        float64 `json:"y"`
	X        float64 `json:"x"`
	Angle    float64 `json:"angle"`
	Mirrored bool    `json:"mirrored"`
	Gain     float64 `json:"gain"`
	LogOdds  float64 `json:"log_odds"`
	Certain  bool    `json:"certain"`
	Scale    float64 `json:"scale"`
	Band     string  `json:"band"`
	Second   string  `json:"second,omitempty"` // what came second at this place
	Ahead    float64 `json:"ahead,omitempty"`  // by how many nats this gains more
	Ink      int     `json:"ink"`
	Missing  int     `json:"missing"`
	Extra    int     `json:"extra"`
	Why      string  `json:"why,omitempty"` // what speaks most against it
	Box      [4]int  `json:"box"`           // top, left, bottom, right of its strokes
}

// foundCount says how often a symbol was found.
type foundCount struct {
	Part     int    `json:"part"`
	Name     string `json:"name"`
	Count    int    `json:"count"`
	Certain  int    `json:"certain"`
	Doubtful int    `json:"doubtful"`
	Withheld int    `json:"withheld"`

	Why   map[string]int `json:"why,omitempty"` // how many were withheld, by what spoke most against them
	rival bool
}

// foundPage says what was learned of a page.
type foundPage struct {
	Page       string  `json:"page"`
	Height     int     `json:"height"`
	Width      int     `json:"width"`
	Finds      int     `json:"finds"`
	Flip       float64 `json:"flip"`        // share of flipped pixels
	Ink        float64 `json:"ink"`         // share of ink, without lines
	Lines      int     `json:"lines"`       // pixels of ink in long straight strokes
	LineLength int     `json:"line_length"` // from which a stroke is long
	Candidates int     `json:"candidates"`  // placements that gained enough at first

	Pen []float64 `json:"pen,omitempty"` // ink at the edge of strokes, and 1, 2, 3 pixels outside, if not as the symbols have
}

// begin sets the counts to 0.
func (r *findReport) begin(symbols []sheets.Symbol) {
	r.Finds, r.Withheld = []foundMark{}, []foundMark{}
	for i, s := range symbols {
		r.Counts = append(r.Counts, foundCount{Part: i, Name: s.Name, rival: s.Rival})
	}
}

// add adds the finds of a page.
func (r *findReport) add(name string, page *bitmap.Image, symbols []sheets.Symbol, found *sheets.Result) {
	for _, f := range found.Finds {
		c, band := &r.Counts[f.Symbol], "doubtful"
		c.Count++
		if f.Certain {
			band = "certain"
			c.Certain++
		} else {
			c.Doubtful++
		}
		r.Finds = append(r.Finds, markOf(name, band, symbols, f))
	}
	for _, f := range found.Withheld {
		c := &r.Counts[f.Symbol]
		if c.Why == nil {
			c.Why = map[string]int{}
		}
		c.Withheld++
		c.Why[f.Why]++
		r.Withheld = append(r.Withheld, markOf(name, "withheld", symbols, f))
	}
	var pen []float64
	if found.Pen.Learned() {
		for _, v := range found.Pen.Rates() {
			pen = append(pen, rounded(v))
		}
	}
	r.Pages = append(r.Pages, foundPage{Page: name, Height: page.Height(), Width: page.Width(), Finds: len(found.Finds),
		Flip: rounded(found.Rates.Flip),
		Ink:  rounded(found.Rates.Page), Lines: found.Lines, LineLength: found.LineLength, Candidates: found.Candidates,
		Pen: pen})
}

// markOf returns a find as a row.
func markOf(page, band string, symbols []sheets.Symbol, f sheets.Find) foundMark {
	m := foundMark{Page: page, Part: f.Symbol, Name: symbols[f.Symbol].Name, Y: f.Y, X: f.X, Angle: f.Turn.Angle,
		Mirrored: f.Turn.Mirrored, Gain: rounded(f.Gain), LogOdds: rounded(f.LogOdds), Certain: f.Certain,
		Scale: f.Turn.Scale, Band: band, Ink: f.Ink, Missing: f.Missing, Extra: f.Extra, Why: f.Why,
		Box: [4]int{f.Top, f.Left, f.Bottom, f.Right}}
	if f.Second >= 0 {
		m.Second, m.Ahead = symbols[f.Second].Name, rounded(f.Ahead)
	}
	return m
}

// drawings returns the files for drawings of all pages after the first, if there are n. More pages show
// only when they are read.
func (f *findFlags) drawings(n int) (out []named) {
	for page := 2; page <= n && f.picture != ""; page++ {
		path := drawingOf(f.picture, page)
		out = append(out, named{path, fmt.Sprintf("the drawing %s of --picture", path)})
	}
	return out
}

// drawingOf returns the file for the drawing of page n.
func drawingOf(path string, n int) string {
	if n == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// sayDrawings says which files have the drawings of n pages.
func (a *app) sayDrawings(f *findFlags, n int) error {
	if f.picture == "" || n < 2 {
		return nil // one page is said as any other output
	}
	more := drawingOf(f.picture, 2)
	if n > 2 {
		more += " to " + drawingOf(f.picture, n)
	}
	a.written = append(a.written, f.picture)
	return a.say(a.beside(), "wrote %s and %s: the finds on %d pages", f.picture, more, n)
}

// drawFinds draws the finds on a page, the n-th, unless no file is named.
func (a *app) drawFinds(ctx context.Context, path string, page *bitmap.Image, symbols []sheets.Symbol,
	found *sheets.Result, n int) error {
	if path == "" {
		return nil
	}
	picture := &render.Boxes{Page: page}
	for _, m := range found.Finds {
		label := symbols[m.Symbol].Name
		if !m.Certain {
			label += "?"
		}
		picture.List = append(picture.List, render.Box{Top: m.Top, Left: m.Left, Bottom: m.Bottom, Right: m.Right,
			Label: label, Kind: m.Symbol, Doubtful: !m.Certain})
	}
	for _, m := range found.Withheld {
		picture.List = append(picture.List, render.Box{Top: m.Top, Left: m.Left, Bottom: m.Bottom, Right: m.Right,
			Label: symbols[m.Symbol].Name + ": " + m.Why, Kind: -1, Doubtful: true})
	}
	return a.savePicture(ctx, drawingOf(path, n), picture)
}

// noteNothing says why symbols that were marked may be nowhere.
func (a *app) noteNothing(f *findFlags, r *findReport) {
	for _, c := range r.Counts {
		if c.Count == 0 && !c.rival && slices.ContainsFunc(f.symbols, func(text string) bool {
			name, _ := splitNameValue(text)
			return isCut(text) && (name == c.Name || name == "" && strings.HasPrefix(c.Name, "cut "))
		}) {
			a.warn("%s was found nowhere, not even where it was cut: it is a piece of something larger (strokes go on "+
				"beyond it), "+
				"has too little ink, or a line covers it; cut a whole symbol, or see --all", c.Name)
		}
	}
}

// saveFinds writes the table.
func (a *app) saveFinds(f *findFlags, r *findReport) error {
	if f.output == "" && bool(f.json) {
		return nil
	}
	rows := r.Finds
	if f.withheld {
		rows = append(slices.Clip(rows), r.Withheld...)
	}
	finds := answersOf(rows)
	return a.outputAnswers(f.output, cmp.Or(f.format, ".csv"), finds, finds.once())
}

// sayFinds says what was found.
func (a *app) sayFinds(f *findFlags, r *findReport) error {
	a.noteNothing(f, r)
	if n := len(r.Withheld); n > 0 && (bool(f.json) || !a.carried) { // the counts do not go to stderr
		why := map[string]int{}
		for _, m := range r.Withheld {
			why[m.Why]++
		}
		a.note("%s that may be symbols withheld: %s; look at them: --picture draws them, --withheld lists them",
			words.Count(n, "place"), reasons(why))
	}
	if f.json {
		r.Output = f.output
		if err := a.printObject(r, f.output); err != nil {
			return err
		}
		return a.sayDrawings(f, len(r.Pages))
	}
	if err := a.wrote(f.output, "%s on %s", words.Count(len(r.Finds), "find"), words.Count(len(r.Pages), "page")); err !=
		nil {
		return err
	}
	if err := a.sayCounts(r); err != nil {
		return err
	}
	return a.sayDrawings(f, len(r.Pages))
}

// sayCounts says how often each symbol was found, on stderr where the table went to standard output.
func (a *app) sayCounts(r *findReport) error {
	w := a.beside()
	for _, c := range r.counted() {
		line := fmt.Sprintf("%6d  %s", c.Count, c.Name)
		if c.Doubtful > 0 {
			line += fmt.Sprintf(" (%d doubtful)", c.Doubtful)
		}
		if c.Withheld > 0 {
			line += fmt.Sprintf("; %d more withheld: %s", c.Withheld, reasons(c.Why))
		}
		if err := a.say(w, "%s", line); err != nil {
			return err
		}
	}
	return nil
}

// reasons says how many were withheld for what, without the number where all were for one.
func reasons(why map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		out = append(out, fmt.Sprintf("%d %s", why[name], name))
	}
	if len(out) == 1 {
		_, name, _ := strings.Cut(out[0], " ")
		return name
	}
	return strings.Join(out, ", ")
}

// counted returns the counts, but for counter-examples that are nowhere.
func (r *findReport) counted() []foundCount {
	return slices.DeleteFunc(slices.Clone(r.Counts), func(c foundCount) bool { return c.rival && c.Count == 0 })
}

// eachPage reads pages one after the other. The pages of a PDF or TIFF, and pictures of files with
// several, are called FILE 1, FILE 2 and so on. It says what was done to a page in reading it, and when a file is done.
func eachPage(ctx context.Context, paths []string, opt dataset.Options, dpi int, say func(notes ...string),
	do func(name string, page *bitmap.Image) error, done func() error) error {
	for _, path := range paths {
		n := 0
		take := func(set *dataset.Frame, several bool) error {
			if set.Table {
				return &inputError{fmt.Errorf("%s is a table; find looks for symbols on pictures of pages", path)}
			}
			for _, page := range set.Images {
				name := path
				if n++; several || set.Len() > 1 {
					name = fmt.Sprintf("%s %d", path, n)
				}
				for _, note := range set.Notes {
					say(fmt.Sprintf("%s: %v", name, note))
				}
				if err := do(name, page); err != nil {
					return err
				}
			}
			return nil
		}
		eachFile := func(files []string) error {
			for _, file := range files {
				set, err := readAll(ctx, []string{file}, opt)
				if err != nil {
					return err
				}
				if err := take(set, len(files) > 1); err != nil {
					return err
				}
			}
			return nil
		}
		var err error
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case kindOfFile(path) == kindPDF:
			err = eachPDFPage(ctx, path, dpi, eachFile)
		case (ext == ".tif" || ext == ".tiff") && fitsMemory(path, opt.MaxMemory):
			err = eachTIFFPage(ctx, path, opt, take)
		default:
			err = eachFile([]string{path})
		}
		if err == nil {
			err = done()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fitsMemory reports whether a path is a file of no more bytes.
func fitsMemory(path string, most int64) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() <= most
}

// eachTIFFPage reads the pages of a TIFF file.
func eachTIFFPage(ctx context.Context, path string, opt dataset.Options,
	take func(set *dataset.Frame, several bool) error) error {
	if err := opt.Opened(path); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return &inputError{err}
	}
	pages := 0
	for range dataset.TIFFPages(data) {
		pages++
	}
	for page := range dataset.TIFFPages(data) {
		set, err := dataset.Decode(ctx, path, page, opt)
		if err != nil {
			return &inputError{err}
		}
		if err := take(set, pages > 1); err != nil {
			return err
		}
	}
	return nil
}

// eachPDFPage has pdftoppm draw the pages of a PDF into a folder that is removed
// afterwards.
func eachPDFPage(ctx context.Context, path string, dpi int, do func(files []string) error) error {
	tool, err := exec.LookPath("pdftoppm")
	if err != nil {
		return &inputError{fmt.Errorf(
			"%s is a PDF, and pdftoppm, which would draw its pages, is not installed: install poppler-utils, or draw the "+
				"pages as PNG yourself", path)}
	}
	dir, err := os.MkdirTemp("", "patchwork-pdf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, tool, "-r", strconv.Itoa(dpi), "-gray", "--", path, filepath.Join(dir, "page"))
	if said, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		return &inputError{fmt.Errorf("%s: pdftoppm could not draw it: %s", path, first)}
	}
	pages, err := filepath.Glob(filepath.Join(dir, "page*"))
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return &inputError{fmt.Errorf("%s: it has no pages", path)}
	}
	slices.Sort(pages) // pdftoppm pads the numbers
	return do(pages)
}
