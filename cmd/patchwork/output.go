package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"example.com/patchwork/diagnose/words"
)

// outputFormats lists, for each command with -o, the suffixes of the files that it
// writes. "" admits names without a suffix, such as /dev/stdout; they get the first
// format. Kinds of synth are under "synth".
var outputFormats = map[string][]string{
	"compare":         {".csv", ".npz", ".parquet", ".jsonl"},
	"exact":           {".npz", ""},
	"exact --model":   {".npz", ""},
	"exact --report":  {".txt", ".csv", ".npz", ".parquet", ".jsonl", ""},
	"explain":         {".jsonl", ".csv", ".npz", ".parquet", ""},
	"find":            {".csv", ".npz", ".parquet", ".jsonl", ""},
	"learn":           {".npz", ""},
	"merge":           {".npz", ""},
	"predict":         {".csv", ".npz"},
	"predict --cells": {".csv", ".npz", ".parquet", ".jsonl"},
	"report":          {".html", ".htm"},
	"sample":          {".npz", ".csv", ".png", ".svg", ""},
	"score":           {".csv", ".npz", ".parquet", ".jsonl"},
	"show":            {".png", ".svg"},
	"show --name":     {".npz", ""},
	"answer":          {".npz"},
	"count":           {".tally", ".txt", ".line", ""},
	"synth":           {".npz", ""},
	"synth sheet":     {".npz", ".png", ""},
}

// outputFormat returns the format of an output file, one of those allowed, in small
// letters: .csv for codes.CSV. For standard output ("-") and for names without a suffix, where "" is allowed, it is
// the first. It returns an error that lists what is allowed for all others.
func outputFormat(path string, allowed ...string) (string, error) {
	suffix := suffixOf(path)
	switch {
	case path == "-", suffix == "" && slices.Contains(allowed, ""):
		return allowed[0], nil
	case suffix != "" && slices.Contains(allowed, suffix):
		return suffix, nil
	}
	known := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "" })
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", usagef("-o %s: it is a folder; name a file in it", path)
	}
	if suffix == "" {
		return "", usagef("-o %s: the name has no suffix that says what to write; give it %s", path, words.Or(known))
	}
	return "", usagef("-o %s: %s is not a format that this command writes; choose %s", path, suffix, words.Or(known))
}

// checkOutput returns the format of the -o of a command, by outputFormats, and an
// error if the file cannot be written or is of no such format. An empty path, for
// no -o, has the format "".
func checkOutput(command, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	allowed, ok := outputFormats[command]
	if !ok {
		panic(fmt.Sprintf("%s has no output formats", command)) // misuse
	}
	format, err := outputFormat(path, allowed...)
	if err != nil {
		return "", hintPicture(err, command, path)
	}
	return format, checkOutputs(path)
}

// hintPicture adds to an error about the format of a file, if it is that of a picture,
// what draws it.
func hintPicture(err error, command, path string) error {
	if s := suffixOf(path); s != ".png" && s != ".svg" {
		return err
	}
	drawn := map[string]string{"explain": "explanations", "exact": "table and its blocks", "synth": "first images",
		"find": "finds on the page"}
	switch name, _, _ := strings.Cut(command, " "); name {
	case "explain", "exact", "synth", "find":
		return usagef("%w; --picture %s draws the %s", err, path, drawn[name])
	case "predict", "score":
		return usagef("%w; patchwork explain --picture %s draws the explanations", err, path)
	case "learn", "show":
		return usagef("%w; patchwork show MODEL -o %s draws the parts", err, path)
	}
	return err
}

// suffixOf returns the suffix of a path in small letters.
func suffixOf(path string) string { return strings.ToLower(filepath.Ext(path)) }

// changePatience is how long a command waits for others that change the same file.
const changePatience = 20 * time.Second

// change lets a command read a file, change it and write it again, while no other command does: each
// would lose what the other wrote. Who waits holds a hidden file beside it, which is gone afterwards.
func (f *files) change(ctx context.Context, path string, do func() error) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return do() // which says so
	}
	lock, err := lockBeside(ctx, target)
	if err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	defer func() {
		_ = os.Remove(lock.Path()) // before it is let go; where it is open elsewhere, as on Windows, the last one does it
		_ = lock.Close()
	}()
	f.mayReplace(path)
	return do()
}

// lockBeside locks the hidden file that stands for a file.
func lockBeside(ctx context.Context, target string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, changePatience,
		fmt.Errorf("another command has been changing it for %v; wait until it is done", changePatience))
	defer cancel()
	dir, base := filepath.Split(target)
	for {
		lock := flock.New(filepath.Join(dir, "."+base+".lock"))
		if ok, err := lock.TryLockContext(ctx, 10*time.Millisecond); !ok {
			_ = lock.Close()
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return nil, underlying(err)
		}
		held, err := lock.Stat()
		there, gone := os.Stat(lock.Path())
		if err == nil && gone == nil && os.SameFile(held, there) {
			return lock, nil
		}
		_ = lock.Close() // who had it before has removed it meanwhile
	}
}
