package dataset

import (
	"bufio"
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
)

// Types of data elements, by their numbers in the format.
const (
	miInt8       = 1
	miInt32      = 5
	miUint32     = 6
	miMatrix     = 14
	miCompressed = 15
	miUTF8       = 16
)

// matNumbers are the element types of numeric arrays, and of text.
var matNumbers = map[uint32]npy.DType{miInt8: {Kind: 'i', Size: 1}, 2: {Kind: 'u', Size: 1},
	3: {Kind: 'i', Size: 2}, 4: {Kind: 'u', Size: 2}, miInt32: {Kind: 'i', Size: 4}, miUint32: {Kind: 'u', Size: 4},
	7: {Kind: 'f', Size: 4}, 9: {Kind: 'f', Size: 8}, 12: {Kind: 'i', Size: 8}, 13: {Kind: 'u', Size: 8},
	miUTF8: {Kind: 'u', Size: 1}, 17: {Kind: 'u', Size: 2}}

// matClasses are the array classes, by their numbers in the format.
var matClasses = strings.Fields("? cell struct object char sparse double single int8 uint8 int16 uint16 int32 uint32 " +
	"int64 uint64 function opaque unknown")

// matArray is a variable or a cell.
type matArray struct {
	name, class string // MATLAB's class: "double", "uint8", "char", "cell", ...
	shape       []int  // two sides or more
	n           int    // elements
	numeric     bool   // they are real numbers or truth values
	body        []byte // the elements
}

// damagedMAT returns an error about content that no program writes.
func damagedMAT(format string, args ...any) error {
	return &FormatError{Msg: "a damaged MAT-file: " + fmt.Sprintf(format, args...), Hint: "copy or save the file again"}
}

// matVariables reads all variables of a file, which must be less than most bytes.
func matVariables(r io.Reader, most int64) (vars []*matArray, err error) {
	head := make([]byte, matHeader)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	if version := string(head[124:]); version != "\x00\x01IM" {
		return nil, &FormatError{Msg: fmt.Sprintf("a MAT-file of version and byte order %q, which are not read", version),
			Hint: matHint}
	}
	for {
		var tag [8]byte
		if _, err := io.ReadFull(r, tag[:]); err == io.EOF {
			return vars, nil
		} else if err != nil {
			return nil, err
		}
		kind, size := binary.LittleEndian.Uint32(tag[:]), int64(binary.LittleEndian.Uint32(tag[4:]))
		if kind != miMatrix && kind != miCompressed || len(vars) == maxVariables {
			return nil, damagedMAT("after %d variables, an element of type %d and %d bytes", len(vars), kind, size)
		}
		b, err := matContent(kind, io.LimitReader(r, size), most)
		if err == nil && kind == miMatrix && int64(len(b)) < size {
			err = io.ErrUnexpectedEOF
		}
		if most -= int64(len(b)); err == nil && most <= 0 {
			err = &FormatError{Msg: "more variables than fit in memory", Hint: "allow more memory", memory: true}
		}
		var a *matArray
		if err == nil {
			a, err = newMATArray(b)
		}
		if err != nil {
			return nil, err
		}
		vars = append(vars, a)
	}
}

// matContent reads the content of a variable, packed or not, or its first bytes.
func matContent(kind uint32, r io.Reader, most int64) ([]byte, error) {
	if kind == miMatrix {
		return io.ReadAll(io.LimitReader(r, most))
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(z, most))
	if err != nil || int64(len(b)) == most {
		return b, err
	}
	kind, content, rest, err := cutElement(b)
	if err == nil && (kind != miMatrix || len(rest) > 0) {
		err = damagedMAT("a packed element of type %d", kind)
	}
	return content, cmp.Or(err, drain(r))
}

// cutElement takes the next element from b: its type and its content.
func cutElement(b []byte) (kind uint32, content, rest []byte, err error) {
	if len(b) < 8 {
		return 0, nil, nil, io.ErrUnexpectedEOF
	}
	kind, size := binary.LittleEndian.Uint32(b), int64(binary.LittleEndian.Uint32(b[4:]))
	if small := kind >> 16; small > 4 {
		return 0, nil, nil, damagedMAT("%d bytes in the tag of an element, which holds 4", small)
	} else if small > 0 { // the content is in the tag
		return kind & 0xffff, b[4 : 4+small], b[8:], nil
	}
	if size > int64(len(b)-8) {
		return 0, nil, nil, io.ErrUnexpectedEOF
	}
	end := 8 + int(size)
	return kind, b[8:end], b[min((end+7)/8*8, len(b)):], nil
}

