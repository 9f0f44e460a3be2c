package main

import (
	"compress/gzip"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"example.com/patchwork/internal/npy"
)

// grid has the cells of a table, its header first.
type grid [][]string

// without returns the table without a column.
func (c grid) without(name string) grid {
	return c.with(func(_ int, n string) bool { return n != name })
}

// with returns the columns that are kept.
func (c grid) with(keep func(i int, name string) bool) (out grid) {
	for _, row := range c {
		var kept []string
		for i, cell := range row {
			if keep(i, c[0][i]) {
				kept = append(kept, cell)
			}
		}
		out = append(out, kept)
	}
	return out
}

// reversed returns the columns in the opposite order.
func (c grid) reversed() (out grid) {
	for _, row := range c {
		row = slices.Clone(row)
		slices.Reverse(row)
		out = append(out, row)
	}
	return out
}

// joined returns the table with another column of such cells, a number of the row in the place of #.
func (c grid) joined(name, cell string) (out grid) {
	for i, row := range c {
		text := strings.ReplaceAll(cell, "#", strconv.Itoa(i))
		if i == 0 {
			text = name
		}
		out = append(out, append(slices.Clone(row), text))
	}
	return out
}

// replaced returns the table with other words for cells, or for a name.
func (c grid) replaced(words map[string]string) (out grid) {
	for _, row := range c {
		row = slices.Clone(row)
		for i, cell := range row {
			if word, ok := words[cell]; ok {
				row[i] = word
			}
		}
		out = append(out, row)
	}
	return out
}

