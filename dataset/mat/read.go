package mat

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/patchwork/internal/npy"
)

// Reader returns a reader of the elements of a numeric or logical variable, in
// Fortran order if more than one side is longer than 1. Their type is the
// stored one, which may be smaller than the class but holds all values.
func (v *Variable) Reader() (*npy.Reader, error) { return v.reader(v.Shape) }

// Vector is like [Variable.Reader] for the elements as a vector in file order:
// column by column.
func (v *Variable) Vector() (*npy.Reader, error) { return v.reader([]int{v.Len()}) }

func (v *Variable) reader(shape []int) (*npy.Reader, error) {
	a, err := v.open()
	if err != nil {
		return nil, err
	}
	r, err := a.numbers(shape, v.file.lim)
	return r, v.in(err)
}

// numbers returns the content of a numeric array as an array of that shape.
func (a *array) numbers(shape []int, lim npy.Limits) (*npy.Reader, error) {
	if v := (&Variable{Class: a.class}); !v.Numeric() {
		return nil, &npy.FormatError{Msg: fmt.Sprintf("an array of class %s, not of real numbers",
			strings.TrimPrefix(a.class, "?")),
			Hint: "save it as a full numeric or logical array"}
	}
	t, err := a.tag()
	if err != nil {
		return nil, err
	}
	d, ok := numbers[t.kind]
	if !ok {
		return nil, &npy.FormatError{Offset: a.at, Msg: fmt.Sprintf("numbers of type %d", t.kind),
			Hint: "copy or save the file again"}
	}
	if n := int64(product(a.shape)); t.size != n*int64(d.Size) {
		return nil, &npy.FormatError{Offset: a.at, Msg: fmt.Sprintf("%d bytes for %d elements of %d bytes", t.size, n,
			d.Size), Hint: "copy or save the file again"}
	}
	if a.class == "logical" && d.Size == 1 {
		d.Kind = 'b'
	}
	d.BigEndian = a.order == binary.ByteOrder(binary.BigEndian) && d.Size > 1
	body := &body{r: a.r, left: t.size, finish: a.finish}
	if t.small {
		body.r = bytes.NewReader(t.bytes[:t.size])
	}
	return npy.NewRawReader(body, npy.Header{DType: d, Fortran: len(shape) > 1, Shape: shape}, lim)
}

// body is the content of an element; it checks what follows before it delivers
// the last byte.
type body struct {
	r      io.Reader
	left   int64
	finish func() error
}

func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if b.left == 0 && b.finish != nil {
		if err := b.finish(); err != nil {
			return 0, err
		}
	}
	return n, err
}

// Strings returns a text variable, one string per row, or cells with one string
// each, in file order. Trailing blanks and NULs are dropped. It returns an
// error if the strings take more than most bytes of memory.
func (v *Variable) Strings(most int64) ([]string, error) {
	a, err := v.open()
	if err != nil {
		return nil, err
	}
	var out []string
	if a.class != "cell" {
		if out, err = a.text(most); err == nil {
			err = a.end()
		}
		return out, v.in(err)
	}
	left := most
	err = a.cells(func(c *array, size int64) error {
		if left -= size + cellCost; left < 0 {
			return &npy.FormatError{Msg: fmt.Sprintf("cells of more than %d bytes", most)}
		}
		if c.class == "" || product(c.shape) == 0 {
			out = append(out, "")
			return nil
		}
		rows, err := c.text(size)
		if err == nil && len(rows) != 1 {
			err = &npy.FormatError{Msg: fmt.Sprintf("a cell with %d rows of text", len(rows))}
		}
		out = append(out, rows...)
		return err
	})
	return out, v.in(err)
}

// cellCost is about the memory of a cell in addition to its content.
const cellCost = 64

// cells reads the elements of a cell array one by one; size is the length of
// the content of a cell's element.
func (a *array) cells(read func(c *array, size int64) error) error {
	for range product(a.shape) {
		t, err := a.tag()
		if err != nil {
			return err
		}
		if t.kind != miMatrix || t.small {
			return &npy.FormatError{Offset: a.at, Msg: fmt.Sprintf("an element of type %d where a cell should be", t.kind),
				Hint: "copy or save the file again"}
		}
		from := a.at
		inside := io.LimitReader(a.r, t.size)
		c, err := (&elements{r: inside, order: a.order, at: from}).array(t.size)
		if err != nil {
			return err
		}
		if err := read(c, t.size); err != nil {
			return err
		}
		rest, err := io.Copy(io.Discard, inside)
		if err != nil {
			return a.cut(err, "inside a cell")
		}
		a.at = from + t.size
		if rest >= 8 && product(c.shape) > 0 { // more than padding: part of the content is left
			return &npy.FormatError{Offset: a.at, Msg: fmt.Sprintf("%d bytes too many in a cell", rest)}
		}
	}
	return a.end()
}

