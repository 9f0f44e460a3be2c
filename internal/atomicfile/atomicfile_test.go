package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// entries lists what is in a folder, hidden files included.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.txt")
	big := strings.Repeat("0123456789", 20000) // beyond the buffer
	for _, text := range []string{"first", big, ""} {
		if err := Write(path, put(text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Fatalf("read back %d bytes, %v; want %d", len(got), err, len(text))
		}
	}
	if got := entries(t, dir); got != "out.txt" {
		t.Fatalf("folder holds %q", got)
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.txt")
	boom := errors.New("boom")
	fail := func(w io.Writer) error {
		w.Write(bytes.Repeat([]byte("x"), 1<<17))
		return boom
	}
	if err := Write(path, fail); err != boom {
		t.Fatalf("error %v, want the callback's own", err)
	}
	if got := entries(t, dir); got != "" {
		t.Fatalf("after a failure the folder holds %q", got)
	}
	if err := Write(path, put("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, fail); err != boom {
		t.Fatalf("error %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		Write(path, func(io.Writer) error { panic("in the callback") })
	}()
	if got, _ := os.ReadFile(path); string(got) != "old" || entries(t, dir) != "out.txt" {
		t.Fatalf("after failures: content %q, folder %q", got, entries(t, dir))
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	never := func(io.Writer) error { t.Error("the callback ran"); return nil }
	if err := Write(dir, never); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
	if err := Write("", never); err == nil {
		t.Error("empty path accepted")
	}
	path := filepath.Join(dir, "no", "such", "out")
	err := Write(path, never)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path+":") {
		t.Errorf("missing folder: %v", err)
	}
}

func TestKeepsModeAndFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("a"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := Write(link, put("b")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Fatalf("the link was replaced: %v %v", info.Mode(), err)
	}
	info, err = os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(path); string(got) != "b" {
		t.Fatalf("content %q", got)
	}
	os.Remove(path) // now the link dangles
	if err := Write(link, put("c")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "c" {
		t.Fatalf("through a dangling link: %q", got)
	}
}

func TestDevices(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	err := Write("/dev/full", put("x"))
	if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "write /dev/full:") {
		t.Fatalf("full device: %v", err)
	}
	if err := Write(os.DevNull, put("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Fatal("the null device was replaced by a file")
	}
}

func TestConcurrentWritersNeverMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := Write(path, put(strings.Repeat(string(rune('a'+i)), 100000))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil || len(got) != 100000 || strings.Trim(string(got), string(got[:1])) != "" {
		t.Fatalf("%d bytes of a mixture, %v", len(got), err)
	}
}

// RemoveUnfinished removes what is being written and nothing else.
func TestRemoveUnfinished(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "done"), func(w io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	Write(filepath.Join(dir, "begun"), func(io.Writer) error {
		before, _ := os.ReadDir(dir)
		RemoveUnfinished()
		after, _ := os.ReadDir(dir)
		if len(before) != 2 || len(after) != 1 || after[0].Name() != "done" {
			t.Errorf("%v, then %v", before, after)
		}
		return errors.New("enough")
	})
}

// TestCheck: a path that can be written is left as it is, with nothing beside it; for
// others the error is that of Write.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := os.WriteFile(old, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{old, filepath.Join(dir, "new"), os.DevNull} {
		if err := Check(path); err != nil {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if text, _ := os.ReadFile(old); err != nil || len(entries) != 1 || string(text) != "kept" {
		t.Errorf("left %v, %q: %v", entries, text, err)
	}
	never := func(io.Writer) error { return nil }
	for _, path := range []string{"", dir, filepath.Join(dir, "none", "x"), filepath.Join(old, "x")} {
		err, want := Check(path), Write(path, never)
		if err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, Write says %v", path, err, want)
		}
	}
}

// Several files are all there or none, and what they replaced is there again.
func TestCommitOfSeveral(t *testing.T) {
	defer func() { Fault = nil }()
	for fail := range 4 { // the rename that fails; 3 for none
		dir := t.TempDir()
		old := filepath.Join(dir, "b")
		if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		var files []*Pending
		for _, name := range []string{"a", "b", "c"} {
			p, err := Stage(filepath.Join(dir, name), put("new "+name))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, p)
		}
		renames := 0
		Fault = func(step, path string) error {
			if step == "rename" {
				if renames++; renames == fail+1 {
					return syscall.ENOSPC
				}
			}
			return nil
		}
		err := Commit(files...)
		text, _ := os.ReadFile(old)
		switch got := entries(t, dir); {
		case fail == 3 && (err != nil || got != "a b c" || string(text) != "new b"):
			t.Errorf("nothing failed: %q, %q, %v", got, text, err)
		case fail < 3 && (!errors.Is(err, syscall.ENOSPC) || got != "b" || string(text) != "old"):
			t.Errorf("rename %d failed: %q, %q, %v", fail+1, got, text, err)
		}
	}
}

// That a folder cannot be brought to the disk is said.
func TestFolderIsSynced(t *testing.T) {
	defer func() { Fault = nil }()
	dir := t.TempDir()
	Fault = func(step, path string) error {
		if step == "sync folder" && path == dir {
			return syscall.EIO
		}
		return nil
	}
	path := filepath.Join(dir, "out")
	if err := Write(path, put("text")); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if err := SyncFolder(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// What a killed process left is removed at once by the next that writes there; what somebody needs is not, nor
// another file's.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range strings.Fields(".out.1-0.tmp .out.99999-12.tmp .out.7-0.tmp.old " + // gone
		".out.old.3-0.tmp .other.4-0.tmp .out.x-0.tmp .out.1-0.tmp.txt") {
		path := filepath.Join(dir, name)
		long := time.Now().Add(-48 * time.Hour) // so old that systems without locks remove it too
		if err := errors.Join(os.WriteFile(path, []byte("rest"), 0o600), os.Chtimes(path, long, long)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "out")
	held, err := Stage(path, put("waits")) // closed, and not yet renamed
	if err == nil {
		err = Write(path, put("text"))
	}
	if err != nil {
		t.Fatal(err)
	}
	want := ".other.4-0.tmp .out.1-0.tmp.txt .out.old.3-0.tmp .out.x-0.tmp out"
	hidden := filepath.Base(held.hidden)
	if got := entries(t, dir); strings.ReplaceAll(got, hidden+" ", "") != want || !strings.Contains(got, hidden) {
		t.Errorf("left %s", got)
	}
	if err := Commit(held); err != nil {
		t.Error(err)
	}
}

// A second name of what was there, and a hidden file, are safe from other writers while a set is put in place.
func TestSweepDuringCommit(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := errors.Join(Write(a, put("old")), Write(b, put("old"))); err != nil {
		t.Fatal(err)
	}
	first, err1 := Stage(a, put("new"))
	second, err2 := Stage(b, put("new"))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	defer func() { Fault = nil }()
	Fault = func(step, path string) error {
		if step != "rename" || !strings.Contains(path, ".b.") {
			return nil
		}
		for _, target := range []string{a, b} { // as another process would: it does not know what is unfinished here
			names, _ := filepath.Glob(filepath.Join(dir, "."+filepath.Base(target)+".*"))
			for _, name := range names {
				removeUnheld(name)
			}
		}
		return syscall.EIO
	}
	if err := Commit(first, second); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	Fault = nil
	for _, path := range []string{a, b} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if got := entries(t, dir); got != "a b" {
		t.Errorf("left %s", got)
	}
}

// TestManyWriters: writers of one path, whose hidden names come again and again, sweep none that is another's.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 400 {
				if err := Write(path, put("whole")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := entries(t, dir); got != "a" {
		t.Errorf("left %s", got)
	}
}
