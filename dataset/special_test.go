//go:build unix

package dataset

import (
	"archive/zip"
	"bytes"
	"image"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Folders and archives hold pictures among pipes, sockets, devices and links: regular files are read, also through
// links, the others are left out, and nothing waits for a writer.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	m := image.NewGray(image.Rect(0, 0, 2, 2))
	m.Pix[0], m.Pix[3] = 255, 255
	png := string(pngFile(t, m))
	for name, text := range map[string]string{"folder/a.png": png, "folder/b.png": png, "elsewhere/c": png} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe.png"), 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	for link, to := range map[string]string{"link.png": "../elsewhere/c", "zero.png": "/dev/zero",
		"piped.png": "pipe.png"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder) // names of sockets are short
	if l, err := net.Listen("unix", "socket.png"); err == nil {
		defer l.Close()
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, mode := range map[string]fs.FileMode{"a.png": 0o644, "b.png": 0o644, "deep/": fs.ModeDir | 0o755,
		"link.png": fs.ModeSymlink | 0o777, "pipe.png": fs.ModeNamedPipe | 0o644} {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		w, err := z.CreateHeader(h)
		if err == nil && !mode.IsDir() {
			_, err = io.WriteString(w, png)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "pictures.zip")
	if err := os.WriteFile(archive, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{folder: 3, archive: 2} {
		done := make(chan error, 2)
		var notes, noted []string
		go func() {
			set, err := Read([]string{path}, Options{})
			if err == nil {
				notes = sentences(set)
				if set.Len() != want {
					t.Errorf("%s: %d pictures", path, set.Len())
				}
			}
			done <- err
			v, err := readNumbers([]string{path}, Options{})
			if err == nil {
				noted = sentences(v)
				if v.Len() != want {
					t.Errorf("%s: %d pictures as values", path, v.Len())
				}
			}
			done <- err
		}()
		for range 2 {
			select {
			case err := <-done:
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s: reading hangs", path)
			}
		}
		for _, n := range [][]string{notes, noted} {
			if text := strings.Join(n, "; "); !strings.Contains(text, "special file") || !strings.Contains(text, "left out") ||
				strings.Contains(text, "deep") || path == archive && !strings.Contains(text, "2 special files") {
				t.Errorf("%s: notes %q", path, text)
			}
		}
	}
}
