package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// zstdWindow bounds the memory that a zstd stream may ask for; the largest that
// the zstd command uses by itself is 128 MiB.
const zstdWindow = 128 << 20

// isZstd recognises zstd by its first bytes, even if the stream is cut in these.
func isZstd(head []byte) bool {
	const magic = "\x28\xb5\x2f\xfd"
	n := min(len(head), len(magic))
	return n >= 2 && string(head[:n]) == magic[:n]
}

func unpackGzip(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	return unpackerOf("gzip", z, err)
}

// unpackZstd uses one worker and no goroutine, so that there is nothing to close.
func unpackZstd(r io.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdWindow))
	return unpackerOf("zstd", z, err)
}

// unpackerOf returns the reader of what is packed, which may have failed already.
func unpackerOf(format string, r io.Reader, err error) (io.Reader, error) {
	u := &unpacker{format, r}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, u.worded(err)
	}
	return u, nil
}

// unpacker reads what is packed. Its only end is that of a whole stream, [io.EOF]: a cut or
// damaged one is a [*FormatError] without a cause, which nobody can take for an end.
type unpacker struct {
	format string
	r      io.Reader
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = u.worded(err)
	}
	return n, err
}

// worded returns damage in plain words; errors of the file system, and ours, stay unchanged.
func (u *unpacker) worded(err error) error {
	var pe *fs.PathError
	var fe *FormatError
	if errors.As(err, &pe) || errors.As(err, &fe) {
		return err
	}
	what := "damaged " + u.format + " data: " + strings.TrimPrefix(err.Error(), u.format+": ")
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "cut off: the " + u.format + " data end too early"
	}
	return &FormatError{Msg: what, Hint: "copy or pack the file again"}
}

// drain reads to the end, where a packed file may prove to be cut or damaged.
func drain(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// bounded limits what may come out of a packed file that becomes a set in memory:
// a megabyte can hold a gigabyte of empty lines.
func (in *input) bounded(r io.Reader) io.Reader {
	if in.stream {
		return r
	}
	return &boundedReader{r: r, left: in.arrayLimit()}
}

type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, &FormatError{Msg: "the unpacked content is too large for the memory allowed",
			Hint: "unpack the file, or allow more memory", memory: true}
	}
	return n, err
}

// text reads a table of text in any of the Unicode encodings.
func (in *input) text(c *content) (parts, error) {
	if d, ok, err := in.sparseText(c); ok {
		return d, err
	}
	src, err := in.textSource(c)
	if err != nil {
		return nil, err
	}
	switch {
	case len(in.opts.Pairs) > 0:
		return in.pairs(src, in.opts.Pairs, false)
	case in.opts.Items:
		return in.items(src)
	}
	if pairs := src.findPairs(); pairs != nil && !in.real {
		in.opts.Pairs = pairs
		return in.pairs(src, pairs, true)
	}
	return in.table(src, nil)
}

// decoded opens a text, drops its byte-order mark and converts UTF-16, which has one, and Latin-1 to UTF-8.
func (in *input) decoded(c *content) (io.Reader, error) {
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(r, 1<<16)
	mark, _ := br.Peek(3)
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, _ = br.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return transform.NewReader(br, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()), nil
	}
	return transform.NewReader(br, latin{found: &in.seen.latin}), nil
}

// foreignText recognises text that is no table.
func foreignText(head []byte) error {
	start := strings.ToLower(string(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))))
	for _, tag := range []string{"<!doctype", "<html", "<?xml", "<head", "<table"} {
		if strings.HasPrefix(start, tag) {
			return &FormatError{Msg: "is a page or a document (HTML or XML), not a table",
				Hint: "download or export the table itself, as CSV"}
		}
	}
	if strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") && !strings.HasPrefix(start, "[]") {
		return &FormatError{Msg: "is JSON, which is not read here",
			Hint: "save it as CSV; pandas does with pandas.read_json(...).to_csv(..., index=False), " +
				"and lines=True where each line is an object"}
	}
	return nil
}

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
