package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/patchwork/dataset/npy"
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
		part, err := in.path(path)
		if err != nil {
			return nil, at(err, path)
		}
		if len(opts.Labels) > 0 {
			if err := in.labels(part, opts.Labels[i]); err != nil {
				return nil, at(err, opts.Labels[i])
			}
		}
		if err := out.add(part, path); err != nil {
			return nil, err
		}
	}
	set := out.done()
	if len(opts.Where) > 0 {
		return set.Where(opts.Where...)
	}
	return set, nil
}

// input is what the decoders share.
type input struct {
	opts   Options
	rule   rule
	budget *budget
}

func newInput(opts Options) *input {
	limit := opts.maxMemory()
	return &input{opts: opts, rule: rule{opts.Threshold, opts.Invert}, budget: &budget{left: limit, max: limit}}
}

// arrayLimits bounds arrays that are packed as they are read: at worst 8 bytes
// become one bit.
func (in *input) arrayLimits() npy.Limits { return npy.Limits{Bytes: 64 * min(in.budget.max, 1<<50)} }

// path reads one file or folder.
func (in *input) path(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var part *Set
	switch {
	case info.IsDir():
		part, err = in.folder(path)
	case info.Mode().IsRegular():
		part, err = in.file(path, f, f, info.Size())
	default: // a pipe or a terminal
		part, err = in.file(path, f, nil, 0)
	}
	if err != nil {
		return nil, err
	}
	if err := in.arrange(part); err != nil {
		return nil, err
	}
	if in.opts.Weight != "" && part.Weights == nil {
		return nil, &FormatError{Msg: fmt.Sprintf("no weights %q: this format has none", in.opts.Weight), Hint: "leave --weight out, or use an .npz or a table"}
	}
	for _, name := range in.opts.Meta {
		if _, err := part.Column(name); err != nil {
			return nil, err
		}
	}
	return part, nil
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
)

// foreign lists formats that users try, with the way out.
var foreign = []struct{ magic, name, hint string }{
	{"MATLAB 5.0", "a MATLAB file", "load it with scipy.io.loadmat and save it with numpy.savez"},
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
		return 0, &FormatError{Msg: "is of no known format", Hint: "npy, npz, CSV, Parquet, IDX, PNG, PBM and PGM are read"}
	}
	return kindText, nil
}

// file decodes one file. The random access that zip and Parquet need is ra of
// the given size, or if that is nil a copy in memory.
func (in *input) file(path string, r io.Reader, ra io.ReaderAt, size int64) (*Set, error) {
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
	if (k == kindZip || k == kindParquet) && ra == nil {
		data, err := in.slurp(br)
		if err != nil {
			return nil, err
		}
		ra, size = bytes.NewReader(data), int64(len(data))
	}
	switch k {
	case kindNPY:
		return in.npy(br)
	case kindZip:
		return in.npz(ra, size)
	case kindParquet:
		return in.parquet(ra, size)
	case kindIDX:
		return in.idx(br)
	case kindPNG, kindPNM:
		return in.pictureFile(path, br)
	}
	return in.csv(path, br)
}

// gzipped decodes what is inside a gzip stream.
func (in *input) gzipped(path string, r io.Reader) (*Set, error) {
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
		return nil, &FormatError{Msg: fmt.Sprintf("more than %d bytes to hold in memory", in.budget.max)}
	}
	return data, nil
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