// newMATArray reads the beginning of an array.
func newMATArray(b []byte) (*matArray, error) {
	var parts [3][]byte
	for i, want := range [...]struct {
		kind uint32
		most int
		what string
	}{{miUint32, 8, "the flags"}, {miInt32, 4 * 32, "the sides"}, {miInt8, 4096, "the name"}} {
		kind, content, rest, err := cutElement(b)
		if err != nil {
			return nil, err
		}
		if kind != want.kind || len(content) > want.most || i == 0 && len(content) < 8 ||
			i == 1 && (len(content) < 8 || len(content)%4 != 0) {
			return nil, damagedMAT("%d bytes of type %d for %s of an array", len(content), kind, want.what)
		}
		if parts[i], b = content, rest; i == 0 && content[0] >= 17 { // laid out in another way
			return &matArray{class: matClasses[min(int(content[0]), len(matClasses)-1)], shape: []int{0, 0}}, nil
		}
	}
	flags, sides := parts[0], parts[1]
	a := &matArray{class: matClasses[flags[0]], name: string(parts[2]), n: 1, body: b}
	a.numeric = flags[0] >= 6 && flags[0] <= 15 // double to uint64
	switch {
	case flags[1]&8 != 0:
		a.class, a.numeric = "complex", false
	case flags[1]&2 != 0 && a.class == "uint8":
		a.class = "logical"
	}
	n := 1
	for ; len(sides) > 0; sides = sides[4:] {
		side := int(int32(binary.LittleEndian.Uint32(sides)))
		if a.shape = append(a.shape, side); side < 0 || side > 0 && n > math.MaxInt/64/side {
			return nil, damagedMAT("%q has sides %v", a.name, a.shape)
		}
		n *= max(side, 1)
		a.n *= side
	}
	return a, nil
}

// numbers returns a reader of the elements, as an array of that shape: of the stored type, which may be smaller than
// the class but holds all values.
func (a *matArray) numbers(shape []int, limit int64) (*npy.Reader, error) {
	if !a.numeric {
		return nil, &FormatError{Msg: fmt.Sprintf("an array of class %s, not of real numbers", a.class),
			Hint: "save it as a full numeric or logical array"}
	}
	kind, content, rest, err := cutElement(a.body)
	if err != nil {
		return nil, err
	}
	d, ok := matNumbers[kind]
	if !ok || len(content) != a.n*d.Size || len(rest) > 0 {
		return nil, damagedMAT("%d bytes of type %d for %d elements", len(content), kind, a.n)
	}
	if a.class == "logical" && d.Size == 1 {
		d.Kind = 'b'
	}
	return npy.NewRawReader(bytes.NewReader(content), npy.Header{DType: d, Fortran: len(shape) > 1, Shape: shape}, limit)
}

