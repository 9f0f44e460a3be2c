package dataset

import (
	"errors"
	"os"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// TestReadLines: a list beside data is read as other CSV, and nothing that may have no end.
func TestReadLines(t *testing.T) {
	read := func(path string, most int) (got []string, err error) {
		err = ReadLines(path, 2, most, "say it so", func(_ int, cells []string) error {
			got = append(got, cells[0]+"|"+cells[1])
			return nil
		})
		return got, err
	}
	text := []byte("\xef\xbb\xbfanna,read\n\n\"b, c\",2\r\n")
	for name, content := range map[string][]byte{"plain": text, "packed": zipped(text), "zstd": zstded(text)} {
		if got, err := read(write(t, "t.csv", content), 2); err != nil || strings.Join(got, ";") != "anna|read;b, c|2" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := read(write(t, "t.csv", nil), 1); err != nil || got != nil {
		t.Error(got, err)
	}
	for name, bad := range map[string]struct{ content string }{
		"three": {"a,b\n1,2,3\n"}, "many": {"a,b\na,c\na,d\n"},
		"commas": {strings.Repeat(",", 1<<20)}, "long": {strings.Repeat("x", 20<<20)},
		"quotes": {`"` + strings.Repeat("\n", 20<<20)}, "malformed": {"a,\"b\"c\n"},
		"zeros": {string(make([]byte, 100))}, "array": {"\x93NUMPY\x01\x00"},
		"cut": {string(zipped(text)[:20])},
	} {
		path := write(t, "t.csv", []byte(bad.content))
		if _, err := read(path, 2); err == nil || !testenv.Said(t, err.Error()) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{t.TempDir(), os.DevNull} {
		var fe *FormatError
		if _, err := read(path, 2); !errors.As(err, &fe) || !testenv.Said(t, err.Error()) {
			t.Errorf("%s: %v", path, err)
		}
	}
	stop := errors.New("enough")
	if err := ReadLines(write(t, "t.csv", text), 2, 9, "", func(int, []string) error { return stop }); err != stop {
		t.Error(err)
	}
}
