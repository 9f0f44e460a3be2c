package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/posterior/sheets"
)

const findLong = `Find every placement of symbols on pages: drawings, plans, scans, of any size. The
symbols are the parts of a model (-m) or pictures (--symbol), also cut from the first page
(--symbol X,Y,W,H), and each find comes with its odds.

Pages are pictures (PNG, TIFF and others) or PDF, whose pages pdftoppm draws where it is
installed. How much of a page is flipped and how much ink it has is learned from it; long straight
strokes, longer than any symbol, belong to the page.

Finds with odds below 1:1 are withheld (--min-odds), counted and listed with the reason
(--withheld); from 100:1 they are certain, the others doubtful: the odds weigh a find against
the page's own strokes, against the symbol that came second, and against another thing with the
same strokes. What looks nearly like a symbol can be named as a counter-example (--rival), which
explains its own and is not counted.

The table has a row for each find: page, part (number from 0, as in arrays, parts of the model first), name, y and x of
the top left corner of the frame before turning it about its centre, angle in degrees clockwise,
mirrored (0 or 1, left to right, before turning), gain in nats, log_odds, certain (0 or 1),
scale, band, second (what came second there) and ahead (by how many nats), ink (pixels of its strokes
that can be seen), missing (those without ink), extra (ink about it that nothing explains), why (what
speaks most against it). --picture draws the finds on the page, the withheld ones in grey.`

const findExample = `  patchwork synth sheet --seed 1 -o page.png --model symbols.npz
  patchwork find -m symbols.npz page.png --turns --mirror -o finds.csv --picture overlay.svg
  patchwork find page.png --symbol 664,110,38,42 --symbol note=310,642,52,52 --turns -o finds.csv
  patchwork find -m symbols.npz page.png --turns --rival 1 --json`

// findFlags are the flags of find.
type findFlags struct {
	model, output, picture string
	symbols, rivals        []string
	rotate                 string
	scales                 []float64
	minOdds                float64
	all, withheld          bool
	threshold              float64
	invert                 bool
	dpi                    int
	json                   jsonFlag
	opt                    sheets.Options
	format                 string
}

func (a *app) findCommand() *cobra.Command {
	f := &findFlags{minOdds: 1, dpi: 300}
	cmd := &cobra.Command{
		Use:     "find PAGE... [-m MODEL] [-o finds.csv]",
		Short:   "Find every placement of symbols on pages, with odds",
		Long:    findLong,
		Example: findExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused(cmd, "no page: name a picture, such as page.png")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, pages []string) error { return a.find(cmd, f, pages) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.model, "model", "m", "", "model whose parts are the symbols")
	fs.StringVarP(&f.output, "output", "o", "",
		"table of finds to write (.csv, .jsonl, .npz, .parquet; default CSV on standard output)")
	pictureFlag(cmd, &f.picture, "picture", "draw the finds on the page (.svg, .png; pages 2, 3, ... get -2, -3, ...)")
	fs.StringArrayVar(&f.symbols, "symbol", nil,
		"symbol: `[NAME=]FILE`, a picture, or X,Y,W,H, cut from the first page, in pixels (may be repeated)")
	fs.StringArrayVar(&f.rivals, "rival", nil,
		"counter-example: `PART` of the model, picture file or X,Y,W,H of the first page (may be repeated)")
	fs.BoolVar(&f.opt.Turns, "turns", false, "quarter turns, too")
	fs.BoolVar(&f.opt.Mirror, "mirror", false, "mirror images, too")
	fs.Var(&textFlag{kind: "RANGE:STEP", read: func(text string) (err error) {
		f.rotate = text
		f.opt.Angles, err = recipe.ParseRotations(text)
		return err
	}}, "rotate", "further rotations in degrees, such as 4:2")
	fs.Float64SliceVar(&f.scales, "scales", nil, "sizes of the symbols, such as 0.9,1,1.1 (default 1)")
	fs.Float64Var(&f.minOdds, "min-odds", f.minOdds, "leave out finds with smaller odds")
	fs.BoolVar(&f.all, "all", false, "leave out no find, however unlikely")
	fs.BoolVar(&f.withheld, "withheld", false, "give rows to what was left out, too (band withheld)")
	fs.Float64Var(&f.opt.Flip, "flip", 0, "share of flipped pixels (default learned from the page)")
	fs.Float64Var(&f.threshold, "threshold", 0, "luminance of ink, 0 to 255, at most (default found for each page)")
	fs.BoolVar(&f.invert, "invert", false, "light is ink")
	fs.IntVar(&f.dpi, "dpi", f.dpi, "resolution at which PDF is drawn")
	fs.IntVar(&f.opt.Tiles, "tiles", 0, "number of tiles in which a page is searched (default by size)")
	f.json.add(cmd)
	workersFlag(cmd, &f.opt.Workers)
	everyday(cmd, "model output symbol turns mirror rival picture json")
	return cmd
}

