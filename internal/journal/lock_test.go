package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// As a process of its own, this program opens the journal that it is told and waits to be
// killed.
// held is kept: a journal that nobody knows any more is closed at some time.
var held *Journal

func TestMain(m *testing.M) {
	if path := os.Getenv("PATCHWORK_TEST_HOLDS"); path != "" {
		var err error
		if held, err = Open(path, "about"); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("open")
		select {}
	}
	os.Exit(m.Run())
}

// One at a time has a journal open; the others are told who it is, and change nothing.
func TestOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	first, err := Open(path, "about")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var busy *BusyError
		if _, err := Open(path, "about"); !errors.As(err, &busy) || busy.Path != path ||
			!strings.Contains(busy.Error(), fmt.Sprintf("process %d on ", os.Getpid())) {
			t.Fatalf("a second: %v", err)
		}
	}
	if err := first.Keep("key", []byte("value")); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(path, "about")
	if err != nil || count(path) != 1 {
		t.Fatalf("after it was closed: %v", err)
	}
	if err := second.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// However many come and go at once, never do two have the journal, and none meets a
// journal that another is removing.
func TestManyComeAndGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	var inside, opened atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := 0; i < 200; i++ {
				j, err := Open(path, "about")
				var busy *BusyError
				if errors.As(err, &busy) {
					if busy.Holder == "" {
						t.Error("it is not said who has it")
					}
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				opened.Add(1)
				if inside.Add(1) != 1 {
					t.Error("two have it")
				}
				if err := j.Keep(fmt.Sprint(i%3), nil); err != nil {
					t.Error(err)
				}
				inside.Add(-1)
				end := j.Close
				if i%2 == 0 {
					end = j.Remove
				}
				if err := end(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if opened.Load() == 0 {
		t.Error("nobody had it")
	}
}

// The lock of a process that was killed is free, though its file is still there.
func TestKilledHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PATCHWORK_TEST_HOLDS="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 5)
	if _, err := out.Read(said); err != nil || string(said) != "open\n" {
		t.Fatalf("it said %q, %v", said, err)
	}
	var busy *BusyError
	if _, err := Open(path, "about"); !errors.As(err, &busy) ||
		!strings.Contains(busy.Holder, fmt.Sprintf("process %d on", cmd.Process.Pid)) {
		t.Errorf("while it runs: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if _, err := os.Stat(filepath.Join(path, lockName)); err != nil {
		t.Fatalf("the lock file: %v", err)
	}
	j, err := Open(path, "about")
	if err != nil {
		t.Fatalf("after it was killed: %v", err)
	}
	if err := j.Remove(); err != nil {
		t.Fatal(err)
	}
}

// What is not ours is refused and stays as it is: other files, links to anything and to nothing, and folders
// that hold something else.
func TestForeign(t *testing.T) {
	put := map[string]func(path, elsewhere string) error{
		"another file":       func(path, _ string) error { return os.WriteFile(path, []byte("my notes"), 0o600) },
		"a link to a file":   func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a link to nothing":  func(path, elsewhere string) error { return os.Symlink(elsewhere+"-none", path) },
		"a link to a folder": func(path, elsewhere string) error { return os.Symlink(filepath.Dir(elsewhere), path) },
		"a folder":           func(path, _ string) error { return os.Mkdir(path, 0o777) },
	}
	for _, name := range []string{"", aboutName, lockName, "notes.txt", "x" + suffix} {
		for what, put := range put {
			if name == "" && what == "a folder" || what == "another file" && (name == lockName || name == "x"+suffix) {
				continue // an empty folder may become a journal; the content of a lock says nothing
			}
			dir := t.TempDir()
			elsewhere, path := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "j", name)
			if err := os.WriteFile(elsewhere, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if name != "" {
				if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := put(path, elsewhere); err != nil {
				t.Skip(err) // no links on this system
			}
			before := looks(t, dir)
			var format *FormatError
			if _, err := Open(filepath.Join(dir, "j"), "about"); !errors.As(err, &format) {
				t.Errorf("%s as %q: %v", what, name, err)
			}
			if after := looks(t, dir); after != before && name != aboutName {
				t.Errorf("%s as %q: %q became %q", what, name, before, after)
			}
		}
	}
}

// looks returns the names, kinds and contents of all in a folder.
func looks(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text, to := []byte(nil), ""
		if e.Type() == 0 {
			text, err = os.ReadFile(path)
		} else if e.Type() == fs.ModeSymlink {
			to, err = os.Readlink(path)
		}
		fmt.Fprintf(&b, "%s %v %q %s; ", e.Name(), e.Type(), text, to)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