// end checks what follows the content of a packed variable.
func (a *array) end() error {
	if a.finish == nil {
		return nil
	}
	return a.finish()
}

// text returns the rows of a char array.
func (a *array) text(most int64) ([]string, error) {
	if a.class != "char" {
		return nil, &npy.FormatError{Msg: fmt.Sprintf("an array of class %s, not text", strings.TrimPrefix(a.class, "?"))}
	}
	if len(a.shape) != 2 {
		return nil, &npy.FormatError{Msg: fmt.Sprintf("text of sides %v", a.shape)}
	}
	t, err := a.tag()
	if err != nil {
		return nil, err
	}
	b, err := a.content(t, most, "text")
	if err != nil {
		return nil, err
	}
	chars, err := a.characters(t.kind, b)
	if err != nil {
		return nil, err
	}
	rows, columns := a.shape[0], a.shape[1]
	if len(chars) != rows*columns {
		return nil, &npy.FormatError{Msg: fmt.Sprintf("%d characters for text of sides %v", len(chars), a.shape)}
	}
	if columns == 0 { // any number of empty rows
		return nil, nil
	}
	out := make([]string, rows)
	for y := range out {
		row := make([]rune, columns)
		for x := range row {
			row[x] = chars[y+x*rows]
		}
		out[y] = strings.TrimRight(string(row), " \x00")
	}
	return out, nil
}

// characters decodes text. It does not combine UTF-16 surrogate pairs, which
// MATLAB counts as two characters.
func (a *array) characters(kind uint32, b []byte) ([]rune, error) {
	var out []rune
	size := map[uint32]int{miInt8: 1, miUint8: 1, miUint16: 2, miUTF16: 2, miUint32: 4, miUTF32: 4}[kind]
	switch {
	case kind == miUTF8:
		for len(b) > 0 {
			r, n := utf8.DecodeRune(b)
			out, b = append(out, r), b[n:]
		}
		return out, nil
	case size == 0 || len(b)%size != 0:
		return nil, &npy.FormatError{Offset: a.at, Msg: fmt.Sprintf("text as %d bytes of type %d", len(b), kind)}
	}
	for ; len(b) > 0; b = b[size:] {
		switch size {
		case 1:
			out = append(out, rune(b[0]))
		case 2:
			out = append(out, rune(a.order.Uint16(b)))
		default:
			out = append(out, rune(a.order.Uint32(b)&0x7fffffff))
		}
	}
	return out, nil
}

// Stack reads a cell array of numeric or logical matrices of one size as one
// array of shape (cells, rows, columns), in file order. It returns an error if
// they take more than most bytes of memory.
func (v *Variable) Stack(most int64) (*npy.Array, error) {
	a, err := v.open()
	if err != nil {
		return nil, err
	}
	if a.class != "cell" {
		return nil, v.in(&npy.FormatError{Msg: "no cell array"})
	}
	out := &npy.Array{}
	var all []float64
	left := most
	err = a.cells(func(c *array, size int64) error {
		if left -= 8*int64(product(c.shape)) + cellCost; left < 0 {
			return &npy.FormatError{Msg: fmt.Sprintf("cells of more than %d bytes", most)}
		}
		if out.Shape == nil {
			out.Shape = append([]int{0}, c.shape...)
		}
		if !slices.Equal(c.shape, out.Shape[1:]) {
			return &npy.FormatError{Msg: fmt.Sprintf("cells with arrays of sides %v and %v", out.Shape[1:], c.shape),
				Hint: "make them of one size"}
		}
		r, err := c.numbers(c.shape, npy.Limits{Bytes: size})
		if err != nil {
			return err
		}
		m, err := r.All()
		if err != nil {
			return err
		}
		values, err := m.Float64s()
		all = append(all, values...)
		out.Shape[0]++
		return err
	})
	if out.Shape == nil && err == nil {
		err = &npy.FormatError{Msg: "no cells"}
	}
	if err != nil {
		return nil, v.in(err)
	}
	out.Data = all
	return out, nil
}
