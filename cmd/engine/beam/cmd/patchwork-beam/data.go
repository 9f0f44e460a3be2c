package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // Beam itself brings gs://

	"example.com/patchwork/cmd/engine"
	"example.com/patchwork/dataset"
)

// openJob is a job and its data.
type openJob struct {
	engine.Job
	data *dataset.Stream

	mu       sync.Mutex
	line     string // JSON of the present step
	prepared *engine.Explainer
}

// explainer prepares a step once for all its shards: the tables for rows take some
// thousand rows to build up.
func (j *openJob) explainer(line []byte) (*engine.Explainer, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.prepared != nil && j.line == string(line) {
		return j.prepared, nil
	}
	step := new(engine.Step)
	if err := json.Unmarshal(line, step); err != nil {
		return nil, err
	}
	e, err := step.Explainer()
	if err != nil {
		return nil, err
	}
	j.line, j.prepared = string(line), e
	return e, nil
}

// opened holds the one job that this process works for: opening reads files of text
// completely, and copies those of object stores.
var opened struct {
	sync.Mutex
	line string
	job  *openJob
}

// openOnce opens the data of a job, if they are not open.
func openOnce(ctx context.Context, line []byte) (*openJob, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.job != nil && opened.line == string(line) {
		return opened.job, nil
	}
	j := new(openJob)
	if err := json.Unmarshal(line, &j.Job); err != nil {
		return nil, err
	}
	local := j.Job
	var err error
	if local.Paths, err = fetch(ctx, j.Paths); err != nil {
		return nil, err
	}
	if local.Options.Labels, err = fetch(ctx, j.Options.Labels); err != nil {
		return nil, err
	}
	if j.data, err = local.Open(ctx); err != nil {
		return nil, err
	}
	opened.line, opened.job = string(line), j
	return j, nil
}

// fetched holds the files that were copied to this machine.
var fetched struct {
	sync.Mutex
	to map[string]string
}

// fetch returns a local path for every path: itself, or that of a copy if it has a
// scheme such as gs://. A path is copied once.
func fetch(ctx context.Context, paths []string) ([]string, error) {
	fetched.Lock()
	defer fetched.Unlock()
	var local []string
	for _, from := range paths {
		if _, _, remote := cutScheme(from); !remote {
			local = append(local, from)
			continue
		}
		to := fetched.to[from]
		if to == "" {
			var err error
			if to, err = download(ctx, from); err != nil {
				return nil, fmt.Errorf("fetch %s: %w", from, err)
			}
			if fetched.to == nil {
				fetched.to = map[string]string{}
			}
			fetched.to[from] = to
		}
		local = append(local, to)
	}
	return local, nil
}

func cutScheme(p string) (scheme, rest string, ok bool) { return strings.Cut(p, "://") }

// download copies a file to the folder for temporary files, under its own name, which
// tells its format.
func download(ctx context.Context, from string) (to string, err error) {
	fs, err := filesystem.New(ctx, from)
	if err != nil {
		return "", err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, from)
	if err != nil {
		return "", err
	}
	defer r.Close()
	dir, err := os.MkdirTemp("", "patchwork-beam-*")
	if err != nil {
		return "", err
	}
	to = filepath.Join(dir, filepath.Base(from))
	f, err := os.Create(to)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, r)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return to, err
}
