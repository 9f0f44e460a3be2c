package dataset_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.com/patchwork/dataset"
)

// Read a table of votes with a label, a weight, and missing votes, keeping only
// the members of one party.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "votes.csv")
	const table = "party,crime,immigration,members\ndem,n,y,3\nrep,y,?,2\ndem,n,n,1\n"
	if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
		log.Fatal(err)
	}

	dem, err := dataset.ParseCondition("party=dem")
	if err != nil {
		log.Fatal(err)
	}
	set, err := dataset.Read([]string{path}, dataset.Options{Edits: []dataset.Edit{{Column: "members", Want: "weight"}}, Where: []dataset.Condition{dem}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Columns)
	for i, m := range set.Images {
		fmt.Printf("row %d, weight %d: %v", set.Index[i], set.Weight(i), m)
	}
	// Output:
	// [crime immigration]
	// row 0, weight 3: .#
	// row 2, weight 1: ..
}
