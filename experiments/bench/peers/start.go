package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/modelfile"
)

// startTasks returns P4: two strokes of a T learned from ten drawings, the whole process,
// beside a Python that only imports scikit-learn.
func (s *session) startTasks() ([]task, error) {
	binary, letters := filepath.Join(s.dir, "patchwork"), filepath.Join(s.dir, "t.npz")
	if err := s.exec("go", "build", "-o", binary, "example.com/patchwork/cmd/patchwork"); err != nil {
		return nil, err
	}
	if err := s.exec(binary, "synth", "letters", "--letters", "T", "--n", "10", "--seed", "1", "-q", "-o",
		letters); err != nil {
		return nil, err
	}
	python, err := peers.Path()
	if err != nil {
		return nil, err
	}
	imports := peer{name: `python3 -c "import sklearn"`, units: 1, target: 1,
		run: local(func() error { return s.exec(python, "-c", "import sklearn") })}
	var out []task
	for _, c := range []struct{ name, starts string }{
		{"one start", "1"},
		{"8 starts, the default", "8"},
	} {
		model := filepath.Join(s.dir, "t-model-"+c.starts+".npz")
		learn := func() error {
			return s.exec(binary, "learn", letters, "-o", model, "-q", "--experts", "2", "--shift", "14", "--rotate", "24:6",
				"--starts", c.starts, "--workers", "1")
		}
		check := func() (string, error) {
			if err := learn(); err != nil {
				return "", err
			}
			return verdictT(model, letters)
		}
		out = append(out, task{name: "P4 patchwork learn, a T from 10 images, " + c.name, unit: "process", units: 1,
			ours: learn, check: check, peers: []peer{imports}})
		if s.quick {
			break
		}
	}
	return out, nil
}

// verdictT explains the letters by the learned model. It is an error if that is no better
// than one probability of ink for all pixels, or if an expert is never used.
func verdictT(model, letters string) (string, error) {
	m, err := modelfile.Load(model)
	if err != nil {
		return "", err
	}
	set, err := dataset.Read([]string{letters}, dataset.Options{})
	if err != nil {
		return "", err
	}
	used := make([]int, m.K())
	t, err := patchwork.EStep(context.Background(), m, patchwork.Data{Images: set.Images},
		patchwork.PursuitOptions{Paper: true}, 1,
		func(_ int, e *patchwork.Explanation) {
			for _, p := range e.Picks {
				used[p.Expert]++
			}
		})
	if err != nil {
		return "", err
	}
	n, on := float64(len(set.Images)), stat.MeanOf(set.Images, func(img *bitmap.Image) float64 {
		return float64(img.CountOn()) / float64(img.Len())
	})
	plain := n * float64(set.Images[0].Len()) * (on*math.Log(on) + (1-on)*math.Log(1-on))
	text := fmt.Sprintf("experts used in %d and %d of %d letters; log-likelihood %.1f per letter, %.1f with one "+
		"probability for all pixels",
		used[0], used[1], len(set.Images), t.LogLik()/n, plain/n)
	if min(used[0], used[1]) == 0 || t.LogLik() <= plain {
		return "", fmt.Errorf("a bad model: %s", text)
	}
	return text, nil
}

// exec runs a program to its end, with the environment of the peers.
func (s *session) exec(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), environment()...)
	if os.Getenv("GOMAXPROCS") == "" {
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}
