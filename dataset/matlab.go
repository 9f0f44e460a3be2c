package dataset

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.com/patchwork/internal/npy"
)

// What is read of MATLAB's Level 5 MAT-files, which MATLAB saves with -v6 and -v7 (or no option), and Octave and SciPy
// too: numeric and logical arrays, text, and cell arrays of these, compressed or not. Structures, objects, sparse and
// complex arrays are listed but not read. Files of -v7.3 are HDF5, another format; those of version 4 and of machines
// that write the high byte first are not read.
//
// Format: MathWorks, "MAT-File Format", Level 5.
const (
	matMagic  = "MATLAB 5.0"
	matHeader = 128 // bytes of text, version and byte order at the beginning
	matHint   = "save it with -v7, or in Python as NumPy: np.savez(file, **scipy.io.loadmat(...)) with the arrays that " +
		"are needed"

	maxVariables = 4096
	matCellCost  = 64 // about the bytes of a cell in addition to its content
)

// Types of data elements, by their numbers in the format.
const (
	miInt8       = 1
	miUint8      = 2
	miUint16     = 4
	miInt32      = 5
	miUint32     = 6
	miMatrix     = 14
	miCompressed = 15
	miUTF8       = 16
	miUTF16      = 17
)

// matNumbers are the element types of numeric arrays.
var matNumbers = map[uint32]npy.DType{miInt8: {Kind: 'i', Size: 1}, miUint8: {Kind: 'u', Size: 1},
	3: {Kind: 'i', Size: 2}, miUint16: {Kind: 'u', Size: 2}, miInt32: {Kind: 'i', Size: 4}, miUint32: {Kind: 'u', Size: 4},
	7: {Kind: 'f', Size: 4}, 9: {Kind: 'f', Size: 8}, 12: {Kind: 'i', Size: 8}, 13: {Kind: 'u', Size: 8}}

// matClasses are the array classes, by their numbers in the format.
var matClasses = []string{"?", "cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8",
	"int16",
	"uint16", "int32", "uint32", "int64", "uint64", "function", "opaque",
	"unknown"}

// matHead says what a variable or a cell holds.
type matHead struct {
	name, class string // MATLAB's class: "double", "uint8", "char", "cell", ...
	shape       []int  // two sides or more
	n           int    // elements
	numeric     bool   // they are real numbers or truth values
}

// matVariable is a variable of a file.
type matVariable struct {
	matHead
	file       io.ReaderAt
	from, size int64 // of its element, without the tag
	packed     bool
}

// damagedMAT returns an error about content that no program writes.
func damagedMAT(format string, args ...any) error {
	return &FormatError{Msg: "a damaged MAT-file: " + fmt.Sprintf(format, args...), Hint: "copy or save the file again"}
}

// matVariables reads the headers of all variables of a file of the given size.
func matVariables(r io.ReaderAt, size int64) (vars []*matVariable, err error) {
	head := make([]byte, matHeader)
	if n, err := r.ReadAt(head, 0); n < matHeader {
		return nil, err
	}
	if version := string(head[124:]); version != "\x00\x01IM" {
		return nil, &FormatError{Msg: fmt.Sprintf("a MAT-file of version and byte order %q, which are not read", version),
			Hint: matHint}
	}
	for at := int64(matHeader); at < size; {
		e := &matElements{r: io.NewSectionReader(r, at, size-at)}
		kind, length, err := e.next()
		if err != nil {
			return nil, err
		}
		if kind != miMatrix && kind != miCompressed || length > size-at-8 || len(vars) == maxVariables {
			return nil, damagedMAT("at byte %d, after %d variables, an element of type %d and %d bytes", at, len(vars), kind,
				length)
		}
		v := &matVariable{file: r, from: at + 8, size: length, packed: kind == miCompressed}
		a, err := v.open()
		if err != nil {
			return nil, err
		}
		v.matHead = a.matHead
		vars, at = append(vars, v), at+8+length
	}
	return vars, nil
}

// open returns the array of the variable, up to its content.
func (v *matVariable) open() (*matArray, error) {
	e := &matElements{r: io.NewSectionReader(v.file, v.from, v.size)}
	if v.packed {
		z, err := zlib.NewReader(e.r)
		if err != nil {
			return nil, err
		}
		e.r = z
		if kind, _, err := e.next(); err != nil || kind != miMatrix {
			return nil, cmp.Or(err, damagedMAT("a packed element of type %d", kind))
		}
		e.last.N, e.pad = 0, 0 // what follows is inside
	}
	return e.array()
}

