package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// A program that uses this one keeps a process of it with pipes to and from it, and sends
// command lines with the files that they read: patchwork pipe. So one process serves many
// calls, the answers are those of the command line to the byte, and nothing of Go lives
// in the other program, which may fork.
//
// A request is a line of JSON, then the contents of its files one after the other; so is
// its answer. The files are in a folder of this process, which is empty between requests.

// pipeRequest is the line of a request.
type pipeRequest struct {
	Args []string   `json:"args"` // of the command line, with files by their names in Put and Get
	Put  []pipeFile `json:"put"`  // contents that follow the line
	Get  []string   `json:"get"`  // names of the files to answer with

	// Watch asks for lines of progress before the answer.
	Watch bool `json:"watch"`

	// Stop ends the command line that runs now, as an interrupt does; it has no answer
	// of its own.
	Stop bool `json:"stop"`
}

// pipeAnswer is the line of an answer.
type pipeAnswer struct {
	Code int        `json:"code"` // exit code
	Out  string     `json:"out"`  // standard output
	Err  string     `json:"err"`
	Got  []pipeFile `json:"got"` // those of the files wanted that were written; their contents follow the line
}

// pipeProgress is a line of progress, as a terminal shows it.
type pipeProgress struct {
	Line  string `json:"line"`
	Done  int    `json:"done"`
	Total int    `json:"total"` // 0 if unknown
}

// pipeFile is a file of a request or an answer.
type pipeFile struct {
	Name string `json:"name"` // without a folder
	Size int64  `json:"size"` // bytes
}

// pipeLine bounds the line of a request, in bytes.
const pipeLine = 1 << 20

func (a *app) pipeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "pipe",
		Short:  "Serve command lines and their files over standard input and output",
		Args:   flagsOnly,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			folder, err := os.MkdirTemp(quickFolder(), "patchwork-pipe-*")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
			if err := os.Chdir(folder); err != nil {
				return err
			}
			defer os.Chdir(os.TempDir()) // a folder that is in use is not removed everywhere
			return a.pipe(cmd.Context(), os.Stdin, a.out)
		},
	}
}

// quickFolder returns a folder in memory, where there is one: nothing in it is kept.
func quickFolder() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

// pipe answers requests, one after the other, until the input ends; then it stops the
// command line that runs, too. All files are in the working folder.
func (a *app) pipe(parent context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	jobs, idle, ended := make(chan pipeJob), make(chan struct{}, 1), make(chan error, 1)
	idle <- struct{}{}
	go func() {
		defer cancel()
		ended <- readRequests(ctx, in, idle, jobs)
	}()
	for {
		select {
		case j := <-jobs:
			if err := answer(j.ctx, j.request, a.getenv, out); err != nil {
				return err
			}
			j.end()
			idle <- struct{}{}
		case err := <-ended:
			if err == io.EOF {
				return nil
			}
			return err
		case <-parent.Done():
			return context.Cause(parent)
		}
	}
}

// pipeJob is a request whose files are there.
type pipeJob struct {
	ctx     context.Context // of its command line
	end     func()
	request *pipeRequest
}

// readRequests sends the requests, each once the one before is answered, until the input
// ends, for which it returns io.EOF.
func readRequests(ctx context.Context, in io.Reader, idle <-chan struct{}, jobs chan<- pipeJob) error {
	r, stop := bufio.NewReaderSize(in, pipeLine), func() {}
	for {
		q, err := readRequest(r)
		if err != nil {
			return err
		}
		if q.Stop {
			stop()
			continue
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for _, f := range q.Put {
			if err := receive(r, f); err != nil {
				return err
			}
		}
		j := pipeJob{request: q}
		j.ctx, j.end = context.WithCancel(ctx)
		select {
		case jobs <- j:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		stop = j.end
	}
}

// readRequest reads the line of a request. It returns io.EOF if there is none.
func readRequest(r *bufio.Reader) (*pipeRequest, error) {
	line, err := r.ReadSlice('\n')
	if err == io.EOF && len(line) == 0 {
		return nil, io.EOF
	}
	if err != nil {
		return nil, &inputError{fmt.Errorf("standard input: a request does not end within %d bytes: %w", pipeLine, err)}
	}
	q := new(pipeRequest)
	if err := json.Unmarshal(line, q); err != nil {
		return nil, &inputError{fmt.Errorf("standard input: a request is a line of JSON: %w", err)}
	}
	for _, f := range q.Put {
		if !isPlainName(f.Name) || f.Size < 0 {
			return nil, &inputError{
				fmt.Errorf("standard input: a file %q of %d bytes; give a name without a folder, and its size", f.Name, f.Size)}
		}
	}
	return q, nil
}

// isPlainName reports whether a name is that of a file in the working folder.
func isPlainName(name string) bool {
	return filepath.IsLocal(name) && filepath.Base(name) == name && name != "."
}

// receive writes the contents of a file.
func receive(r io.Reader, f pipeFile) error {
	to, err := os.Create(f.Name)
	if err != nil {
		return err
	}
	n, err := io.CopyN(to, r, f.Size)
	if err == io.EOF {
		err = &inputError{fmt.Errorf("standard input ends after %d of the %d bytes of %s", n, f.Size, f.Name)}
	}
	return errors.Join(err, to.Close())
}

// answer runs the command line of a request, answers, and empties the folder.
func answer(ctx context.Context, q *pipeRequest, getenv func(string) string, w io.Writer) error {
	var out, stderr bytes.Buffer
	var a pipeAnswer
	if len(q.Args) > 0 && q.Args[0] == "pipe" {
		a.Code, a.Err = 2, "patchwork: a pipe serves no pipe\n"
	} else {
		c := console{out: &out, err: &stderr, getenv: getenv}
		if q.Watch {
			c.follow = func(done, total int, line string) { // an error shows itself when the answer is written
				text, _ := json.Marshal(pipeProgress{line, done, total}) // cannot fail
				w.Write(append(text, '\n'))
			}
		}
		a.Code = run(ctx, q.Args, c)
		a.Out, a.Err = out.String(), stderr.String()
	}
	for _, name := range q.Get {
		if info, err := os.Stat(name); isPlainName(name) && err == nil && info.Mode().IsRegular() {
			a.Got = append(a.Got, pipeFile{name, info.Size()})
		}
	}
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return err
	}
	for _, f := range a.Got {
		if err := send(w, f); err != nil {
			return err
		}
	}
	return empty(".")
}

// send writes the contents of a file.
func send(w io.Writer, f pipeFile) error {
	from, err := os.Open(f.Name)
	if err != nil {
		return err
	}
	_, err = io.CopyN(w, from, f.Size)
	return errors.Join(err, from.Close())
}

// empty removes all that is in a folder.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
	}
	return err
}
