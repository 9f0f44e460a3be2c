package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Pipes and sockets are refused at once, without waiting for another end.
func TestPipe(t *testing.T) {
	for _, name := range []string{"j", "j/" + lockName, "j/" + aboutName} {
		dir := t.TempDir()
		if name != "j" {
			if err := os.Mkdir(filepath.Join(dir, "j"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		var format *FormatError
		if _, err := Open(filepath.Join(dir, "j"), ""); !errors.As(err, &format) {
			t.Errorf("a pipe as %s: %v", name, err)
		}
	}
}