// cells returns the elements of a cell array.
func (a *matArray) cells() (out []*matArray, err error) {
	rest := a.body
	for range a.n {
		var kind uint32
		var content []byte
		c := &matArray{class: "double", numeric: true, shape: []int{0, 0}} // an empty one
		if kind, content, rest, err = cutElement(rest); err == nil && kind != miMatrix {
			err = damagedMAT("a cell of type %d", kind)
		} else if err == nil && len(content) > 0 {
			c, err = newMATArray(content)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// texts returns the rows of text, or of cells with one row each, in file order. Blanks and NULs at the end are dropped.
func (a *matArray) texts() (out []string, err error) {
	if a.class != "cell" {
		return a.text()
	}
	cells, err := a.cells()
	for _, c := range cells {
		rows := []string{""}
		if c.n > 0 {
			rows, err = c.text()
		}
		if err != nil || len(rows) != 1 {
			return nil, cmp.Or(err, error(&FormatError{Msg: fmt.Sprintf("a cell with %d rows of text", len(rows))}))
		}
		out = append(out, rows...)
	}
	return out, err
}

// text returns the rows of a char array.
func (a *matArray) text() ([]string, error) {
	if a.class != "char" || len(a.shape) != 2 {
		return nil, &FormatError{Msg: fmt.Sprintf("an array of class %s and sides %v, not text", a.class, a.shape)}
	}
	kind, b, _, err := cutElement(a.body)
	if err != nil {
		return nil, err
	}
	var chars []rune
	switch d := matNumbers[kind]; {
	case kind == miUTF8:
		chars = []rune(string(b))
	case d.Size == 1:
		for _, c := range b {
			chars = append(chars, rune(c))
		}
	case d.Size == 2: // halves of pairs count as two in MATLAB
		for i := range len(b) / 2 {
			chars = append(chars, rune(binary.LittleEndian.Uint16(b[2*i:])))
		}
	}
	rows, columns := a.shape[0], a.shape[1]
	if len(chars) != a.n {
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

// stack makes one array of shape (cells, rows, columns) of a cell array of matrices of one size, in file order.
func (a *matArray) stack(limit int64) (*npy.Reader, error) {
	cells, err := a.cells()
	if err == nil && len(cells) == 0 {
		err = &FormatError{Msg: "no cells"}
	}
	if err != nil {
		return nil, err
	}
	var all []float64
	for _, c := range cells {
		if !slices.Equal(c.shape, cells[0].shape) {
			return nil, &FormatError{Msg: fmt.Sprintf("cells with arrays of sides %v and %v", cells[0].shape, c.shape),
				Hint: "make them of one size"}
		}
		r, err := c.numbers(c.shape, limit)
		if err != nil {
			return nil, err
		}
		m, err := r.All()
		if err != nil {
			return nil, err
		}
		values, err := m.Float64s()
		if err != nil {
			return nil, err
		}
		all = append(all, values...)
	}
	return asRead(npy.New(all, append([]int{len(cells)}, cells[0].shape...)...))
}

// asRead returns an array as if it were read from a file.
func asRead(a *npy.Array) (*npy.Reader, error) {
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		return nil, err
	}
	return npy.NewReader(&b, int64(b.Len()))
}

// mat reads a MAT-file: the images and the variables that belong to them.
func (in *input) mat(c *content) (parts, error) {
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	vars, err := matVariables(bufio.NewReader(r), in.budget.max)
	if err != nil {
		return nil, at(err, "")
	}
	names, shown := make([]string, len(vars)), make([]string, len(vars))
	for i, v := range vars {
		sides := strings.ReplaceAll(strings.Trim(fmt.Sprint(v.shape), "[]"), " ", "x")
		names[i], shown[i] = v.name, v.name+": "+sides+" "+v.class
	}
	chosen, err := in.choose(names, shown, "x", "X")
	if err != nil {
		return nil, err
	}
	images, err := in.variableImages(vars[chosen])
	if err != nil {
		return nil, inArray(err, names[chosen])
	}
	images.name = names[chosen]
	for _, other := range slices.Delete(vars, chosen, chosen+1) {
		if err := images.joinVariable(other); err != nil {
			return nil, inArray(err, other.name)
		}
	}
	return images, images.checkWeight(names)
}

// variableImages prepares the reading of images from a numeric array, or from cells with a matrix each.
func (in *input) variableImages(v *matArray) (*arrayImages, error) {
	var r *npy.Reader
	var err error
	if v.class == "cell" {
		r, err = v.stack(in.arrayLimit())
	} else {
		r, err = v.numbers(v.shape, in.arrayLimit())
	}
	if err != nil {
		return nil, err
	}
	return in.images(r)
}

// joinVariable adds another variable as metadata if it has one value per image: numbers, or text. It ignores others.
func (d *arrayImages) joinVariable(v *matArray) (err error) {
	n, asked := d.layout.n, d.in.asksFor(v.name)
	perImage := len(v.shape) == 2 && v.n == n && (v.shape[0] == n || v.shape[1] == n)
	rowsOfText := v.class == "char" && len(v.shape) == 2 && v.shape[0] == n
	var r *npy.Reader
	switch {
	case v.numeric && perImage:
		r, err = v.numbers([]int{n}, d.in.arrayLimit())
	case v.numeric && d.in.weighs(v.name):
		r, err = v.numbers(v.shape, d.in.arrayLimit()) // join refuses it
	case rowsOfText || perImage && (v.class == "char" || v.class == "cell"):
		if r, err = v.labels(n); err != nil && !asked {
			return nil // cells may hold anything
		}
	case asked:
		return &FormatError{Msg: fmt.Sprintf("a variable of shape %v and class %s for %d images", v.shape, v.class, n),
			Hint: "give one value per image"}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return d.join(v.name, r)
}

// labels reads n texts: rows, cells, or the characters of one row.
func (a *matArray) labels(n int) (*npy.Reader, error) {
	text, err := a.texts()
	if err != nil {
		return nil, err
	}
	if len(text) == 1 && n > 1 {
		row := []rune(text[0])
		text = make([]string, n) // blanks were dropped at its end
		for i := range min(n, len(row)) {
			text[i] = string(row[i])
		}
	}
	if len(text) != n {
		return nil, &FormatError{Msg: fmt.Sprintf("%d texts for %d images", len(text), n)}
	}
	return asRead(npy.New(text, n))
}