// check returns an error if something is wrong that shows before any page is read.
func (f *findFlags) check(cmd *cobra.Command) (err error) {
	switch {
	case f.model == "" && len(f.symbols) == 0:
		return usagef("there is no symbol to look for: give -m MODEL, --symbol FILE or --symbol X,Y,W,H")
	case !(f.minOdds >= 0) || math.IsInf(f.minOdds, 0):
		return usagef("--min-odds %v: give odds, such as 1 or 100", f.minOdds)
	case f.dpi < 30 || f.dpi > 1200:
		return usagef("--dpi %d: give 30 to 1200", f.dpi)
	case f.opt.Tiles < 0 || f.opt.Tiles > 1<<16:
		return usagef("--tiles %d: give 1 to 65536", f.opt.Tiles)
	case !(f.opt.Flip >= 0 && f.opt.Flip < 0.5):
		return usagef("--flip %v: give a share below 0.5", f.opt.Flip)
	case cmd.Flags().Changed("threshold") && !(f.threshold >= 0 && f.threshold <= 255):
		return usagef("--threshold %v: give 0 to 255", f.threshold)
	}
	for _, s := range f.scales {
		if !(s >= 0.25 && s <= 4) {
			return usagef("--scales %v: give sizes from 0.25 to 4", s)
		}
	}
	if f.output != "" {
		if f.format, err = checkOutput("find", f.output); err != nil {
			return err
		}
	}
	f.opt.MinOdds, f.opt.Scales = elem.Log(f.minOdds), f.scales
	if f.all {
		f.opt.MinOdds = math.Inf(-1)
	}
	return f.json.check(f.output)
}

// find runs the command.
func (a *app) find(cmd *cobra.Command, f *findFlags, paths []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if err := a.files.plan(f.drawings(len(paths))...); err != nil {
		return err
	}
	var symbols []sheets.Symbol
	if f.model != "" {
		m, err := loadModel(f.model)
		if err != nil {
			return err
		}
		symbols = symbolsOf(m)
	}
	ctx := cmd.Context()
	opt := f.reading(cmd, paths)
	r, held := &findReport{}, &heldPages{pen: new(sheets.Pen)}
	onPage := func(name string, page *bitmap.Image) error {
		if r.Finds == nil {
			var err error
			if symbols, err = f.addSymbols(ctx, symbols, page, opt); err != nil {
				return err
			}
			r.begin(symbols)
		}
		return held.add(ctx, name, page, symbols, f.opt)
	}
	// The pages of a file share a pen.
	onFile := func() error {
		return held.release(ctx, symbols, f.opt, func(p *heldPage) error {
			r.add(p.name, p.page, symbols, p.found)
			return a.drawFinds(ctx, f.picture, p.page, symbols, p.found, len(r.Pages))
		})
	}
	read := func(name string, page *bitmap.Image) error {
		if err := onPage(name, page); err != nil || held.pixels < maxPage {
			return err
		}
		return onFile()
	}
	if err := a.files.together(func() error {
		say := func(notes ...string) { sayNotes(cmd, notes...) }
		if err := eachPage(ctx, paths, opt, f.dpi, say, read, onFile); err != nil {
			return err
		}
		return a.saveFinds(f, r)
	}); err != nil {
		return err
	}
	return a.sayFinds(f, r)
}

