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

	"example.com/patchwork/internal/atomicfile"
)

// opened opens a journal that is closed at the end of the test.
func opened(t *testing.T, path, description string) *Journal {
	t.Helper()
	j, err := Open(path, description)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// count returns how many values a journal has.
func count(path string) int {
	values, _ := filepath.Glob(filepath.Join(path, "*"+suffix)) // a good pattern
	return len(values)
}

func keyOf(i int) (key string, value []byte) {
	return fmt.Sprint("key", i), bytes.Repeat([]byte{byte(i)}, 3*i)
}

// holds checks that exactly the first n values are there.
func holds(t *testing.T, j *Journal, n int) {
	t.Helper()
	if got := count(j.dir); got != n {
		t.Fatalf("%d values, want %d", got, n)
	}
	for i := range n + 1 {
		key, want := keyOf(i)
		got, ok, err := j.Recall(key)
		if err != nil || ok != (i < n) || ok && !bytes.Equal(got, want) {
			t.Fatalf("value %d of %d: %v, %v, %v", i, n, got, ok, err)
		}
	}
}

// TestEndAnywhere ends the writer at every step that writes: the journal holds the values
// kept before, and can be continued to the same.
func TestEndAnywhere(t *testing.T) {
	for end := 0; ; end++ {
		path := filepath.Join(t.TempDir(), "j")
		steps, ended := 0, false
		atomicfile.Fault = func(step, _ string) error {
			if steps++; steps > end {
				ended = true
				return errors.New("the end at " + step)
			}
			return nil
		}
		kept := 0
		j, err := Open(path, "about\nthis")
		for ; err == nil && kept < 4; kept++ {
			key, value := keyOf(kept)
			if err = j.Keep(key, value); err != nil {
				break
			}
		}
		atomicfile.Fault = nil
		if j != nil {
			j.Close()
		}
		j = opened(t, path, "about\nthis")
		if there := count(path); there != kept && there != kept+1 { // it may be there, and its folder not be synced
			t.Fatalf("ended after %d steps: %d values, want %d", end, there, kept)
		}
		holds(t, j, count(path))
		for i := kept; i < 4; i++ {
			key, value := keyOf(i)
			if err := j.Keep(key, value); err != nil {
				t.Fatal(err)
			}
		}
		holds(t, j, 4)
		if err := j.Remove(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the folder is left: %v", err)
		}
		if !ended {
			if end < 5*6 {
				t.Fatalf("only %d steps", end)
			}
			return
		}
	}
}

// TestDamage: a damaged byte loses its value, but never yields a wrong one, and the value can be
// kept again; a damaged description refuses.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := opened(t, path, "about")
	key, value := keyOf(5)
	if err := j.Keep(key, value); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, nameOf(key))
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := range content {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x41
		for _, has := range [][]byte{damaged, content[:at]} {
			if err := os.WriteFile(file, has, 0o666); err != nil {
				t.Fatal(err)
			}
			if got, ok, err := j.Recall(key); err != nil || ok {
				t.Fatalf("byte %d damaged: %v, %v, %v", at, got, ok, err)
			}
		}
		if err := j.Keep(key, value); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := j.Recall(key); err != nil || !ok || !bytes.Equal(got, value) {
			t.Fatalf("kept again: %v, %v, %v", got, ok, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	about := filepath.Join(path, aboutName)
	whole, err := os.ReadFile(about)
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x41
		if err := os.WriteFile(about, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		var format *FormatError
		var description *DescriptionError
		if _, err := Open(path, "about"); at < len(magic) && !errors.As(err, &format) || at >= len(magic) &&
			!errors.As(err, &description) {
			t.Errorf("byte %d of the description damaged: %v", at, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j")
	if _, err := Open(filepath.Join(dir, "none", "j"), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	j := opened(t, path, "about\nthis")
	j.Close()
	before := looks(t, path)
	var description *DescriptionError
	if _, err := Open(path, "about that"); !errors.As(err, &description) || description.Got != "about\nthis" {
		t.Errorf("another description: %v", err)
	}
	if after := looks(t, path); after != before {
		t.Errorf("a refusal made %q of %q", after, before)
	}
}

// TestConcurrent: many goroutines may keep and recall.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := opened(t, path, "")
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 20 {
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
	if j = opened(t, path, ""); count(path) != 20 {
		t.Fatalf("%d values", count(path))
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func FuzzRecall(f *testing.F) {
	f.Add([]byte("x"), "x")
	f.Add(sealed("k", []byte("v")), "k")
	path := filepath.Join(f.TempDir(), "j")
	j, err := Open(path, "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte, key string) {
		if err := os.WriteFile(filepath.Join(path, nameOf(key)), content, 0o666); err != nil {
			t.Fatal(err)
		}
		got, ok, err := j.Recall(key)
		if err != nil || ok && !bytes.Equal(sealed(key, got), content) {
			t.Fatal(got, ok, err)
		}
	})
}
