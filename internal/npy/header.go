package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

// DType is the type of an array's elements in a file.
type DType struct {
	Kind      byte // NumPy's letter: 'b' bool, 'i', 'u', 'f', 'U' (UTF-32 text), 'S' (byte text)
	Size      int  // bytes per element; 4 per character for 'U'
	BigEndian bool
}

// String returns NumPy's notation, for example "<f8" or "|u1".
func (d DType) String() string {
	order, n := "<", d.Size
	if d.BigEndian {
		order = ">"
	}
	if d.Size == 1 || d.Kind == 'S' {
		order = "|"
	}
	if d.Kind == 'U' {
		n /= 4
	}
	return fmt.Sprintf("%s%c%d", order, d.Kind, n)
}

// Text reports whether the elements are strings.
func (d DType) Text() bool { return d.Kind == 'U' || d.Kind == 'S' }

// Header is what precedes the elements of a .npy stream.
type Header struct {
	DType   DType
	Fortran bool  // the first axis varies fastest in the stream
	Shape   []int // empty for a scalar
}

// readHeader reads magic, version and dictionary; n counts the bytes used.
func readHeader(r io.Reader) (h Header, n int64, err error) {
	var pre [12]byte
	if err := readFull(r, pre[:8], 0, "the header"); err != nil {
		return h, 0, err
	}
	if string(pre[:6]) != magic {
		return h, 0, &FormatError{Msg: "not a .npy array: the magic bytes are missing"}
	}
	var size, lead int
	switch pre[6] {
	case 1:
		lead = 10
		if err := readFull(r, pre[8:10], 8, "the header"); err != nil {
			return h, 0, err
		}
		size = int(binary.LittleEndian.Uint16(pre[8:]))
	case 2, 3: // 3 differs in that the text is UTF-8, not Latin-1: ASCII for all types read here
		lead = 12
		if err := readFull(r, pre[8:12], 8, "the header"); err != nil {
			return h, 0, err
		}
		size64 := int64(binary.LittleEndian.Uint32(pre[8:]))
		if size64 > maxHeader {
			return h, 0, &FormatError{Offset: 8, Msg: fmt.Sprintf("the header claims %d bytes, more than any plain array needs",
				size64), Hint: "copy or save the file again"}
		}
		size = int(size64)
	default:
		return h, 0, &FormatError{Offset: 6, Msg: fmt.Sprintf("unknown .npy version %d.%d", pre[6], pre[7]),
			Hint: "save it again with numpy.save"}
	}
	text := make([]byte, size)
	if err := readFull(r, text, int64(lead), "the header"); err != nil {
		return h, 0, err
	}
	h, err = parseHeader(string(text))
	return h, int64(lead + size), err
}

// readFull fills buf, or returns an error that says what was cut off at which
// byte.
func readFull(r io.Reader, buf []byte, at int64, what string) error {
	n, err := io.ReadFull(r, buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FormatError{Offset: at + int64(n), Msg: "cut off inside " + what, Hint: "copy or save the file again",
			Err: io.ErrUnexpectedEOF}
	}
	return err
}

// entry matches an entry of a header: its name, and a text, True or False, or a tuple of sizes.
var entry = regexp.MustCompile(`^ *['"](\w*)['"] *: *(?:'([^']*)'|"([^"]*)"|(True|False)|\(([0-9L, ]*)\)) *(?:,|$)`)

// structured matches the type of an array of named fields.
var structured = regexp.MustCompile(`^ *['"]descr['"] *: *\[`)

// parseHeader reads the Python dictionary literal of a header. It accepts only
// the grammar that NumPy writes: three keys in any order, values of fixed form.
func parseHeader(text string) (h Header, err error) {
	bad := func(format string, args ...any) (Header, error) {
		return h, &FormatError{Msg: "malformed .npy header: " + fmt.Sprintf(format, args...),
			Hint: "copy or save the file again"}
	}
	rest, opened := strings.CutPrefix(strings.Trim(text, " \n"), "{")
	rest, closed := strings.CutSuffix(rest, "}")
	if !opened || !closed {
		return bad("no dictionary in braces")
	}
	seen := map[string]bool{}
	for strings.Trim(rest, " ") != "" {
		m := entry.FindStringSubmatchIndex(rest)
		if structured.MatchString(rest) {
			return h, &FormatError{Msg: "a structured array (named fields)", Hint: "save its fields as separate plain arrays"}
		}
		if m == nil {
			return bad("%.40q is no key with a value", rest)
		}
		group := func(i int) string { return rest[max(m[2*i], 0):max(m[2*i+1], 0)] }
		key := group(1)
		if seen[key] {
			return bad("key %q twice", key)
		}
		ok := true
		switch seen[key] = true; {
		case key == "descr" && (m[4] >= 0 || m[6] >= 0):
			h.DType, err = parseDType(group(2) + group(3))
		case key == "fortran_order" && m[8] >= 0:
			h.Fortran = group(4) == "True"
		case key == "shape" && m[10] >= 0:
			h.Shape, ok = parseShape(group(5))
		default:
			return bad("%q is no key of an array with its value", key)
		}
		if err != nil {
			return h, err
		}
		if !ok {
			return bad("(%.60s) is no shape of at most %d sides", group(5), maxDims)
		}
		rest = rest[m[1]:]
	}
	if len(seen) != 3 {
		return bad("one of descr, fortran_order and shape is missing")
	}
	return h, nil
}

// parseShape reads the sides of an array, with commas between them and perhaps behind the last.
func parseShape(text string) (shape []int, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, true
	}
	for side := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(side), "L")) // as Python 2 wrote long integers
		if shape = append(shape, n); err != nil || len(shape) > maxDims {
			return nil, false
		}
	}
	return shape, true
}

// parseDType reads NumPy's type notation. It refuses whatever is not a plain
// number or text, with a hint.
func parseDType(s string) (DType, error) {
	bad := func(hint string) (DType, error) {
		return DType{}, &FormatError{Msg: fmt.Sprintf("element type %q is not supported", s), Hint: hint}
	}
	const plain = "convert it with astype to bool, an integer, a float or text"
	if len(s) < 2 {
		return bad(plain)
	}
	var d DType
	switch s[0] {
	case '<', '|', '=': // '=' means the writer's own order: little endian on all current machines
	case '>':
		d.BigEndian = true
	default:
		return bad(plain)
	}
	d.Kind = s[1]
	if d.Kind == 'O' {
		return bad("it holds pickled Python objects, which are never loaded; convert it with astype(str) or to numbers")
	}
	n, err := strconv.Atoi(s[2:])
	if err != nil || n <= 0 || n > maxElementSize || s[2] == '+' {
		return bad(plain)
	}
	d.Size = n
	if d.Kind == 'U' {
		d.Size *= 4
	}
	ok := false
	switch d.Kind {
	case 'b':
		ok = n == 1
	case 'i', 'u':
		ok = n == 1 || n == 2 || n == 4 || n == 8
	case 'f':
		ok = n == 2 || n == 4 || n == 8
	case 'U', 'S':
		ok = d.Size <= maxElementSize
	}
	if !ok {
		return bad(plain)
	}
	if d.Size == 1 || d.Kind == 'S' {
		d.BigEndian = false // one byte has no order
	}
	return d, nil
}
