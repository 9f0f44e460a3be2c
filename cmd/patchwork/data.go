package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/workbench"
)

// dataFlags say which data to read and what to select; every command that reads
// data has them all.
type dataFlags struct {
	array, delimiter          string
	names, rows               string
	threshold                 *float64
	auto, invert, transpose   bool
	columns, where, missing   []string
	pairs                     []string
	edits                     []dataset.Edit
	items                     bool
	header                    string
	take, skip, height, width int
	skipLines                 int
	takeGiven                 bool
	memory                    byteSize // of commands that can stream

	model  workbench.Model // that the data are for; nil for none
	silent bool            // the command says itself what was found out about the data
	scaled string          // says how pictures were brought to another size than their own
}

func (f *dataFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVar(&f.where, "where", nil,
		"select rows by metadata, such as y=T, y=T,L, writer<=20, or writer:3, the first 3 of each writer; may be repeated")
	fs.Var(&textFlag{kind: "A:B", read: f.parseRows}, "rows",
		"take rows or images A to B of those selected, counted from 1: 10:30, :30, 10: or 10 (default all)")
	fs.StringVar(&f.names, "names", "",
		"pattern of the names of pictures, such as {y}/{writer}_{sample}.png; {} is ignored")
	fs.StringVar(&f.array, "array", "", "array of an .npz or .mat file that holds the images (default x, or the only one)")
	f.addThreshold(fs, "")
	fs.BoolVar(&f.invert, "invert", false, "swap on and off; in pictures light is ink")
	f.addSize(fs, "")
	groupFlags(fs, howRead, "names", "array", "threshold", "invert", "size")
	fs.Var(&editsFlag{&f.edits}, "column",
		"what a column is: number, count, category, ordinal, bit, bit>40 (cut), yes:A|B (yes is A or B), bands (cut in "+
			"three), label, weight, split (several answers in a cell), unknown (left out) or its words in order, 'never<weekly<daily'; *=number for all; "+
			"may be repeated")
	fs.StringSliceVar(&f.missing, "missing", nil,
		"cells that say that nothing is known: 999,-9, or NAME=999 in one column")
	fs.IntVar(&f.skipLines, "skip-lines", 0, "lines above a table of text")
	fs.StringSliceVar(&f.columns, "columns", nil,
		"columns of a table that are data, by name or number (default all but labels)")
	f.addItems(fs)
	fs.StringVar(&f.delimiter, "delimiter", "", "of CSV files (default the most frequent of comma, tab, semicolon)")
	choiceFlag(cmd, &f.header, "header", "auto", "whether CSV files start with names", "auto", "yes", "no")
	groupFlags(fs, whichRows, "where", "rows")
	groupFlags(fs, howRead, "column", "missing", "skip-lines", "columns", "items", "delimiter", "header")
}

// editsFlag collects what columns are.
type editsFlag struct{ to *[]dataset.Edit }

func (e *editsFlag) Type() string { return "NAME=KIND" }

func (e *editsFlag) String() string {
	var out []string
	for _, edit := range *e.to {
		out = append(out, strings.TrimPrefix(edit.Column+"="+edit.Want, "="))
	}
	return strings.Join(out, ",")
}

func (e *editsFlag) Set(text string) error {
	edit, err := dataset.ParseEdit(text)
	*e.to = append(*e.to, edit)
	return err
}

// inColumn are flags that say of columns what --column says, by its word for that.
var inColumn = map[string]string{"--meta": "label", "--categories": "category", "--weight": "weight",
	"--split": "split"}

// columnArgs puts --column in the place of these flags, and of --for real.
func columnArgs(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		want, known := inColumn[name]
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case !known && name != "--for" && name != "--order", !joined && i+1 == len(args):
			out = append(out, args[i])
			continue
		case !joined:
			i++
			value = args[i]
		}
		switch {
		case known:
			for name := range strings.SplitSeq(value, ",") {
				if want == "category" && name == "all" {
					name = "*"
				}
				out = append(out, "--column", name+"="+want)
			}
		case name == "--order": // of the columns that have these words
			if !strings.Contains(value, "<") {
				value = strings.ReplaceAll(value, ",", "<")
			}
			out = append(out, "--column", value)
		case value == "real":
			out = append(out, "--column", "*=number")
		default:
			out = append(out, "--for", value)
		}
	}
	return out
}

// asNumbers reports whether some column is said to be numbers, as which all are learned then.
func (f *dataFlags) asNumbers() bool {
	o, err := dataset.Options{}.With(f.edits...)
	return err == nil && o.Kind == dataset.Number
}

// eachLine is --items without a value.
const eachLine = "lines"

