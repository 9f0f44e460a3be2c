package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/render"
	"example.com/patchwork/table/blocks"
	"example.com/patchwork/workbench"
)

const exactLong = `Describe a table exactly, by blocks: some rows with some columns, all cells of which
are 1. Together they cover every 1 and no 0, with as few blocks as possible. Where rows
are users and columns permissions, a block is a role.

The number comes with a certificate: cells no two of which fit in one block. If there are as
many as blocks, no cover has fewer. --cheapest looks for the least cost instead, at --prices.
The work is counted in steps, so that the result does not depend on the machine; --seconds may
end it earlier, and then another machine may find another cover.

--exceptions P lets the blocks get cells wrong at a price of P each: a 1 that is left
over, or a 0 that is covered. --must and --never name cells in a CSV file with a row and a
column on each line, by name or, from 1, by number. Unknown cells may be covered or not.

OUT.npz gets the arrays rows (N,K) and columns (K,D), uint8, so that rows @ columns > 0
is the table; certificate, left and added, pairs of a row and a column, from 0; the names
of the columns as column_names; index, the row in the input before --where and --rows;
and the labels. --model writes the blocks as the parts of a model, for explain, predict,
show and report.`

const exactExample = `  patchwork exact sites.csv -o blocks.npz
  patchwork exact sites.csv -o roles.npz --cheapest --report roles.txt
  patchwork exact sites.csv --report - --exceptions 2 --never zeros
  patchwork exact sites.csv -o blocks.npz --model blocks-model.npz
  patchwork exact sites.csv --picture blocks.png
  patchwork exact sites.csv --json`

// exactFlags are the flags of exact.
type exactFlags struct {
	data                  dataFlags
	output, report, model string
	picture, must         string
	never                 []string
	seconds               float64
	json                  jsonFlag
	opt                   blocks.Options
}

func (a *app) exactCommand() *cobra.Command {
	f := new(exactFlags)
	cmd := &cobra.Command{
		Use:     "exact DATA... -o blocks.npz",
		Short:   "Describe a table exactly, by the fewest or cheapest blocks",
		Long:    exactLong,
		Example: exactExample,
		Args:    oneOrMoreData,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.exact(cmd, f, args) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "file to write (.npz)")
	fs.BoolVar(&f.opt.Cheapest, "cheapest", false, "the least cost instead of the fewest blocks")
	fs.StringVar(&f.report, "report", "",
		"write which rows and columns each block has, and exceptions (.txt, or .csv and other tables; - for text on "+
			"standard output)")
	writes(cmd, "report", outputFormats["exact --report"]...)
	fs.StringVar(&f.model, "model", "", "write the blocks as a model too")
	writes(cmd, "model", outputFormats["exact"]...)
	pictureFlag(cmd, &f.picture, "picture", "write a picture of the table and its blocks (.png, .svg)")
	textVar(cmd, "prices", "R,C,B", f.parsePrices,
		"what a row in a block, a column in a block, and a block cost (default 1,1,1)")
	fs.Int64Var(&f.opt.ExceptionPrice, "exceptions", 0, "what a wrong cell costs; 0: none may be wrong")
	fs.StringVar(&f.must, "must", "", "CSV `FILE` of cells to cover, a row and a column on each line")
	fs.StringArrayVar(&f.never, "never", nil,
		"CSV `FILE` of cells not to cover; zeros: with --exceptions, cover no 0 (may be repeated)")
	textVar(cmd, "most", "RxC", f.parseMost, "largest number of rows and of columns in a block, such as 20x3, 20x or x3")
	fs.Float64Var(&f.seconds, "seconds", 0, "end the search after so many seconds (default when its steps are done)")
	fs.Uint64Var(&f.opt.Seed, "seed", 0, "seed of all randomness")
	f.json.add(cmd)
	workersFlag(cmd, &f.opt.Workers)
	f.data.add(cmd)
	f.data.addWholeMemory(cmd)
	everyday(cmd, "output cheapest report picture model seconds exceptions json rows where")
	return cmd
}

// parsePrices reads the prices of a row, a column and a block.
func (f *exactFlags) parsePrices(text string) error {
	o := &f.opt
	fields, into := strings.Split(text, ","), []*int64{&o.RowPrice, &o.ColumnPrice, &o.BlockPrice}
	if len(fields) != len(into) {
		return fmt.Errorf("give three whole numbers, for a row, a column and a block, such as 1,1,5")
	}
	for i, field := range fields {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
		if err != nil || n < 1 {
			return fmt.Errorf("a price is a whole number from 1, such as 1,1,5")
		}
		*into[i] = n
	}
	return nil
}

