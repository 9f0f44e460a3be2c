package dataset

import (
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// latinReader converts what is not UTF-8 from Latin-1, as Windows extends it, byte by
// byte; all else stays.
type latinReader struct {
	r     io.Reader
	found *bool // set if there was any

	in      []byte // read, not yet converted
	out     []byte // converted, not yet returned
	err     error  // of r
	scratch [1 << 14]byte
}

// Read implements [io.Reader].
func (l *latinReader) Read(p []byte) (int, error) {
	for len(l.out) == 0 {
		if l.err != nil && len(l.in) == 0 {
			return 0, l.err
		}
		if l.err == nil {
			var n int
			n, l.err = l.r.Read(l.scratch[:])
			l.in = append(l.in, l.scratch[:n]...)
		}
		l.convert()
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}

// convert converts what was read, but for a letter that may go on.
func (l *latinReader) convert() {
	end := len(l.in)
	if l.err == nil {
		for back := 1; back < utf8.UTFMax && back <= end; back++ {
			if tail := l.in[end-back:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					end -= back
				}
				break
			}
		}
	}
	whole := l.in[:end]
	l.out = l.out[:0]
	if utf8.Valid(whole) {
		l.out = append(l.out, whole...)
	} else {
		*l.found = true
		for len(whole) > 0 {
			r, n := utf8.DecodeRune(whole)
			if r == utf8.RuneError && n == 1 {
				r = charmap.Windows1252.DecodeByte(whole[0])
			}
			l.out = utf8.AppendRune(l.out, r)
			whole = whole[n:]
		}
	}
	l.in = append(l.in[:0], l.in[end:]...)
}