// addItems adds --items, which may have no value.
func (f *dataFlags) addItems(fs *pflag.FlagSet) {
	fs.Var(&textFlag{kind: "ROW,ITEM", read: func(text string) error {
		if f.items = text == eachLine; f.items {
			f.pairs = nil
			return nil
		}
		f.pairs = strings.Split(text, ",")
		return nil
	}}, "items", "each line of a text is a list of items, such as a basket; --items=site,species: names a row and an "+
		"item, in these columns (and how often, in a third)")
	fs.Lookup("items").NoOptDefVal = eachLine
}

// parseRows reads which of the selected rows to take: A:B, from 1, both included. Either
// may be left out, and A alone is one row.
func (f *dataFlags) parseRows(text string) error {
	first, last, isRange := strings.Cut(strings.Replace(text, "..", ":", 1), ":")
	from, to := 1, 0
	var errFrom, errTo error
	if first != "" {
		from, errFrom = strconv.Atoi(first)
	}
	switch {
	case !isRange:
		to = from
	case last != "":
		to, errTo = strconv.Atoi(last)
	}
	switch {
	case errFrom != nil || errTo != nil || text == "" || first+last == "":
		return fmt.Errorf("give the first and the last row, such as 10:30, or 10: for all from there")
	case from < 1 || to < 0 || isRange && last != "" && to < 1:
		return fmt.Errorf("rows are counted from 1")
	case to != 0 && to < from:
		return fmt.Errorf("rows go upwards: %d:%d", to, from)
	}
	f.rows, f.skip, f.take, f.takeGiven = text, from-1, to-from+1, to != 0
	return nil
}

// most returns how many of the selected rows to take, -1 for all.
func (f *dataFlags) most() int {
	if f.takeGiven {
		return f.take
	}
	return -1
}

// oneOrMoreData checks the arguments of a command that reads data.
func oneOrMoreData(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return misused(cmd,
			"no data: name files (.npy, .npz, .mat, .csv, .parquet, IDX, .png, .jpg and other pictures, .zip) or folders")
	}
	return nil
}

// dataThenOutput is for learn: a model to write that was named without -o is said to be one.
func dataThenOutput(cmd *cobra.Command, args []string) error {
	if err := oneOrMoreData(cmd, args); err != nil {
		return err
	}
	last := args[len(args)-1]
	if len(args) < 2 || cmd.Flag("output").Changed || !strings.EqualFold(filepath.Ext(last), ".npz") {
		return nil
	}
	if _, err := os.Stat(last); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return misused(cmd, "-o MODEL is required: %s is no data that is there; to write it say -o %s", last,
		last)
}

// flagsOnly is for commands that take no words beside flags; a word that looks like a
// model says how to name it.
func flagsOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if cmd.Flag("model") != nil && strings.EqualFold(filepath.Ext(args[0]), ".npz") {
		hint = fmt.Sprintf(": name the model by -m %s", args[0])
	}
	return misused(cmd, "%q is one word too many%s", args[0], hint)
}

// options returns the flags as options of package dataset.
func (f *dataFlags) options(cmd *cobra.Command) (dataset.Options, error) {
	o := dataset.Options{Opened: opened(cmd), Array: f.array, Invert: f.invert, Columns: f.columns,
		Height: f.height, Width: f.width, Names: f.names, Transpose: f.transpose,
		Threshold: f.threshold, AutoThreshold: f.auto, Items: f.items, Pairs: f.pairs, Missing: f.missing}
	if o.SkipLines = f.skipLines; f.skipLines < 0 {
		return o, usagef("--skip-lines %d: give 0 or more", f.skipLines)
	}
	o, err := o.With(f.edits...)
	if err != nil {
		return o, usagef("--column %v", err)
	}
	if f.threshold != nil && math.IsNaN(*f.threshold) {
		return o, usagef("--threshold is not a number")
	}
	if err := f.conditions(&o); err != nil {
		return o, request(err)
	}
	switch f.header {
	case "yes":
		o.Header = dataset.HeaderPresent
	case "no":
		o.Header = dataset.HeaderAbsent
	}
	if f.delimiter != "" {
		r, n := utf8.DecodeRuneInString(f.delimiter)
		if n != len(f.delimiter) {
			return o, usagef("--delimiter %q: give one character", f.delimiter)
		}
		o.Delimiter = r
	}
	if f.model != nil {
		o.Model, err = f.model.Plan()
	}
	return o, request(err)
}

