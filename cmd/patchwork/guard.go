package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/internal/atomicfile"
)

// Annotations of flags and commands, which the guard reads.
const (
	writesAnnotation  = "patchwork_writes"   // of a flag: its value is a file to write, with one of these suffixes
	insideAnnotation  = "patchwork_inside"   // of a flag: its value is a folder, in which these files are written
	inPlaceAnnotation = "patchwork_in_place" // of a command: flags whose file -o may replace, with commas between
)

// writes marks a flag whose value is a file that the command writes, in a format as in
// outputFormats. The flag --output needs no mark.
func writes(cmd *cobra.Command, flag string, formats ...string) {
	mark(cmd.Flags(), flag, writesAnnotation, formats)
}

// writesInside marks a flag whose value is a folder in which the command writes these files.
func writesInside(cmd *cobra.Command, flag string, names ...string) {
	mark(cmd.Flags(), flag, insideAnnotation, names)
}

// mayReplace marks a command whose output may be the file of another flag, because
// it is the next state of it.
func mayReplace(cmd *cobra.Command, flag string) {
	annotate(cmd, inPlaceAnnotation, flag)
}

// isOutput reports whether the value of a flag is a file or folder to write.
func isOutput(f *pflag.Flag) bool {
	return f.Name == "output" || f.Annotations[writesAnnotation] != nil || f.Annotations[insideAnnotation] != nil
}

// outputFlags returns the flags of a command that name what it writes.
func outputFlags(cmd *cobra.Command) []*pflag.Flag {
	var out []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if isOutput(f) {
			out = append(out, f)
		}
	})
	return out
}

// named is a file of a command line: its path, and the words of a message for it.
type named struct{ path, words string }

// planned is a file to write, and what was there before the work.
type planned struct {
	named
	was os.FileInfo // nil for nothing
}

// files is the one door to the files of a run. What is read is known from the command line, and from
// the readers, which tell every file that they open (dataset.Options.Opened). All that the program
// writes it writes by write, which refuses a file that is read or written already. Outputs are planned,
// so that this shows before any work; a test finds what goes round the door.
type files struct {
	mu      sync.Mutex
	stdout  io.Writer
	inputs  []named  // all that the command line may read
	opened  []string // what was read
	outputs []planned
	set     []*atomicfile.Pending // files that are written together
	staging bool                  // such a set is being made
}

// filesKey is the key of the files of a run in its context.
type filesKey struct{}

// opened returns what readers of data call with every file that they open.
func opened(cmd *cobra.Command) func(path string) error {
	f, _ := cmd.Context().Value(filesKey{}).(*files)
	if f == nil {
		return nil
	}
	return f.open
}

// inputs returns all that a command line may read: its arguments, and the values of
// its flags but those that it writes. What is no file does no harm here.
func inputs(cmd *cobra.Command, args []string) []named {
	var out []named
	for _, a := range args {
		out = append(out, named{a, a})
	}
	replaced := strings.Split(cmd.Annotations[inPlaceAnnotation], ",")
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if isOutput(f) || slices.Contains(replaced, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			words := "--" + f.Name + " " + v
			out = append(out, named{v, words})
			if _, file, ok := strings.Cut(v, "="); ok { // NAME=FILE
				out = append(out, named{file, words})
			}
		}
	})
	return out
}

// guard returns an error, before any work, if an output of a command line would
// replace one of its inputs, or another output.
func (a *app) guard(cmd *cobra.Command, args []string) error {
	a.files.stdout, a.files.inputs = a.out, inputs(cmd, args)
	for _, f := range outputFlags(cmd) {
		for _, path := range outputsOf(f) {
			out := named{path, flagWords(f)}
			if err := a.files.plan(out); err != nil {
				return err
			}
			if formats := f.Annotations[writesAnnotation]; formats != nil {
				if _, err := outputFormat(path, formats...); err != nil {
					return usagef("%s", strings.Replace(err.Error(), "-o "+path, out.words, 1))
				}
				if err := checkOutputs(path); err != nil {
					return err
				}
			}
		}
	}
	return a.files.refuseEndless()
}

// outputsOf returns the files that a flag names to be written.
func outputsOf(f *pflag.Flag) []string {
	path := f.Value.String()
	if path == "" || path == "-" {
		return nil
	}
	if inside := f.Annotations[insideAnnotation]; inside != nil {
		paths := make([]string, len(inside))
		for i, name := range inside {
			paths[i] = filepath.Join(path, name)
		}
		return paths
	}
	return []string{path}
}

// flagWords returns a flag and its value as a message shows them.
func flagWords(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + " " + f.Value.String()
	}
	return "--" + f.Name + " " + f.Value.String()
}

// plan adds outputs to those of the run, unless one would replace an input or another output.
// Commands whose file names are made of others call it before their work.
func (f *files) plan(outputs ...named) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, out := range outputs {
		if err := f.refuse(out); err != nil {
			return err
		}
		was, err := os.Stat(out.path)
		if err != nil || !was.Mode().IsRegular() {
			was = nil // devices and pipes are not replaced
		}
		f.outputs = append(f.outputs, planned{out, was})
	}
	return nil
}

// refuse returns an error if an output would replace what is read or written.
func (f *files) refuse(out named) error {
	for _, in := range f.inputs {
		if err := refuseInput(in, out); err != nil {
			return err
		}
	}
	for _, path := range f.opened {
		if sameFile(path, out.path) {
			return usagef("%s would replace the input %s; name another file", out.words, path)
		}
	}
	for _, other := range f.outputs {
		if sameFile(other.path, out.path) {
			return usagef("%s and %s are the same file; name two", other.words, out.words)
		}
	}
	return nil
}

