// Package classes names images and rows: it learns what each class looks like from
// examples, and says of another image which class it is of, with what probability, and
// why.
//
// A class is made of two kinds of models, and an image is of the class that makes it
// most probable:
//
//   - Examples that are kept whole: each is cut into one, two, three and four elongated
//     pieces, which are the parts of four models ([Cut]). The pieces move and turn a
//     little, and a pixel beside the ink may be ink as well. An image is explained by
//     those examples that it is nearest to after shifts and turns; the mean over the cuts
//     is the log-likelihood of an example, and the likeliest examples decide. From a
//     handful of examples this is the best there is.
//   - One model learned of all examples of the class, by whatever learner Options.Fit is:
//     the only kind for rows of tables, whose parts stay where they are. Beside it stand
//     the probabilities of the columns one by one ([Marginals]), with the weight that
//     serves examples left out best.
//
// Log-likelihoods of pixels that err together are too large, so that probabilities are
// those of the softmax of the scores times a sharpness, which is fitted by leaving
// examples out ([Classifier.Sharpness]), and of how common the classes are.
//
// To read the code: classes.go, cut.go, near.go, marginals.go, namer.go, calibrate.go.
package classes

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/pool"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/pose"
)

// Options are the settings of Learn. The zero value keeps examples and learns nothing
// else, which is the recommended default for images.
type Options struct {
	// Examples is how many examples of each class are kept whole, drawn at random where
	// there are more; 0 means 20. Below 0 none are: then Fit is required.
	Examples int

	// Fit, if not nil, learns one model of the examples of a class. It must give the same
	// model for the same data. Several calls may run at once.
	Fit func(ctx context.Context, data patchwork.Data) (*patchwork.Model, error)

	// Rows are the numbers by which examples are known, one for each image; nil: from 0.
	Rows []int

	Seed    uint64
	Workers int // goroutines; 0 means 1. The result is the same for any number.
}

const (
	keptExamples = 20
	// MaxClasses is the most classes that Learn takes.
	MaxClasses = 4096
)

// withDefaults returns the options with defaults in place of zeros.
func (o Options) withDefaults() Options {
	if o.Examples == 0 {
		o.Examples = keptExamples
	}
	o.Examples = max(o.Examples, 0)
	o.Workers = max(o.Workers, 1)
	return o
}

// Class is what was learned of one class.
type Class struct {
	Name string
	Rows int64 // examples, weights counted

	// Learned is the model of all examples; nil if none was learned.
	Learned *patchwork.Model

	Examples []Example
}

// Classifier holds classes and names images by them. It is immutable and safe for
// concurrent use.
type Classifier struct {
	classes   []Class
	sharpness float64
	columns   []string
	reading   json.RawMessage
	by        string
	marginals *Marginals
	logs      [][][2]float64 // of the marginals, off and on
}

// By returns the name of the column of labels that the classes are of; "" if not known.
func (c *Classifier) By() string { return c.by }

// LabelledBy returns the classifier as of classes of a column of labels.
func (c *Classifier) LabelledBy(column string) *Classifier {
	out := *c
	out.by = column
	return &out
}

// New returns a classifier of given classes. Sharpness is the factor of the scores from
// which probabilities are computed, above 0. The error says what does not fit.
func New(classes []Class, sharpness float64) (*Classifier, error) {
	switch {
	case len(classes) < 2:
		return nil, fmt.Errorf("patchwork: %d class to tell apart; there must be two at least", len(classes))
	case len(classes) > MaxClasses:
		return nil, fmt.Errorf("patchwork: %d classes, more than %d", len(classes), MaxClasses)
	case !(sharpness > 0 && sharpness <= 1e6):
		return nil, fmt.Errorf("patchwork: a sharpness of %v is not a factor above 0", sharpness)
	}
	c := &Classifier{classes: classes, sharpness: sharpness}
	h, w := c.Size()
	learned := classes[0].Learned != nil
	for _, k := range classes {
		if k.Rows < 1 {
			return nil, fmt.Errorf("patchwork: class %q has no examples", k.Name)
		}
		if (k.Learned != nil) != learned || !learned && len(k.Examples) == 0 {
			return nil, fmt.Errorf("patchwork: class %q has other models than class %q", k.Name, classes[0].Name)
		}
		for _, m := range k.models() {
			if m == nil || m.Height() != h || m.Width() != w {
				return nil, fmt.Errorf("patchwork: the models of class %q are not of the size of the others, %d x %d", k.Name, h, w)
			}
		}
	}
	return c, nil
}

