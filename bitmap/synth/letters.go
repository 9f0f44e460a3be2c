package synth

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"example.com/patchwork/bitmap"
)

// Capitals are the letters that [Letters] can draw.
const Capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// LetterBorder is the width in pixels of the empty frame around a letter.
const LetterBorder = 3

// LettersOptions holds the options for a set of [Letters].
type LettersOptions struct {
	Letters string // distinct capitals; "" means all 26
	Writers int    // number of writers; 0 means 20
	N       int    // images; 0 means each letter once by each writer
	Side    int    // pixels, 16 to 512; 0 means 56
	Seed    uint64
}

// LetterTruth is the truth of a set of letters. As arrays, with S =
// [MaxStrokes]:
//
//	y       (N)           string   the letter
//	writer  (N)           int32    1 to Writers
//	sample  (N)           int32    0 for a writer's first drawing of the letter, 1, ...
//	variant (N)           int32    the way of writing the letter, 0, 1, ...; a habit of the writer
//	pen     (N)           float64  width of the pen in pixels
//	stroke  (N,side,side) int8     the first stroke that inked the pixel, -1 for none
//	pose    (N,S,3)       float64  y, x, angle of each stroke; NaN where the letter has fewer
//
// See [StrokePose] for the three numbers.
type LetterTruth struct {
	Side  int
	Items []Letter // N
}

// Letter is one drawing of a letter.
type Letter struct {
	Letter                  rune
	Writer, Sample, Variant int          // Writer counts from 1, the others from 0
	Pen                     float64      // width of the pen in pixels
	Stroke                  []int8       // side*side: the first stroke that inked the pixel, -1 for none
	Poses                   []StrokePose // one per stroke, in drawing order
}

// StrokePose says where a stroke of a letter lies.
type StrokePose struct {
	Y, X  float64 // mean of the pen's path, in pixels from the top left corner of the image
	Angle float64 // degrees clockwise on screen, relative to the skeleton of the letter (slant included)
}

// Arrays lists the arrays named in the documentation of the type.
func (t *LetterTruth) Arrays() []Array {
	n := len(t.Items)
	y, pen := make([]string, n), make([]float64, n)
	writer, sample, variant := make([]int32, n), make([]int32, n), make([]int32, n)
	stroke := make([]int8, 0, n*t.Side*t.Side)
	pose := make([]float64, 0, n*MaxStrokes*3)
	for i, l := range t.Items {
		y[i], pen[i] = string(l.Letter), l.Pen
		writer[i], sample[i], variant[i] = int32(l.Writer), int32(l.Sample), int32(l.Variant)
		stroke = append(stroke, l.Stroke...)
		for k := range MaxStrokes {
			p := StrokePose{math.NaN(), math.NaN(), math.NaN()}
			if k < len(l.Poses) {
				p = l.Poses[k]
			}
			pose = append(pose, p.Y, p.X, p.Angle)
		}
	}
	return []Array{
		{"y", []int{n}, y},
		{"writer", []int{n}, writer},
		{"sample", []int{n}, sample},
		{"variant", []int{n}, variant},
		{"pen", []int{n}, pen},
		{"stroke", []int{n, t.Side, t.Side}, stroke},
		{"pose", []int{n, MaxStrokes, 3}, pose},
	}
}

// Letters draws capitals with a pen. A writer has a slant, an aspect, a pen
// width (2.5 to 6 pixels of 56, at least one pixel), other habits and one way
// of writing each letter, and varies a little from sample to sample: strokes
// are shifted, turned, bent, and too long or too short.
//
// The frame is that of the TiCC letters (van der Maaten, TiCC TR 2009-002, data
// set A): the ink's bounding box is scaled, aspect kept, to fit the image
// except for a border of [LetterBorder] pixels, and centred. A pixel is on if
// its centre is within half the pen's width of the pen's path.
//
// Image i shows letter i%L of the L chosen, by writer (i/L)%W+1 of W, sample
// i/(L*W). A drawing depends only on the seed, the letter, the writer, the
// sample and Side, not on what else is in the set. The error is an
// [*OptionError].
func Letters(o LettersOptions) (*Set[*LetterTruth], error) {
	if o.Letters == "" {
		o.Letters = Capitals
	}
	o.Writers, o.Side = cmp.Or(o.Writers, 20), cmp.Or(o.Side, 56)
	if err := o.check(); err != nil {
		return nil, err
	}
	o.N = cmp.Or(o.N, len(o.Letters)*o.Writers)
	if err := checkN(KindLetters, o.N, o.Side); err != nil {
		return nil, err
	}
	truth := &LetterTruth{Side: o.Side, Items: make([]Letter, o.N)}
	set := &Set[*LetterTruth]{Kind: KindLetters, Images: make([]*bitmap.Image, o.N), Truth: truth}
	for i := range o.N {
		l := len(o.Letters)
		c, writer, sample := rune(o.Letters[i%l]), i/l%o.Writers+1, i/(l*o.Writers)
		truth.Items[i] = newLetter(o.Seed, c, writer, sample, o.Side)
		set.Images[i] = inked(truth.Items[i].Stroke, o.Side)
	}
	return set, nil
}

func (o *LettersOptions) check() error {
	for i, c := range o.Letters {
		if c < 'A' || c > 'Z' {
			return &OptionError{KindLetters, "Letters", fmt.Sprintf("%q, with %q at byte %d", o.Letters, c, i),
				"give capitals, A to Z"}
		}
		if strings.ContainsRune(o.Letters[:i], c) {
			return &OptionError{KindLetters, "Letters", fmt.Sprintf("%q, with %q again at byte %d", o.Letters, c, i),
				"give each letter once"}
		}
	}
	if o.Writers < 1 || o.Writers > 1<<20 {
		return &OptionError{KindLetters, "Writers", o.Writers, "give 1 to 1048576"}
	}
	return checkSide(KindLetters, o.Side, 16, maxSide)
}

// newLetter draws one letter.
func newLetter(seed uint64, c rune, writer, sample, side int) Letter {
	d := draw(skeletons[c],
		newHand(stream(seed, forWriter, writer)),
		stream(seed, forWriterLetter, writer, int(c)),
		stream(seed, forSample, writer, int(c), sample))
	// A pen of less than a pixel could miss the outermost pixel centres, and
	// the ink would not reach the box.
	pen := max(clamp(4.2*d.pen, 2.5, 6)*float64(side)/56, 1)
	paths := fit(d.paths, side, float64(side-2*LetterBorder), pen)
	return Letter{
		Letter: c, Writer: writer, Sample: sample, Variant: d.variant, Pen: pen,
		Stroke: ink(paths, side, pen), Poses: poses(paths, d.turns),
	}
}

// poses measures where the strokes lie. Scaling and centring do not turn them.
func poses(paths []path, turns []float64) []StrokePose {
	out := make([]StrokePose, len(paths))
	for k, p := range paths {
		c := p.centroid()
		out[k] = StrokePose{Y: c.y, X: c.x, Angle: turns[k] * 180 / math.Pi}
	}
	return out
}

// inked returns the image of all pixels inked by some stroke.
func inked(stroke []int8, side int) *bitmap.Image {
	m := bitmap.New(side, side)
	for d, k := range stroke {
		if k >= 0 {
			m.Set(d/side, d%side, true)
		}
	}
	return m
}
