package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// Stretch is rows From to To-1 of one file, counted from 0 before any selection.
type Stretch struct {
	Path     int // which of the paths that were read
	From, To int
}

// origin is where rows came from.
type origin struct {
	paths  []string
	starts []int    // number of the first row of each path, over all of them, as far as they were read
	prints []string // fingerprints of paths that can be read only once; "" of others
}

// begin notes that the next row is the first of a path.
func (o *origin) begin(path string, row int, print string) {
	o.paths, o.starts, o.prints = append(o.paths, path), append(o.starts, row), append(o.prints, print)
}

// stretches cuts rows, which are counted over all paths, into stretches of neighbours.
func (o *origin) stretches(rows []int) (out []Stretch) {
	if o == nil {
		return nil
	}
	for _, row := range rows {
		path := sort.SearchInts(o.starts, row+1) - 1
		at := row - o.starts[path]
		if n := len(out) - 1; n >= 0 && out[n].Path == path && out[n].To == at {
			out[n].To++
		} else {
			out = append(out, Stretch{path, at, at + 1})
		}
	}
	return out
}

// fingerprint returns that of a path.
func (o *origin) fingerprint(path int) (string, error) {
	if o == nil || path >= len(o.paths) {
		return "", nil
	}
	if path < len(o.prints) && o.prints[path] != "" {
		return o.prints[path], nil
	}
	return Fingerprint(o.paths[path])
}

// Stretches returns from which rows of which files the images are; nil for a set that was
// not read from paths.
func (s *Set) Stretches() []Stretch {
	rows := s.Rows
	if rows == nil {
		rows = identity(s.Len())
	}
	return s.origin.stretches(rows)
}

// Fingerprint is the function [Fingerprint] for one of the paths that the set was read
// from, also if that can be read only once.
func (s *Set) Fingerprint(path int) (string, error) { return s.origin.fingerprint(path) }

// Stretches is [Set.Stretches] for real values.
func (v *Values) Stretches() []Stretch { return v.origin.stretches(v.Index) }

// Fingerprint is [Set.Fingerprint] for real values.
func (v *Values) Fingerprint(path int) (string, error) { return v.origin.fingerprint(path) }

// Watch returns a stream that says of each block, before it yields it, from where it is.
func (s *ValueStream) Watch(see func(Stretch)) *ValueStream {
	c := *s
	c.see = see
	return &c
}

// sampler keeps some bytes of a file: all of the first MiB, then 4 KiB at 16 places in every
// doubling of the length. The places do not depend on how long the file is, so those of
// what can be read only once are the same as those of a file.
type sampler struct {
	length int64
	kept   []byte
}

const sampledWhole, sampledBlock = 1 << 20, 4 << 10

// sampledAt returns the first byte of block number i of those that are kept.
func sampledAt(i int) int64 { return int64(16+i%16) << (16 + i/16) }

// Write keeps what is to be kept of the next bytes. It never fails.
func (s *sampler) Write(b []byte) (int, error) {
	from, to := s.length, s.length+int64(len(b))
	keep := func(first, last int64) {
		if first, last = max(first, from), min(last, to); first < last {
			s.kept = append(s.kept, b[first-from:last-from]...)
		}
	}
	keep(0, sampledWhole)
	for i := 0; sampledAt(i) < to; i++ {
		keep(sampledAt(i), sampledAt(i)+sampledBlock)
	}
	s.length = to
	return len(b), nil
}

// readFrom keeps what is to be kept of a file, without reading the rest.
func (s *sampler) readFrom(r io.ReaderAt, size int64) error {
	take := func(first, n int64) error {
		if n = min(n, size-first); n <= 0 {
			return nil
		}
		s.length = first
		_, err := io.Copy(s, io.NewSectionReader(r, first, n))
		return err
	}
	err := take(0, sampledWhole)
	for i := 0; sampledAt(i) < size && err == nil; i++ {
		err = take(sampledAt(i), sampledBlock)
	}
	s.length = size
	return err
}

// sum returns the fingerprint of what was written.
func (s *sampler) sum() string {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.length)))
	h.Write(s.kept)
	return hex.EncodeToString(h.Sum(nil))
}

// Fingerprint returns 64 hexadecimal digits that tell files with other rows apart, without
// reading large ones as a whole: the SHA-256 of the length of a file and of some of its
// bytes (all of the first MiB, then 4 KiB at 16 places in every doubling), and of a folder of the
// names of its pictures and the fingerprints of at most 256 of them. A file has the same one
// under every name, on every machine. What can be read only once, such as standard
// input, has one after [Read] or [ReadValues] has read it: see [Set.Fingerprint]; here it has none, "".
func Fingerprint(path string) (string, error) {
	if path == standardInput {
		return "", nil
	}
	info, err := os.Stat(path) // to open and close a pipe would end its writer
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return folderFingerprint(path)
	case !info.Mode().IsRegular():
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	s := new(sampler)
	err = s.readFrom(f, info.Size())
	return s.sum(), err
}

// folderFingerprint is Fingerprint for a folder of pictures.
func folderFingerprint(dir string) (string, error) {
	names, _, _, err := listPictures(dir, true)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	each := max(1, (len(names)+255)/256)
	for i, name := range names {
		fmt.Fprintf(h, "%q", name)
		if i%each != 0 {
			continue
		}
		sum, err := Fingerprint(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// tee returns a reader that keeps of r, which can be read only once, what its fingerprint
// needs.
func (in *input) tee(r io.Reader) io.Reader {
	in.sampled = new(sampler)
	return io.TeeReader(r, in.sampled)
}

// print returns the fingerprint of what was read last, if that can be read only once, and
// forgets it.
func (in *input) print() string {
	if in.sampled == nil {
		return ""
	}
	sum := in.sampled.sum()
	in.sampled = nil
	return sum
}
