package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/posterior/sheets"
	"example.com/patchwork/render"
)

// findQuery says, as query parameters, what to look for on a page.
type findQuery struct {
	Symbol []int `query:"symbol,explode" required:"true" minItems:"4" maxItems:"64" doc:"left, top, width and height of each symbol on the page, in pixels"`
	Rival  []int `query:"rival,explode" maxItems:"64" doc:"those of counter-examples, which explain their own and are no finds"`
	Turns  bool  `query:"turns" doc:"by quarter turns, too"`
	Mirror bool  `query:"mirror" doc:"mirrored, too"`
	Invert bool  `query:"invert" doc:"light is ink"`
}

type findAnswer struct {
	Height   int       `json:"height" doc:"of the page"`
	Width    int       `json:"width"`
	Flip     float64   `json:"flip" doc:"share of flipped pixels, learned from the page"`
	Notes    []string  `json:"notes" doc:"what was done to the page in reading it"`
	Finds    []oneFind `json:"finds" doc:"from top to bottom; those that are rather there than not"`
	Withheld []oneFind `json:"withheld" doc:"those that are rather not there, with what speaks most against each"`
}

type oneFind struct {
	Symbol   int     `json:"symbol" doc:"from 0"`
	Top      int     `json:"top" doc:"of its strokes"`
	Left     int     `json:"left"`
	Bottom   int     `json:"bottom" doc:"the row after the last"`
	Right    int     `json:"right"`
	Angle    float64 `json:"angle" doc:"degrees clockwise"`
	Mirrored bool    `json:"mirrored" doc:"left to right, before turning"`
	Gain     float64 `json:"gain" doc:"nats"`
	LogOdds  float64 `json:"log_odds"`
	Certain  bool    `json:"certain" doc:"the odds are 100 to 1 or more"`
	Ink      int     `json:"ink" doc:"pixels of its strokes that can be seen"`
	Missing  int     `json:"missing" doc:"those without ink"`
	Extra    int     `json:"extra" doc:"pixels of ink about it that nothing explains"`
	Why      string  `json:"why" doc:"what speaks most against it; empty if it is certain"`
}

func (s *core) findRoutes() {
	op := operation("POST", "/v1/find", "find", "Find all that looks like an example on a page", 200)
	op.file = "the page: PNG, JPEG, GIF, TIFF, WebP or BMP, of any size up to 16,777,216 pixels"
	add(s, op, s.find)
	add(s, operation("GET", "/v1/find/example", "find-example", "A drawing with symbols, as PNG", 200),
		func(context.Context, *struct{}) (*file, error) { return examplePage() })
}

func (s *core) find(ctx context.Context, in *findQuery) (*findAnswer, error) {
	b := bodyOf(ctx)
	if err := s.checkUpload(b.bytes, ""); err != nil {
		return nil, err
	}
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	set, err := dataset.Decode(ctx, "the page", b.bytes, dataset.Options{Invert: in.Invert, MaxPicture: maxPhoto,
		MaxMemory: s.limits.DataBytes / 2})
	if err != nil {
		return nil, s.workError(contentError(err))
	}
	if set.Table || set.Len() != 1 {
		return nil, problemf(422, "a page is one picture; the body holds something else")
	}
	page := set.Images[0]
	symbols, err := in.symbols(page)
	if err != nil {
		return nil, err
	}
	found, err := sheets.Search(ctx, page, symbols, sheets.Options{Turns: in.Turns, Mirror: in.Mirror, Workers: 1})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, s.workError(cause)
		}
		var many *sheets.TooManyError
		if errors.As(err, &many) {
			return nil, problemf(statusUnprocessableEntity,
				"an example has so few strokes that it fits everywhere; mark a larger one")
		}
		return nil, problemf(422, "%s", strings.TrimPrefix(err.Error(), "sheets: "))
	}
	out := &findAnswer{Height: page.Height(), Width: page.Width(), Flip: found.Rates.Flip, Notes: []string{},
		Finds: findsOf(found.Finds), Withheld: findsOf(found.Withheld)}
	for _, note := range set.Notes {
		out.Notes = append(out.Notes, fmt.Sprint(note))
	}
	return out, nil
}

// symbols returns what is in the rectangles, the counter-examples last.
func (in *findQuery) symbols(page *bitmap.Image) (out []sheets.Symbol, err error) {
	for _, of := range []struct {
		name  string
		sides []int
		rival bool
	}{{"symbol", in.Symbol, false}, {"rival", in.Rival, true}} {
		if len(of.sides)%4 != 0 {
			return nil, problemAt(422, "query."+of.name, of.sides, "a rectangle is four numbers: left, top, width and height")
		}
		for at := range slices.Chunk(of.sides, 4) {
			s, err := sheets.Mark(page, "example", at[1], at[0], at[3], at[2])
			switch s.Rival = of.rival; {
			case err != nil:
				return nil, problemAt(422, "query."+of.name, at, "%s", strings.TrimPrefix(err.Error(), "sheets: "))
			case max(at[2], at[3]) > mostExample:
				return nil, problemAt(422, "query."+of.name, at, "an example has a side of at most %d pixels", mostExample)
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// mostExample is the longest side of an example, in pixels.
const mostExample = 1024

// findsOf returns finds as the page shows them.
func findsOf(finds []sheets.Find) []oneFind {
	out := []oneFind{}
	round := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	for _, f := range finds {
		out = append(out, oneFind{f.Symbol, f.Top, f.Left, f.Bottom, f.Right, f.Turn.Angle, f.Turn.Mirrored, round(f.Gain),
			round(f.LogOdds), f.Certain, f.Ink, f.Missing, f.Extra, f.Why})
	}
	return out
}

// exampleSheet returns a drawing with few kinds of symbols, to try find on.
func exampleSheet() (*synth.Set[*synth.SheetTruth], error) {
	return synth.Sheets(synth.SheetsOptions{N: 1, Height: 640, Width: 960, Symbols: 9, Placements: 32, Lines: 9,
		Strangers: 8, Seed: 4})
}

// examplePage returns that drawing as PNG.
var examplePage = sync.OnceValues(func() (*file, error) {
	set, err := exampleSheet()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := render.WritePage(&b, set.Images[0]); err != nil {
		return nil, err
	}
	return &file{"image/png", "", b.Bytes()}, nil
})
