package dataset

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestStreamOfAPipe: input that can be read only once is refused.
func TestStreamOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if _, err := OpenStream(t.Context(), []string{pipe}, Options{}); !errors.Is(err, ErrMemory) ||
		!testenv.Said(t, err.Error()) {
		t.Errorf("a pipe: %v", err)
	}
}
