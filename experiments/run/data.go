package main

import (
	"os"
	"path/filepath"
	"runtime"

	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/letters"
	"example.com/patchwork/experiments/pairs"
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
func onLetters(run func(job, letterSet, letters.Options) error) func(job) error {
	return func(j job) error {
		set, err := dataset.Read([]string{data("chars74k_hnd", "chars74k_hnd_56.npz")}, dataset.Options{})
		if err != nil {
			return err
		}
		return run(j, set, letters.Options{Seed: 1, Workers: runtime.NumCPU()})
	}
}

// onScenes runs an experiment on MNIST's test digits, or 100 scenes of them.
func onScenes(run func(job, scenes.Options) error) func(job) error {
	return func(j job) error {
		digits, labels, err := scenes.ReadDigits(data("mnist_t10k"))
		if err != nil {
			return err
		}
		return run(j, scenes.Options{Scenes: 100, Glyphs: digits, Labels: labels})
	}
}

// runDeconvolution reads the images of a deconvolution problem and its features.
func runDeconvolution(j job) error {
	var sets [2]*dataset.Set
	for i, name := range []string{"x", "features"} {
		var err error
		sets[i], err = dataset.Read([]string{data("peers", "conv_problem.npz")}, dataset.Options{Array: name})
		if err != nil {
			return err
		}
	}
	return pairs.ReportDeconvolution(j.ctx, j.w, j.number(30), sets[0].Images, sets[1].Images)
}

// runBars cuts T's of the TiCC sample.
func runBars(j job) error {
	set, err := dataset.Read([]string{data("ticc_sample", "ticc_report_tsne_654.npz"),
		data("ticc_sample", "ticc_report_fig1_100.npz")},
		dataset.Options{Where: where("y", "T")})
	if err != nil {
		return err
	}
	for seed := uint64(1); seed <= 3; seed++ {
		err := letters.ReportBars(j.ctx, j.w, set, letters.Options{Seed: seed, Workers: runtime.NumCPU()})
		if err != nil {
			return err
		}
	}
	return nil
}
