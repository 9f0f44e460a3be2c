package learn

import (
	"context"
	"fmt"
	"slices"

	"example.com/patchwork"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/rows"
)

// Reading says how sequential initialisation is read for the max rule, for which
// the printed formula and the text of section 4.1 disagree: the formula gives the
// background of a new expert 1/2, the text says that it is close to 0.
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

// String returns the name used in flags: "c", "text", "literal".
func (r Reading) String() string { return enum.Name("Reading", readingNames, uint8(r)) }

var readingNames = []string{"c", "text", "literal"}

// ParseReading returns the reading of a name that String returns.
func ParseReading(name string) (Reading, error) {
	return enum.Parse[Reading]("a reading of the initialisation", readingNames, name)
}

// OnlineOptions are the settings of online learning.
type OnlineOptions struct {
	Experts int // K: how many experts to append; at least 1
	Reading Reading

	// UnexplainedInk, if above 0, lets an expert be appended only for an image in
	// which more than this fraction of the on pixels stays unexplained (composed
	// probability at most 1/2). 0 appends one for every image until there are
	// Experts of them.
	UnexplainedInk float64

	// Pursuit explains the images; the paper learns with a forced first pick.
	Pursuit patchwork.PursuitOptions
}

// Online learns one image at a time (section 4.1): it explains the image with
// the experts so far, updates the active ones, and as long as it has fewer than
// OnlineOptions.Experts, appends one made of what they could not explain. It sees
// every image once and keeps only counts. It is for one goroutine at a time.
//
// The counts are integers on top of pseudo-counts per pixel: the running mean of
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

// NewOnline returns a learner of a model of the given configuration, without
// experts yet.
func NewOnline(cfg patchwork.Config, opt OnlineOptions) (*Online, error) {
	if err := rows.ValidateConfig(cfg); err != nil {
		return nil, err
	}
	if opt.Experts < 1 {
		return nil, fmt.Errorf("patchwork: online learning of %d parts; give 1 or more", opt.Experts)
	}
	if !(opt.UnexplainedInk >= 0 && opt.UnexplainedInk < 1) {
		return nil, fmt.Errorf("patchwork: fraction of unexplained ink %v is not in [0, 1)", opt.UnexplainedInk)
	}
	if cfg.Scene {
		return nil, fmt.Errorf("patchwork: sequential initialisation needs images of the frame's size, not scenes")
	}
	return &Online{opt: opt, cfg: cfg}, nil
}

// prior returns where the entries of an expert start before it has counted
// anything.
func (o *Online) prior() (start, strength []float64) {
	p := rows.Resolved(o.cfg.Prior)
	n := o.cfg.Height * o.cfg.Width
	return slices.Repeat([]float64{p.On / (p.On + p.Off)}, n), slices.Repeat([]float64{p.On + p.Off}, n)
}

// Model returns the model so far, a snapshot; nil before the first image.
func (o *Online) Model() *patchwork.Model {
	if o.model == nil {
		return nil
	}
	t := o.tally.Clone(0)
	return o.model.WithTemplates(o.model.Templates(),
		patchwork.Extras{Counts: t, Usage: t.Usage(), Names: o.model.Extras().Names})
}

// Count returns N_k(d), pseudo-counts included: how many images entry i of expert
// k rests on.
func (o *Online) Count(k, i int) float64 {
	n, c := k*len(o.start[k])+i, o.tally.Counts()
	return o.strength[k][i] + float64(c.Seen[n]+c.LostSeen[n])
}

// An image of large weight counts for all the times that are left at once when its picks
// were the same so many times in a row, or when it was explained so often in all.
const (
	repeatsAlike = 64
	repeatsInAll = 1000
)

// Add learns one image, weight times in a row (1 or more), and returns its
// explanation by the experts it updated, a new one included. Once the same picks came
// 64 times in a row, or after 1000 times, the last ones count for all that are left. The error is a
// *SizeError, or says which option does not fit the model.
func (o *Online) Add(img *bitmap.Image, weight int64) (*patchwork.Explanation, error) {
	return o.repeat(context.Background(), img, weight)
}

