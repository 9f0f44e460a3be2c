package fewshot

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testenv"
)

// bars draws upright and level bars, moved by up to a pixel.
func bars(n int, seed uint64) (train [][]*bitmap.Image) {
	rng := rand.New(rand.NewPCG(seed, 1))
	train = make([][]*bitmap.Image, 2)
	for c := range train {
		for range n {
			img, at := bitmap.New(16, 16), 7+rng.IntN(3)
			for i := 3; i < 13; i++ {
				if c == 0 {
					img.Set(i, at, true)
				} else {
					img.Set(at, i, true)
				}
			}
			train[c] = append(train[c], img)
		}
	}
	return train
}

// TestRivals: every rival tells bars apart.
func TestRivals(t *testing.T) {
	train, held := bars(12, 1), bars(10, 2)
	tests := append(held[0], held[1]...)
	truth := make([]int, 20)
	for i := 10; i < 20; i++ {
		truth[i] = 1
	}
	for c, got := range images.rivals(&examples{train: train, tests: tests, seed: 1}) {
		if a := accuracy(got, truth); a < 0.95 {
			t.Errorf("%s: accuracy %v", images.columns[c], a)
		}
	}
}

// TestCopiesOfRivals: an image is among its moved copies, and a shift moves it.
func TestCopiesOfRivals(t *testing.T) {
	img := bitmap.Parse("....", ".#..", "....", "....")
	var all []string
	for _, c := range (moves{[]float64{0}, 1, 1}).copies(img) {
		all = append(all, c.String())
	}
	if len(all) != 9 || all[4] != img.String() {
		t.Fatalf("copies\n%s", strings.Join(all, "\n"))
	}
	if want := bitmap.Parse("....", "....", "..#.", "....").String(); all[8] != want {
		t.Errorf("first copy\n%s", all[0])
	}
}

// TestTasks: the tasks have the classes, sizes and numbers of images that the ledger says,
// and no test image is one to learn from.
func TestTasks(t *testing.T) {
	dir := testenv.Shared(t, "data")
	for _, c := range []struct {
		name                       string
		classes, train, test, h, w int
	}{{"optdigits", 10, 20, 40, 16, 16}, {"alphadigits", 35, 20, 19, 20, 16}, {"omniglot", 30, 10, 10, 35, 35}} {
		task, err := Read(dir, c.name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(task.Classes) != c.classes {
			t.Fatalf("%s: %d classes", c.name, len(task.Classes))
		}
		for _, k := range task.Classes {
			if len(k.Train) != c.train || len(k.Test) != c.test || k.Train[0].Height() != c.h || k.Train[0].Width() != c.w {
				t.Fatalf("%s, class %s: %d and %d images of %d x %d", c.name, k.Name, len(k.Train), len(k.Test),
					k.Train[0].Height(), k.Train[0].Width())
			}
		}
	}
	if _, err := Read(dir, "none", 1); err == nil {
		t.Error("there is a task none")
	}
}

// TestSmaller: a block is ink if enough of it is.
func TestSmaller(t *testing.T) {
	got := smaller(bitmap.Parse("##..", "....", ".###", "..##"), 2, 2)
	if want := bitmap.Parse("#.", ".#"); !got.Equal(want) {
		t.Errorf("\n%v", got)
	}
}
