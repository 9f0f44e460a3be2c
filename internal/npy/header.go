package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// parseHeader reads the Python dictionary literal of a header. It accepts only
// the grammar that NumPy writes: three keys in any order, values of fixed form.
func parseHeader(text string) (Header, error) {
	p := literal{text: text}
	var h Header
	seen := map[string]bool{}
	p.expect('{')
	for p.err == nil && !p.accept('}') {
		key := p.quoted()
		p.expect(':')
		if seen[key] {
			p.fail("key %q twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			if p.peek() == '[' {
				return h, &FormatError{Msg: "a structured array (named fields)", Hint: "save its fields as separate plain arrays"}
			}
			descr := p.quoted()
			if p.err == nil {
				var err error
				if h.DType, err = parseDType(descr); err != nil {
					return h, err
				}
			}
		case "fortran_order":
			h.Fortran = p.boolean()
		case "shape":
			h.Shape = p.tuple()
		default:
			p.fail("unknown key %q", key)
		}
		if !p.accept(',') && p.peek() != '}' {
			p.fail("expected ',' or '}'")
		}
	}
	if p.err == nil && strings.Trim(p.text[p.at:], " \n") != "" {
		p.fail("text after the closing brace")
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("one of descr, fortran_order and shape is missing")
	}
	return h, p.err
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

// literal is a cursor over the header text; the first failure sticks.
type literal struct {
	text string
	at   int
	err  error
}

func (p *literal) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &FormatError{Offset: int64(p.at), Msg: "malformed .npy header: " + fmt.Sprintf(format, args...),
			Hint: "copy or save the file again"}
	}
}

// peek returns the next byte that is not a blank, 0 at the end.
func (p *literal) peek() byte {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *literal) accept(c byte) bool {
	if p.err != nil || p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *literal) expect(c byte) {
	if !p.accept(c) {
		p.fail("expected %q", c)
	}
}

func (p *literal) quoted() string {
	q := p.peek()
	if q != '\'' && q != '"' {
		p.fail("expected a quoted string")
		return ""
	}
	n := strings.IndexByte(p.text[p.at+1:], q)
	if n < 0 {
		p.fail("unclosed string")
		return ""
	}
	s := p.text[p.at+1 : p.at+1+n]
	p.at += n + 2
	return s
}

func (p *literal) boolean() bool {
	p.peek()
	if p.word("True") {
		return true
	}
	if p.word("False") {
		return false
	}
	p.fail("expected True or False")
	return false
}

func (p *literal) word(w string) bool {
	ok := p.err == nil && strings.HasPrefix(p.text[p.at:], w)
	if ok {
		p.at += len(w)
	}
	return ok
}

func (p *literal) tuple() []int {
	var shape []int
	p.expect('(')
	for p.err == nil && !p.accept(')') {
		shape = append(shape, p.side())
		if len(shape) > maxDims {
			p.fail("more than %d dimensions", maxDims)
		}
		if !p.accept(',') && p.peek() != ')' {
			p.fail("expected ',' or ')'")
		}
	}
	return shape
}

func (p *literal) side() int {
	p.peek()
	end := p.at
	for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(p.text[p.at:end])
	if err != nil {
		p.fail("expected a size")
		return 0
	}
	p.at = end
	p.accept('L') // Python 2 wrote long integers this way
	return n
}