// matElements reads data elements one after another.
type matElements struct {
	r    io.Reader
	last io.LimitedReader // what is left of the content of the last one
	pad  int64            // bytes behind it, to a multiple of 8
}

// next returns the type of the next element and the bytes of its content, which last reads. It skips what is left of
// the element before.
func (e *matElements) next() (kind uint32, size int64, err error) {
	if _, err := io.CopyN(io.Discard, e.r, e.last.N+e.pad); err != nil {
		return 0, 0, err
	}
	var b [8]byte
	if _, err := io.ReadFull(e.r, b[:]); err != nil {
		return 0, 0, err
	}
	kind, size = binary.LittleEndian.Uint32(b[:4]), int64(binary.LittleEndian.Uint32(b[4:]))
	e.pad = (8 - size%8) % 8
	if small := int64(kind >> 16); small > 4 {
		return 0, 0, damagedMAT("%d bytes in the tag of an element, which holds 4", small)
	} else if small > 0 { // the content is in the tag
		kind, size, e.pad = kind&0xffff, small, 4-small
		e.r = io.MultiReader(bytes.NewReader(b[4:]), e.r)
	}
	e.last = io.LimitedReader{R: e.r, N: size}
	return kind, size, nil
}

// Read reads the content of the last element, which nothing else follows.
func (e *matElements) Read(p []byte) (int, error) {
	n, err := e.last.Read(p)
	if e.last.N > 0 || n == 0 {
		return n, err
	}
	if err := e.end(); err != nil {
		return 0, err
	}
	return n, nil
}

// end checks that no other element follows: a file that was damaged ends in another place, and the checksum of a packed
// variable is behind it.
func (e *matElements) end() error {
	switch _, err := io.CopyN(io.Discard, e.r, e.last.N+e.pad+1); err {
	case nil:
		return damagedMAT("more bytes than its sides account for")
	case io.EOF:
		return nil
	default:
		return err
	}
}

// content returns the next element, of at most so many bytes, and its type; of one type, if that is not 0.
func (e *matElements) content(want uint32, most int64, what string) ([]byte, uint32, error) {
	kind, size, err := e.next()
	if err != nil {
		return nil, 0, err
	}
	if want != 0 && kind != want || size > most {
		return nil, 0, damagedMAT("%d bytes of type %d where %s should be", size, kind, what)
	}
	b, err := io.ReadAll(&e.last) // it grows with the bytes that arrive
	if err == nil && int64(len(b)) < size {
		err = io.ErrUnexpectedEOF
	}
	return b, kind, err
}

// matArray is an array that has been read up to its content.
type matArray struct {
	*matElements
	matHead
}

// array reads the beginning of an array.
func (e *matElements) array() (*matArray, error) {
	flags, _, err := e.content(miUint32, 8, "the flags of an array")
	if err != nil || len(flags) != 8 {
		return nil, cmp.Or(err, damagedMAT("flags of %d bytes", len(flags)))
	}
	a := &matArray{e, matHead{class: matClasses[min(int(flags[0]), len(matClasses)-1)], shape: []int{0, 0}}}
	a.numeric = flags[0] >= 6 && flags[0] <= 15 // double to uint64
	switch {
	case flags[1]&8 != 0:
		a.class, a.numeric = "complex", false
	case flags[1]&2 != 0 && a.class == "uint8":
		a.class = "logical"
	}
	if a.class == "opaque" || a.class == "unknown" { // laid out in another way
		return a, nil
	}
	sides, _, err := e.content(miInt32, 4*32, "the sides of an array")
	if err != nil || len(sides) < 8 || len(sides)%4 != 0 {
		return nil, cmp.Or(err, damagedMAT("%d bytes for the sides of an array", len(sides)))
	}
	name, _, err := e.content(miInt8, 4096, "the name of an array")
	if err != nil {
		return nil, err
	}
	a.name, a.shape = string(name), make([]int, len(sides)/4)
	n := 1
	a.n = 1
	for i := range a.shape {
		side := int(int32(binary.LittleEndian.Uint32(sides[4*i:])))
		if a.shape[i] = side; side < 0 || side > 0 && n > math.MaxInt/64/side {
			return nil, damagedMAT("%q has sides %v", a.name, a.shape)
		}
		n *= max(side, 1)
		a.n *= side
	}
	return a, nil
}

