package fewshot

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// RowNames are the tasks of rows that ReadRows knows.
var RowNames = []string{"planted", "planted alone", "votes", "spect", "mushroom", "brca"}

// mostTestRows is how many rows of a class are named at most.
const mostTestRows = 200

// leastRows is how many rows of each class there are to learn from at least.
const leastRows = 2

// ReadRows returns a task of rows of a table, with rows to learn from and to name drawn
// by the seed: n of each class on average, of tables as common as the classes are. Dir is
// the folder of the data.
//
// planted: five classes, 60 columns; every class has two groups of ten columns of its own,
// each in 70 % of its rows, and there are two groups that every row has with 30 %; the
// columns of groups are drawn anew, so that they overlap; 10 % of the bits are flipped.
// planted alone: one group a class, in every row, 20 % flipped. votes: House Votes 84, the
// party, unknown cells. spect: SPECT heart, the diagnosis. mushroom: edible or not, a column
// for each value. brca: mutations of breast cancer, the subtype.
func ReadRows(dir, name string, n int, seed uint64) (*Task, error) {
	rng := rand.New(rand.NewPCG(seed, 18))
	switch name {
	case "planted":
		return planted(2, 0.7, 2, 0.1, n, rng), nil
	case "planted alone":
		return planted(1, 1, 0, 0.2, n, rng), nil
	}
	path := map[string]string{"votes": "house_votes_84/house_votes_84.npz", "spect": "spect_heart/spect_heart.npz",
		"mushroom": "mushroom/mushroom.npz", "brca": "tcga_mutations/BRCA.npz"}[name]
	if path == "" {
		return nil, fmt.Errorf("no task %q of rows; there are %v", name, RowNames)
	}
	set, err := dataset.Read([]string{filepath.Join(dir, filepath.FromSlash(path))}, dataset.Options{})
	if err != nil {
		return nil, err
	}
	if name == "votes" {
		if err := unknownVotes(dir, set); err != nil {
			return nil, err
		}
	}
	y, err := set.Column("y")
	if err != nil {
		return nil, err
	}
	classes := map[string]*Class{}
	for i := range set.Len() {
		if l := y.Text(i); l != "" && l != "Normal-like" { // eight rows of brca
			classOf(classes, l)
		}
	}
	order := rng.Perm(set.Len())
	left, chosen := n*len(classes), make(map[int]bool)
	for _, most := range []int{leastRows, set.Len()} { // rows to learn from, so many of a class at most
		for _, i := range order {
			if c := classes[y.Text(i)]; c != nil && left > 0 && !chosen[i] && len(c.Train) < most {
				c.Train = append(c.Train, set.Images[i])
				chosen[i] = true
				left--
			}
		}
	}
	for _, i := range order {
		if c := classes[y.Text(i)]; c != nil && !chosen[i] && len(c.Test) < mostTestRows {
			c.Test = append(c.Test, set.Images[i])
		}
	}
	return sorted(classes), nil
}

// unknownVotes makes the votes unknown that are missing.
func unknownVotes(dir string, set *dataset.Set) error {
	missing, err := dataset.Read([]string{filepath.Join(dir, "house_votes_84", "house_votes_84.npz")},
		dataset.Options{Array: "missing"})
	if err != nil {
		return err
	}
	for i, img := range missing.Images {
		for x := range img.Width() {
			if img.At(0, x) {
				set.Images[i].SetUnknown(0, x)
			}
		}
	}
	return nil
}

// planted draws a task of five classes with groups of their own, and groups of all.
func planted(own int, share float64, common int, flips float64, n int, rng *rand.Rand) *Task {
	const classes, columns, size = 5, 60, 10
	group := func() []int { return rng.Perm(columns)[:size] }
	var all [][]int
	for range common {
		all = append(all, group())
	}
	t := &Task{}
	for c := range classes {
		var groups [][]int
		for range own {
			groups = append(groups, group())
		}
		row := func() *bitmap.Image {
			img := bitmap.New(1, columns)
			write := func(groups [][]int, share float64) {
				for _, g := range groups {
					if rng.Float64() < share {
						for _, x := range g {
							img.Set(0, x, true)
						}
					}
				}
			}
			write(groups, share)
			write(all, 0.3)
			for x := range columns {
				if rng.Float64() < flips {
					img.Set(0, x, !img.At(0, x))
				}
			}
			return img
		}
		k := Class{Name: fmt.Sprint(c)}
		for range n {
			k.Train = append(k.Train, row())
		}
		for range mostTestRows {
			k.Test = append(k.Test, row())
		}
		t.Classes = append(t.Classes, k)
	}
	return t
}