// repeat is Add, but ends with the context.
func (o *Online) repeat(ctx context.Context, img *bitmap.Image, weight int64) (*patchwork.Explanation, error) {
	if img.Height() != o.cfg.Height || img.Width() != o.cfg.Width {
		return nil, &patchwork.SizeError{Height: img.Height(), Width: img.Width(), ModelHeight: o.cfg.Height,
			ModelWidth: o.cfg.Width}
	}
	if weight < 1 {
		return nil, fmt.Errorf("patchwork: an image cannot be learned %d times", weight)
	}
	var last *patchwork.Explanation
	err := inARow(ctx, weight, func() (alike bool, err error) {
		k, before := o.experts(), last
		if last, err = o.add(ctx, img); err != nil {
			return false, err
		}
		return before != nil && o.experts() <= k && samePicks(last.Picks, before.Picks), nil
	}, func(left int64) error {
		o.count(img, last, nil, left)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return last, nil
}

// inARow calls once weight times, until the context ends. When it was alike the time before so many
// times in a row, or was called so often in all, rest counts for all the times that are left.
func inARow(ctx context.Context, weight int64, once func() (alike bool, err error), rest func(left int64) error) error {
	same := 0
	for left := weight; left > 0; left-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		if same == repeatsAlike || weight-left == repeatsInAll {
			return rest(left)
		}
		alike, err := once()
		if err != nil {
			return err
		}
		if same++; left == weight || !alike {
			same = 0
		}
	}
	return nil
}

// experts returns how many experts there are.
func (o *Online) experts() int {
	if o.model == nil {
		return 0
	}
	return o.model.K()
}

// samePicks reports whether two explanations place the same experts at the same poses.
func samePicks(a, b []patchwork.Pick) bool {
	return slices.EqualFunc(a, b, func(x, y patchwork.Pick) bool { return x.Expert == y.Expert && x.Pose == y.Pose })
}

// add learns one image once.
func (o *Online) add(ctx context.Context, img *bitmap.Image) (*patchwork.Explanation, error) {
	if o.model == nil {
		return o.begin(img)
	}
	p, err := patchwork.NewPursuit(o.model, o.opt.Pursuit)
	if err != nil {
		return nil, err
	}
	p.Within(ctx)
	e, err := p.Explain(img)
	if err != nil {
		return nil, err
	}
	var set []bool
	if o.model.K() < o.opt.Experts && o.unexplained(img, e) {
		set = o.grow(img, e)
	}
	o.count(img, e, set, 1)
	return e, nil
}

// grow appends an expert made of what explanation e leaves of the image, and adds
// it to e, so that the responsibilities of the other experts are computed
// together with it.
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

// begin makes the first expert from the first image.
func (o *Online) begin(img *bitmap.Image) (*patchwork.Explanation, error) {
	mu := make([]float64, img.Len())
	for i := range mu {
		mu[i] = abstention(o.cfg, i)
	}
	empty, err := patchwork.NewModel(o.cfg, [][]float64{mu})
	if err != nil {
		return nil, err
	}
	if _, err := patchwork.NewPursuit(empty, o.opt.Pursuit); err != nil {
		return nil, err // now, not at the second image
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
	o.count(img, e, set, 1)
	return e, nil
}

// unexplained reports whether to append an expert for this image.
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

// FirstExpert returns the template of the first expert: (x + a)/(1 + a + b) under
// the prior Beta(a, b), the printed (x + eps)/(1 + 2 eps) for a = b = eps. set
// marks the entries that the image determined; at unknown pixels the expert
// abstains.
func FirstExpert(cfg patchwork.Config, img *bitmap.Image) (template []float64, set []bool) {
	template, set = make([]float64, img.Len()), make([]bool, img.Len())
	prior := rows.Resolved(cfg.Prior)
	for i := range template {
		y, x := i/img.Width(), i%img.Width()
		if !img.Known(y, x) {
			template[i] = abstention(cfg, i)
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

// NextExpert returns the template of a further expert: that of FirstExpert, but
// abstaining where the composition mu (row-major probabilities) of the experts so
// far explains the image. The reading defines "explains" and "abstains"; see its
// constants, and section 4.1.
func NextExpert(cfg patchwork.Config, reading Reading, img *bitmap.Image, mu []float64) (template []float64,
	set []bool) {
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
		case cfg.Rule == patchwork.RuleMaxMinusMin:
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

// notSure returns the value of an entry at which a new expert does not vote yet.
func notSure(cfg patchwork.Config, i int) float64 {
	if cfg.Rule == patchwork.RuleMaxMinusMin {
		return abstention(cfg, i)
	}
	return 0.5
}

// append gives the model one more expert, which has counted nothing yet. Its
// entries start at the prior, to which the image is added where it determines
// one. An entry that no image has determined keeps its value, at which it does
// not vote; for a symmetric prior that value is the prior's mean, and this is the
// paper's running mean from 1/2.
func (o *Online) append(template []float64) {
	o.model = o.model.WithTemplates(append(o.model.Templates(), template), patchwork.Extras{Names: namesAnd(o.model)})
	o.tally = o.tally.Clone(1)
	start, strength := o.prior()
	o.start, o.strength = append(o.start, start), append(o.strength, strength)
}

// count updates the active experts, as by an image of this weight. set, if not nil, says
// that the last expert is new and which of its entries the image determined.
func (o *Online) count(img *bitmap.Image, e *patchwork.Explanation, set []bool, weight int64) {
	o.tally.Add(o.model, img, e, weight)
	if set != nil {
		restart(o.tally.Counts(), o.model.K()-1, set, img)
	}
	experts := make([][]float64, len(o.start))
	for k := range experts {
		experts[k] = o.mean(k)
	}
	o.model = o.model.WithTemplates(experts, patchwork.Extras{Names: o.model.Extras().Names})
}

// restart sets the counts of expert k to those of the image it was made of.
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

// mean returns the running means of the entries of expert k; an entry never
// counted keeps its value.
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
		out[i] = (float64(w*o.start[k][i]) + float64(on)) / (w + float64(seen))
	}
	return out
}

// abstention returns the opinion that changes nothing at pixel i of a model to be.
func abstention(c patchwork.Config, i int) float64 {
	if c.QMap != nil {
		return c.QMap[i]
	}
	return c.Q
}
