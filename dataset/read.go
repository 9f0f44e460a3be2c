package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"example.com/patchwork/dataset/mat"
	"example.com/patchwork/internal/npy"
)

// Read reads files and folders of pictures into one set, in the given order.
//
// All images must have one size, and tables with names the same names; the
// error says which path differs. Of the metadata those columns are kept that
// every path has. Content that cannot be used gives a [*FormatError]; errors of
// the file system unwrap to their cause, as [fs.ErrNotExist].
func Read(paths []string, opts Options) (*Set, error) {
	if err := opts.check(paths); err != nil {
		return nil, err
	}
	in := newInput(opts)
	var out joiner
	for i, path := range paths {
		part, err := in.path(path, opts.label(i))
		if err != nil {
			return nil, at(err, path)
		}
		if err := out.add(part, path); err != nil {
			return nil, err
		}
	}
	set := out.done()
	if len(opts.Where) > 0 {
		var err error
		if set, err = set.Where(opts.Where...); err != nil {
			return nil, err
		}
	}
	return set.FirstPer(opts.FirstPer)
}

// selectedBy lists the columns that the selection asks for.
func (o *Options) selectedBy() []string {
	var names []string
	for _, c := range o.Where {
		names = append(names, c.Name)
	}
	return append(names, o.FirstPer.Names...)
}

// label is the label file of path i, "" for none.
func (o *Options) label(i int) string {
	if len(o.Labels) == 0 {
		return ""
	}
	return o.Labels[i]
}

// input is what the decoders share.
type input struct {
	opts   Options
	rule   rule
	budget *budget
	stream bool // the budget is for one part at a time
	most   int  // images that are wanted yet, where that is known; else 0
}

func newInput(opts Options) *input {
	limit := opts.maxMemory()
	return &input{opts: opts, rule: rule{opts.Threshold, opts.Invert}, budget: &budget{left: limit, max: limit}}
}

// arrayLimits bounds arrays that are packed as they are read: at worst 8 bytes
// become one bit. What is read in parts may have any size.
func (in *input) arrayLimits() npy.Limits {
	if in.stream {
		return npy.Limits{Bytes: math.MaxInt64}
	}
	return npy.Limits{Bytes: 64 * min(in.budget.max, 1<<50)}
}

// decoder reads one file, some images at a time: parts of the set that the file
// is, each with at least one image, without row numbers, and with metadata that
// may still be rawText. After the last comes io.EOF.
type decoder interface {
	next() (*Set, error)
}

// counter is a decoder that knows how many images there are before it has read
// them.
type counter interface{ count() int }

// skipper is a decoder that can leave out up to n images; it returns how many.
type skipper interface{ skip(n int) (int, error) }

// whole is a decoder of what was read as a whole.
type whole struct{ set *Set }

func (d *whole) next() (*Set, error) {
	if d.set == nil {
		return nil, io.EOF
	}
	s := d.set
	d.set = nil
	return s, nil
}

// path reads one file or folder.
func (in *input) path(path, labels string) (*Set, error) {
	d, err := in.open(path, labels)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return collect(d)
}

// collect puts the parts of a file together.
func collect(d decoder) (*Set, error) {
	var out *Set
	for {
		part, err := d.next()
		switch {
		case err == io.EOF:
			for i, c := range out.Meta {
				if raw, ok := c.Values.(rawText); ok {
					out.Meta[i].Values = guess(raw)
				}
			}
			return out, nil
		case err != nil:
			return nil, err
		case out == nil:
			out = part
			continue
		}
		out.Images = append(out.Images, part.Images...)
		out.Weights = append(out.Weights, part.Weights...)
		for i, c := range out.Meta {
			out.Meta[i].Values = joinValues(c, part.Meta[i])
		}
	}
}

// opened is an open file: its decoder, and what all formats have in common.
type opened struct {
	decoder
	in     *input
	file   *os.File
	labels *labelRows // nil for none
}