// heldPages are pages of a file that are searched, but not told yet: one with too few finds to tell its pen is
// searched again with the pen of all.
type heldPages struct {
	pages  []*heldPage
	pen    *sheets.Pen
	pixels int
}

type heldPage struct {
	name  string
	page  *bitmap.Image
	found *sheets.Result
}

// search searches the page.
func (p *heldPage) search(ctx context.Context, symbols []sheets.Symbol, opt sheets.Options) (err error) {
	if p.found, err = sheets.Search(ctx, p.page, symbols, opt); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &inputError{fmt.Errorf("%s: %w", p.name, err)}
}

// add searches a page and holds it.
func (h *heldPages) add(ctx context.Context, name string, page *bitmap.Image, symbols []sheets.Symbol,
	opt sheets.Options) error {
	p := &heldPage{name: name, page: page}
	if err := p.search(ctx, symbols, opt); err != nil {
		return err
	}
	h.pages, h.pen, h.pixels = append(h.pages, p), h.pen.With(p.found.Pen), h.pixels+page.Len()
	return nil
}

// release tells the pages.
func (h *heldPages) release(ctx context.Context, symbols []sheets.Symbol, opt sheets.Options,
	tell func(*heldPage) error) error {
	opt.Pen = h.pen
	for _, p := range h.pages {
		if p.found.Pen.Few() && h.pen.Learned() {
			if err := p.search(ctx, symbols, opt); err != nil {
				return err
			}
		}
		if err := tell(p); err != nil {
			return err
		}
	}
	*h = heldPages{pen: new(sheets.Pen)}
	return nil
}

// maxPage bounds the pixels of a page.
const maxPage = 1 << 27

// reading returns how pages and pictures of symbols are read.
func (f *findFlags) reading(cmd *cobra.Command, paths []string) dataset.Options {
	opt := dataset.Options{Kind: dataset.Bit, Opened: opened(cmd), Invert: f.invert, MaxPicture: maxPage,
		MaxMemory: int64(wholeMemory())}
	if cmd.Flags().Changed("threshold") {
		opt.Threshold = &f.threshold
	}
	return opt
}

// symbolsOf returns the parts of a model as symbols. Their votes hold the noise of the images that
// the model is of, and pages have their own: the surest ink and paper of all parts become 1 and 0. What is the
// abstention of a two-sided rule says nothing.
func symbolsOf(m *patchwork.Model) []sheets.Symbol {
	low, high := 1.0, 0.0
	for k := range m.K() {
		low, high = min(low, slices.Min(m.Template(k))), max(high, slices.Max(m.Template(k)))
	}
	if q := m.Config().Q; q < 0.25 { // of a rule that only writes: up to q there is no vote
		low = max(low, q)
	}
	if !(low < 0.5 && high >= 0.5) {
		low, high = 0, 1
	}
	out := make([]sheets.Symbol, m.K())
	for k, name := range partNames(m.Extras().Names, m.K()) {
		s := sheets.Symbol{Name: name, Height: m.Height(), Width: m.Width(), P: make([]float64, m.Height()*m.Width())}
		for i, p := range m.Template(k) {
			s.P[i] = min(max((p-low)/(high-low), 0), 1)
			if q := m.Config().Q; q >= 0.25 && math.Abs(p-q) < 0.02 {
				s.P[i] = math.NaN()
			}
		}
		out[k] = s
	}
	return out
}

