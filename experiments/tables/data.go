// Package tables measures models of binary tables by the log-loss of hidden
// bits on test rows, with everything chosen on validation rows; and by the bars
// test.
package tables

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/posterior"
)

// Split is one division of a table, with bits hidden.
type Split struct {
	Name        string
	Seed        uint64
	Train       patchwork.Data
	Valid, Test posterior.HiddenBits
}

// splitIndex is a Split in splits.json.
type splitIndex struct {
	Data        string
	Seed        uint64
	Train       []int
	Valid       []int
	Test        []int
	HiddenValid [][]int `json:"hidden_valid"`
	HiddenTest  [][]int `json:"hidden_test"`
}

// sources lists the files of the tables, one for all rows or one per part.
var sources = map[string][]string{
	"votes":       {"house_votes_84/house_votes_84.npz"},
	"spect":       {"spect_heart/spect_heart.npz"},
	"brca":        {"tcga_mutations/BRCA.npz"},
	"debd_nltcs":  {"debd/nltcs.train.data.gz", "debd/nltcs.valid.data.gz", "debd/nltcs.test.data.gz"},
	"debd_plants": {"debd/plants.train.data.gz", "debd/plants.valid.data.gz", "debd/plants.test.data.gz"},
}

// Names of the tables with splits, in the order of the report.
var Names = []string{"votes", "spect", "brca", "debd_nltcs", "debd_plants"}

// Load reads the splits of one table from the folder with splits.json.
func Load(dir, name string) ([]Split, error) {
	text, err := os.ReadFile(filepath.Join(dir, "splits.json"))
	if err != nil {
		return nil, err
	}
	var all []splitIndex
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("splits.json: %w", err)
	}
	files, ok := sources[name]
	if !ok {
		return nil, fmt.Errorf("no table %q; there are %v", name, Names)
	}
	var parts [3][]*bitmap.Image
	for i := range parts {
		if i >= len(files) {
			parts[i] = parts[0]
			continue
		}
		set, err := dataset.Read([]string{filepath.Join(dir, filepath.FromSlash(files[i]))}, dataset.Options{})
		if err != nil {
			return nil, err
		}
		parts[i] = set.Images
	}
	var out []Split
	for _, s := range all {
		if s.Data != name {
			continue
		}
		split := Split{Name: name, Seed: s.Seed, Train: patchwork.Data{Images: pick(parts[0], s.Train)}}
		split.Valid = hidden(pick(parts[1], s.Valid), s.HiddenValid)
		split.Test = hidden(pick(parts[2], s.Test), s.HiddenTest)
		out = append(out, split)
	}
	return out, nil
}

func pick(rows []*bitmap.Image, index []int) []*bitmap.Image {
	out := make([]*bitmap.Image, len(index))
	for i, at := range index {
		out[i] = rows[at]
	}
	return out
}

// hidden hides the given columns of each row.
func hidden(rows []*bitmap.Image, columns [][]int) posterior.HiddenBits {
	h := posterior.HiddenBits{Data: patchwork.Data{Images: rows}}
	for i, row := range rows {
		v := row.Clone()
		for _, x := range columns[i] {
			v.SetUnknown(0, x)
		}
		h.Visible = append(h.Visible, v)
	}
	return h
}
