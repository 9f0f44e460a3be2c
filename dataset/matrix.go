package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
)

// matrix is a matrix as SciPy and MatrixMarket write it, or rows of libsvm.
type matrix struct{ sparse }

func (in *input) newMatrix(rows, columns int) *matrix {
	return &matrix{sparse{in: in, rule: in.rule, rows: rows, width: columns, label: "y"}}
}

// sum makes one cell of those that stand at one place, as SciPy does.
func (s *matrix) sum() {
	order := func(a, b one) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.column, b.column)) }
	if !slices.IsSortedFunc(s.cells, order) {
		slices.SortStableFunc(s.cells, order)
	}
	out := s.cells[:0]
	for _, c := range s.cells {
		if last := len(out) - 1; last >= 0 && order(out[last], c) == 0 {
			out[last].value += c.value
		} else {
			out = append(out, c)
		}
	}
	s.cells = out
}

// add adds a cell, from 0.
func (s *matrix) add(row, column int, v float64) error {
	if row < 0 || column < 0 || row >= s.rows || column >= s.width {
		return &FormatError{Row: row + 1, Msg: fmt.Sprintf("a cell in column %d of a table of %d x %d", column+1, s.rows,
			s.width), Hint: "write the file again"}
	}
	return s.sparse.add(row, column, v)
}

// table decides whether the rows are of bits, or of numbers where they are asked for or more than a tenth of the
// cells are others.
func (s *matrix) table() (parts, error) {
	in := s.in
	if err := checkSize(1, s.width); err != nil {
		return nil, err
	}
	if s.rows == 0 {
		return nil, &FormatError{Msg: "the table has no rows"}
	}
	others, first := 0, -1
	for k, c := range s.cells {
		if s.rule.of(c.value) == notBinary {
			if others++; first < 0 {
				first = k
			}
		}
	}
	if others > 0 && !in.real && in.either && 10*others >= len(s.cells) {
		in.setNumbers()
		in.why = fmt.Sprintf("%d of %d cells beside 0 are others than 1", others, len(s.cells))
	}
	if others > 0 && !in.real {
		c := s.cells[first]
		msg, hint := needThreshold(short(c.value), fmt.Sprintf("column %d", c.column+1))
		return nil, &FormatError{Row: int(c.row) + 1, Msg: msg, Hint: hint,
			fix: []string{allNumbers, "--threshold 0"}}
	}
	s.sum()
	return &s.sparse, nil
}

// isSparse reports whether an archive holds a matrix of SciPy.
func isSparse(z *npy.Zip) bool {
	return z.Has("shape") && z.Has("data") && (z.Has("indptr") && z.Has("indices") || z.Has("row") && z.Has("col"))
}

// tornMatrix says that the arrays of such a matrix are not of one.
func tornMatrix() error {
	return &FormatError{Msg: "the arrays of the sparse matrix do not belong together", Hint: "write the file again"}
}

// sparseArrays reads a matrix of SciPy: by rows, by columns, or cell by cell.
func (in *input) sparseArrays(z *npy.Zip) (parts, error) {
	arrays := map[string][]float64{}
	for _, name := range []string{"shape", "data", "indptr", "indices", "row", "col"} {
		if !z.Has(name) {
			continue
		}
		a, err := z.Array(name)
		if err == nil {
			arrays[name], err = a.Float64s()
		}
		if err != nil {
			return nil, inArray(err, name)
		}
	}
	shape, data, byColumns := arrays["shape"], arrays["data"], false
	if a, err := z.Array("format"); err == nil {
		if names := a.Strings(); len(names) == 1 {
			byColumns = names[0] == "csc"
			if names[0] != "csc" && names[0] != "csr" && names[0] != "coo" {
				return nil, &FormatError{Msg: fmt.Sprintf("a sparse matrix of the form %q", names[0]), Hint: "write it by tocsr()"}
			}
		}
	}
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 1 || shape[0] > bitmap.MaxPixels || shape[1] > bitmap.MaxPixels {
		return nil, tornMatrix()
	}
	s := in.newMatrix(int(shape[0]), int(shape[1]))
	outer, inner := arrays["row"], arrays["col"]
	if ends := arrays["indptr"]; ends != nil {
		if inner = arrays["indices"]; len(ends) == 0 || ends[0] != 0 || ends[len(ends)-1] != float64(len(data)) {
			return nil, tornMatrix()
		}
		for k := 1; k < len(ends); k++ {
			for range min(len(data), int(ends[k])) - len(outer) {
				outer = append(outer, float64(k-1))
			}
		}
	}
	if byColumns {
		outer, inner = inner, outer
	}
	if len(outer) != len(data) || len(inner) != len(data) {
		return nil, tornMatrix()
	}
	for k, v := range data {
		if err := s.add(int(outer[k]), int(inner[k]), v); err != nil {
			return nil, err
		}
	}
	return s.table()
}

