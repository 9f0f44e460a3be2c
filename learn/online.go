package learn

import (
	"fmt"
	"math"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
)

// Reading is how sequential initialisation is read for the max rule, where
// the printed formula and the text of section 4.1 disagree (findings, A13).
// For max-minus-min all readings are the paper's formula.
type Reading uint8

const (
	// ReadingTruncated abstains ("1/2") only on ink that truncated templates already
	// explain: P(x | truncated composition) > 1/2. The default.
	ReadingTruncated Reading = iota
	// ReadingText abstains at explained ink, P(x | composition) >= 1/2 at on
	// pixels, which leaves the background close to 0 as the text says.
	ReadingText
	// ReadingLiteral is the printed formula: P(x | composition) >= 1/2
	// anywhere, which makes the explained background 1/2.
	ReadingLiteral
)

// String is the name used in flags: "c", "text", "literal".
func (r Reading) String() string { return enum.Name("Reading", readingNames, uint8(r)) }

var readingNames = []string{"c", "text", "literal"}

// ParseReading is the inverse of String.
func ParseReading(name string) (Reading, error) {
	return enum.Parse[Reading]("a reading of the initialisation", readingNames, name)
}

// OnlineOptions are the settings of online learning.
type OnlineOptions struct {
	Experts int // K: how many experts to grow; at least 1
	Reading Reading

	// UnexplainedInk, if above 0, grows a new expert only from an image in
	// which more than this fraction of the on pixels stays unexplained
	// (composed probability at most 1/2). 0 grows one from every image until
	// there are Experts of them.
	UnexplainedInk float64

	// Pursuit explains the images; the paper learns with a forced first pick.
	Pursuit patchwork.PursuitOptions
}

// Online learns one image at a time (section 4.1): it explains the image with
// the experts so far, updates those that spoke, and while it has fewer than
// it may have, appends an expert made of what they could not explain. It sees
// every image once and keeps only counts; it belongs to one goroutine.
//
// The counts are integers on top of pseudo-counts a pixel: the running mean of
// the paper, (N mu + x)/(N + 1), is (strength*start + on)/(strength + seen).
type Online struct {
	opt   OnlineOptions
	model *patchwork.Model // templates as of now
	tally *patchwork.Tally
	// start and strength are the Beta prior of every entry as mean and
	// pseudo-count: what N mu and N were before the first image was counted.
	start, strength [][]float64
	cfg             patchwork.Config
}

// NewOnline prepares to learn a model of the given configuration from nothing.
func NewOnline(cfg patchwork.Config, opt OnlineOptions) (*Online, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if opt.Experts < 1 {
		return nil, fmt.Errorf("patchwork: online learning of %d experts", opt.Experts)
	}
	if !(opt.UnexplainedInk >= 0 && opt.UnexplainedInk < 1) {
		return nil, fmt.Errorf("patchwork: fraction of unexplained ink %v is not in [0, 1)", opt.UnexplainedInk)
	}
	if cfg.Scene {
		return nil, fmt.Errorf("patchwork: sequential initialisation needs images of the frame's size, not scenes")
	}
	return &Online{opt: opt, cfg: cfg}, nil
}

// ResumeOnline goes on learning the experts of m; no more are grown. strength,
// if not nil, says that entry i of expert k counts as having been seen
// strength[k][i] >= 0 times: N_k(d) of the paper. With nil the learner goes on
// from the model's own counts and prior (Extras.Counts), as if it had never
// stopped; a model without counts is an error.
func ResumeOnline(m *patchwork.Model, strength [][]float64, opt OnlineOptions) (*Online, error) {
	opt.Experts = max(opt.Experts, m.K())
	o, err := NewOnline(m.Config(), opt)
	if err != nil {
		return nil, err
	}
	o.opt.Experts = m.K()
	o.model = m
	if strength == nil {
		return o, o.resumeCounts()
	}
	if len(strength) != m.K() {
		return nil, fmt.Errorf("patchwork: strengths of %d experts, the model has %d", len(strength), m.K())
	}
	for k, s := range strength {
		if len(s) != m.Height()*m.Width() {
			return nil, fmt.Errorf("patchwork: expert %d has %d strengths for %d pixels", k, len(s), m.Height()*m.Width())
		}
		for i, n := range s {
			if !(n >= 0) || math.IsInf(n, 0) {
				return nil, fmt.Errorf("patchwork: strength of entry %d of expert %d is %v", i, k, n)
			}
		}
		o.strength = append(o.strength, slices.Clone(s))
	}
	o.tally, o.start = patchwork.NewTally(m), m.Templates()
	return o, nil
}

