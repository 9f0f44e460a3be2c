// Package fewshot measures how well classes are told apart that were learned from 1, 5,
// 10 or 20 examples each, beside rivals that see the same examples: nearest neighbours
// under the best shift and turn, naive Bayes, and logistic regression, the last two also
// with shifted and turned copies.
package fewshot

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
)

// Task is a set of classes: images to learn from and others to name.
type Task struct {
	Name    string
	Classes []Class
}

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

// Names are the tasks that are measured. Others are those that constants of package classes
// were chosen by, so that what is measured on Names is no fit: no image is in both.
var (
	Names  = []string{"optdigits", "alphadigits", "omniglot"}
	Others = []string{"mnist", "capitals", "lower", "synth"}
)

// Read returns a task, with examples, test images and, of Omniglot, classes drawn by the
// seed. Dir is the folder of the data.
//
// optdigits: 32 x 32 halved to 16 x 16; learned from 30 writers (tra), tested on 13
// others (windep). alphadigits: 20 x 16, 35 classes (O is 0 in these data), 20 examples
// to learn from, the other 19 to test. omniglot: 105 x 105 to 35 x 35, 30 characters of
// five alphabets, ten writers to learn from, the ten others to test.
func Read(dir, name string, seed uint64) (*Task, error) {
	rng := rand.New(rand.NewPCG(seed, 17))
	switch name {
	case "optdigits":
		set, err := dataset.Read([]string{filepath.Join(dir, "optdigits_orig", "optdigits_orig.npz")}, dataset.Options{})
		if err != nil {
			return nil, err
		}
		split, err := texts(set, "split")
		if err != nil {
			return nil, err
		}
		return task(name, set, 2, 2, mostTrain, rng, func(i int) (train, test bool) {
			return split[i] == "tra",
				split[i] == "windep"
		}, "y")
	case "alphadigits":
		set, err := dataset.Read([]string{filepath.Join(dir, "binary_alphadigits", "binary_alphadigits.npz")},
			dataset.Options{Where: []dataset.Condition{{Name: "y", Op: "!=", Values: []string{"O"}}}})
		if err != nil {
			return nil, err
		}
		return task(name, set, 1, 1, mostTrain, rng, nil, "y")
	case "omniglot":
		set, err := dataset.Read([]string{filepath.Join(dir, "omniglot_small1", "omniglot_small1.npz")}, dataset.Options{})
		if err != nil {
			return nil, err
		}
		t, err := task(name, set, 3, 3, mostTrain/2, rng, nil, "alphabet", "y")
		if err != nil {
			return nil, err
		}
		rng.Shuffle(len(t.Classes), func(i, j int) { t.Classes[i], t.Classes[j] = t.Classes[j], t.Classes[i] })
		t.Classes = t.Classes[:min(omniglots, len(t.Classes))]
		return t, nil
	}
	return other(dir, name, rng)
}

// other returns one of the other tasks. mnist: 28 x 28, 10 digits. capitals and lower:
// Chars74K, 56 x 56 halved to 28 x 28, capital and small letters. synth: the capital
// letters of package synth, 32 x 32, by 40 writers.
func other(dir, name string, rng *rand.Rand) (*Task, error) {
	switch name {
	case "mnist":
		threshold := 127.0
		set, err := dataset.Read([]string{filepath.Join(dir, "mnist_t10k", "t10k-images-idx3-ubyte.gz")},
			dataset.Options{Threshold: &threshold,
				Labels: []string{filepath.Join(dir, "mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
		if err != nil {
			return nil, err
		}
		return task(name, set, 1, 1, mostTrain, rng, nil, "y")
	case "capitals", "lower":
		first, last := 'A', 'Z'
		if name == "lower" {
			first, last = 'a', 'z'
		}
		var letters []string
		for c := first; c <= last; c++ {
			letters = append(letters, string(c))
		}
		set, err := dataset.Read([]string{filepath.Join(dir, "chars74k_hnd", "chars74k_hnd_56.npz")},
			dataset.Options{Where: []dataset.Condition{{Name: "y", Op: "=", Values: letters}}})
		if err != nil {
			return nil, err
		}
		return task(name, set, 2, 2, mostTrain, rng, nil, "y")
	case "synth":
		drawn, err := synth.Letters(synth.LettersOptions{Writers: 40, Side: 32, Seed: rng.Uint64()})
		if err != nil {
			return nil, err
		}
		t := &Task{Name: name}
		at := make(map[rune]int)
		for _, i := range rng.Perm(len(drawn.Images)) {
			letter := drawn.Truth.Items[i].Letter
			if _, seen := at[letter]; !seen {
				at[letter] = len(t.Classes)
				t.Classes = append(t.Classes, Class{Name: string(letter)})
			}
			if c := &t.Classes[at[letter]]; len(c.Train) < mostTrain {
				c.Train = append(c.Train, drawn.Images[i])
			} else {
				c.Test = append(c.Test, drawn.Images[i])
			}
		}
		slices.SortFunc(t.Classes, func(a, b Class) int { return cmp.Compare(a.Name, b.Name) })
		return t, nil
	}
	return nil, fmt.Errorf("no task %q; there are %v, and %v", name, Names, Others)
}

// texts returns a column as texts.
func texts(set *dataset.Set, name string) ([]string, error) {
	c, err := set.Column(name)
	if err != nil {
		return nil, err
	}
	out := make([]string, c.Len())
	for i := range out {
		switch v := c.Values.(type) {
		case []string:
			out[i] = v[i]
		case []int64:
			out[i] = fmt.Sprint(v[i])
		case []float64:
			out[i] = fmt.Sprint(v[i])
		}
	}
	return out, nil
}

// task divides a set, its images shrunk, by the columns that name the class. Roles says
// what an image is for; nil means that the first most of each class, in random order,
// are to learn from and the others to test.
func task(name string, set *dataset.Set, shrink, ink, most int, rng *rand.Rand, roles func(i int) (train, test bool),
	by ...string) (*Task, error) {
	labels := make([]string, set.Len())
	for _, column := range by {
		values, err := texts(set, column)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			if labels[i] != "" {
				labels[i] += " "
			}
			labels[i] += v
		}
	}
	classes := make(map[string]*Class)
	for _, i := range rng.Perm(set.Len()) {
		c := classes[labels[i]]
		if c == nil {
			c = &Class{Name: labels[i]}
			classes[labels[i]] = c
		}
		train, test := len(c.Train) < most, len(c.Train) >= most
		if roles != nil {
			train, test = roles(i)
		}
		img := smaller(set.Images[i], shrink, ink)
		switch {
		case train && len(c.Train) < most:
			c.Train = append(c.Train, img)
		case test && len(c.Test) < mostTest:
			c.Test = append(c.Test, img)
		}
	}
	t := &Task{Name: name}
	for _, c := range classes {
		t.Classes = append(t.Classes, *c)
	}
	slices.SortFunc(t.Classes, func(a, b Class) int { return cmp.Compare(a.Name, b.Name) })
	return t, nil
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