// addSymbols adds pictures and cuts to the symbols of a model, and marks rivals.
func (f *findFlags) addSymbols(ctx context.Context, symbols []sheets.Symbol, page *bitmap.Image,
	opt dataset.Options) ([]sheets.Symbol, error) {
	cuts := 0
	for _, text := range f.symbols {
		if isCut(text) {
			cuts++
		}
		s, err := f.symbol(ctx, "--symbol", text, fmt.Sprintf("cut %d", cuts), page, opt)
		if err != nil {
			return nil, err
		}
		symbols = append(symbols, s)
	}
	for i, text := range f.rivals {
		if f.markRival(symbols, text) {
			continue
		}
		s, err := f.symbol(ctx, "--rival", text, fmt.Sprintf("rival %d", i+1), page, opt)
		if err != nil {
			return nil, err
		}
		s.Rival = true
		symbols = append(symbols, s)
	}
	return symbols, nil
}

// symbol returns the symbol of a flag: a picture, or cut from a page, which then is called
// cut unless it has a name.
func (f *findFlags) symbol(ctx context.Context, flag, text, cut string, page *bitmap.Image,
	opt dataset.Options) (sheets.Symbol, error) {
	name, rest := splitNameValue(text)
	if isCut(text) {
		s, err := cutSymbol(page, cmp.Or(name, cut), rest)
		if err != nil {
			return s, usagef("%s %s: %v", flag, rest, err)
		}
		if !slices.ContainsFunc(s.P, func(p float64) bool { return p >= 0.5 }) {
			why := "it is bare paper"
			if slices.ContainsFunc(s.P, math.IsNaN) {
				why = "long straight lines, which are no symbols, cover it"
			}
			return s, usagef("%s %s has no ink: %s; x and y count from the top left of the page of %d x %d pixels", flag, rest,
				why, page.Width(), page.Height())
		}
		return s, nil
	}
	return readSymbol(ctx, cmp.Or(name, strings.TrimSuffix(filepath.Base(rest), filepath.Ext(rest))), rest, opt)
}

// markRival makes the part of a name or number a rival, and reports whether there is one.
func (f *findFlags) markRival(symbols []sheets.Symbol, text string) bool {
	for i := range symbols {
		if symbols[i].Name == text || f.model != "" && strconv.Itoa(i) == text {
			symbols[i].Rival = true
			return true
		}
	}
	return false
}

// splitNameValue splits NAME=VALUE; the name is empty if there is none.
func splitNameValue(text string) (name, value string) {
	if name, value, ok := strings.Cut(text, "="); ok {
		return name, value
	}
	return "", text
}

// isCut reports whether a symbol is one to cut from a page: X,Y,W,H, with a name or without.
func isCut(text string) bool {
	_, rest := splitNameValue(text)
	return strings.Contains(rest, ",") && strings.Trim(rest, "0123456789, ") == ""
}

// cutSymbol cuts a symbol from a page: X,Y,W,H.
func cutSymbol(page *bitmap.Image, name, text string) (sheets.Symbol, error) {
	var r [4]int
	fields := strings.Split(text, ",")
	ok := len(fields) == len(r)
	for i := 0; ok && i < len(r); i++ {
		var err error
		r[i], err = strconv.Atoi(strings.TrimSpace(fields[i]))
		ok = err == nil
	}
	if !ok {
		return sheets.Symbol{},
			errors.New("give four whole numbers, X,Y,W,H in pixels: the left and top edge, the width and height")
	}
	s, err := sheets.Mark(page, name, r[1], r[0], r[3], r[2])
	if err != nil {
		return s, errors.New(strings.TrimPrefix(err.Error(), "sheets: "))
	}
	return s, nil
}

// readSymbol reads a symbol from a picture.
func readSymbol(ctx context.Context, name, path string, opt dataset.Options) (sheets.Symbol, error) {
	set, err := readAll(ctx, []string{path}, opt)
	if err != nil {
		return sheets.Symbol{}, err
	}
	if set.Table || set.Len() != 1 {
		return sheets.Symbol{},
			&inputError{fmt.Errorf("%s holds %s; a symbol is one picture", path, describe(set.Len(), set))}
	}
	return sheets.FromImage(name, set.Images[0]), nil
}