// save writes the table in the form that the name says.
func (c grid) save(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch filepath.Ext(path) {
	case ".parquet":
		err = c.parquet(f)
	case ".npz":
		c.arrays(t, path)
	case ".gz":
		z := gzip.NewWriter(f)
		if err = csv.NewWriter(z).WriteAll(c); err == nil {
			err = z.Close()
		}
	default:
		w := csv.NewWriter(f)
		w.Comma = map[string]rune{".tsv": '\t', ".txt": ';'}[filepath.Ext(path)]
		if w.Comma == 0 {
			w.Comma = ','
		}
		err = w.WriteAll(c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// parquet writes columns of texts, or of numbers where all cells are such.
func (c grid) parquet(f *os.File) error {
	group, numbers := parquet.Group{}, map[string]bool{}
	for i, name := range c[0] {
		numbers[name] = !slices.ContainsFunc(c[1:], func(row []string) bool {
			_, err := strconv.ParseFloat(row[i], 64)
			return err != nil && row[i] != ""
		})
		group[name] = parquet.Optional(parquet.String())
		if numbers[name] {
			group[name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	w := parquet.NewGenericWriter[any](f, parquet.NewSchema("t", group))
	for _, row := range c[1:] {
		var values parquet.Row
		for at, name := range slices.Sorted(maps.Keys(group)) { // the order of the file
			cell := row[slices.Index(c[0], name)]
			v, level := parquet.ValueOf(cell), 1
			if x, err := strconv.ParseFloat(cell, 64); numbers[name] && err == nil {
				v = parquet.ValueOf(x)
			}
			if cell == "" {
				v, level = parquet.Value{}, 0
			}
			values = append(values, v.Level(0, level, at))
		}
		if _, err := w.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
	return w.Close()
}

// arrays writes the columns of numbers as one array with their names, and those of words beside it.
func (c grid) arrays(t *testing.T, path string) {
	t.Helper()
	isWord := func(i int, _ string) bool {
		_, err := strconv.ParseFloat(c[1][i], 64)
		return err != nil
	}
	data := c.with(func(i int, name string) bool { return !isWord(i, name) })
	var x []float64
	for _, row := range data[1:] {
		for _, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			x = append(x, v)
		}
	}
	members := []npy.Member{{Name: "x", Array: npy.New(x, len(data)-1, len(data[0]))},
		{Name: "columns", Array: npy.New(data[0], len(data[0]))}}
	for _, name := range c.with(isWord)[0] {
		var column []string
		for _, row := range c[1:] {
			column = append(column, row[slices.Index(c[0], name)])
		}
		members = append(members, npy.Member{Name: name, Array: npy.New(column, len(column))})
	}
	save(t, path, members...)
}

// bitCells and numberCells are tables of two parts each, with a column of names.
func bitCells() grid {
	c := grid{{"site", "ash", "birch", "elm", "oak", "pine", "yew"}}
	for i := range 60 {
		row := []string{"s" + strconv.Itoa(i)}
		for x := range 6 {
			on := x < 3 && i%3 > 0 || x >= 3 && i%4 == 1
			row = append(row, map[bool]string{true: "1", false: "0"}[on != ((i*7+x*5)%29 == 0)])
		}
		c = append(c, row)
	}
	return c
}

func numberCells() grid {
	c := grid{{"site", "depth", "iron", "ph", "salt"}}
	for i := range 90 {
		row := []string{"s" + strconv.Itoa(i)}
		for x := range 4 {
			v := .25 + float64((i*37+x*53)%41)/64
			if x < 2 && i%3 > 0 || x >= 2 && i%4 == 1 {
				v += 4
			}
			row = append(row, strconv.FormatFloat(v, 'f', -1, 64))
		}
		c = append(c, row)
	}
	return c
}

// unlabelled returns answers without the labels of rows, of which a table may have more.
func unlabelled(out string, table grid) string {
	lines := strings.SplitAfter(out, "\n")
	for i, line := range lines {
		if at := strings.Index(line, `"start_log_lik"`); at >= 0 {
			lines[i] = line[at:]
		} else if fields := strings.Split(line, ","); len(fields) >= len(table[0]) {
			lines[i] = strings.Join(fields[len(fields)-len(table[0])+1:], ",")
		}
	}
	return strings.Join(lines, "")
}

// TestDataForAModel: a model reads the same table alike in every format and order of its columns, and refuses, by
// name, what is not the table it was learned from.
func TestDataForAModel(t *testing.T) {
	t.Chdir(t.TempDir())
	for kind, table := range map[string]grid{"bits": bitCells(), "numbers": numberCells()} {
		table.save(t, "learned.csv")
		must(t, "learn", "learned.csv", "-k", "2", "--starts", "2", "-q", "-o", kind+".npz")
		first, last := table[0][1], table[0][len(table[0])-1]
		for _, c := range []struct {
			name  string
			data  grid
			wrong string // part of the refusal; none: the answers are those of the table learned from
		}{
			{"same.csv", table, ""},
			{"same.tsv", table, ""},
			{"same.txt", table, ""},
			{"same.csv.gz", table, ""},
			{"same.parquet", table, ""},
			{"same.npz", table, ""},
			{"reversed.csv", table.reversed(), ""},
			{"reversed.parquet", table.reversed(), ""},
			{"reversed.npz", table.reversed(), ""},
			{"more.csv", table.joined("note", "word #"), ""},
			{"more.parquet", table.joined("note", "word #"), ""},
			{"numbered.csv", table.joined("run", "#"), ""},
			{"renamed.csv", table.replaced(map[string]string{first: "other"}), first},
			{"lost.csv", table.without(last), last},
			{"lost.parquet", table.without(last), last},
			{"lost.npz", table.without(last), last},
			{"twice.csv", table.joined(last, "0"), last},
			{"words.csv", table.without(last).joined(last, "word #"), last},
			{"none.csv", table[:1], ""},
		} {
			c.data.save(t, c.name)
			for _, command := range []string{"explain", "predict --all -o -", "score"} {
				line := append(fields(command), "-q", "-m", kind+".npz")
				o, want := patchworkCommand(t, append(line, c.name)...), patchworkCommand(t, append(line, "learned.csv")...)
				switch {
				case want.code != 0:
					t.Fatalf("%s of %s: %s", command, kind, want.err)
				case len(c.data) == 1 || c.wrong != "":
					if o.code != 2 || !strings.Contains(o.err, c.wrong) || !strings.Contains(o.err, c.name) {
						t.Errorf("%s: %s of %s: exit %d, %q; want a refusal that names %q", c.name, command, kind, o.code, o.err,
							c.wrong)
					}
				case o.code != 0 || unlabelled(o.out, table) != unlabelled(want.out, table):
					t.Errorf("%s: %s of %s: exit %d, %q; want the answers of the table learned from\n%.200s\n%.200s", c.name,
						command, kind, o.code, o.err, o.out, want.out)
				}
			}
		}
	}
}
