// Package mat reads variables of MATLAB's Level 5 MAT-files, which MATLAB saves
// with -v6 and -v7 (or no option), and Octave and SciPy too: numeric and
// logical arrays, text, and cell arrays of these, compressed or not, in either
// byte order. Structures, objects, sparse and complex arrays are listed but not
// read. Files of -v7.3 are HDF5, another format.
//
// Input is not trusted. Memory grows only with the bytes read, and [npy.Limits]
// bounds it. Errors about the content are [*npy.FormatError] with the variable
// as Member; errors of the underlying reader are passed on.
//
// Format: MathWorks, "MAT-File Format", Level 5.
package mat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"example.com/patchwork/internal/npy"
)

// Magic is the beginning of a file that [Open] reads.
const Magic = "MATLAB 5.0"

// headerSize is the length of the text, version and byte order at the beginning.
const headerSize = 128

// Bounds that no real file reaches.
const (
	maxDims = 32
	maxName = 4096 // bytes; MATLAB's own bound is 63
)

// Variable is a variable of a file. Its exported fields must not be changed.
type Variable struct {
	Name  string
	Class string // MATLAB's: "double", "uint8", "logical", "char", "cell", ...
	Shape []int  // two sides or more

	file   *file
	offset int64 // of its element
	size   int64 // of its element, without the tag
	packed bool
}

// String returns the variable with its shape and class, for messages.
func (v *Variable) String() string {
	s := v.Name + ": "
	for i, side := range v.Shape {
		if i > 0 {
			s += "x"
		}
		s += fmt.Sprint(side)
	}
	return s + " " + strings.TrimPrefix(v.Class, "?")
}

// Len returns the number of elements.
func (v *Variable) Len() int { return product(v.Shape) }

// Numeric reports whether the elements are real numbers or truth values, which
// [Variable.Reader] reads.
func (v *Variable) Numeric() bool {
	switch v.Class {
	case "", "char", "cell", "complex":
		return false
	}
	return v.Class[0] != '?'
}

// file holds what the variables of a file share.
type file struct {
	r     io.ReaderAt
	order binary.ByteOrder
	lim   npy.Limits
}

// Open reads the headers of all variables of a file of the given size. The
// variables read their content on demand, so r must stay open. They are safe
// for concurrent use if r is.
func Open(r io.ReaderAt, size int64, lim npy.Limits) ([]*Variable, error) {
	if lim.Bytes <= 0 {
		lim.Bytes = 1 << 30
	}
	if lim.Members <= 0 {
		lim.Members = 4096
	}
	f := &file{r: r, lim: lim}
	if err := f.header(size); err != nil {
		return nil, err
	}
	var vars []*Variable
	for at := int64(headerSize); at < size; {
		e := &elements{r: guarded{io.NewSectionReader(r, at, size-at)}, order: f.order, at: at}
		t, err := e.tag()
		if err != nil {
			return nil, err
		}
		if t.size > size-at-8 {
			return nil, &npy.FormatError{Offset: at, Msg: fmt.Sprintf("an element of %d bytes, but only %d follow", t.size,
				size-at-8), Hint: "copy or save the file again"}
		}
		v := &Variable{file: f, offset: at + 8, size: t.size, packed: t.kind == miCompressed}
		if t.kind != miMatrix && t.kind != miCompressed || t.small {
			return nil, &npy.FormatError{Offset: at, Msg: fmt.Sprintf("an element of type %d where a variable should begin",
				t.kind), Hint: "copy or save the file again"}
		}
		if _, err := v.open(); err != nil {
			return nil, err
		}
		if len(vars) == lim.Members {
			return nil, &npy.FormatError{Msg: fmt.Sprintf("more than %d variables", lim.Members)}
		}
		vars = append(vars, v)
		at += 8 + t.size
	}
	return vars, nil
}

// header checks the beginning of the file.
func (f *file) header(size int64) error {
	var b [headerSize]byte
	if size < headerSize {
		return &npy.FormatError{Msg: "cut off inside the header", Hint: "copy or save the file again",
			Err: io.ErrUnexpectedEOF}
	}
	if _, err := f.r.ReadAt(b[:], 0); err != nil && err != io.EOF {
		return err
	}
	switch string(b[126:]) {
	case "IM":
		f.order = binary.LittleEndian
	case "MI":
		f.order = binary.BigEndian
	default:
		return &npy.FormatError{Offset: 126, Msg: "not a MAT-file of Level 5: the byte order mark is missing",
			Hint: "save it with -v7"}
	}
	if v := f.order.Uint16(b[124:]); v != 0x0100 {
		return &npy.FormatError{Offset: 124, Msg: fmt.Sprintf("a MAT-file of version %#04x", v), Hint: "save it with -v7"}
	}
	return nil
}

// array is a matrix element that has been read up to its content.
type array struct {
	*elements
	class  string
	shape  []int
	name   string
	finish func() error // checks that follow the last byte of a packed variable
}

// open reads the header of the variable.
func (v *Variable) open() (*array, error) {
	var r io.Reader = io.NewSectionReader(v.file.r, v.offset, v.size)
	size, at := v.size, v.offset
	e := &elements{r: guarded{r}, order: v.file.order, at: at}
	if v.packed {
		z, err := unpack(r)
		if err != nil {
			return nil, err
		}
		e.r, e.at = guarded{z}, 0
		t, err := e.tag()
		if err != nil {
			return nil, err
		}
		if t.kind != miMatrix || t.small {
			return nil, &npy.FormatError{Offset: at, Msg: fmt.Sprintf("a packed element of type %d where a variable should be",
				t.kind)}
		}
		size = t.size
	}
	a, err := e.array(size)
	if err != nil {
		return nil, v.in(err)
	}
	if a.class == "" {
		return nil, &npy.FormatError{Offset: at, Msg: "a variable without content or name"}
	}
	if v.packed {
		z := e.r
		a.finish = func() error {
			n, err := io.CopyN(io.Discard, z, 8) // padding, then the checksum
			if err == nil {
				return &npy.FormatError{Member: a.name, Msg: fmt.Sprintf("at least %d bytes after the elements of the variable", n)}
			}
			if err == io.EOF {
				return nil
			}
			return v.in(a.cut(err, "before the checksum of the variable"))
		}
	}
	v.Name, v.Class, v.Shape = a.name, a.class, a.shape
	return a, nil
}

// in adds the name of the variable to an error about the content.
func (v *Variable) in(err error) error {
	var fe *npy.FormatError
	if errors.As(err, &fe) && fe.Member == "" {
		fe.Member = v.Name
	}
	return err
}

// guarded rephrases decompression errors; the reader reports a file that is too
// short.
type guarded struct{ r io.Reader }

func (g guarded) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	var pe *fs.PathError
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF || errors.As(err, &pe) {
		return n, err
	}
	var fe *npy.FormatError
	if errors.As(err, &fe) {
		return n, err
	}
	return n, damaged(err)
}

func damaged(err error) error {
	return &npy.FormatError{Msg: "damaged: it cannot be decompressed", Hint: "copy or save the file again", Err: err}
}