// models returns all models of a class.
func (k *Class) models() []*patchwork.Model {
	var out []*patchwork.Model
	if k.Learned != nil {
		out = append(out, k.Learned)
	}
	for _, e := range k.Examples {
		out = append(out, e.Cuts...)
	}
	return out
}

// Like returns a model of the size of the images, with the names of their columns and how
// they were read (patchwork.Extras), for readers of data. It says nothing of images.
func (c *Classifier) Like() *patchwork.Model {
	h, w := c.Size()
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, h, w, pose.Grid{}),
		[][]float64{make([]float64, h*w)})
	if err == nil {
		m, err = m.WithExtras(patchwork.Extras{Columns: c.columns, Reading: c.reading})
	}
	if err != nil {
		panic(err) // checked by New and Described
	}
	return m
}

// Described returns the classifier with the names of the columns, and how the data were
// read, that a model of the same size has.
func (c *Classifier) Described(like *patchwork.Model) (*Classifier, error) {
	if h, w := c.Size(); like.Height() != h || like.Width() != w {
		return nil, fmt.Errorf("patchwork: a description of %d x %d pixels for classes of %d x %d", like.Height(),
			like.Width(), h, w)
	}
	out := *c
	out.columns, out.reading = like.Extras().Columns, like.Extras().Reading
	return &out, nil
}

// Classes returns the classes. The caller must not change them.
func (c *Classifier) Classes() []Class { return c.classes }

// Sharpness returns the factor of the scores from which probabilities are computed.
func (c *Classifier) Sharpness() float64 { return c.sharpness }

// Size returns the height and width of the images that the classifier names.
func (c *Classifier) Size() (height, width int) {
	for _, m := range c.classes[0].models() {
		return m.Height(), m.Width()
	}
	return 0, 0
}

// Names returns the names of the classes.
func (c *Classifier) Names() []string {
	out := make([]string, len(c.classes))
	for i, k := range c.classes {
		out[i] = k.Name
	}
	return out
}

// Learn learns a class of each label from images of one size; cfg says how far the pieces
// of examples move (see Config). Labels has a label for every image; images whose label is empty, or whose
// weight is 0, are left out. Classes are in alphabetical order, numbers before that by
// value. The error is the context's or that of Fit, or says what does not fit. The
// result is the same for any number of workers.
func Learn(ctx context.Context, data patchwork.Data, labels []string, cfg patchwork.Config, opt Options) (*Classifier,
	error) {
	opt = opt.withDefaults()
	if len(labels) != len(data.Images) {
		return nil, fmt.Errorf("patchwork: %d labels for %d images", len(labels), len(data.Images))
	}
	if opt.Rows != nil && len(opt.Rows) != len(data.Images) {
		return nil, fmt.Errorf("patchwork: %d numbers for %d images", len(opt.Rows), len(data.Images))
	}
	if err := rows.Validate(ctx, data); err != nil {
		return nil, err
	}
	members := make(map[string][]int)
	for i, label := range labels {
		if label != "" && data.Weight(i) > 0 {
			members[label] = append(members[label], i)
		}
	}
	l := &learner{data: data, cfg: cfg, opt: opt}
	for name, own := range members {
		l.groups = append(l.groups, group{name, own})
	}
	slices.SortFunc(l.groups, func(a, b group) int { return byName(a.name, b.name) })
	switch {
	case len(l.groups) < 2:
		return nil, fmt.Errorf("patchwork: %s to tell apart; there must be two classes at least", named(l.groups))
	case len(l.groups) > MaxClasses:
		return nil, fmt.Errorf("patchwork: %d classes, more than %d; is the column the right one?", len(l.groups), MaxClasses)
	case opt.Examples == 0 && opt.Fit == nil:
		return nil, fmt.Errorf(
			"patchwork: neither examples are kept nor a model is learned; there would be nothing to name by")
	}
	return l.learn(ctx)
}

