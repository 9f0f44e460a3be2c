package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// zstdWindow bounds the memory that a zstd stream may ask for; the largest that
// the zstd command uses by itself is 128 MiB.
const zstdWindow = 128 << 20

// unpack returns a reader of what is packed in r.
func unpack(k kind, r io.Reader) (io.Reader, error) {
	if k == kindGzip {
		return gzip.NewReader(r)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, damagedZstd(err)
	}
	return zstdReader{z}, nil
}

// zstdReader words the errors of a zstd stream. With one worker, and no goroutine,
// there is nothing to close.
type zstdReader struct{ z *zstd.Decoder }

func (r zstdReader) Read(b []byte) (int, error) {
	n, err := r.z.Read(b)
	if err != nil && err != io.EOF {
		err = damagedZstd(err)
	}
	return n, err
}

// unpacked decodes what is inside a gzip or zstd stream.
func (in *input) unpacked(path string, k kind, r io.Reader, again func() (io.Reader, error)) (decoder, error) {
	inner, again, err := in.inside(k, r, again)
	if err != nil {
		return nil, err
	}
	return in.content(strings.TrimSuffix(path, filepath.Ext(path)), inner, nil, 0, again)
}

// inside returns what is packed in r, and how to open it again if the packed can be.
func (in *input) inside(k kind, r io.Reader, packed func() (io.Reader, error)) (inner *bufio.Reader, again func() (io.Reader, error), err error) {
	u, err := unpack(k, r)
	if err != nil {
		return nil, nil, err
	}
	inner = bufio.NewReaderSize(in.bounded(u), 1<<16)
	head, _ := inner.Peek(4)
	if k, err := sniff(head); err == nil && (k == kindGzip || k == kindZstd) {
		return nil, nil, &FormatError{Msg: "compressed twice", Hint: "decompress it once"}
	}
	if packed == nil {
		return inner, nil, nil
	}
	return inner, func() (io.Reader, error) {
		r, err := packed()
		if err != nil {
			return nil, err
		}
		if r, err = unpack(k, bufio.NewReader(r)); err != nil {
			return nil, err
		}
		return in.bounded(r), nil
	}, nil
}

// bounded limits what may come out of a packed file that becomes a set in memory:
// a megabyte can hold a gigabyte of empty lines.
func (in *input) bounded(r io.Reader) io.Reader {
	if in.stream {
		return r
	}
	return &boundedReader{r: r, left: in.arrayLimits().Bytes}
}

type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, &FormatError{Msg: "the unpacked content is too large for the memory allowed", Hint: "unpack the file, or allow more memory", memory: true}
	}
	return n, err
}

// text decodes a table of text in any of the Unicode encodings.
func (in *input) text(br *bufio.Reader, size int64, again func() (io.Reader, error)) (decoder, error) {
	src, err := in.decodedSource(br, size, again)
	if err != nil {
		return nil, err
	}
	switch {
	case len(in.opts.Pairs) > 0:
		return in.pairs(src, in.opts.Pairs, false)
	case in.opts.Items || in.plan != nil && in.plan.items:
		return in.items(src, false)
	}
	names, sure := src.pairNames()
	if sure {
		return in.pairs(src, names, true)
	}
	d, err := in.table(src, nil)
	return d, in.orPairs(names, err)
}

// decodedSource returns a table of text in any of the Unicode encodings as a source of rows.
func (in *input) decodedSource(br *bufio.Reader, size int64, again func() (io.Reader, error)) (*textSource, error) {
	head, _ := br.Peek(512)
	if err := foreignText(head); err != nil {
		return nil, err
	}
	if packed := again; packed != nil {
		again = func() (io.Reader, error) {
			r, err := packed()
			if err != nil {
				return nil, err
			}
			return in.decoded(bufio.NewReaderSize(r, 1<<16)), nil
		}
	}
	return in.textSource(in.decoded(br), size, again)
}

// decoded drops a byte-order mark and converts UTF-16, which has one, and Latin-1 to
// UTF-8.
func (in *input) decoded(br *bufio.Reader) io.Reader {
	mark, _ := br.Peek(3)
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, _ = br.Discard(3)
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return transform.NewReader(br, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
	}
	return &latinReader{r: br, found: &in.seen.latin}
}

// foreignText recognises text that is no table.
func foreignText(head []byte) error {
	start := strings.ToLower(string(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))))
	for _, tag := range []string{"<!doctype", "<html", "<?xml", "<head", "<table"} {
		if strings.HasPrefix(start, tag) {
			return &FormatError{Msg: "is a page or a document (HTML or XML), not a table", Hint: "download or export the table itself, as CSV"}
		}
	}
	if strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") && !strings.HasPrefix(start, "[]") {
		return &FormatError{Msg: "is JSON, which is not read here", Hint: "save it as CSV; pandas does with pandas.read_json(..." + jsonLines(start) + ").to_csv(..., index=False)"}
	}
	return nil
}

// jsonLines returns what pandas must be told of a text that has an object on each line.
func jsonLines(start string) string {
	line, next, found := strings.Cut(start, "\n")
	if strings.HasPrefix(line, "{") && len(strings.TrimSpace(line)) > 1 && (!found || strings.HasPrefix(next, "{")) {
		return ", lines=True"
	}
	return ""
}

// damagedZstd wraps an error of the library as damage; file-system errors stay
// unchanged.
func damagedZstd(err error) error {
	var pe *fs.PathError
	var fe *FormatError
	if errors.As(err, &pe) || errors.As(err, &fe) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return &FormatError{Msg: "damaged zstd data", Hint: "copy or pack the file again", Err: err}
}