// allZeros is the value of --never that means all 0s.
const allZeros = "zeros"

// parseMost reads the largest numbers of rows and of columns.
func (f *exactFlags) parseMost(text string) error {
	first, second, ok := strings.Cut(text, "x")
	o := &f.opt
	for _, side := range []struct {
		text string
		to   *int
	}{{first, &o.MaxRows}, {second, &o.MaxColumns}} {
		if *side.to = 0; side.text == "" {
			continue
		}
		n, err := strconv.Atoi(side.text)
		if ok = ok && err == nil && n > 0; ok {
			*side.to = n
		}
	}
	if !ok || first+second == "" {
		return fmt.Errorf("give a number of rows and of columns, such as 20x3, or one of them: 20x, x3")
	}
	return nil
}

// check returns an error if something is wrong that shows before any data are read.
func (f *exactFlags) check() error {
	switch {
	case f.output == "" && f.report == "" && f.model == "" && f.picture == "" && !bool(f.json):
		return usagef("-o OUT.npz is required: name the file for the blocks (or --report, --picture, --model or --json)")
	case f.seconds < 0 || math.IsNaN(f.seconds) || f.seconds > 1e9:
		return usagef("--seconds %v: give a number above 0", f.seconds)
	case f.opt.ExceptionPrice < 0:
		return usagef("--exceptions %d: give a price from 1, or 0 for no wrong cells", f.opt.ExceptionPrice)
	case slices.Contains(f.never, allZeros) && f.opt.ExceptionPrice == 0:
		return usagef("--never zeros belongs to --exceptions; without it the blocks cover no 0 anyway")
	case f.output == "-":
		return usagef("-o -: the blocks are an archive; name a file")
	case f.report == "-" && bool(f.json):
		return usagef("--report - and --json both write to standard output; name a file for one of them")
	}
	_, err := checkOutput("exact", f.output)
	return err
}

// exact finds the blocks of a table and writes them.
func (a *app) exact(cmd *cobra.Command, f *exactFlags, paths []string) error {
	if err := f.check(); err != nil {
		return err
	}
	set, err := f.data.read(cmd, paths)
	if err != nil {
		return err
	}
	if err := f.readCells(set); err != nil {
		return err
	}
	began := time.Now()
	r := &exactResult{set: set, matrix: blocks.Of(set.Images), columns: workbench.ColumnNames(set)}
	ctx := cmd.Context()
	if f.seconds > 0 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, time.Duration(f.seconds*float64(time.Second)))
		defer stop()
	}
	if r.cover, err = blocks.Find(ctx, r.matrix, f.opt); err != nil {
		return request(err)
	}
	r.took = time.Since(began)
	if ctx := cmd.Context(); ctx.Err() != nil && !interrupted(ctx) {
		return context.Cause(ctx)
	}
	if err := a.writeExact(f, r); err != nil {
		return err
	}
	if interrupted(cmd.Context()) {
		return &keptError{fmt.Sprintf("wrote the best so far, %s", words.Count(len(r.cover.Blocks), "block"))}
	}
	return nil
}

// readCells reads which cells blocks must cover, and which never.
func (f *exactFlags) readCells(set *dataset.Set) (err error) {
	if f.must != "" {
		if f.opt.Must, err = readCells(f.must, set); err != nil {
			return err
		}
	}
	for _, path := range f.never {
		if path == allZeros {
			f.opt.NeverAdd = true
			continue
		}
		cells, err := readCells(path, set)
		if err != nil {
			return err
		}
		f.opt.Never = append(f.opt.Never, cells...)
	}
	return nil
}

// exactResult is a table as blocks.
type exactResult struct {
	set     *dataset.Set
	matrix  *blocks.Matrix
	columns []string // names
	cover   *blocks.Cover
	took    time.Duration
}

// writeExact writes all that was asked for, and says so.
func (a *app) writeExact(f *exactFlags, r *exactResult) error {
	if f.output != "" {
		if err := a.output(f.output, r.writeNPZ); err != nil {
			return err
		}
	}
	if f.model != "" {
		height, _ := r.set.Size()
		m, err := r.cover.Model(r.matrix, height, r.set.Whole().Weights)
		if err == nil && r.set.Table {
			var counts rows.Columns
			counts.Add(r.set.Data)
			m, err = workbench.WithMeans(m, &counts)
		}
		if err == nil {
			m, err = r.set.Describe(m)
		}
		if err != nil {
			return request(err)
		}
		if err := a.saveModel(f.model, workbench.Bits{Model: m}); err != nil {
			return err
		}
	}
	if f.report != "" {
		if err := a.exactReport(f, r); err != nil {
			return err
		}
	}
	if f.picture != "" {
		if err := a.savePicture(context.Background(), f.picture, render.Cover(r.matrix, r.cover)); err != nil {
			return err
		}
	}
	if r.cover.Stopped {
		a.warn("the search was ended early; another run may find another cover")
	}
	if bool(f.json) {
		return a.printObject(r.summary(f), f.output, f.report, f.model, f.picture)
	}
	w := a.beside()
	if err := a.sayAll(w, r.say(f)); err != nil {
		return err
	}
	if f.output == "" {
		return nil
	}
	return a.wrote(f.output, "%s", words.Count(len(r.cover.Blocks), "block"))
}