func refuseInput(in, out named) error {
	switch {
	case in.path == "-" && sameAsOpen(out.path, os.Stdin):
		return usagef("%s would replace the file that standard input reads; name another file", out.words)
	case in.path == "", in.path == "-":
	case sameFile(in.path, out.path):
		return usagef("%s would replace the input %s; name another file", out.words, in.words)
	case isInputPicture(in.path, out.path):
		return usagef("%s would be one of the pictures in the folder %s, which is an input; write it elsewhere",
			out.words, in.words)
	}
	return nil
}

// mayReplace says that a file is to be changed: it is no input that must stay.
func (f *files) mayReplace(path string) {
	f.inputs = slices.DeleteFunc(f.inputs, func(in named) bool { return in.path == path })
}

// open notes that a file is read. It returns an error if it is to be written.
func (f *files) open(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, path)
	var info os.FileInfo
	for _, out := range f.outputs {
		if out.was == nil {
			continue
		}
		if info == nil {
			var err error
			if info, err = os.Stat(path); err != nil {
				return nil // the reader says so
			}
		}
		if os.SameFile(info, out.was) {
			return usagef("%s would replace the input %s; name another file", out.words, path)
		}
	}
	return nil
}

// check looks again at an output that is to be written now.
func (f *files) check(path string) error {
	i := slices.IndexFunc(f.outputs, func(out planned) bool { return out.path == path })
	if i < 0 {
		return f.plan(named{path, path}) // of a name that only the work has told
	}
	was := f.outputs[i]
	now, err := os.Stat(path)
	if was.was == nil && err != nil || was.was != nil && err == nil && os.SameFile(now, was.was) {
		return nil // nothing that was read since can be it: see open
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outputs = slices.Delete(f.outputs, i, i+1)
	err = f.refuse(was.named)
	f.outputs = append(f.outputs, was)
	return err
}

// write writes a file that appears completely or not at all.
func (f *files) write(path string, write func(io.Writer) error) error {
	if err := f.check(path); err != nil {
		return err
	}
	p, err := atomicfile.Stage(path, write)
	if err != nil {
		return err
	}
	if f.staging {
		f.set = append(f.set, p)
		return nil
	}
	return atomicfile.Commit(p)
}

// together does what writes several files: after an error none of them is there.
func (f *files) together(do func() error) error {
	f.staging = true
	err := do()
	set := f.set
	f.staging, f.set = false, nil
	if err != nil {
		for _, p := range set {
			p.Discard()
		}
		return err
	}
	return atomicfile.Commit(set...)
}

// folder makes a folder for files to write.
func (f *files) folder(path string) error { return os.MkdirAll(path, 0o777) }

// checkOutputs returns an error, before the work, if one of the files for its
// results cannot be written.
func checkOutputs(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("write %s: it is a folder; name a file in it", path)
		}
		info, err := os.Stat(filepath.Dir(path))
		if err != nil {
			return fmt.Errorf("write %s: folder %s: %w; create it first", path, filepath.Dir(path), underlying(err))
		}
		if !info.IsDir() {
			return fmt.Errorf("write %s: %s is not a folder", path, filepath.Dir(path))
		}
		if err := atomicfile.Check(path); err != nil {
			return err
		}
	}
	return nil
}

// refuseEndless returns an error if standard output goes to one of the inputs, so
// that reading would never end.
func (f *files) refuseEndless() error {
	out, ok := f.stdout.(*os.File)
	if !ok {
		return nil
	}
	for _, in := range f.inputs {
		if in.path != "" && in.path != "-" && sameAsOpen(in.path, out) {
			return usagef("standard output goes to the input %s; write to another file", in.words)
		}
	}
	return nil
}

// sameFile reports whether two paths name one regular file or folder, through links
// of both kinds, or would if it existed.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return os.SameFile(x, y) && (x.Mode().IsRegular() || x.IsDir())
	case errA == nil || errB == nil:
		return false
	}
	return target(a, 0) == target(b, 0)
}

// sameAsOpen reports whether a path names the regular file that is open as f.
func sameAsOpen(path string, f *os.File) bool {
	x, err := os.Stat(path)
	if err != nil {
		return false
	}
	y, err := f.Stat()
	return err == nil && os.SameFile(x, y) && x.Mode().IsRegular()
}

// mostLinks bounds the links that are followed to a file that does not exist.
const mostLinks = 40

// target returns the absolute name, without links, of a file that need not exist.
func target(path string, links int) string {
	if to, err := os.Readlink(path); err == nil && links < mostLinks {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return target(to, links+1)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	// The folders above it that exist have one name each.
	for dir, rest := filepath.Dir(abs), filepath.Base(abs); ; dir, rest = filepath.Dir(dir),
		filepath.Join(filepath.Base(dir), rest) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest)
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return abs
		}
	}
}

// isInputPicture reports whether a file to be written is or would be a picture in a
// folder of pictures that is read.
func isInputPicture(folder, path string) bool {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() || !strings.EqualFold(filepath.Ext(path), ".png") {
		return false
	}
	real := filepath.Dir(target(filepath.Join(folder, "x"), 0))
	rest, err := filepath.Rel(real, target(path, 0))
	return err == nil && filepath.IsLocal(rest)
}
