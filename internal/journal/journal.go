// Package journal implements an append-only file of keys and values that
// survives the death of its writer at any moment: complete records are read
// again, and an incomplete one is dropped.
//
// The file begins with the line "patchwork-journal 1\n" and a first record, the
// description of what the journal is about. A record is
//
//	key length, value length  uint32 each, little-endian
//	key, value
//	checksum                  CRC-32C of all before, uint32
//
// A file beside it, with the name of the journal and ".lock", says who has it open and is
// locked meanwhile.
//
// Reading stops at the first record that is incomplete or whose checksum is
// wrong; opening the file for writing truncates it there.
package journal

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"example.com/patchwork/internal/atomicfile"
)

const magic = "patchwork-journal 1\n"

// maxRecord bounds a value, in bytes: a larger length is taken as damage.
const maxRecord = 1 << 30

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Journal is an open journal. It is safe for concurrent use.
type Journal struct {
	mu     sync.Mutex
	f      *os.File
	end    int64 // of the last whole record
	values map[string]place
	held   *flock.Flock
	failed error // of the first write that failed; nothing is written after it
}

// place locates a value in the file.
type place struct {
	at   int64
	size uint32
}

// DescriptionError reports a journal of another run.
type DescriptionError struct {
	Path      string
	Got, Want string
}

// Error implements the error interface.
func (e *DescriptionError) Error() string {
	return fmt.Sprintf("%s is about another run: %s, not %s", e.Path, e.Got, e.Want)
}

// FormatError reports something that is not a journal, or not its lock file.
type FormatError struct{ Path string }

// Error implements the error interface.
func (e *FormatError) Error() string { return e.Path + ": not a file of a checkpoint of patchwork" }

// Open opens the journal at path for reading and appending, or begins one there. It drops
// a record that the last writer did not finish. Only one process has a journal open: the
// lock beside it ends when the process ends, however it does. No link is followed.
//
// The error is a *[BusyError] if another has the journal open, a *[FormatError] if
// something else is at path, which stays as it is, a *[DescriptionError] if the
// description differs, or one of the file system.
func Open(path, description string) (*Journal, error) {
	held, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	j, err := open(path, description)
	if err != nil {
		return nil, errors.Join(err, release(held))
	}
	j.held = held
	return j, nil
}

// open is Open under the lock.
func open(path, description string) (*Journal, error) {
	if err := ours(path, magic); err != nil {
		return nil, err
	}
	_, err := os.Lstat(path)
	created := errors.Is(err, fs.ErrNotExist)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &Journal{f: f, values: make(map[string]place)}
	got, err := j.scan()
	switch {
	case err != nil:
	case got == nil: // new, or killed before anything was kept
		err = j.begin(description)
		if err == nil {
			err = atomicfile.SyncFolder(filepath.Dir(path))
		}
	case string(got) != description:
		err = &DescriptionError{path, string(got), description}
	default:
		err = f.Truncate(j.end)
	}
	if err != nil {
		f.Close()
		if created {
			err = errors.Join(err, os.Remove(path))
		}
		return nil, err
	}
	return j, nil
}

// begin makes the journal an empty one.
func (j *Journal) begin(description string) error {
	if err := j.f.Truncate(0); err != nil {
		return err
	}
	j.end = 0
	return j.write(append([]byte(magic), record("", []byte(description))...))
}

// scan reads all complete records and returns the description; nil if the file
// does not begin with one.
func (j *Journal) scan() ([]byte, error) {
	r := bufio.NewReaderSize(j.f, 1<<16)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != magic {
		return nil, unlessShort(err)
	}
	var description []byte
	for at := int64(len(magic)); ; {
		key, value, err := readRecord(r)
		if err != nil || key == nil {
			return description, err
		}
		if description == nil {
			description = append([]byte{}, value...)
		} else {
			j.values[string(key)] = place{at + 8 + int64(len(key)), uint32(len(value))}
		}
		at += int64(8 + len(key) + len(value) + 4)
		j.end = at
	}
}

// unlessShort returns err unless it only reports the end of the file.
func unlessShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

// readRecord reads a record; key is nil if there is no complete one.
func readRecord(r io.Reader) (key, value []byte, err error) {
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, r, 8); err != nil {
		return nil, nil, unlessShort(err)
	}
	k, v := binary.LittleEndian.Uint32(buf.Bytes()), binary.LittleEndian.Uint32(buf.Bytes()[4:])
	if k > 1<<16 || v > maxRecord {
		return nil, nil, nil
	}
	if _, err := io.CopyN(&buf, r, int64(k)+int64(v)+4); err != nil {
		return nil, nil, unlessShort(err)
	}
	b := buf.Bytes()
	content, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(content, castagnoli) != sum {
		return nil, nil, nil
	}
	return content[8 : 8+k : 8+k], content[8+k:], nil
}

func record(key string, value []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(key)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(value)))
	out = append(append(out, key...), value...)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// Recall returns the value of a key; ok is false if it has none, or if the record is no
// longer what was written.
func (j *Journal) Recall(key string) (value []byte, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p, ok := j.values[key]
	if !ok {
		return nil, false, nil
	}
	whole := int64(8+len(key)) + int64(p.size) + 4
	stored, value, err := readRecord(io.NewSectionReader(j.f, p.at-int64(8+len(key)), whole))
	if err != nil || stored == nil || string(stored) != key || len(value) != int(p.size) {
		return nil, false, err
	}
	return value, true, nil
}

// Keep appends a value, which then survives the end of the process and of the machine. The first
// value of a key stays. After an error nothing more is written.
func (j *Journal) Keep(key string, value []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, ok := j.values[key]; ok || j.failed != nil {
		return j.failed
	}
	at := j.end
	if err := j.write(record(key, value)); err != nil {
		return err
	}
	j.values[key] = place{at + 8 + int64(len(key)), uint32(len(value))}
	return nil
}

// write appends b, or leaves the file unchanged.
func (j *Journal) write(b []byte) error {
	_, err := j.f.WriteAt(b, j.end)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		j.failed = errors.Join(err, j.f.Truncate(j.end))
		return j.failed
	}
	j.end += int64(len(b))
	return nil
}

// Len returns the number of values.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.values)
}

// Close closes the file, for another run to go on with.
func (j *Journal) Close() error {
	return errors.Join(j.f.Close(), release(j.held))
}

// Remove closes and removes the journal.
func (j *Journal) Remove() error {
	return errors.Join(j.f.Close(), os.Remove(j.f.Name()), release(j.held))
}