// matrixMarket begins a matrix of MatrixMarket; libsvm is a row of libsvm.
const matrixMarket = "%%MatrixMarket matrix"

var libsvm = regexp.MustCompile(`^\S+( +\d+:[^ :]+)+ *\r?\n(\S+( +\d+:[^ :]+)* *\r?\n)*`)

// sparseText reads such a text; ok is false for another.
func (in *input) sparseText(c *content) (d parts, ok bool, err error) {
	all, err := c.open()
	if err != nil {
		return nil, true, err
	}
	br := bufio.NewReaderSize(all, 1<<16)
	head, _ := br.Peek(1 << 12)
	lines := head[:bytes.LastIndexByte(head, '\n')+1]
	r := bufio.NewScanner(br)
	r.Buffer(nil, maxRecord)
	var s *matrix
	switch {
	case bytes.HasPrefix(head, []byte(matrixMarket)):
		s, err = in.marketMatrix(r)
	case len(lines) > 0 && len(libsvm.Find(lines)) == len(lines):
		s, err = in.libsvmRows(r)
	default:
		return nil, false, nil
	}
	if err == nil {
		err = r.Err()
	}
	if err == bufio.ErrTooLong {
		err = longRecord()
	}
	if err != nil {
		return nil, true, err
	}
	d, err = s.table()
	return d, true, err
}

// marketMatrix reads a matrix of MatrixMarket, by cells or as columns.
func (in *input) marketMatrix(r *bufio.Scanner) (*matrix, error) {
	var s *matrix
	var header string
	dense, at := false, 0
	for line := 1; r.Scan(); line++ {
		text := strings.TrimSpace(r.Text())
		if line == 1 {
			header = strings.ToLower(text)
			dense = strings.Contains(header, " array ")
			if strings.Contains(header, "complex") {
				return nil, &FormatError{Line: 1, Msg: "a matrix of complex numbers", Hint: "write their real parts"}
			}
		}
		if text == "" || strings.HasPrefix(text, "%") {
			continue
		}
		var cells []float64
		for field := range strings.FieldsSeq(text) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil || math.IsInf(v, 0) {
				return nil, &FormatError{Line: line, Msg: fmt.Sprintf("%q is not a number", shorten(field))}
			}
			cells = append(cells, v)
		}
		switch {
		case s == nil && len(cells) >= 2 && cells[0] >= 0 && cells[1] >= 1 && max(cells[0], cells[1]) <= bitmap.MaxPixels:
			s = in.newMatrix(int(cells[0]), int(cells[1]))
		case s == nil || len(cells) < 2 && !dense:
			return nil, &FormatError{Line: line, Msg: "no cell of a matrix", Hint: "write the file again, with scipy.io.mmwrite"}
		case dense:
			if err := s.add(at%max(1, s.rows), at/max(1, s.rows), cells[0]); err != nil {
				return nil, onLine(err, line)
			}
			at++
		default:
			i, j, v := int(cells[0])-1, int(cells[1])-1, append(cells, 1)[2]
			err := s.add(i, j, v)
			if err == nil && i != j && strings.HasSuffix(header, " symmetric") {
				err = s.add(j, i, v)
			}
			if err != nil {
				return nil, onLine(err, line)
			}
		}
	}
	if s == nil {
		return nil, &FormatError{Msg: "the file has no rows"}
	}
	return s, nil
}

// libsvmRows reads rows of a label and the cells that are not 0, with their numbers from 1.
func (in *input) libsvmRows(r *bufio.Scanner) (*matrix, error) {
	s := in.newMatrix(0, bitmap.MaxPixels)
	columns := 0
	for line := 1; r.Scan(); line++ {
		label, rest, _ := strings.Cut(strings.TrimSpace(r.Text()), " ")
		if label == "" {
			continue
		}
		s.labels = append(s.labels, label)
		s.rows++
		for field := range strings.FieldsSeq(rest) {
			number, value, found := strings.Cut(field, ":")
			j, err := strconv.Atoi(number)
			v, problem := strconv.ParseFloat(value, 64)
			if strings.HasPrefix(field, "#") {
				break
			}
			if err != nil || problem != nil || !found || j < 1 || math.IsInf(v, 0) {
				return nil, &FormatError{Line: line, Msg: fmt.Sprintf("%q is no column with its number", shorten(field)),
					Hint: "write 3:1 for a 1 in column 3"}
			}
			if err := s.add(s.rows-1, j-1, v); err != nil {
				return nil, onLine(err, line)
			}
			columns = max(columns, j)
		}
	}
	s.width = columns
	return s, nil
}
