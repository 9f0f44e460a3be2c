package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// eachPage reads pages one after the other, so that one is in memory at a time. The pages of a
// PDF, and pictures of files with several, are called FILE 1, FILE 2 and so on.
func eachPage(ctx context.Context, paths []string, opt dataset.Options, dpi int,
	do func(name string, page *bitmap.Image) error) error {
	for _, path := range paths {
		if isPDF(path) {
			if err := eachPDFPage(ctx, path, opt, dpi, do); err != nil {
				return err
			}
			continue
		}
		set, err := readAll(ctx, []string{path}, opt)
		if err != nil {
			return err
		}
		if set.Table {
			return &inputError{fmt.Errorf("%s is a table; find looks for symbols on pictures of pages", path)}
		}
		for i, page := range set.Images {
			name := path
			if set.Len() > 1 {
				name = fmt.Sprintf("%s %d", path, i+1)
			}
			if err := do(name, page); err != nil {
				return err
			}
		}
	}
	return nil
}

// isPDF reports whether a file begins as PDF does.
func isPDF(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 5)
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == "%PDF-"
}

// eachPDFPage has pdftoppm draw the pages of a PDF into a folder that is removed
// afterwards.
func eachPDFPage(ctx context.Context, path string, opt dataset.Options, dpi int,
	do func(name string, page *bitmap.Image) error) error {
	tool, err := exec.LookPath("pdftoppm")
	if err != nil {
		return &inputError{fmt.Errorf(
			"%s is a PDF, and pdftoppm, which would draw its pages, is not installed: install poppler-utils, or draw the "+
				"pages as PNG yourself", path)}
	}
	dir, err := os.MkdirTemp("", "patchwork-pdf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, tool, "-r", strconv.Itoa(dpi), "-gray", "--", path, filepath.Join(dir, "page"))
	if said, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		return &inputError{fmt.Errorf("%s: pdftoppm could not draw it: %s", path, first)}
	}
	pages, err := filepath.Glob(filepath.Join(dir, "page*"))
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return &inputError{fmt.Errorf("%s: it has no pages", path)}
	}
	slices.Sort(pages) // pdftoppm pads the numbers
	for i, file := range pages {
		set, err := readAll(ctx, []string{file}, opt)
		if err != nil {
			return err
		}
		name := path
		if len(pages) > 1 {
			name = fmt.Sprintf("%s %d", path, i+1)
		}
		if err := do(name, set.Images[0]); err != nil {
			return err
		}
	}
	return nil
}
