package main

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
)

// formulas is --escape-formulas: text of CSV files that a spreadsheet would take for a formula is
// written with an apostrophe before it.
type formulas struct {
	on     bool
	stdout bool // standard output is a CSV file
	cells  int  // that were escaped
}

// formulasFlag adds --escape-formulas to a command that writes CSV files with text from other files.
func (a *app) formulasFlag(cmd *cobra.Command, stdout bool) {
	cmd.Flags().BoolVar(&a.formulas.on, "escape-formulas", false, "put an apostrophe before cells of CSV files that a spreadsheet would run: those that begin with =, +, -, @, a tab or a carriage return and are no numbers")
	keep := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.formulas.stdout = stdout
		err := keep(cmd, args)
		if n := a.formulas.cells; n > 0 && err == nil && !a.quiet {
			a.warn("%s of CSV files would have begun a formula, and begin with an apostrophe now", words.Count(n, "cell"))
		}
		return err
	}
}

// around returns a function that writes a CSV file with its formulas escaped, as write writes it without.
func (f *formulas) around(path string, write func(io.Writer) error) func(io.Writer) error {
	if !f.on || !strings.HasPrefix(suffixOf(path), ".csv") && !(isStdout(path) && f.stdout) {
		return write
	}
	return func(w io.Writer) error {
		e := &formulaWriter{w: w}
		err := write(e)
		if err == nil {
			err = e.end()
		}
		f.cells += e.cells
		return err
	}
}

// formulaWriter escapes the cells of a CSV file that is written to it, cell by cell.
type formulaWriter struct {
	w      io.Writer
	cell   []byte // the present one, as written, without what ends it
	quoted bool   // within quotes
	cells  int    // that were escaped
	out    []byte
}

// Write takes the next bytes of the file.
func (e *formulaWriter) Write(b []byte) (int, error) {
	e.out = e.out[:0]
	for _, c := range b {
		switch {
		case c == '"':
			e.quoted = !e.quoted // a doubled quote leaves and enters
		case !e.quoted && (c == ',' || c == '\n'):
			e.finish()
			e.out = append(e.out, c)
			continue
		}
		e.cell = append(e.cell, c)
	}
	_, err := e.w.Write(e.out)
	return len(b), err
}

// finish writes the present cell, escaped if it begins a formula.
func (e *formulaWriter) finish() {
	text := bytes.TrimPrefix(e.cell, []byte(`"`))
	if len(text) > 0 && bytes.IndexByte([]byte("=+-@\t\r"), text[0]) >= 0 && !isNumber(text) {
		e.out = append(e.out, e.cell[:len(e.cell)-len(text)]...)
		e.out = append(e.out, '\'')
		e.cell = text
		e.cells++
	}
	e.out = append(e.out, e.cell...)
	e.cell = e.cell[:0]
}

// end writes what is left.
func (e *formulaWriter) end() error {
	e.out = e.out[:0]
	e.finish()
	_, err := e.w.Write(e.out)
	return err
}

// isNumber reports whether a cell is a number, which no spreadsheet runs.
func isNumber(text []byte) bool {
	_, err := strconv.ParseFloat(strings.TrimSuffix(string(text), `"`), 64)
	return err == nil
}
