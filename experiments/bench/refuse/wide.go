package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// wideColumns is nearly as many columns as a table of text may have.
const wideColumns = 260_000

// wideTable is a table of text that takes much memory to judge.
type wideTable struct {
	name string
	head string // of a column, with its number
	rows int
	cell func(rng *rand.Rand, row, column int) string
}

var wideTables = []wideTable{
	{"words", "c%d", 3, func(rng *rand.Rand, _, _ int) string { return someKind(rng, rng.IntN(3)) }},
	{"heads", "column_of_some_answer_%06d", 3, func(rng *rand.Rand, _, _ int) string { return someKind(rng, rng.IntN(3)) }},
	{"quoted", "column_of_some_answer_%06d", 6, func(rng *rand.Rand, row, column int) string { return `"` + someKind(rng, row+column) + `"` }},
	{"mixed", "c%d", 6, func(_ *rand.Rand, row, column int) string {
		return []string{"yes", "3", "w", "2026-01-02", "", "0.5"}[(row+column)%6]
	}},
	{"values", "column_of_some_answer_%06d", 12, func(rng *rand.Rand, row, column int) string { return someKind(rng, row+column) }},
	{"long-quoted", "c%d", 3, func(rng *rand.Rand, _, _ int) string { return fmt.Sprintf(`"w%027d"`, rng.Uint64()) }},
	{"escaped", "column_of_some_answer_%06d", 4, func(rng *rand.Rand, row, column int) string { return `"` + someKind(rng, row+column) + `"""` }},
	{"long", "c%d", 3, func(rng *rand.Rand, _, _ int) string { return fmt.Sprintf("w%029d", rng.Uint64()) }},
}

// someKind returns a word, a number or a date.
func someKind(rng *rand.Rand, kind int) string {
	switch kind % 3 {
	case 0:
		return fmt.Sprintf("w%07d", rng.IntN(1e7))
	case 1:
		return fmt.Sprintf("%.6f", rng.Float64())
	}
	return fmt.Sprintf("2026-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28))
}

// writeWide writes each wide table of so many columns to a file of the folder, and returns the paths.
func writeWide(dir string, columns int, seed uint64) (paths []string, err error) {
	for i, t := range wideTables {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		path := filepath.Join(dir, "wide-"+t.name+".csv")
		file, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		w := bufio.NewWriter(file)
		cells := make([]string, columns)
		for row := range t.rows + 1 {
			for j := range cells {
				if row == 0 {
					cells[j] = fmt.Sprintf(t.head, j)
				} else {
					cells[j] = t.cell(rng, row, j)
				}
			}
			fmt.Fprintln(w, strings.Join(cells, ","))
		}
		if err := w.Flush(); err != nil {
			file.Close()
			return nil, err
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
