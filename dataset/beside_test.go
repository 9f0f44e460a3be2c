package dataset

import (
	"errors"
	"os"
	"strings"
	"testing"
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
	for name, bad := range map[string]struct{ content, says string }{
		"three": {"a,b\n1,2,3\n", "line 2: 3 cells instead of 2; say it so"}, "many": {"a,b\na,c\na,d\n", "line 3: more lines than the 2"},
		"commas": {strings.Repeat(",", 1<<20), "262144 cells; say it so"}, "long": {strings.Repeat("x", 20<<20), "9437184 bytes; say it so"},
		"quotes": {`"` + strings.Repeat("\n", 20<<20), "bytes; say it so"}, "malformed": {"a,\"b\"c\n", "malformed CSV"},
		"zeros": {string(make([]byte, 100)), "not a known format"}, "array": {"\x93NUMPY\x01\x00", "not a text"},
		"cut": {string(zipped(text)[:20]), "cut off"},
	} {
		path := write(t, "t.csv", []byte(bad.content))
		if _, err := read(path, 2); err == nil || !strings.Contains(err.Error(), bad.says) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{t.TempDir(), os.DevNull} {
		var fe *FormatError
		if _, err := read(path, 2); !errors.As(err, &fe) || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	stop := errors.New("enough")
	if err := ReadLines(write(t, "t.csv", text), 2, 9, "", func(int, []string) error { return stop }); err != stop {
		t.Error(err)
	}
}
