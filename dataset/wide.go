package dataset

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
)

// Wide is a table of bits as lists.
type Wide struct {
	*bitmap.Lists
	Columns []string // names; nil for none
	Note    string   // where these are from; "" for nowhere
}

// maxWide bounds the bytes of an array of a matrix; memory grows with what is read.
const maxWide = 1 << 36

// ReadWide reads a matrix of SciPy as lists, without a dense copy. It returns nil for other files, for values other
// than 0 and 1, and for options that ask for more: [Read] takes them, or says why not.
func ReadWide(path string, opts Options) (*Wide, error) {
	if filepath.Ext(path) != ".npz" || opts.Array != "" || opts.Invert || opts.Threshold != nil || opts.Transpose ||
		len(opts.Columns)+len(opts.Where)+len(opts.Missing)+len(opts.said("label")) > 0 || opts.FirstPer.Count > 0 {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil // which Read says
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	z, err := npy.ReadZip(f, info.Size(), maxWide)
	if err != nil || !isSparse(z) {
		return nil, nil
	}
	t, err := readMatrix(z)
	if t == nil || err != nil {
		return nil, at(err, path)
	}
	w := &Wide{Lists: t}
	return w, at(w.findNames(path), path)
}

// readMatrix reads a matrix by rows, by columns or cell by cell; nil for one of other values than 0 and 1.
func readMatrix(z *npy.Zip) (*bitmap.Lists, error) {
	shape, err := wholeNumbers(z, "shape")
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 || max(shape[0], shape[1]) > bitmap.MaxPixels {
		return nil, tornMatrix()
	}
	zero, ok, n, err := zeros(z)
	if err != nil || !ok {
		return nil, err
	}
	form := []string{"csr"}
	if a, err := z.Array("format"); err == nil {
		form = a.Strings()
	}
	t := &bitmap.Lists{Width: int(shape[1])}
	outer, inner, rows, byColumns := "row", "col", shape[0], false
	if z.Has("indptr") {
		outer, inner = "indptr", "indices"
		if byColumns = slices.Equal(form, []string{"csc"}); byColumns {
			t.Width, rows = int(shape[0]), shape[1]
		}
	}
	if t.Columns, err = places(z, inner, n, int64(t.Width)); err != nil {
		return nil, err
	}
	if outer == "indptr" {
		ends, err := wholeNumbers(z, outer)
		if err != nil {
			return nil, err
		}
		if int64(len(ends)) != rows+1 || ends[0] != 0 || ends[rows] != int64(n) || !slices.IsSorted(ends) {
			return nil, tornMatrix()
		}
		for _, at := range ends {
			t.Start = append(t.Start, int(at))
		}
	} else {
		row, err := places(z, outer, n, rows)
		if err != nil {
			return nil, err
		}
		t = byRows(row, t.Columns, int(rows), t.Width)
	}
	if zero != nil && outer != "indptr" {
		return nil, nil // the zeros were moved
	}
	settle(t, zero)
	if byColumns {
		t = t.Turned()
	}
	return t, nil
}

// settle puts the columns of each row in order, each once, and leaves out cells that are 0.
func settle(t *bitmap.Lists, zero []bool) {
	out := t.Columns[:0]
	from := 0
	for r := range t.Len() {
		to := t.Start[r+1]
		row := t.Columns[from:to]
		if zero != nil {
			row = row[:0:0]
			for i := from; i < to; i++ {
				if !zero[i] {
					row = append(row, t.Columns[i])
				}
			}
		}
		if !slices.IsSorted(row) {
			slices.Sort(row)
		}
		out = append(out, slices.Compact(row)...)
		from, t.Start[r+1] = to, len(out)
	}
	t.Columns = out
}

// byRows returns cells as lists of rows.
func byRows(row, column []int32, rows, width int) *bitmap.Lists {
	cells := &bitmap.Lists{Width: rows, Start: make([]int, 0, len(row)+1), Columns: row}
	for i := range len(row) + 1 {
		cells.Start = append(cells.Start, i)
	}
	t := cells.Turned() // of each row the numbers of its cells
	for i, at := range t.Columns {
		t.Columns[i] = column[at]
	}
	t.Width = width
	return t
}

// eachPiece reads an array piece by piece.
func eachPiece(z *npy.Zip, name string, use func(a *npy.Array) error) error {
	d, err := z.Open(name)
	if err != nil {
		return inArray(err, name)
	}
	if len(d.Header().Shape) != 1 {
		return &FormatError{Array: name, Msg: "is no list"}
	}
	const piece = 1 << 16
	for left := d.Header().Shape[0]; left > 0; left -= piece {
		a, err := d.Next(min(left, piece))
		if err == nil {
			err = use(a)
		}
		if err != nil {
			return inArray(err, name)
		}
	}
	return nil
}

// wholeNumbers reads an array of whole numbers.
func wholeNumbers(z *npy.Zip, name string) (out []int64, err error) {
	err = eachPiece(z, name, func(a *npy.Array) error {
		v, err := a.Int64s()
		out = append(out, v...)
		return err
	})
	return out, err
}

// places reads an array of n numbers below a limit.
func places(z *npy.Zip, name string, n int, limit int64) ([]int32, error) {
	var out []int32
	err := eachPiece(z, name, func(a *npy.Array) error {
		v, err := a.Int64s()
		if err != nil {
			return err
		}
		for _, x := range v {
			if x < 0 || x >= limit {
				return &FormatError{Msg: fmt.Sprintf("a cell at %d of %d", x+1, limit), Hint: "write the file again"}
			}
			out = append(out, int32(x))
		}
		return nil
	})
	if err == nil && len(out) != n {
		err = tornMatrix()
	}
	return out, err
}

// zeros reads the values of the cells, of which it returns how many there are, and which are 0, nil for none; ok is
// false where some are neither 0 nor 1.
func zeros(z *npy.Zip) (zero []bool, ok bool, n int, err error) {
	ok = true
	err = eachPiece(z, "data", func(a *npy.Array) error {
		v, err := a.Float64s()
		ok = ok && !slices.ContainsFunc(v, func(x float64) bool { return x != 0 && x != 1 })
		if zero == nil && ok && slices.Contains(v, 0) {
			zero = make([]bool, n)
		}
		for i := 0; zero != nil && i < len(v); i++ {
			zero = append(zero, v[i] == 0)
		}
		n += len(v)
		return err
	})
	return zero, ok, n, err
}

// findNames looks for the names of the columns: a text beside the file, a name in each line.
func (w *Wide) findNames(path string) error {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, name := range []string{stem + ".columns.txt", stem + ".txt"} {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		defer f.Close()
		var names []string
		s := bufio.NewScanner(f)
		s.Buffer(nil, maxItem)
		for s.Scan() && len(names) <= w.Width {
			names = append(names, strings.TrimSpace(s.Text()))
		}
		if s.Err() != nil || len(names) != w.Width || boundNames(names) != nil {
			w.Note = fmt.Sprintf("%s has not one name in a line for each of %d columns; it is left out",
				filepath.Base(name), w.Width)
			continue
		}
		w.Columns, w.Note = names, "the names of the columns are those of "+filepath.Base(name)
		return nil
	}
	return nil
}
