// Package mutate changes files as an attacker would: numbers and names inside their layers of
// compression, so that what unpacks them lets the changes through.
package mutate

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"regexp"
)

// most is how many bytes of a layer are unpacked to be changed.
const most = 4 << 20

// File returns a changed copy of a file: one member of a zip archive, what gzip packed, or the
// bytes themselves, in one to four places. It keeps file as it is.
func File(r *rand.Rand, file []byte) []byte {
	var out []byte
	switch {
	case r.IntN(8) == 0: // the outermost layer itself
	case bytes.HasPrefix(file, []byte("PK\x03\x04")):
		out = archive(r, file)
	case bytes.HasPrefix(file, []byte{0x1f, 0x8b}):
		out = packed(r, file)
	}
	if out != nil {
		return out
	}
	out = bytes.Clone(file)
	for range 1 + r.IntN(4) {
		out = change(r, out)
	}
	return out
}

// archive changes a member of a zip archive; nil if that cannot be read.
func archive(r *rand.Rand, file []byte) []byte {
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(in.File) == 0 {
		return nil
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	target, what := r.IntN(len(in.File)), r.IntN(10)
	for i, member := range in.File {
		content, err := unpack(member.Open())
		if err != nil {
			return nil
		}
		name := member.Name
		times := 1
		if i == target {
			switch what {
			case 0:
				name = string(change(r, []byte(name)))
			case 1:
				times = r.IntN(4)
			default:
				content = File(r, content)
			}
		}
		for range times {
			w, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: member.Method})
			if err != nil {
				return nil
			}
			if _, err := w.Write(content); err != nil {
				return nil
			}
		}
	}
	if out.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// packed changes what gzip packed; nil if that cannot be read.
func packed(r *rand.Rand, file []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	content, err := unpack(z, nil)
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	out, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a level that exists
	if _, err := out.Write(File(r, content)); err != nil || out.Close() != nil {
		return nil
	}
	return b.Bytes()
}

func unpack(r io.ReadCloser, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close() // only read
	return io.ReadAll(io.LimitReader(r, most))
}

var digits = regexp.MustCompile(`[0-9]+`)

var (
	numbers = []string{"0", "-1", "1e308", "NaN", "Infinity", "4294967296", "18446744073709551615", "999999999999999999999", "00", "1e-400"}
	words   = []uint64{0, 1, 1<<64 - 1, 1<<63 - 1, 1 << 63, 1 << 31, 1<<31 - 1, 1<<32 - 1, 1 << 32, 1 << 40, 1<<16 - 1, 1 << 15}
	texts   = []string{"\x1b[2J", "\x00", "\n", "\"", ",", "\r\n", "[", "{", "\xff\xfe", "\u202e", "=1+1"}
)

// change changes bytes at one place.
func change(r *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return []byte(texts[r.IntN(len(texts))])
	}
	at := r.IntN(len(b))
	if r.IntN(2) == 0 { // headers and footers say how long the rest is
		at = r.IntN(min(len(b), 256))
		if r.IntN(2) == 0 {
			at = len(b) - 1 - at
		}
	}
	piece := b[at:min(len(b), at+1+r.IntN(64))]
	switch r.IntN(8) {
	case 0:
		b[at] ^= 1 << r.IntN(8)
	case 1:
		b[at] = byte(r.Uint32())
	case 2:
		word := binary.LittleEndian.AppendUint64(nil, words[r.IntN(len(words))])
		copy(b[at:], word[:2<<r.IntN(3)])
	case 3:
		if found := digits.FindIndex(b[at:]); found != nil {
			return splice(b, at+found[0], at+found[1], []byte(numbers[r.IntN(len(numbers))]))
		}
	case 4:
		return splice(b, at, at+len(piece), nil)
	case 5:
		return splice(b, at, at, bytes.Repeat(piece, 1<<r.IntN(11)))
	case 6:
		return b[:at]
	case 7:
		return splice(b, at, at, []byte(texts[r.IntN(len(texts))]))
	}
	return b
}

// splice returns b with other bytes in place of those from from to to-1.
func splice(b []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(b)+len(with))
	return append(append(append(out, b[:from]...), with...), b[to:]...)
}
