package sheets

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
)

// Options says how to search. The zero value looks for the symbols as they are.
type Options struct {
	Turns  bool      // by quarter turns, too
	Mirror bool      // mirrored, too
	Angles []float64 // turned by these angles, too, in degrees, positive is clockwise
	Scales []float64 // scaled by these factors instead of 1 alone, 0.25 to 4

	// Share is how much of what a symbol would gain on a page of its own a placement must
	// gain, 0 to 1; 0 means 0.4, which is at about 70 of 100 pixels of its strokes.
	Share float64
	// MinOdds is the least log-odds of a find; NaN lists all placements. The zero value
	// lists what is rather there than not.
	MinOdds float64

	// Flip, if not 0, is the share of flipped pixels, instead of that which is learned from the page.
	Flip float64

	Pen *Pen // of pages like this one, for one with too few sure finds to tell

	Tiles   int // number of tiles; 0 means tiles of about a million places
	Workers int // 0 means 1
}

// minGain is how many nats a placement must gain.
const minGain = 12

// certainOdds are the log-odds from which a find is certain: 100 to 1.
var certainOdds = elem.Log(100)

// Find is a placement of a symbol, with what speaks for and against it.
type Find struct {
	Symbol int // index into the symbols
	// of the top left corner of the symbol's frame before turning it about its centre; half pixels where a turned frame
	// has sides of unlike parity
	Y, X float64
	Turn Turn
	Gain float64 // nats

	LogOdds float64 // natural logarithm of the odds that the symbol is here
	Certain bool    // the odds are 100 to 1 or more
	Why     string  // what speaks most against it: [FewStrokes], [Missing], [More] or [Second]; "" if it is certain

	Second int     // the symbol that came second at this place, -1 if none gained enough to be a candidate
	Ahead  float64 // by how many nats the find gains more; 0 without a second

	Ink     int // pixels of the symbol's strokes that can be seen, because no line covers them
	Missing int // those without ink
	Extra   int // pixels of ink about the symbol, in pieces, that nothing explains

	// Top, Left, Bottom and Right bound the symbol's strokes on the page, in pixels; the last two
	// are the first row and column after it.
	Top, Left, Bottom, Right int
}

// Result is what was found on a page.
type Result struct {
	Finds      []Find // from top to bottom, those of one row from left to right
	Withheld   []Find // those with smaller odds than asked for, in the same order
	Rates      Rates
	Lines      int // pixels of ink in long straight strokes
	LineLength int // how long they are at least
	Candidates int // placements that gained enough at first
	Sprites    int // ways to lay symbols that differ
	Pen        *Pen
}

// Search finds the symbols on a page. The result does not depend on Tiles and Workers. The error
// names the symbol or option that is invalid, is a *[TooManyError], or is the context's.
func Search(ctx context.Context, page *bitmap.Image, symbols []Symbol, o Options) (*Result, error) {
	sprites, err := o.sprites(symbols)
	if err != nil {
		return nil, err
	}
	const spare = 2
	on, unknown := planes(page, spare)
	res := &Result{Sprites: len(sprites)}
	longest, reach := 0, 1
	for _, sp := range sprites {
		longest, reach = max(longest, sp.h, sp.w), max(reach, sp.words)
	}
	if reach >= spare { // sprites of more words read further
		on, unknown = planes(page, reach+1)
	}
	res.LineLength = lineLength(longest)
	res.Lines = takeLines(on, unknown, res.LineLength, on.stride-(on.w+63)/64)
	res.Rates = learnRates(on, unknown)
	if o.Flip > 0 {
		res.Rates.Flip = o.Flip
		res.Rates = res.Rates.complete()
	}
	r := &round{before: on, seen: unknown}
	if err := r.run(ctx, sprites, &o, res); err != nil {
		return nil, err
	}
	if res.Pen = r.learnPen(res.Rates); o.Pen != nil && res.Pen.finds < penFinds {
		res.Pen = o.Pen
	}
	pad := 0
	if res.Pen.Learned() {
		pad = penReach
		for i, sp := range sprites {
			sprites[i] = sp.redrawn(res.Pen)
			reach = max(reach, sprites[i].words)
		}
		r = &round{on.padded(pad, max(spare, reach+1), false), unknown.padded(pad, max(spare, reach+1), true), nil, nil, nil,
			nil}
		if err := r.run(ctx, sprites, &o, res); err != nil {
			return nil, err
		}
	}
	finds := r.judge(page.Len(), res.Pen, pad)
	for _, f := range finds {
		switch {
		case symbols[f.Symbol].Rival:
		case f.LogOdds < o.MinOdds:
			res.Withheld = append(res.Withheld, f)
		default:
			res.Finds = append(res.Finds, f)
		}
	}
	slices.SortFunc(res.Finds, Find.before)
	slices.SortFunc(res.Withheld, Find.before)
	return res, nil
}