// named says which classes there are.
func named(groups []group) string {
	if len(groups) == 0 {
		return "no labels"
	}
	return fmt.Sprintf("only the class %q", groups[0].name)
}

// byName compares names: whole numbers by value, before texts.
func byName(a, b string) int {
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	switch number := isNumber(a); {
	case number != isNumber(b) && number:
		return -1
	case number != isNumber(b):
		return 1
	case number && len(x) != len(y):
		return len(x) - len(y)
	}
	return strings.Compare(a, b)
}

// isNumber reports whether a text has digits only.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// group is the images of one class.
type group struct {
	name string
	rows []int
}

// learner is one run of Learn.
type learner struct {
	data   patchwork.Data
	cfg    patchwork.Config
	opt    Options
	groups []group
	whole  map[int]Example // by row
}

// learn makes the classes, then fits the sharpness.
func (l *learner) learn(ctx context.Context) (*Classifier, error) {
	if err := l.cut(ctx); err != nil {
		return nil, err
	}
	classes := make([]Class, len(l.groups))
	at, err := pool.Run(ctx, len(classes), l.opt.Workers, 1, func(_, g int) (err error) {
		classes[g], err = l.class(ctx, g)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("class %q: %w", l.groups[at].name, err)
	}
	c, err := New(classes, firstSharpness)
	if err != nil {
		return nil, err
	}
	return l.calibrate(ctx, c)
}

// cut cuts the examples that are kept, now or while some are left out.
func (l *learner) cut(ctx context.Context) error {
	var which []int
	for _, g := range l.groups {
		if l.opt.Examples > 0 {
			which = append(which, g.rows...)
		}
	}
	examples := make([]Example, len(which))
	_, err := pool.Run(ctx, len(which), l.opt.Workers, 1, func(_, n int) (err error) {
		i := which[n]
		pieces, err := Cut(ctx, l.data.Images[i], rand.New(rand.NewPCG(l.opt.Seed, uint64(i))))
		if err == nil {
			at := i
			if l.opt.Rows != nil {
				at = l.opt.Rows[i]
			}
			examples[n], err = NewExample(at, l.cfg, pieces)
		}
		return err
	})
	l.whole = make(map[int]Example, len(which))
	for n, i := range which {
		l.whole[i] = examples[n]
	}
	return err
}

// class learns one class.
func (l *learner) class(ctx context.Context, g int) (Class, error) {
	own := l.groups[g].rows
	k := Class{Name: l.groups[g].name}
	for _, i := range own {
		k.Rows += l.data.Weight(i)
	}
	for _, i := range l.kept(g) {
		k.Examples = append(k.Examples, l.whole[i])
	}
	if l.opt.Fit == nil {
		return k, nil
	}
	var err error
	k.Learned, err = l.opt.Fit(ctx, rows.Part(l.data, own))
	return k, err
}

// kept returns the rows of a class that are kept whole, in rising order.
func (l *learner) kept(g int) []int {
	own := l.groups[g].rows
	if len(own) <= l.opt.Examples {
		return own
	}
	rng := rand.New(rand.NewPCG(l.opt.Seed, 1<<40+uint64(g)))
	var out []int
	for _, i := range rng.Perm(len(own))[:l.opt.Examples] {
		out = append(out, own[i])
	}
	slices.Sort(out)
	return out
}
