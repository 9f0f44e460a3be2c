package synth

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/patchwork/bitmap"
)

// ScenesOptions holds the options for a set of [Scenes].
type ScenesOptions struct {
	N       int      // scenes, 1 or more
	Side    int      // pixels, from the size of a glyph to 4096; 0 means 100
	Objects int      // glyphs in a scene, all of different classes; 0 means 5
	Flip    *float64 // probability that a pixel is flipped; nil means 0.10
	Seed    uint64

	// Exemplars is the number of drawings of each digit to choose from, 1 to
	// 1000; 0 means 10. It is not used if Glyphs are given.
	Exemplars int
	// Glyphs are drawings to use instead of generated ones, such as MNIST
	// digits, all of one size with every pixel known. Labels holds the class of
	// each, 0 or more. Both are kept, not copied.
	Glyphs []*bitmap.Image
	Labels []int

	// On and Off are the levels of the templates; nil means [NoiseLevels] of
	// the flips. They do not change the scenes.
	On, Off *float64
}

// SceneTruth is the truth of a set of scenes, of J objects each, with glyphs
// of C classes. As arrays:
//
//	digit         (N,J)         int32    class of each object
//	glyph         (N,J)         int32    exemplar: index into templates
//	dy, dx        (N,J)         int32    where the glyph's top left pixel lies
//	clean         (N,side,side) uint8    the scenes before the flips
//	candidates    (N,C)         int32    the templates used for the scene, one a class: indices into templates
//	templates     (G,h,w)       float64  all templates
//	template_digit (G)          int32    class of each template
//
// In NumPy, the ten templates of scene i are templates[candidates[i]].
type SceneTruth struct {
	Glyphs  []*bitmap.Image // G, the drawings
	Labels  []int           // G, the class of each
	On, Off float64         // levels of the templates
	Items   []Scene         // N
}

// Templates returns the templates used for scene i, one per class in increasing
// order of class: h*w probabilities each. Every call makes new ones.
func (t *SceneTruth) Templates(i int) [][]float64 {
	glyphs := make([]*bitmap.Image, len(t.Items[i].Candidates))
	for c, j := range t.Items[i].Candidates {
		glyphs[c] = t.Glyphs[j]
	}
	return templates(glyphs, t.On, t.Off)
}

// Scene is the ground truth of one scene.
type Scene struct {
	Candidates []int         // one glyph of each class, in increasing order of class
	Objects    []Object      // in the order in which they were placed; their glyphs are candidates
	Clean      *bitmap.Image // before the flips
}

// Object is a glyph in a scene.
type Object struct {
	Label, Glyph int // class; index into the glyphs
	DY, DX       int // the row and column where the glyph's top left pixel lies
}

// Arrays lists the arrays named in the documentation of the type.
func (t *SceneTruth) Arrays() []Array {
	var digit, glyph, dy, dx, candidates, labels []int32
	clean := make([]*bitmap.Image, len(t.Items))
	for i, s := range t.Items {
		for _, o := range s.Objects {
			digit, glyph = append(digit, int32(o.Label)), append(glyph, int32(o.Glyph))
			dy, dx = append(dy, int32(o.DY)), append(dx, int32(o.DX))
		}
		for _, g := range s.Candidates {
			candidates = append(candidates, int32(g))
		}
		clean[i] = s.Clean
	}
	for _, l := range t.Labels {
		labels = append(labels, int32(l))
	}
	n, objects := len(t.Items), []int{len(t.Items), len(t.Items[0].Objects)}
	return []Array{
		{"digit", objects, digit},
		{"glyph", slices.Clone(objects), glyph},
		{"dy", slices.Clone(objects), dy},
		{"dx", slices.Clone(objects), dx},
		ImageArray("clean", clean),
		{"candidates", []int{n, len(candidates) / n}, candidates},
		floats("templates", templates(t.Glyphs, t.On, t.Off), t.Glyphs[0].Height(), t.Glyphs[0].Width()),
		{"template_digit", []int{len(labels)}, labels},
	}
}

// Scenes generates the scenes of the paper, section 3: distinct digits placed
// uniformly at random, each entirely inside the image, possibly overlapping; a
// pixel is on if some glyph covers it (write-black); then pixels are flipped.
// Objects, places and clean scenes do not depend on Flip, On or Off. The error
// is an [*OptionError].
func Scenes(o ScenesOptions) (*Set[*SceneTruth], error) {
	o.Side, o.Objects, o.Exemplars = cmp.Or(o.Side, 100), cmp.Or(o.Objects, 5), cmp.Or(o.Exemplars, 10)
	noise := Noise{Flip: or(o.Flip, 0.10)}
	err := cmp.Or(checkProb(KindScenes, "Flip", noise.Flip), checkSide(KindScenes, o.Side, 1, 4096))
	if err == nil {
		err = o.findGlyphs()
	}
	if err != nil {
		return nil, err
	}
	classes := byClass(o.Labels)
	if err := o.checkObjects(len(classes)); err != nil {
		return nil, err
	}
	on, off := NoiseLevels(noise.Flip)
	on, off = or(o.On, on), or(o.Off, off)
	if err := checkLevels(KindScenes, on, off); err != nil {
		return nil, err
	}
	truth := &SceneTruth{Glyphs: o.Glyphs, Labels: o.Labels, On: on, Off: off, Items: make([]Scene, o.N)}
	set := &Set[*SceneTruth]{Kind: KindScenes, Images: make([]*bitmap.Image, o.N), Truth: truth}
	for i := range o.N {
		r := stream(o.Seed, forScene, i)
		truth.Items[i] = o.newScene(r, classes)
		set.Images[i] = noise.Apply(r, truth.Items[i].Clean)
	}
	return set, nil
}