// open begins to read one file or folder, with a file of labels unless that is
// "".
func (in *input) open(path, labels string) (*opened, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	d := &opened{in: in, file: f}
	info, err := f.Stat()
	if err == nil {
		switch {
		case info.IsDir():
			d.decoder, err = in.folder(path)
		case info.Mode().IsRegular():
			d.decoder, err = in.file(path, f, f, info.Size())
		default: // a pipe or a terminal
			d.decoder, err = in.file(path, f, nil, 0)
		}
	}
	if err == nil && labels != "" {
		d.labels, err = in.labels(labels)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *opened) close() {
	d.file.Close() // only read
	if d.labels != nil {
		d.labels.file.Close()
	}
}

// count is how many images the file has, -1 if that is not known yet.
func (d *opened) count() int {
	if c, ok := d.decoder.(counter); ok {
		return c.count()
	}
	return -1
}

// next is a part, arranged as the options say.
func (d *opened) next() (*Set, error) {
	if d.in.stream {
		d.in.budget.refill()
	}
	s, err := d.decoder.next()
	if err == io.EOF && d.labels != nil {
		return nil, d.labels.done()
	}
	if err != nil {
		return nil, err
	}
	if err := d.in.arrange(s); err != nil {
		return nil, err
	}
	if d.in.opts.Weight != "" && s.Weights == nil {
		return nil, &FormatError{Msg: fmt.Sprintf("no weights %q: this format has none", d.in.opts.Weight), Hint: "leave --weight out, or use an .npz or a table"}
	}
	for _, name := range d.in.opts.Meta {
		if _, err := s.Column(name); err != nil {
			return nil, err
		}
	}
	if d.labels != nil {
		return s, d.labels.add(s)
	}
	return s, nil
}

// kind is a file format.
type kind int

const (
	kindText kind = iota
	kindNPY
	kindZip
	kindParquet
	kindIDX
	kindGzip
	kindPNG
	kindPNM
	kindMAT
)

// foreign lists formats that users try, with the way out.
var foreign = []struct{ magic, name, hint string }{
	{"MATLAB 7.3", "a MATLAB file of version 7.3 (HDF5)", "save it with -v7"},
	{"\x89HDF\r\n", "an HDF5 file", "load it with h5py and save it with numpy.savez"},
	{"\xff\xd8\xff", "a JPEG picture", "convert it to PNG"},
	{"GIF8", "a GIF picture", "convert it to PNG"},
	{"II*\x00", "a TIFF picture", "convert it to PNG"},
	{"MM\x00*", "a TIFF picture", "convert it to PNG"},
	{"%PDF", "a PDF document", "export its pictures as PNG"},
	{"\xff\xfe", "UTF-16 text", "save it as UTF-8"},
	{"\xfe\xff", "UTF-16 text", "save it as UTF-8"},
	{"\x28\xb5\x2f\xfd", "packed with zstd", "unpack it, or pack it with gzip"},
	{"BZh", "packed with bzip2", "unpack it, or pack it with gzip"},
	{"\xfd7zXZ", "packed with xz", "unpack it, or pack it with gzip"},
}

// sniff recognises a format by its first bytes.
func sniff(head []byte) (kind, error) {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case len(head) == 0:
		return 0, &FormatError{Msg: "the file is empty"}
	case starts("\x93NUMPY"):
		return kindNPY, nil
	case starts("PK\x03\x04"), starts("PK\x05\x06"):
		return kindZip, nil
	case starts("PAR1"):
		return kindParquet, nil
	case starts("\x1f\x8b"):
		return kindGzip, nil
	case starts(mat.Magic):
		return kindMAT, nil
	case starts("\x89PNG\r\n"):
		return kindPNG, nil
	case len(head) >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' && isBlank(head[2]):
		return kindPNM, nil
	case len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 8 && head[2] <= 14:
		return kindIDX, nil
	}
	for _, f := range foreign {
		if starts(f.magic) {
			return 0, &FormatError{Msg: "is " + f.name + ", which is not read here", Hint: f.hint}
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return 0, &FormatError{Msg: "is of no known format", Hint: "npy, npz, MAT, CSV, Parquet, IDX, PNG, PBM and PGM are read"}
	}
	return kindText, nil
}

// file decodes one file. The random access that zip and Parquet need is ra of
// the given size, or if that is nil a copy in memory.
func (in *input) file(path string, r io.Reader, ra io.ReaderAt, size int64) (decoder, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	head, err := br.Peek(512)
	if err != nil && err != io.EOF {
		return nil, err
	}
	k, err := sniff(head)
	if err != nil {
		return nil, err
	}
	if k == kindGzip {
		return in.gzipped(path, br)
	}
	if (k == kindZip || k == kindParquet || k == kindMAT) && ra == nil {
		data, err := in.slurp(br)
		if err != nil {
			return nil, err
		}
		ra, size = bytes.NewReader(data), int64(len(data))
	}
	if in.opts.Names != "" && k != kindZip && k != kindPNG && k != kindPNM {
		return nil, &FormatError{Msg: "holds no pictures whose names could tell anything", Hint: "leave --names out"}
	}
	if s, ok := r.(io.ReadSeeker); ok && ra != nil {
		r = &bufferedFile{br, s}
	} else {
		r = br
	}
	switch k {
	case kindNPY:
		return in.npy(r)
	case kindZip:
		return in.zip(path, ra, size)
	case kindMAT:
		return in.mat(ra, size)
	case kindParquet:
		return in.parquet(ra, size)
	case kindIDX:
		return in.idx(r)
	case kindPNG, kindPNM:
		return in.pictureFile(path, br)
	}
	return in.csv(br, size)
}

// bufferedFile is a buffered file of which parts can be left out.
type bufferedFile struct {
	*bufio.Reader
	file io.ReadSeeker
}

// Seek is that of [io.Seeker]. After an error the position is what it was.
func (b *bufferedFile) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		offset -= int64(b.Buffered())
	}
	at, err := b.file.Seek(offset, whence)
	if err == nil {
		b.Reset(b.file)
	}
	return at, err
}

// gzipped decodes what is inside a gzip stream.
func (in *input) gzipped(path string, r io.Reader) (decoder, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(z, 1<<16)
	if head, _ := br.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return nil, &FormatError{Msg: "packed twice with gzip", Hint: "unpack it once"}
	}
	return in.file(strings.TrimSuffix(path, filepath.Ext(path)), br, nil, 0)
}

// slurp reads what must be in memory as a whole.
func (in *input) slurp(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, in.budget.max))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) == in.budget.max {
		return nil, &FormatError{Msg: fmt.Sprintf("more than %d bytes to hold in memory", in.budget.max), memory: true}
	}
	return data, nil
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
