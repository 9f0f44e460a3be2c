package main

import (
	"cmp"
	"slices"

	"example.com/patchwork/dataset"
	"example.com/patchwork/modelfile/tallyfile"
)

// counted collects which rows of which files were counted.
type counted map[int][]tallyfile.Range // by path

// add notes rows of a path. Neighbours, which blocks of a file are, take no room.
func (c counted) add(pieces ...dataset.Stretch) {
	for _, s := range pieces {
		r := c[s.Path]
		if n := len(r) - 1; n >= 0 && int(r[n].To) == s.From {
			r[n].To = int64(s.To)
		} else {
			c[s.Path] = append(r, tallyfile.Range{From: int64(s.From), To: int64(s.To)})
		}
	}
}

// inputs returns the rows by file. An archive holds other rows in every array, so the
// array that was asked for is part of what its rows are called. Inputs without a fingerprint
// are left out.
func (c counted) inputs(fingerprint func(path int) (string, error), array string) ([]tallyfile.Input, error) {
	ranges := map[string][]tallyfile.Range{}
	for path, r := range c {
		id, err := fingerprint(path)
		if err != nil {
			return nil, &inputError{err}
		}
		if id == "" {
			continue
		}
		if id = "file:" + id; array != "" {
			id += " " + array
		}
		ranges[id] = append(ranges[id], r...)
	}
	var out []tallyfile.Input
	for id, r := range ranges {
		out = append(out, tallyfile.Input{ID: id, Ranges: tallyfile.NewRanges(r...)})
	}
	slices.SortFunc(out, func(a, b tallyfile.Input) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// shardOf describes rows that were counted: by the name that --shard gives, or by their
// content and their places.
func (f *statsFlags) shardOf(content string, source string, rows int64, c counted, fingerprint func(path int) (string, error)) (tallyfile.Shard, error) {
	s := tallyfile.Shard{ID: f.shard, Source: source, Rows: rows}
	if s.ID != "" {
		return s, nil
	}
	s.ID = content
	var err error
	s.Inputs, err = c.inputs(fingerprint, f.data.array)
	return s, err
}
