package dataset

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"strings"
)

// format is a form of files, told by their first bytes. A new one is a file of its own, and a line in formats.
type format struct {
	name    string
	magic   func(head []byte) bool
	read    func(*input, *content) (parts, error)
	unpack  func(io.Reader) (io.Reader, error) // of what is packed; nil for other formats
	picture *raster                            // nil for other formats
}

// formats are all of them; the first that fits is it.
var formats []format

func init() { // since they read what is in them by their formats again
	formats = []format{
		{name: "npy", magic: begins("\x93NUMPY"), read: (*input).npy},
		{name: "zip", magic: begins("PK\x03\x04", "PK\x05\x06"), read: (*input).zip},
		{name: "Parquet", magic: begins("PAR1"), read: (*input).parquet},
		{name: "gzip", magic: begins("\x1f\x8b"), unpack: unpackGzip},
		{name: "zstd", magic: isZstd, unpack: unpackZstd},
		{name: textFormat, magic: begins("\xff\xfe", "\xfe\xff"), read: (*input).text},
		{name: "MAT", magic: begins(matMagic), read: (*input).mat},
		{name: "IDX", magic: isIDX, read: (*input).idx},
	}
	for i := range rasters {
		r := &rasters[i]
		formats = append(formats, format{name: r.name, magic: r.magic, read: (*input).pictureFile, picture: r})
	}
}

// textFormat is what has no magic bytes.
const textFormat = "text"

// begins returns what recognises a format by its first bytes.
func begins(magics ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, m := range magics {
			if bytes.HasPrefix(head, []byte(m)) {
				return true
			}
		}
		return false
	}
}

// sniff recognises a format by its first bytes.
func sniff(head []byte) (*format, error) {
	if len(head) == 0 {
		return nil, &FormatError{Msg: "the file is empty", Hint: "copy or save the file again"}
	}
	for i := range formats {
		if formats[i].magic(head) {
			return &formats[i], nil
		}
	}
	if err := notRead(head); err != nil {
		return nil, err
	}
	if n := min(len(head), 64) / 2; n >= 4 && (bytes.Count(head[:2*n], []byte{0}) == n) {
		return nil, &FormatError{Msg: "is UTF-16 text without a mark at its beginning, which is not read here",
			Hint: "save it as UTF-8"}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, &FormatError{Msg: "is not a known format", Hint: "npy, npz, MAT, CSV, Parquet, IDX and the pictures " +
			pictureFormats + " are read"}
	}
	return &format{name: textFormat, read: (*input).text}, nil
}

// FormatOf names the format that the beginning of a file shows: one that is read, such as npy, zip, text, gzip or PNG,
// or another, such as "a PDF document"; "" for none that is known.
func FormatOf(head []byte) (name string, picture bool) {
	f, err := sniff(head)
	if err != nil {
		name, _ = foreignKind(head)
		return name, false
	}
	return f.name, f.picture != nil
}

// content is that of a file, or of what is packed in one. It can be read any number of times.
type content struct {
	path string
	open func() (io.Reader, error) // from the beginning
	at   io.ReaderAt               // nil for what is packed
	size int64                     // 0 if it is not known
}

// readerAt is what can be read at any place.
type readerAt interface {
	io.ReaderAt
	Size() int64
}

// contentAt returns the content of a file or of memory.
func contentAt(path string, r readerAt) *content {
	return &content{path, func() (io.Reader, error) { return io.NewSectionReader(r, 0, r.Size()), nil }, r, r.Size()}
}

// format recognises the format by the first bytes.
func (c *content) format() (*format, error) {
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	head, err := bufio.NewReaderSize(r, 512).Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return sniff(head)
}

// inner returns the format of a content; of what is packed its content and format.
func (in *input) inner(c *content) (*content, *format, error) {
	f, err := c.format()
	if err != nil || f.unpack == nil {
		return c, f, err
	}
	inner := &content{path: strings.TrimSuffix(c.path, filepath.Ext(c.path)), open: func() (io.Reader, error) {
		r, err := c.open()
		if err == nil {
			r, err = f.unpack(bufio.NewReader(r))
		}
		if err != nil {
			return nil, err
		}
		return in.bounded(r), nil
	}}
	inside, err := inner.format()
	if err == nil && inside.unpack != nil {
		err = &FormatError{Msg: "compressed twice", Hint: "decompress it once"}
	}
	return inner, inside, err
}

// file reads a file, or what is packed in it.
func (in *input) file(c *content) (parts, error) {
	c, f, err := in.inner(c)
	switch {
	case err != nil:
		return nil, err
	case in.opts.Names != "" && !in.real && f.name != "zip" && f.picture == nil:
		return nil, &FormatError{Msg: "holds no pictures, so there are no names to read", Hint: "leave --names out"}
	case in.opts.AutoThreshold && (f.name == textFormat || f.name == "Parquet"):
		return nil, &FormatError{Msg: "a table, whose values have no threshold of their own",
			Hint: "give --threshold N instead of auto"}
	}
	return f.read(in, c)
}

// random returns a content that can be read at any place: what is packed must fit in memory.
func (in *input) random(c *content) (io.ReaderAt, int64, error) {
	if c.at != nil {
		return c.at, c.size, nil
	}
	r, err := c.open()
	if err != nil {
		return nil, 0, err
	}
	data, err := in.slurp(r)
	return bytes.NewReader(data), int64(len(data)), err
}