// conditions adds the conditions of --where: NAME:K takes the first K of each value.
func (f *dataFlags) conditions(o *dataset.Options) error {
	for _, text := range f.where {
		if strings.Contains(text, ":") && !strings.ContainsAny(text, "=<>!") {
			first, err := dataset.ParseFirstPer(text)
			if err == nil && o.FirstPer.Count > 0 {
				err = fmt.Errorf("--where %s: the first of each were asked for before; give one such condition", text)
			}
			if err != nil {
				return err
			}
			o.FirstPer = first
			continue
		}
		c, err := dataset.ParseCondition(text)
		if err != nil {
			return err
		}
		o.Where = append(o.Where, c)
	}
	return nil
}

// read reads and selects, for a command that needs all images in memory.
func (f *dataFlags) read(cmd *cobra.Command, paths []string) (*dataset.Set, error) {
	opt, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	opt.Kind = dataset.Bit // unless there is a model, which knows
	return f.inMemory(cmd, paths, opt, true)
}

// readAll reads all data.
func readAll(ctx context.Context, paths []string, opt dataset.Options) (*dataset.Frame, error) {
	src, err := openAll(ctx, paths, opt)
	if err != nil {
		return nil, err
	}
	data, err := src.Read(ctx)
	if err != nil {
		return nil, &inputError{err}
	}
	return data, nil
}

// openAll opens all data. It returns early when the context ends, though a read
// that hangs (a pipe) may then continue in the background.
func openAll(ctx context.Context, paths []string, opt dataset.Options) (*dataset.Source, error) {
	var src *dataset.Source
	done := make(chan error, 1)
	go func() {
		s, err := dataset.Open(ctx, paths, opt)
		src = s
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return nil, cmp.Or(notData(paths), error(&inputError{err}))
		}
		return src, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// cut applies --rows.
func (f *dataFlags) cut(set *dataset.Set) (*dataset.Set, error) {
	if set.Len() == 0 {
		return nil, &inputError{fmt.Errorf("%s holds no images", set.Source)}
	}
	if f.skip >= set.Len() {
		return nil, usagef("--rows %s begins after the last of %s", f.rows, describe(set.Len(), set))
	}
	return set.Cut(f.skip, f.most()), nil
}

// describe returns a number of images with their size, that of a set.
func describe(images int, set *dataset.Set) string {
	h, w := set.Size()
	return workbench.RowsText(images, h, w, set.Table)
}

// addThreshold adds --threshold. of says which data are meant, if a command reads
// others, too.
func (f *dataFlags) addThreshold(fs *pflag.FlagSet, of string) {
	fs.Var(&textFlag{kind: "N|auto", read: f.setThreshold}, "threshold",
		of+"make numbers binary: on is what is greater (pictures: darker, of 255); auto chooses it for each image, as for "+
			"grey pictures without the flag")
}

func (f *dataFlags) setThreshold(text string) error {
	if f.auto = text == "auto"; f.auto {
		f.threshold = nil
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("give a number such as 127, or auto")
	}
	f.threshold = &v
	return nil
}

// addSize adds --size.
func (f *dataFlags) addSize(fs *pflag.FlagSet, of string) {
	fs.Var(&textFlag{kind: "HxW", read: f.setSize}, "size",
		of+"size of the images, such as 56x56: rows become images (56x56,columns: that lie column by column, as in MATLAB), "+
			"pictures are cropped to their ink, scaled and padded; columns: the rows of a table are columns in the file")
}

func (f *dataFlags) setSize(text string) error {
	if f.transpose = text == "columns"; f.transpose {
		f.height, f.width = 0, 0
		return nil
	}
	text, order, ordered := strings.Cut(text, ",")
	height, width, err := dataset.ParseSize(text)
	if err != nil || ordered && order != "columns" {
		return errors.New("give a height and a width in pixels, such as 56x56, or 56x56,columns for rows laid out by MATLAB")
	}
	f.transpose = ordered
	f.height, f.width = height, width
	return nil
}

// scale reads pictures at another size than their own.
func (f *dataFlags) scale(what, size string) error {
	f.scaled = fmt.Sprintf("%s are cut to their ink and read at %s; --size HxW reads them otherwise", what, size)
	return f.setSize(size)
}

// oneSize returns the size that mends an error of pictures of several sizes; "" for any other error.
func oneSize(err error) string {
	var format *dataset.FormatError
	if errors.As(err, &format) {
		for _, fix := range format.Fix() {
			if size, ok := strings.CutPrefix(fix, "--size "); ok {
				return size
			}
		}
	}
	return ""
}

// sayNotes prints notes, unless quiet: what was done to data beyond reading them.
func sayNotes[N string | dataset.Note](cmd *cobra.Command, notes ...N) {
	if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && quiet {
		return
	}
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "patchwork: note: "+words.Visible(fmt.Sprint(note)))
	}
}
