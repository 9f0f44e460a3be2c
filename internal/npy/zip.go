package npy

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// suffix is what numpy.savez appends to an array's name in the archive.
const suffix = ".npy"

// Member is one entry of an archive to be written: an array, stored as
// Name.npy, or, if Array is nil, the bytes Raw under Name itself.
type Member struct {
	Name  string
	Array *Array
	Raw   []byte
}

// Method says how members of an archive are stored.
type Method uint16

const (
	// Store leaves members uncompressed: the bytes of the archive depend only
	// on its content, on every machine and with every Go release.
	Store Method = Method(zip.Store)
	// Deflate compresses members, like numpy.savez_compressed; the bytes may
	// differ between Go releases.
	Deflate Method = Method(zip.Deflate)
)

// stamp is the modification time of every member: the earliest a zip can hold.
var stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// WriteZip writes an archive that numpy.load opens, with the members in the
// given order and a fixed time stamp. It fails on an empty or repeated name.
func WriteZip(w io.Writer, method Method, members ...Member) error {
	z := zip.NewWriter(w)
	seen := map[string]bool{}
	for _, m := range members {
		name := m.Name
		if m.Array != nil {
			name += suffix
		}
		if m.Name == "" || seen[name] {
			return &FormatError{Member: name, Msg: "an archive member needs a unique name"}
		}
		seen[name] = true
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: uint16(method), Modified: stamp})
		if err != nil {
			return err
		}
		if m.Array != nil {
			err = Write(f, m.Array)
		} else {
			_, err = f.Write(m.Raw)
		}
		var fe *FormatError
		if errors.As(err, &fe) {
			fe.Member = name
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// Zip gives access to the members of an archive. It reads them on demand, so
// the underlying reader must stay open. It is safe for concurrent use if the
// underlying reader is.
type Zip struct {
	limit  int64 // of the bytes of a member
	arrays []string
	files  map[string]*zip.File
}

// ReadZip reads the directory of an archive of the given size.
func ReadZip(r io.ReaderAt, size int64, limit int64) (*Zip, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, content("", "not a readable zip archive", err)
	}
	if len(z.File) > maxMembers {
		return nil, &FormatError{Msg: fmt.Sprintf("the archive has %d members, more than the limit of %d", len(z.File),
			maxMembers), Hint: "keep the arrays that are needed"}
	}
	out := &Zip{limit: cmp.Or(limit, usual), files: map[string]*zip.File{}}
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if out.files[f.Name] != nil {
			return nil, &FormatError{Member: f.Name, Msg: "two members with this name"}
		}
		out.files[f.Name] = f
		if name, ok := strings.CutSuffix(f.Name, suffix); ok {
			out.arrays = append(out.arrays, name)
		}
	}
	return out, nil
}

// Within returns the archive with a lower limit for the bytes of a member.
func (z *Zip) Within(bytes int64) *Zip {
	out := *z
	out.limit = min(z.limit, bytes)
	return &out
}

// Sub returns the members of a folder, such as "learned/0/", as an archive of their own.
func (z *Zip) Sub(folder string) *Zip {
	out := &Zip{limit: z.limit, files: map[string]*zip.File{}}
	for name, f := range z.files {
		if inner, below := strings.CutPrefix(name, folder); below {
			out.files[inner] = f
		}
	}
	for _, name := range z.arrays {
		if inner, below := strings.CutPrefix(name, folder); below {
			out.arrays = append(out.arrays, inner)
		}
	}
	return out
}

// Unpacked returns how many bytes the members have that end in a name, all together, as the archive says.
func (z *Zip) Unpacked(name string) (n uint64) {
	for full, f := range z.files {
		if strings.HasSuffix(full, name) {
			n += min(f.UncompressedSize64, 1<<40)
		}
	}
	return n
}

// Arrays lists the names of the arrays, without ".npy", in archive order. The
// slice must not be changed.
func (z *Zip) Arrays() []string { return z.arrays }

// Has reports whether the archive has an array with that name.
func (z *Zip) Has(name string) bool { return z.files[name+suffix] != nil }

// HasFile reports whether the archive has a member with that full name.
func (z *Zip) HasFile(name string) bool { return z.files[name] != nil }

// Open returns a reader of the array with that name, for reading it by rows. It
// verifies the checksum after the last row. The reader need not be closed.
func (z *Zip) Open(name string) (*Reader, error) {
	rc, err := z.open(name + suffix)
	if err != nil {
		return nil, err
	}
	member := name + suffix
	body := &guarded{r: rc, member: member}
	d, err := NewReader(body, z.limit)
	if err != nil {
		var fe *FormatError
		if errors.As(err, &fe) && fe.Member == "" {
			fe.Member = member
		}
		return nil, err
	}
	d.member = member
	d.finish = func() error {
		var one [1]byte
		switch n, err := io.ReadFull(body, one[:]); {
		case n > 0:
			return &FormatError{Member: member, Offset: d.at, Msg: "more bytes than the header's shape accounts for"}
		case err != io.EOF:
			return err
		}
		return rc.Close()
	}
	return d, nil
}

// Array reads the array with that name.
func (z *Zip) Array(name string) (*Array, error) {
	d, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	return d.All()
}

// File reads the member with that full name, for members that are not arrays,
// such as "model.json". The error of a missing member unwraps to
// [fs.ErrNotExist].
func (z *Zip) File(name string) ([]byte, error) {
	rc, err := z.open(name)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	data, err := io.ReadAll(io.LimitReader(&guarded{r: rc, member: name}, z.limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > z.limit {
		return nil, &FormatError{Member: name, Msg: fmt.Sprintf("larger than the limit of %d bytes", z.limit)}
	}
	return data, nil
}

func (z *Zip) open(name string) (io.ReadCloser, error) {
	f := z.files[name]
	if f == nil {
		return nil, &FormatError{Member: name, Msg: "not in the archive", Err: fs.ErrNotExist}
	}
	if f.Flags&1 != 0 {
		return nil, &FormatError{Member: name, Msg: "encrypted", Hint: "write the archive without a password"}
	}
	rc, err := f.Open()
	if err != nil {
		return nil, content(name, "cannot be decompressed", err)
	}
	return rc, nil
}

// guarded rephrases decompression errors.
type guarded struct {
	r      io.Reader
	member string
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if err != nil && err != io.EOF {
		err = content(g.member, "damaged", err)
	}
	return n, err
}

// content wraps an error of the zip layer, except file-system errors, which say
// nothing about the content.
func content(member, msg string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return err
	}
	return &FormatError{Member: member, Msg: msg, Hint: "copy or save the file again", Err: err}
}
