package dataset

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// latin converts what is not UTF-8 from Latin-1, as Windows extends it, byte by byte; all else stays.
type latin struct {
	transform.NopResetter
	found *bool // set if there was any
}

// Transform implements [transform.Transformer].
func (l latin) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	if utf8.Valid(src) && len(src) <= len(dst) { // nearly all text
		return copy(dst, src), len(src), nil
	}
	for nSrc < len(src) {
		r, n := utf8.DecodeRune(src[nSrc:])
		wrong := r == utf8.RuneError && n == 1
		switch {
		case wrong && !atEOF && !utf8.FullRune(src[nSrc:]):
			return nDst, nSrc, transform.ErrShortSrc
		case wrong:
			r = charmap.Windows1252.DecodeByte(src[nSrc])
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		*l.found = *l.found || wrong
		nDst, nSrc = nDst+utf8.EncodeRune(dst[nDst:], r), nSrc+n
	}
	return nDst, nSrc, nil
}
