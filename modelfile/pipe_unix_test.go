//go:build unix

package modelfile

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAreRefused: a named pipe is refused at once; to open it would wait for its
// writer.
func TestPipesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	_, err := Load(path)
	_, errReal := LoadWith(path, "model", ReadReal)
	for _, err := range []error{err, errReal} {
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%v", err)
		}
	}
}
