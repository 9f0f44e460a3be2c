package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/workbench"
)

// builtin is a model that every server learns at its start, from data that it
// generates.
type builtin struct {
	id, name   string
	data, file string // id of the data set, and its name
	take       int    // images to learn from; 0: all
	recipe     recipe.Recipe
	make       func() (*dataset.Set, error)
}

// builtins lists the built-in models in the order in which they are learned.
var builtins = []builtin{
	// The task of the paper's Figure 7, learned as by patchwork learn.
	{"letter-t", "The letter T, from ten drawings", "letters-t", "Letters T by 40 invented writers", 10,
		recipe.Recipe{Count: recipe.Count{Experts: 2}, Poses: recipe.Poses{Shift: 14, Rotate: "24:6"}, Seed: 15}, lettersT},
	{"quadrants", "Quadrants, voted white and black", "quadrants", "Quadrants: on, off or noise", 0,
		recipe.Recipe{Count: recipe.Count{Experts: 8}, Rule: "max-minus-min", Seed: 1}, quadrants},
	{"baskets", "Shopping baskets, an invented table", "baskets", "Shopping baskets (invented)", 0,
		recipe.Recipe{Count: recipe.Count{Auto: true}, Rule: "max-minus-min", Method: "soft", Aim: "interpret", Begin: "grow",
			Seed: 1}, baskets},
}

// build learns the built-in models in the background.
func (s *core) build() {
	first := builtins[0].name
	s.building.Store(&first)
	s.tasks.Go(func() {
		defer s.building.Store(nil)
		for i := range builtins {
			b := &builtins[i]
			s.building.Store(&b.name)
			if err := s.buildOne(s.closing, b); err != nil && !errors.Is(err, context.Canceled) {
				s.log.Error("a built-in model could not be learned", "model", b.id, "error", err)
			}
		}
	})
}

func (s *core) buildOne(ctx context.Context, b *builtin) error {
	set, err := b.make()
	if err != nil {
		return err
	}
	d := &data{item: item{id: b.data, name: b.file, fixed: true}, files: []string{b.data + ".npz"}, rows: rows{set: set}}
	if err := s.data.keep(d); err != nil {
		return err
	}
	var learned workbench.Model
	if made, ok := s.made[b.id]; ok {
		learned, err = workbench.Read(bytes.NewReader(made), int64(len(made)))
	} else {
		learned, err = b.learn(s.resting(ctx), set)
	}
	if err != nil {
		return err
	}
	j := &job{args: d.arguments(nil, b.take)}
	return s.models.keep(&model{item: item{id: b.id, name: b.name, fixed: true}, source: "built-in", of: learned,
		command: j.line(&b.recipe)})
}

// learn learns the model.
func (b *builtin) learn(ctx context.Context, set *dataset.Set) (workbench.Model, error) {
	if b.take > 0 {
		set = set.Take(b.take)
	}
	data, how := workbench.Data{Frame: set}, b.recipe
	how.Workers = runtime.GOMAXPROCS(0)
	l, err := workbench.NewLearning(data, how, data.Facts())
	if err != nil {
		return nil, err
	}
	var learned workbench.Model
	for s, err := range l.Steps(ctx) {
		if err != nil {
			return nil, fmt.Errorf("learn %s: %w", b.id, err)
		}
		learned = s.Model
	}
	return learned, nil
}

// Builtins learns the built-in models and returns their files, by their ids, for Options.Made.
func Builtins(ctx context.Context) (map[string][]byte, error) {
	files := map[string][]byte{}
	for i := range builtins {
		b := &builtins[i]
		set, err := b.make()
		if err != nil {
			return nil, err
		}
		m, err := b.learn(ctx, set)
		if err != nil {
			return nil, err
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			return nil, err
		}
		files[b.id] = file.Bytes()
	}
	return files, nil
}

func lettersT() (*dataset.Set, error) {
	set, err := synth.Letters(synth.LettersOptions{Letters: "T", N: 40, Writers: 40, Side: 56, Seed: 15})
	if err != nil {
		return nil, err
	}
	letters, writers := make([]string, len(set.Images)), make([]int64, len(set.Images))
	for i, item := range set.Truth.Items {
		letters[i], writers[i] = string(item.Letter), int64(item.Writer)
	}
	return &dataset.Set{Data: patchwork.Data{Images: set.Images}, Source: "the built-in letters",
		Meta: []dataset.Labels{dataset.LabelsOf("y", letters), dataset.LabelsOf("writer", writers)}}, nil
}

func quadrants() (*dataset.Set, error) {
	set, err := synth.Quadrants(synth.QuadrantsOptions{N: 100, Seed: 1})
	if err != nil {
		return nil, err
	}
	return &dataset.Set{Data: patchwork.Data{Images: set.Images}, Source: "the built-in quadrants"}, nil
}

// habit is a reason why items are in a basket together, or are not.
type habit struct {
	share    float64 // of the baskets
	buys     []string
	leavesIt []string
}

var habits = []habit{
	{0.40, []string{"bread", "butter", "jam", "milk"}, nil},
	{0.35, []string{"sausages", "mustard", "charcoal", "beer"}, nil},
	{0.30, []string{"tofu", "lentils", "spinach"}, []string{"sausages", "ham"}},
	{0.25, []string{"nappies", "baby food", "milk"}, []string{"beer"}},
	{0.30, []string{"pasta", "tomatoes", "basil", "cheese"}, nil},
}

var goods = []string{"bread", "butter", "jam", "milk", "sausages", "ham", "mustard", "charcoal", "beer", "tofu",
	"lentils", "spinach",
	"nappies", "baby food", "pasta", "tomatoes", "basil", "cheese"}

// baskets returns a table drawn from habits: 500 baskets, each with some
// habits. The items of a habit are in its baskets with probability 0.9, those
// it avoids with 0.03; other items with 0.3 if many habits avoid them, else
// with 0.12.
func baskets() (*dataset.Set, error) {
	const rows = 500
	rng := rand.New(rand.NewPCG(1, 18))
	set := &dataset.Set{Table: true, Columns: goods, Source: "the built-in baskets"}
	for range rows {
		p := make(map[string]float64, len(goods))
		for _, g := range goods {
			p[g] = 0.12
		}
		for _, often := range []string{"ham", "beer", "sausages"} {
			p[often] = 0.35
		}
		for _, h := range habits {
			if rng.Float64() >= h.share {
				continue
			}
			for _, g := range h.buys {
				p[g] = 0.9
			}
			for _, g := range h.leavesIt {
				p[g] = 0.03
			}
		}
		row := bitmap.New(1, len(goods))
		for x, g := range goods {
			row.Set(0, x, rng.Float64() < p[g])
		}
		set.Images = append(set.Images, row)
	}
	return set, nil
}