// round is one search of a page, before and after all that was found is explained.
type round struct {
	before, seen  *plane // ink without lines, and unknown pixels
	left, unknown *plane // and what they are afterwards
	sprites       []*sprite
	picks         []pick
}

// run searches for the sprites that the page has room for.
func (r *round) run(ctx context.Context, sprites []*sprite, o *Options, res *Result) error {
	for _, sp := range sprites {
		sp.weigh(res.Rates, o.Share, minGain)
		if sp.h <= r.before.h && sp.w <= r.before.w {
			r.sprites = append(r.sprites, sp)
		}
	}
	list, err := candidates(ctx, r.before, r.seen, r.sprites, o.Tiles, o.Workers)
	if err != nil {
		return err
	}
	res.Candidates = len(list)
	r.left, r.unknown = r.before.clone(), r.seen.clone()
	r.picks = pursue(r.left, r.unknown, r.sprites, list)
	return nil
}

// before orders finds from top to bottom, those of one row from left to right.
func (f Find) before(o Find) int {
	return cmp.Or(cmp.Compare(f.Y, o.Y), cmp.Compare(f.X, o.X), cmp.Compare(f.Symbol, o.Symbol),
		cmp.Compare(f.Turn.Angle, o.Turn.Angle), cmp.Compare(f.Top, o.Top))
}

// lineLength returns how long a straight stroke is at least that belongs to the page,
// where the longest side of a symbol is known.
func lineLength(longest int) int { return max(80, 2*longest) }

// sprites lays out the symbols in all ways and completes the options.
func (o *Options) sprites(symbols []Symbol) ([]*sprite, error) {
	switch {
	case len(symbols) == 0:
		return nil, fmt.Errorf("sheets: there is no symbol to look for")
	case !(o.Share >= 0 && o.Share <= 1):
		return nil, fmt.Errorf("sheets: Share is %v; give 0 to 1", o.Share)
	case !(o.Flip >= 0 && o.Flip < 0.5):
		return nil, fmt.Errorf("sheets: Flip is %v; give a share below 0.5", o.Flip)
	}
	o.Share = cmp.Or(o.Share, 0.4)
	turns, err := o.ways()
	if err != nil {
		return nil, err
	}
	var out []*sprite
	for i := range symbols {
		if err := symbols[i].check(i); err != nil {
			return nil, err
		}
		var own []*sprite
		for _, t := range turns {
			sp := layOut(i, &symbols[i], t)
			if sp == nil {
				return nil, fmt.Errorf("sheets: symbol %d %q has no ink", i+1, symbols[i].Name)
			}
			if !slices.ContainsFunc(own, sp.same) {
				own = append(own, sp)
			}
		}
		out = append(out, own...)
	}
	return out, nil
}

// plainAngle returns an angle as people say it: quarter turns from 0 to 270, others from
// -180 to 180.
func plainAngle(a float64) float64 {
	a = math.Mod(math.Mod(a, 360)+360, 360)
	if math.Mod(a, 90) != 0 && a > 180 {
		a -= 360
	}
	return a
}

// ways lists how symbols are laid, as they are first.
func (o *Options) ways() ([]Turn, error) {
	angles := append([]float64{0}, o.Angles...)
	if o.Turns {
		for _, a := range slices.Clone(angles) {
			angles = append(angles, a+90, a+180, a+270)
		}
	}
	for i, a := range angles {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return nil, fmt.Errorf("sheets: the angle %v is not a number of degrees", a)
		}
		angles[i] = plainAngle(a)
	}
	scales := o.Scales
	if len(scales) == 0 {
		scales = []float64{1}
	}
	var out []Turn
	for _, s := range scales {
		if !(s >= 0.25 && s <= 4) {
			return nil, fmt.Errorf("sheets: the scale %v is not between 0.25 and 4", s)
		}
		for _, mirrored := range []bool{false, true} {
			if mirrored && !o.Mirror {
				continue
			}
			for _, a := range angles {
				if t := (Turn{a, mirrored, s}); !slices.Contains(out, t) {
					out = append(out, t)
				}
			}
		}
	}
	return out, nil
}
