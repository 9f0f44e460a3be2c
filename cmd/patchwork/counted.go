package main

import (
	"crypto/sha256"
	"fmt"

	"example.com/patchwork/dataset"
	"example.com/patchwork/modelfile/tallyfile"
)

// shardOf describes rows that were counted: by the name that --shard gives, or by their
// content, and by their place among the selected rows of the files.
func (f *statsFlags) shardOf(content, source string, rows int64, paths []string) (tallyfile.Shard, error) {
	s := tallyfile.Shard{ID: f.shard, Source: source, Rows: rows}
	if s.ID != "" {
		return s, nil
	}
	s.ID = content
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", f.data.array, f.data.where) // other rows than without
	for _, path := range paths {
		sum, err := dataset.Fingerprint(path)
		if err != nil {
			return s, &inputError{err}
		}
		if sum == "" { // what is read only once
			return s, nil
		}
		fmt.Fprintln(h, sum)
	}
	s.File, s.From = fmt.Sprintf("file:%x", h.Sum(nil)), int64(f.data.skip)
	if f.data.takeGiven {
		s.To = s.From + int64(f.data.take)
	}
	return s, nil
}
