package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/table/blocks"
	"example.com/patchwork/workbench"
)

// say returns the lines that tell what was found.
func (r *exactResult) say(f *exactFlags) []string {
	c := r.cover
	rows, columns, n := c.Size()
	table := describe(r.set.Len(), r.set)
	out := []string{fmt.Sprintf("%s for the %s of %s, in %.2f s", words.Count(n, "block"),
		words.Count(r.matrix.Ink(), "one"), table, r.took.Seconds())}
	switch {
	case c.Optimal() && n < 2:
		out = append(out, "no cover has fewer blocks")
	case c.Optimal():
		out = append(out, fmt.Sprintf("no cover has fewer blocks: of %s no two fit in one block",
			words.Count(len(c.Certificate), "cell")))
	case len(c.Left)+len(c.Added) > 0:
		out = append(out, fmt.Sprintf("%s wrong: %d left over, %d added; without exceptions there are at least %s",
			words.Count(len(c.Left)+len(c.Added), "cell"), len(c.Left), len(c.Added), words.Count(len(c.Certificate), "block")))
	default:
		out = append(out, fmt.Sprintf("no cover has fewer than %s", words.Count(len(c.Certificate), "block")))
	}
	out = append(out, fmt.Sprintf("size %d: %s and %s in blocks, and %s", rows+columns+n, words.Count(rows, "row"),
		words.Count(columns, "column"), words.Count(n, "block")))
	if c.Cost != int64(rows+columns+n) {
		out = append(out, fmt.Sprintf("cost %d", c.Cost))
	}
	return out
}

// exactReport writes who gets what, and what is wrong.
func (a *app) exactReport(f *exactFlags, r *exactResult) error {
	format, err := checkOutput("exact --report", f.report)
	if err != nil {
		return err
	}
	if strings.HasPrefix(format, ".txt") {
		return a.output(f.report, func(w io.Writer) error { return r.writeText(w, f) })
	}
	report := answersOf(r.lines())
	return a.outputAnswers(f.report, format, report, report.once())
}

// exactLine is a line of a report as a table.
type exactLine struct {
	Kind   string `json:"kind"`
	Block  int    `json:"block"` // from 1; 0 for cells
	Row    string `json:"row"`
	Column string `json:"column"`
}

// lines returns a report as lines: for every block its rows and its columns, then
// cells left over, cells added, and those of the certificate.
func (r *exactResult) lines() (out []exactLine) {
	called := r.set.Called()
	for k, b := range r.cover.Blocks {
		for _, i := range b.Rows {
			out = append(out, exactLine{"row", k + 1, called(int(i)), ""})
		}
		for _, d := range b.Columns {
			out = append(out, exactLine{"column", k + 1, "", r.columns[d]})
		}
	}
	for _, list := range []struct {
		kind  string
		cells []blocks.Cell
	}{{"left", r.cover.Left}, {"added", r.cover.Added}, {"certificate", r.cover.Certificate}} {
		for _, c := range list.cells {
			out = append(out, exactLine{list.kind, 0, called(int(c.Row)), r.columns[c.Column]})
		}
	}
	return out
}

// writeText writes a report as text.
func (r *exactResult) writeText(out io.Writer, f *exactFlags) error {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	list := func(head string, names []string) {
		lines := wrap(head+": "+strings.Join(names, ", "), reportWidth-11)
		line("  %s", strings.Join(lines, "\n           "))
	}
	for _, said := range r.say(f)[1:] {
		line("%s", said)
	}
	called := r.set.Called()
	held := make([][]string, r.matrix.Rows())
	for k, b := range r.cover.Blocks {
		line("\nBlock %d: %s for %s", k+1, words.Count(len(b.Columns), "column"), words.Count(len(b.Rows), "row"))
		var columns, rows []string
		for _, d := range b.Columns {
			columns = append(columns, words.Clean(r.columns[d]))
		}
		for _, i := range b.Rows {
			rows = append(rows, words.Clean(called(int(i))))
			held[i] = append(held[i], strconv.Itoa(k+1))
		}
		list("columns", columns)
		list("rows", rows)
	}
	line("\nWhich blocks each row has")
	for i, blocks := range held {
		if blocks == nil {
			blocks = []string{"none"}
		}
		list(words.Clean(called(i)), blocks)
	}
	for _, part := range []struct {
		title string
		cells []blocks.Cell
	}{{"Left over: 1 in the table, in no block", r.cover.Left}, {"Added: 0 in the table, in a block", r.cover.Added},
		{"No two of these fit in one block", r.cover.Certificate}} {
		if len(part.cells) > 0 {
			line("\n%s", part.title)
		}
		for _, c := range part.cells {
			line("  %s: %s", words.Clean(called(int(c.Row))), words.Clean(r.columns[c.Column]))
		}
	}
	_, err := io.WriteString(out, words.Visible(text.String()))
	return err
}

// reportWidth is the width of a report as text.
const reportWidth = 100

// readCells reads cells from a CSV file with a row and a column on each line.
func readCells(path string, set *dataset.Set) (cells []blocks.Cell, err error) {
	rows, columns := rowFinder(set), workbench.ColumnNames(set)
	at := make(map[string]int, len(columns))
	for d := len(columns) - 1; d >= 0; d-- { // of columns with one name the first
		at[columns[d]] = d
	}
	most := math.MaxInt
	if n := max(len(columns), 1); set.Len() < most/n {
		most = set.Len() * n
	}
	err = dataset.ReadLines(path, 2, most, "each line is a row and a column, such as anna,read",
		func(line int, names []string) error {
			i, err := rows(names[0])
			if err == nil {
				d, known := at[strings.TrimSpace(names[1])]
				if !known {
					d, err = findName(columns, names[1], "column")
				}
				if err == nil {
					cells = append(cells, blocks.Cell{Row: int32(i), Column: int32(d)})
					return nil
				}
			}
			return fmt.Errorf("%s, line %d: %w", path, line, err)
		})
	if err != nil {
		return nil, &inputError{err}
	}
	if len(cells) == 0 {
		return nil, &inputError{fmt.Errorf("%s: no cells; give a row and a column on each line", path)}
	}
	return cells, nil
}

// rowFinder returns a function that finds a row by its name, or else by its number in the
// input, from 1.
func rowFinder(set *dataset.Set) func(name string) (int, error) {
	called := set.Called()
	byName, byNumber := map[string]int{}, map[string]int{}
	for i := range set.Len() {
		byName[called(i)], byNumber[strconv.Itoa(set.InputRow(i)+1)] = i, i
	}
	return func(name string) (int, error) {
		name = strings.Join(strings.Fields(name), " ")
		if i, ok := byName[name]; ok {
			return i, nil
		}
		if i, ok := byNumber[name]; ok {
			return i, nil
		}
		return 0, fmt.Errorf("there is no row %q; rows have names, such as %q, or numbers from 1", brief(name), called(0))
	}
}

// findName finds a name among several, or else by its number, from 1.
func findName(names []string, name, noun string) (int, error) {
	name = strings.TrimSpace(name)
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(names) {
		return n - 1, nil
	}
	return 0, fmt.Errorf("there is no %s %q%s", noun, brief(name), enum.DidYouMean(brief(name), names))
}

// brief returns the beginning of a name that is too long for a message.
func brief(name string) string {
	if len(name) > 100 {
		return strings.ToValidUTF8(name[:100], "") + "..."
	}
	return name
}
