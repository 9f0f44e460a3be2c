package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/letters"
	"example.com/patchwork/experiments/scenes"
)

// data returns a path in the shared folder.
func data(name ...string) string {
	dir := os.Getenv("PATCHWORK_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "shared")
	}
	return filepath.Join(append([]string{dir, "data"}, name...)...)
}

// where selects the rows of which metadata has a value.
func where(name, value string) []dataset.Condition {
	return []dataset.Condition{{Name: name, Op: "=", Values: []string{value}}}
}

type letterSet = *dataset.Set

// onLetters runs an experiment on the handwritten letters of Chars74K.
func onLetters(run func(letterSet, letters.Options) error) error {
	set, err := dataset.Read([]string{data("chars74k_hnd", "chars74k_hnd_56.npz")}, dataset.Options{})
	if err != nil {
		return err
	}
	return run(set, letters.Options{Seed: 1, Workers: runtime.NumCPU()})
}

// onScenes runs an experiment on 100 scenes of MNIST's test digits.
func onScenes(run func(scenes.Options) error) error {
	digits, labels, err := readDigits()
	if err != nil {
		return err
	}
	return run(scenes.Options{Scenes: 100, Glyphs: digits, Labels: labels})
}

// mnist reads the test digits of MNIST.
func mnist() (*dataset.Set, error) {
	threshold := 127.0
	return dataset.Read([]string{data("mnist_t10k", "t10k-images-idx3-ubyte.gz")},
		dataset.Options{Threshold: &threshold, Labels: []string{data("mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
}

// readDigits returns them and their labels.
func readDigits() ([]*bitmap.Image, []int, error) {
	set, err := mnist()
	if err != nil {
		return nil, nil, err
	}
	column, err := set.Column("y")
	if err != nil {
		return nil, nil, err
	}
	digits, ok := column.Values.([]int64)
	if !ok {
		return nil, nil, fmt.Errorf("labels are %T, not whole numbers", column.Values)
	}
	labels := make([]int, len(digits))
	for i, d := range digits {
		labels[i] = int(d)
	}
	return set.Images, labels, nil
}

// readDeconvolution reads the images of a deconvolution problem and its features.
func readDeconvolution() (images, features []*bitmap.Image, err error) {
	for name, to := range map[string]*[]*bitmap.Image{"x": &images, "features": &features} {
		set, err := dataset.Read([]string{data("peers", "conv_problem.npz")}, dataset.Options{Array: name})
		if err != nil {
			return nil, nil, err
		}
		*to = set.Images
	}
	return images, features, nil
}

// runBars cuts T's of the TiCC sample.
func runBars(ctx context.Context, w io.Writer, _ arguments) error {
	set, err := dataset.Read([]string{data("ticc_sample", "ticc_report_tsne_654.npz"),
		data("ticc_sample", "ticc_report_fig1_100.npz")},
		dataset.Options{Where: where("y", "T")})
	if err != nil {
		return err
	}
	for seed := uint64(1); seed <= 3; seed++ {
		if err := letters.ReportBars(ctx, w, set, letters.Options{Seed: seed, Workers: runtime.NumCPU()}); err != nil {
			return err
		}
	}
	return nil
}

// runMoves measures how far parts are moved, on letters, digits and characters.
func runMoves(ctx context.Context, w io.Writer, _ arguments) error {
	digits, err := mnist()
	if err != nil {
		return err
	}
	korean, err := dataset.Read([]string{data("omniglot_small1", "omniglot_small1.npz")},
		dataset.Options{Where: where("alphabet", "Korean")})
	if err != nil {
		return err
	}
	return onLetters(func(set letterSet, o letters.Options) error {
		var classes []letters.Class
		for _, c := range []struct {
			name    string
			of      *dataset.Set
			y       string
			experts int
		}{{"digit 4", digits, "4", 3}, {"digit 7", digits, "7", 2}, {"letter T", set, "T", 2}, {"letter H", set, "H", 3},
			{"Korean 1", korean, "1", 3}} {
			images, err := c.of.Where(where("y", c.y)[0])
			if err != nil {
				return err
			}
			classes = append(classes, letters.Class{Name: c.name, Images: images, Experts: c.experts})
		}
		return letters.ReportMoves(ctx, w, classes, 5, o)
	})
}