// writeNPZ writes the blocks as arrays.
func (r *exactResult) writeNPZ(w io.Writer) error {
	n, d, k := r.matrix.Rows(), r.matrix.Columns, len(r.cover.Blocks)
	rows, columns := make([]uint8, n*k), make([]uint8, k*d)
	for j, b := range r.cover.Blocks {
		for _, i := range b.Rows {
			rows[int(i)*k+j] = 1
		}
		for _, c := range b.Columns {
			columns[j*d+int(c)] = 1
		}
	}
	index := valuesBy(n, func(i int) int64 { return int64(r.set.InputRow(i)) })
	members := []npy.Member{
		{Name: "rows", Array: npy.New(rows, n, k)}, {Name: "columns", Array: npy.New(columns, k, d)},
		{Name: "certificate", Array: cellArray(r.cover.Certificate)},
		{Name: "left", Array: cellArray(r.cover.Left)}, {Name: "added", Array: cellArray(r.cover.Added)},
		{Name: "index", Array: npy.New(index, n)},
	}
	if r.set.Columns != nil {
		members = append(members, npy.Member{Name: "column_names", Array: npy.New(r.set.Columns, d)})
	}
	return npy.WriteZip(w, npy.Deflate, withMeta(members, r.set.Meta)...)
}

// cellArray returns cells as an array of rows and columns.
func cellArray(cells []blocks.Cell) *npy.Array {
	out := make([]int64, 0, 2*len(cells))
	for _, c := range cells {
		out = append(out, int64(c.Row), int64(c.Column))
	}
	return npy.New(out, len(cells), 2)
}

// withMeta adds the metadata of a set to the members of an archive, under names that
// are not taken.
func withMeta(members []npy.Member, meta []dataset.Labels) []npy.Member {
	for _, c := range meta {
		name := c.Name
		for slices.ContainsFunc(members, func(m npy.Member) bool { return m.Name == name }) {
			name += "_" // such as "index" of the data
		}
		values := &npy.Array{Shape: []int{c.Len()}, Data: c.Values(0, c.Len())}
		members = append(members, npy.Member{Name: name, Array: values})
	}
	return members
}

// exactSummary is what exact --json reports.
type exactSummary struct {
	Output       string  `json:"output,omitempty"`
	Report       string  `json:"report,omitempty"`
	Model        string  `json:"model,omitempty"`
	Picture      string  `json:"picture,omitempty"`
	Rows         int     `json:"rows"`    // of the table
	Columns      int     `json:"columns"` // of the table
	Ones         int     `json:"ones"`
	Blocks       int     `json:"blocks"`
	BlockRows    int     `json:"block_rows"`    // of all blocks together
	BlockColumns int     `json:"block_columns"` // of all blocks together
	Size         int     `json:"size"`          // block_rows + block_columns + blocks
	Cost         int64   `json:"cost"`          // at the prices given
	Certificate  int     `json:"certificate"`   // cells no two of which fit in one block
	Optimal      bool    `json:"optimal"`       // proven to be the fewest
	Left         int     `json:"left"`          // ones that no block covers
	Added        int     `json:"added"`         // zeros that a block covers
	Stopped      bool    `json:"stopped"`       // ended early
	Seconds      float64 `json:"seconds"`
}

func (r *exactResult) summary(f *exactFlags) exactSummary {
	rows, columns, n := r.cover.Size()
	return exactSummary{Output: f.output, Report: f.report, Model: f.model, Picture: f.picture,
		Rows: r.matrix.Rows(), Columns: r.matrix.Columns, Ones: r.matrix.Ink(), Blocks: n,
		BlockRows: rows, BlockColumns: columns, Size: rows + columns + n, Cost: r.cover.Cost,
		Certificate: len(r.cover.Certificate),
		Optimal:     r.cover.Optimal(), Left: len(r.cover.Left), Added: len(r.cover.Added), Stopped: r.cover.Stopped,
		Seconds: r.took.Seconds()}
}
