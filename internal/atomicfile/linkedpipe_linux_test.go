package atomicfile

import (
	"fmt"
	"io"
	"os"
	"testing"
)

// A pipe is written through links that lead to no path, as /dev/stdout does in a
// pipeline.
func TestLinkedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = Write(fmt.Sprintf("/proc/self/fd/%d", w.Fd()), func(to io.Writer) error {
		_, err := io.WriteString(to, "text")
		return err
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
}
