package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Annotations of flags and commands, which the guard reads.
const (
	writesAnnotation  = "patchwork_writes"   // of a flag: its value is a file to write, with one of these suffixes
	inPlaceAnnotation = "patchwork_in_place" // of a command: flags whose file -o may replace, with commas between
)

// writes marks a flag whose value is a file that the command writes, in a format as in
// outputFormats. The flags --output and those of pictures need no mark.
func writes(cmd *cobra.Command, flag string, formats ...string) {
	if err := cmd.Flags().SetAnnotation(flag, writesAnnotation, formats); err != nil {
		panic(err) // only for a flag that does not exist
	}
}

// mayReplace marks a command whose output may be the file of another flag, because
// it is the next state of it.
func mayReplace(cmd *cobra.Command, flag string) {
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[inPlaceAnnotation] = flag
}

// isOutput reports whether the value of a flag is a file or folder to write.
func isOutput(f *pflag.Flag) bool {
	_, picture := f.Value.(*picturePath)
	return picture || f.Name == "output" || f.Annotations[writesAnnotation] != nil
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
			out = append(out, named{v, "--" + f.Name + " " + v})
		}
	})
	return out
}

// guard returns an error, before any work, if an output of a command line would
// replace one of its inputs, or another output.
func (a *app) guard(cmd *cobra.Command, args []string) error {
	if err := checkBounds(cmd); err != nil {
		return err
	}
	a.inputs = inputs(cmd, args)
	var outputs []named
	for _, f := range outputFlags(cmd) {
		if path := f.Value.String(); path != "" && path != "-" {
			out := named{path, flagWords(f)}
			if err := a.refuseInput(out); err != nil {
				return err
			}
			if formats := f.Annotations[writesAnnotation]; formats != nil {
				if _, err := outputFormat(path, formats...); err != nil {
					return usagef("%s", strings.Replace(err.Error(), "-o "+path, out.words, 1))
				}
			}
			var err error
			if outputs, err = another(outputs, out); err != nil {
				return err
			}
		}
	}
	return a.refuseEndless()
}

// another appends an output, unless it is the file of one before.
func another(outputs []named, out named) ([]named, error) {
	if i := slices.IndexFunc(outputs, func(o named) bool { return sameFile(o.path, out.path) }); i >= 0 {
		return nil, usagef("%s and %s are the same file; name two", outputs[i].words, out.words)
	}
	return append(outputs, out), nil
}

// flagWords returns a flag and its value as a message shows them.
func flagWords(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + " " + f.Value.String()
	}
	return "--" + f.Name + " " + f.Value.String()
}

// refuseInputs returns an error if one of the paths is an input of the command line.
// Commands whose file names are made of others call it before their work.
func (a *app) refuseInputs(paths ...string) error {
	for _, path := range paths {
		if err := a.refuseInput(named{path, path}); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) refuseInput(out named) error {
	for _, in := range a.inputs {
		switch {
		case in.path == "-" && sameAsOpen(out.path, os.Stdin):
			return usagef("%s would replace the file that standard input reads; name another file", out.words)
		case in.path == "", in.path == "-":
		case sameFile(in.path, out.path):
			return usagef("%s would replace the input %s; name another file", out.words, in.words)
		case isInputPicture(in.path, out.path):
			return usagef("%s would be one of the pictures in the folder %s, which is an input; write it elsewhere", out.words, in.words)
		}
	}
	return nil
}

// refuseEndless returns an error if standard output goes to one of the inputs, so
// that reading would never end.
func (a *app) refuseEndless() error {
	out, ok := a.out.(*os.File)
	if !ok {
		return nil
	}
	for _, in := range a.inputs {
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
	for dir, rest := filepath.Dir(abs), filepath.Base(abs); ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
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
