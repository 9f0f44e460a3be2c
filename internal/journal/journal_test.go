package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// fill writes a journal of n values and returns its bytes and where each record
// ends.
func fill(t *testing.T, path string, n int) (content []byte, ends []int64) {
	t.Helper()
	j, err := Open(path, "about\nthis")
	if err != nil {
		t.Fatal(err)
	}
	ends = append(ends, j.end)
	for i := range n {
		if err := j.Keep(fmt.Sprint("key", i), bytes.Repeat([]byte{byte(i)}, 3*i)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, j.end)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	content, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content, ends
}

// holds checks that exactly the first n values are there.
func holds(t *testing.T, j *Journal, n int) {
	t.Helper()
	if j.Len() != n {
		t.Fatalf("%d values, want %d", j.Len(), n)
	}
	for i := range n {
		got, ok, err := j.Recall(fmt.Sprint("key", i))
		if err != nil || !ok || !bytes.Equal(got, bytes.Repeat([]byte{byte(i)}, 3*i)) {
			t.Fatalf("value %d: %v, %v, %v", i, got, ok, err)
		}
	}
}

// TestCutAnywhere kills the writer at every byte: the journal holds the records
// finished before, and can be continued.
func TestCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	content, ends := fill(t, path, 6)
	for cut := range len(content) + 1 {
		if err := os.WriteFile(path, content[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, "about\nthis")
		if int64(cut) < ends[0] {
			if err != nil || j.Len() != 0 {
				t.Fatalf("cut to %d bytes, before anything was kept: error %v", cut, err)
			}
			j.Close()
			continue
		}
		if err != nil {
			t.Fatalf("cut to %d bytes: %v", cut, err)
		}
		whole := 0
		for whole < 6 && ends[whole+1] <= int64(cut) {
			whole++
		}
		holds(t, j, whole)
		for i := whole; i < 6; i++ {
			if err := j.Keep(fmt.Sprint("key", i), bytes.Repeat([]byte{byte(i)}, 3*i)); err != nil {
				t.Fatal(err)
			}
		}
		holds(t, j, 6)
		j.Close()
		if again, _ := os.ReadFile(path); !bytes.Equal(again, content) {
			t.Fatalf("cut to %d bytes and gone on: another file", cut)
		}
	}
}

// TestDamage: a damaged byte loses its record and those after it, but never
// yields a wrong value.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	content, ends := fill(t, path, 5)
	for at := range content {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x41
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, "about\nthis")
		if int64(at) < ends[0] {
			var format *FormatError
			switch {
			case at < len(magic) && !errors.As(err, &format):
				t.Fatalf("byte %d damaged: not ours, and opened with %v", at, err)
			case at >= len(magic) && (err != nil || j.Len() != 0):
				t.Fatalf("byte %d damaged: %v", at, err)
			}
			if err == nil {
				j.Close()
			}
			continue
		}
		if err != nil {
			t.Fatalf("byte %d damaged: %v", at, err)
		}
		whole := 0
		for ends[whole+1] <= int64(at) {
			whole++
		}
		holds(t, j, whole)
		j.Close()
	}
}

// TestDamageWhileOpen: what is damaged after the journal was opened is not recalled.
func TestDamageWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, err := Open(path, "about")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	before := j.end
	if err := j.Keep("key", []byte("the value")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := before; at < j.end; at++ {
		for _, b := range []byte{content[at] ^ 0x41, content[at]} {
			if _, err := j.f.WriteAt([]byte{b}, at); err != nil {
				t.Fatal(err)
			}
			value, ok, err := j.Recall("key")
			if err != nil || ok != (b == content[at]) || ok && string(value) != "the value" {
				t.Fatalf("byte %d as %d: %q, %v, %v", at, b, value, ok, err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j")
	if _, err := Open(filepath.Join(dir, "none", "j"), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	fill(t, path, 1)
	var description *DescriptionError
	if _, err := Open(path, "about that"); !errors.As(err, &description) || description.Got != "about\nthis" {
		t.Errorf("another description: %v", err)
	}
	if err := os.WriteFile(path, []byte("something else, long enough to be a journal"), 0o666); err != nil {
		t.Fatal(err)
	}
	var format *FormatError
	if _, err := Open(path, "about\nthis"); !errors.As(err, &format) {
		t.Errorf("a foreign file: %v", err)
	}
	if content, _ := os.ReadFile(path); !bytes.HasPrefix(content, []byte("something")) {
		t.Error("a foreign file was changed")
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("refusals left %v", left)
	}
}

// TestConcurrent: many goroutines may keep and recall; the first value of a key
// stays.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				key := fmt.Sprint(i)
				if err := j.Keep(key, []byte(key)); err != nil {
					t.Error(w, err)
				}
				if got, ok, err := j.Recall(key); err != nil || !ok || string(got) != key {
					t.Error(w, i, got, ok, err)
				}
			}
		})
	}
	wg.Wait()
	j.Close()
	if j, err = Open(path, ""); err != nil || j.Len() != 50 {
		t.Fatalf("%v, %d values", err, j.Len())
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(magic), "")
	f.Add(append([]byte(magic), record("", []byte("x"))...), "x")
	f.Add(append(append([]byte(magic), record("", []byte("x"))...), record("k", []byte("v"))...), "x")
	f.Fuzz(func(t *testing.T, content []byte, description string) {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, description)
		if err != nil {
			return
		}
		defer j.Close()
		n := j.Len()
		if err := j.Keep("another key", []byte("value")); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := j.Recall("another key"); err != nil || !ok || (string(got) != "value" && j.Len() != n) {
			t.Fatal(got, ok, err)
		}
	})
}
