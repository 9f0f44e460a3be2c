// Package fewshot measures how well classes are told apart that were learned from 1, 5,
// 10 or 20 examples each, beside rivals that see the same examples: nearest neighbours
// under the best shift and turn, naive Bayes, and logistic regression, the last two also
// with shifted and turned copies.
package fewshot

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// Task is a set of classes: images to learn from and others to name.
type Task struct{ Classes []Class }

// Class is what one class has.
type Class struct {
	Name  string
	Train []*bitmap.Image // as many as there may be; the first n are learned from
	Test  []*bitmap.Image
}

// limits of the tasks.
const (
	mostTrain = 20
	mostTest  = 40 // of each class
	omniglots = 30 // classes, drawn anew for every seed
)

// Names are the tasks.
var Names = []string{"optdigits", "alphadigits", "omniglot"}

// source is how a task is read: a file, some of its images, how many pixels of a side become one, how many
// images of a class are learned from at most, and the columns that name the class.
type source struct {
	path   string
	where  []dataset.Condition
	shrink int
	most   int
	by     []string
}

// sources are those of the tasks.
//
// optdigits: 32 x 32 halved to 16 x 16; learned from 30 writers (tra), tested on 13
// others (windep). alphadigits: 20 x 16, 35 classes (O is 0 in these data), 20 examples
// to learn from, the other 19 to test. omniglot: 105 x 105 to 35 x 35, 30 characters of
// five alphabets, ten writers to learn from, the ten others to test.
var sources = map[string]source{
	"optdigits": {"optdigits_orig/optdigits_orig.npz", nil, 2, mostTrain, []string{"y"}},
	"alphadigits": {"binary_alphadigits/binary_alphadigits.npz",
		[]dataset.Condition{{Name: "y", Op: "!=", Values: []string{"O"}}}, 1, mostTrain, []string{"y"}},
	"omniglot": {"omniglot_small1/omniglot_small1.npz", nil, 3, mostTrain / 2, []string{"alphabet", "y"}},
}

// Read returns a task, with examples, test images and, of Omniglot, classes drawn by the
// seed. Dir is the folder of the data.
func Read(dir, name string, seed uint64) (*Task, error) {
	rng := rand.New(rand.NewPCG(seed, 17))
	from, ok := sources[name]
	if !ok {
		return nil, fmt.Errorf("no task %q; there are %v", name, Names)
	}
	set, err := dataset.Read([]string{filepath.Join(dir, filepath.FromSlash(from.path))},
		dataset.Options{Where: from.where})
	if err != nil {
		return nil, err
	}
	var roles func(i int) (train, test bool)
	if name == "optdigits" {
		split, err := set.Column("split")
		if err != nil {
			return nil, err
		}
		roles = func(i int) (train, test bool) { return split.Text(i) == "tra", split.Text(i) == "windep" }
	}
	t, err := task(set, from, rng, roles)
	if err == nil && name == "omniglot" {
		rng.Shuffle(len(t.Classes), func(i, j int) { t.Classes[i], t.Classes[j] = t.Classes[j], t.Classes[i] })
		t.Classes = t.Classes[:min(omniglots, len(t.Classes))]
	}
	return t, err
}

// classOf returns a class by its name, a new one if it is the first of it.
func classOf(classes map[string]*Class, name string) *Class {
	if classes[name] == nil {
		classes[name] = &Class{Name: name}
	}
	return classes[name]
}

// sorted returns the task of some classes, by their names.
func sorted(classes map[string]*Class) *Task {
	t := &Task{}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		t.Classes = append(t.Classes, *classes[name])
	}
	return t
}

// task divides a set by the columns that name the class. Roles says what an image is for; nil means that the
// first most of each class, in random order, are to learn from and the others to test.
func task(set *dataset.Set, from source, rng *rand.Rand, roles func(i int) (train, test bool)) (*Task, error) {
	labels := make([][]string, set.Len())
	for _, column := range from.by {
		c, err := set.Column(column)
		if err != nil {
			return nil, err
		}
		for i := range labels {
			labels[i] = append(labels[i], c.Text(i))
		}
	}
	classes := map[string]*Class{}
	for _, i := range rng.Perm(set.Len()) {
		c := classOf(classes, strings.Join(labels[i], " "))
		train, test := len(c.Train) < from.most, len(c.Train) >= from.most
		if roles != nil {
			train, test = roles(i)
		}
		img := smaller(set.Images[i], from.shrink, from.shrink)
		switch {
		case train && len(c.Train) < from.most:
			c.Train = append(c.Train, img)
		case test && len(c.Test) < mostTest:
			c.Test = append(c.Test, img)
		}
	}
	return sorted(classes), nil
}

// smaller returns an image of one pixel for each block of side x side, on where at least
// ink pixels of the block are.
func smaller(img *bitmap.Image, side, ink int) *bitmap.Image {
	if side == 1 {
		return img
	}
	out := bitmap.New(img.Height()/side, img.Width()/side)
	for y := range out.Height() {
		for x := range out.Width() {
			n := 0
			for dy := range side {
				for dx := range side {
					if img.At(y*side+dy, x*side+dx) {
						n++
					}
				}
			}
			out.Set(y, x, n >= ink)
		}
	}
	return out
}