// findGlyphs draws the glyphs, or checks those given.
func (o *ScenesOptions) findGlyphs() (err error) {
	if o.Glyphs == nil && o.Labels == nil {
		if o.Exemplars < 1 || o.Exemplars > 1000 {
			return &OptionError{KindScenes, "Exemplars", o.Exemplars, "give 1 to 1000 drawings of each digit"}
		}
		o.Glyphs, o.Labels, err = Digits(o.Exemplars, o.Seed)
		return err
	}
	if len(o.Glyphs) != len(o.Labels) || len(o.Glyphs) == 0 {
		return &OptionError{KindScenes, "Labels", fmt.Sprintf("of length %d", len(o.Labels)),
			fmt.Sprintf("give one for each of the %d glyphs, and at least one glyph", len(o.Glyphs))}
	}
	if len(o.Glyphs) > MaxTotalPixels/max(o.Glyphs[0].Len(), 1) {
		return &OptionError{KindScenes, "Glyphs", fmt.Sprintf("%d drawings", len(o.Glyphs)), "give fewer"}
	}
	for j, g := range o.Glyphs {
		h, w := g.Height(), g.Width()
		switch {
		case h != o.Glyphs[0].Height() || w != o.Glyphs[0].Width():
			return &OptionError{KindScenes, "Glyphs", fmt.Sprintf("%d x %d at %d", h, w, j),
				fmt.Sprintf("give glyphs of one size; the first is %d x %d", o.Glyphs[0].Height(), o.Glyphs[0].Width())}
		case !g.Complete():
			return &OptionError{KindScenes, "Glyphs", fmt.Sprintf("a drawing with unknown pixels at %d", j),
				"give glyphs with every pixel known"}
		case o.Labels[j] < 0 || o.Labels[j] > 1<<20:
			return &OptionError{KindScenes, "Labels", fmt.Sprintf("%d at %d", o.Labels[j], j), "give classes from 0 to 1048576"}
		}
	}
	return nil
}

// checkObjects checks the options that depend on the glyphs.
func (o *ScenesOptions) checkObjects(classes int) error {
	h, w := o.Glyphs[0].Height(), o.Glyphs[0].Width()
	if least := max(h, w); o.Side < least || least == 0 {
		return &OptionError{KindScenes, "Side", o.Side, fmt.Sprintf("a glyph of %d x %d does not fit; give at least %d", h, w,
			max(least, 1))}
	}
	if o.Objects < 1 || o.Objects > classes {
		return &OptionError{KindScenes, "Objects", o.Objects,
			fmt.Sprintf("the objects of a scene are of different classes and there are %d; give 1 to %d", classes, classes)}
	}
	return checkN(KindScenes, o.N, o.Side)
}

// byClass lists the glyphs of each class, in increasing order of class.
func byClass(labels []int) [][]int {
	members := make(map[int][]int)
	for j, l := range labels {
		members[l] = append(members[l], j)
	}
	out := make([][]int, 0, len(members))
	for _, glyphs := range members {
		out = append(out, glyphs)
	}
	slices.SortFunc(out, func(a, b []int) int { return cmp.Compare(labels[a[0]], labels[b[0]]) })
	return out
}

// newScene draws an exemplar of each class, then which classes appear, then
// where.
func (o *ScenesOptions) newScene(r *rand.Rand, classes [][]int) Scene {
	s := Scene{Candidates: make([]int, len(classes)), Clean: bitmap.New(o.Side, o.Side)}
	for c, glyphs := range classes {
		s.Candidates[c] = glyphs[r.IntN(len(glyphs))]
	}
	for _, c := range r.Perm(len(classes))[:o.Objects] {
		j := s.Candidates[c]
		g := o.Glyphs[j]
		object := Object{
			Label: o.Labels[j], Glyph: j,
			DY: r.IntN(o.Side - g.Height() + 1), DX: r.IntN(o.Side - g.Width() + 1),
		}
		s.Objects = append(s.Objects, object)
		paste(s.Clean, g, object.DY, object.DX)
	}
	return s
}

// paste turns on the pixels of m that the glyph, placed there, covers.
func paste(m, glyph *bitmap.Image, dy, dx int) {
	for y := range glyph.Height() {
		for x := range glyph.Width() {
			if glyph.At(y, x) {
				m.Set(dy+y, dx+x, true)
			}
		}
	}
}