// resumeCounts takes the counts of the model over; see ResumeOnline.
func (o *Online) resumeCounts() error {
	if o.model.Extras().Counts == nil {
		return fmt.Errorf("patchwork: the model has no counts to go on from; say how much its templates weigh")
	}
	o.tally = o.model.Extras().Counts.Clone(0)
	for range o.model.K() {
		start, strength := o.prior()
		o.start, o.strength = append(o.start, start), append(o.strength, strength)
	}
	return nil
}

// prior is where the entries of an expert start that has counted nothing.
func (o *Online) prior() (start, strength []float64) {
	p := o.cfg.Prior.Resolved()
	n := o.cfg.Height * o.cfg.Width
	return slices.Repeat([]float64{p.On / (p.On + p.Off)}, n), slices.Repeat([]float64{p.On + p.Off}, n)
}

// Model is the model as of now; nil before the first image. It is a snapshot.
func (o *Online) Model() *patchwork.Model {
	if o.model == nil {
		return nil
	}
	t := o.tally.Clone(0)
	return o.model.WithTemplates(o.model.Templates(), patchwork.Extras{Counts: t, Usage: t.Usage()})
}

// Count is N_k(d), with the pseudo-counts: how many images stand behind entry
// i of expert k.
func (o *Online) Count(k, i int) float64 {
	n, c := k*len(o.start[k])+i, o.tally.Counts()
	return o.strength[k][i] + float64(c.Seen[n]+c.LostSeen[n])
}

// Add learns one image, weight times in a row (1 or more), and returns its
// explanation by the experts it updated, a new one included. The error is a
// *SizeError, or says which option does not fit the model.
func (o *Online) Add(img *bitmap.Image, weight int64) (*patchwork.Explanation, error) {
	if img.Height() != o.cfg.Height || img.Width() != o.cfg.Width {
		return nil, &patchwork.SizeError{Height: img.Height(), Width: img.Width(), ModelHeight: o.cfg.Height, ModelWidth: o.cfg.Width}
	}
	if weight < 1 {
		return nil, fmt.Errorf("patchwork: an image cannot be learned %d times", weight)
	}
	var last *patchwork.Explanation
	for range weight {
		e, err := o.add(img)
		if err != nil {
			return nil, err
		}
		last = e
	}
	return last, nil
}

func (o *Online) add(img *bitmap.Image) (*patchwork.Explanation, error) {
	if o.model == nil {
		return o.begin(img)
	}
	p, err := patchwork.NewPursuit(o.model, o.opt.Pursuit)
	if err != nil {
		return nil, err
	}
	e, err := p.Explain(img)
	if err != nil {
		return nil, err
	}
	var set []bool
	if o.model.K() < o.opt.Experts && o.unexplained(img, e) {
		set = o.grow(img, e)
	}
	o.count(img, e, set)
	return e, nil
}

// grow appends an expert made of what explanation e leaves of the image, and
// adds it to e, where it stands as it was made: the responsibilities of the
// old experts are computed together with it (findings, A12).
func (o *Online) grow(img *bitmap.Image, e *patchwork.Explanation) (set []bool) {
	mu := o.model.Compose(img.Height(), img.Width(), e.Picks).P
	template, set := NextExpert(o.cfg, o.opt.Reading, img, mu)
	o.append(template)
	e.Picks = append(e.Picks, patchwork.Pick{Expert: o.model.K() - 1})
	before := e.LogLikModel
	e.LogLikModel = patchwork.LogLik(img, o.model.Compose(img.Height(), img.Width(), e.Picks).P)
	e.Picks[len(e.Picks)-1].Gain = e.LogLikModel - before
	return set
}

// begin makes the first expert of the first image.
func (o *Online) begin(img *bitmap.Image) (*patchwork.Explanation, error) {
	mu := make([]float64, img.Len())
	for i := range mu {
		mu[i] = o.cfg.Abstention(i)
	}
	empty, err := patchwork.NewModel(o.cfg, [][]float64{mu})
	if err != nil {
		return nil, err
	}
	if _, err := patchwork.NewPursuit(empty, o.opt.Pursuit); err != nil {
		return nil, err // better now than at the second image
	}
	start := patchwork.LogLik(img, mu)
	o.model = empty.WithTemplates(nil, patchwork.Extras{})
	o.tally = patchwork.NewTally(o.model)
	template, set := FirstExpert(o.cfg, img)
	o.append(template)
	e := &patchwork.Explanation{Picks: []patchwork.Pick{{}}, StartLogLik: start}
	e.LogLik = patchwork.LogLik(img, o.model.Compose(img.Height(), img.Width(), e.Picks).P)
	e.LogLikModel = e.LogLik
	e.Picks[0].Gain = e.LogLik - start
	o.count(img, e, set)
	return e, nil
}