// numbers returns a reader of the elements, as an array of that shape: of the stored type, which may be smaller than
// the class but holds all values.
func (a *matArray) numbers(shape []int, lim npy.Limits) (*npy.Reader, error) {
	if !a.numeric {
		return nil, &FormatError{Msg: fmt.Sprintf("an array of class %s, not of real numbers", a.class),
			Hint: "save it as a full numeric or logical array"}
	}
	kind, size, err := a.next()
	if err != nil {
		return nil, err
	}
	d, ok := matNumbers[kind]
	if n := int64(a.n); !ok || size != n*int64(d.Size) {
		return nil, damagedMAT("%d bytes of type %d for %d elements", size, kind, n)
	}
	if a.class == "logical" && d.Size == 1 {
		d.Kind = 'b'
	}
	return npy.NewRawReader(a, npy.Header{DType: d, Fortran: len(shape) > 1, Shape: shape}, lim)
}

// texts returns text, one string per row, or cells with one string each, in file order. Blanks and NULs at the end are
// dropped. It returns an error if the texts take more than most bytes of memory.
func (a *matArray) texts(most int64) (out []string, err error) {
	if a.class != "cell" {
		return a.text(most)
	}
	err = a.cells(most/2, func(c *matArray, size int64) error {
		if c.n == 0 {
			out = append(out, "")
			return nil
		}
		rows, err := c.text(size)
		if err == nil && len(rows) != 1 {
			err = &FormatError{Msg: fmt.Sprintf("a cell with %d rows of text", len(rows))}
		}
		out = append(out, rows...)
		return err
	})
	return out, err
}

// cells reads the elements of a cell array one by one, with the bytes of each, which are together at most so many.
func (a *matArray) cells(most int64, read func(c *matArray, size int64) error) error {
	for range a.n {
		kind, size, err := a.next()
		if err != nil {
			return err
		}
		if most -= size + matCellCost; most < 0 || kind != miMatrix {
			return damagedMAT("a cell of type %d and %d bytes, or cells of too many", kind, size)
		}
		c := &matArray{matHead: matHead{class: "double", numeric: true, shape: []int{0, 0}}}
		if size > 0 {
			if c, err = (&matElements{r: &a.last}).array(); err != nil {
				return err
			}
		}
		if err := read(c, size); err != nil {
			return err
		}
	}
	return a.end()
}

// text returns the rows of a char array.
func (a *matArray) text(most int64) ([]string, error) {
	if a.class != "char" || len(a.shape) != 2 {
		return nil, &FormatError{Msg: fmt.Sprintf("an array of class %s and sides %v, not text", a.class, a.shape)}
	}
	b, kind, err := a.content(0, most, "text")
	if err := cmp.Or(err, a.end()); err != nil {
		return nil, err
	}
	var chars []rune
	switch kind {
	case miUTF8:
		chars = []rune(string(b))
	case miInt8, miUint8:
		for _, c := range b {
			chars = append(chars, rune(c))
		}
	case miUint16, miUTF16: // halves of pairs count as two in MATLAB
		for i := range len(b) / 2 {
			chars = append(chars, rune(binary.LittleEndian.Uint16(b[2*i:])))
		}
	}
	rows, columns := a.shape[0], a.shape[1]
	if len(chars) != rows*columns {
		return nil, &FormatError{Msg: fmt.Sprintf("%d characters of type %d for text of sides %v", len(chars), kind, a.shape),
			Hint: matHint}
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

// stack reads a cell array of numeric or logical matrices of one size as one array of shape (cells, rows, columns), in
// file order. It returns an error if they take more than most bytes of memory.
func (a *matArray) stack(most int64) (*npy.Reader, error) {
	var all []float64
	var shape []int
	err := a.cells(most, func(c *matArray, size int64) error {
		if shape == nil {
			shape = append([]int{0}, c.shape...)
		}
		if !slices.Equal(c.shape, shape[1:]) {
			return &FormatError{Msg: fmt.Sprintf("cells with arrays of sides %v and %v", shape[1:], c.shape),
				Hint: "make them of one size"}
		}
		if c.n > int(most/8)-len(all) {
			return &FormatError{Msg: fmt.Sprintf("cells of more than %d values", most/8)}
		}
		r, err := c.numbers(c.shape, npy.Limits{Bytes: max(size, 1)})
		if err != nil {
			return err
		}
		m, err := r.All()
		if err != nil {
			return err
		}
		values, err := m.Float64s()
		all = append(all, values...)
		shape[0]++
		return err
	})
	if err == nil && shape == nil {
		err = &FormatError{Msg: "no cells"}
	}
	if err != nil {
		return nil, err
	}
	return asRead(npy.New(all, shape...))
}
