//go:build unix

package pipes

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shorter makes waiting short.
func shorter(t *testing.T, d time.Duration) {
	was := patience
	patience = d
	t.Cleanup(func() { patience = was })
}

func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	return path
}

func TestNobodyAtTheOtherEnd(t *testing.T) {
	shorter(t, 50*time.Millisecond)
	for want, open := range map[string]func(string) (*os.File, error){"nobody writes to": Open,
		"nobody reads from": OpenWriter} {
		path := pipe(t) // another for each: who waits is somebody
		if f, err := open(path); err == nil || f != nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%v, %v; want an error with %q", f, err, want)
		}
	}
}

func TestSomebodyComes(t *testing.T) {
	shorter(t, 20*time.Second)
	path := pipe(t)
	go func() {
		time.Sleep(20 * time.Millisecond)
		if f, err := OpenWriter(path); err == nil {
			io.WriteString(f, "through the pipe")
			f.Close()
		}
	}()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "through the pipe" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestFilesOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if _, err := Open(path); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
