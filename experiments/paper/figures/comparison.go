package figures

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/internal/atomicfile"
)

// compared is the comparison with the rivals, shared by Figures 4 to 6.
type compared struct {
	rivals.Results

	// Tuned holds the models with tuned settings, tuned again for codes rounded
	// to bits.
	Tuned rivals.Results
}

// rounded returns the comparison with rounded codes: every model with the
// settings tuned for them.
func (c *compared) rounded() rivals.Results {
	out := c.Results
	out.Curves = slices.Clone(out.Curves)
	for i, k := range out.Curves {
		for _, t := range c.Tuned.Curves {
			if t.Name == k.Name {
				out.Curves[i] = t
			}
		}
	}
	return out
}

// compareWith runs the comparison with the given options.
func compareWith(ctx context.Context, o rivals.Options) (*compared, error) {
	var c compared
	var err error
	if c.Results, err = rivals.Run(ctx, o); err != nil {
		return nil, err
	}
	o.TuneRounded, o.Models = true, []string{rivals.DAETied, rivals.DAEUntied, rivals.RBM}
	c.Tuned, err = rivals.Run(ctx, o)
	return &c, err
}

// comparison returns a function that computes the comparison once and stores it
// in the folder.
func comparison(dir string, fresh bool) func(context.Context, Options) (*compared, error) {
	var (
		mu   sync.Mutex
		made *keptComparison
	)
	return func(ctx context.Context, o Options) (*compared, error) {
		mu.Lock()
		defer mu.Unlock()
		path := filepath.Join(dir, "comparison.gob")
		key := fmt.Sprintf("%d quick=%t seed=%d", layout, o.Quick, o.Seed)
		if made == nil && !fresh {
			made = readComparison(path)
		}
		if made != nil && made.Key == key {
			return &made.Compared, nil
		}
		c, err := compareWith(ctx, rivals.Options{Quick: o.Quick, Seed: o.Seed, Workers: o.Workers,
			Progress: func(done, total int) {
				if o.Progress != nil {
					o.Progress("4-6", done, total)
				}
			}})
		if err != nil {
			return nil, err
		}
		made = &keptComparison{key, *c}
		return c, atomicfile.Write(path, func(w io.Writer) error { return gob.NewEncoder(w).Encode(made) })
	}
}

// keptComparison is the comparison as a file; gob, since JSON has no NaN.
type keptComparison struct {
	Key      string
	Compared compared
}

// readComparison returns nil if there is none, or none that can be read.
func readComparison(path string) *keptComparison {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var k keptComparison
	if gob.NewDecoder(f).Decode(&k) != nil {
		return nil
	}
	return &k
}