// unexplained decides whether this image grows a new expert.
func (o *Online) unexplained(img *bitmap.Image, e *patchwork.Explanation) bool {
	if o.opt.UnexplainedInk == 0 {
		return true
	}
	p := o.model.Compose(img.Height(), img.Width(), e.Picks).P
	left := 0
	for i := range p {
		if y, x := i/img.Width(), i%img.Width(); img.At(y, x) && p[i] <= 0.5 {
			left++
		}
	}
	return float64(left) > o.opt.UnexplainedInk*float64(img.CountOn())
}

// FirstExpert is the template of the first expert: (x + a)/(1 + a + b) under
// the prior Beta(a, b), the printed (x + eps)/(1 + 2 eps) for a = b = eps. set
// marks the entries that the image decided; at unknown pixels the expert
// abstains.
func FirstExpert(cfg patchwork.Config, img *bitmap.Image) (template []float64, set []bool) {
	template, set = make([]float64, img.Len()), make([]bool, img.Len())
	prior := cfg.Prior.Resolved()
	for i := range template {
		y, x := i/img.Width(), i%img.Width()
		if !img.Known(y, x) {
			template[i] = cfg.Abstention(i)
			continue
		}
		on := int64(0)
		if img.At(y, x) {
			on = 1
		}
		template[i], set[i] = (float64(on)+prior.On)/(1+prior.On+prior.Off), true
	}
	return template, set
}

// NextExpert is the template of a further expert: that of FirstExpert, but
// abstaining where the composition mu (row-major probabilities) of the experts
// so far explains the image. What "explains" and "abstains" mean is the
// reading's; see its constants, and section 4.1.
func NextExpert(cfg patchwork.Config, reading Reading, img *bitmap.Image, mu []float64) (template []float64, set []bool) {
	template, set = FirstExpert(cfg, img)
	for i := range template {
		y, x := i/img.Width(), i%img.Width()
		if !set[i] {
			continue
		}
		on, p := img.At(y, x), mu[i]
		if !on {
			p = 1 - p
		}
		var explained bool
		switch {
		case cfg.Rule == patchwork.MaxMinusMin:
			own := template[i]
			if !on {
				own = 1 - own
			}
			explained = p >= own
		case reading == ReadingLiteral:
			explained = p >= 0.5
		case reading == ReadingText:
			explained = on && p >= 0.5
		default: // with truncated templates, off pixels have P <= 1/2
			explained = on && p > 0.5
		}
		if explained {
			template[i], set[i] = notSure(cfg, i), false
		}
	}
	return template, set
}

// notSure is the value of an entry at which a new expert does not vote yet.
func notSure(cfg patchwork.Config, i int) float64 {
	if cfg.Rule == patchwork.MaxMinusMin {
		return cfg.Abstention(i)
	}
	return 0.5
}

// append gives the model one more expert, which has counted nothing: its
// entries start at the prior, on which the image, where it decides one, will
// be counted. An entry that no image has decided keeps its value, at which it
// does not vote, until one does; for a symmetric prior that value is the
// prior's mean, and this is the paper's running mean from 1/2.
func (o *Online) append(template []float64) {
	o.model = o.model.WithTemplates(append(o.model.Templates(), template), patchwork.Extras{})
	o.tally = o.tally.Clone(1)
	start, strength := o.prior()
	o.start, o.strength = append(o.start, start), append(o.strength, strength)
}

// count updates the experts that spoke. set, if not nil, says that the last
// expert is new and which of its entries the image decided.
func (o *Online) count(img *bitmap.Image, e *patchwork.Explanation, set []bool) {
	o.tally.Add(o.model, img, e, 1)
	if set != nil {
		restart(o.tally.Counts(), o.model.K()-1, set, img)
	}
	experts := make([][]float64, len(o.start))
	for k := range experts {
		experts[k] = o.mean(k)
	}
	o.model = o.model.WithTemplates(experts, patchwork.Extras{})
}

// restart sets the counts of expert k to the one image it was made of.
func restart(c patchwork.Counts, k int, set []bool, img *bitmap.Image) {
	for i := range set {
		n := k*len(set) + i
		c.On[n], c.Seen[n], c.LostOn[n], c.LostSeen[n] = 0, 0, 0, 0
		if set[i] {
			c.Seen[n] = 1
			if img.At(i/img.Width(), i%img.Width()) {
				c.On[n] = 1
			}
		}
	}
}

// mean is the running mean of every entry of expert k that was ever counted.
func (o *Online) mean(k int) []float64 {
	n := len(o.start[k])
	out := make([]float64, n)
	c := o.tally.Counts()
	for i := range out {
		on, seen := c.On[k*n+i]+c.LostOn[k*n+i], c.Seen[k*n+i]+c.LostSeen[k*n+i]
		if seen == 0 {
			out[i] = o.model.Template(k)[i]
			continue
		}
		w := o.strength[k][i]
		out[i] = (w*o.start[k][i] + float64(on)) / (w + float64(seen))
	}
	return out
}
