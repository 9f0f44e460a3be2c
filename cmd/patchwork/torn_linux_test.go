package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/internal/testenv"
)

// After a kill in the middle of writing, or between writing and renaming, the old file
// is there, or the complete new one, and anything else left does not disturb the next
// run.
func TestKilledWhileWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes, some seconds; left out by -short")
	}
	if apart(t) {
		return
	}
	t.Chdir(t.TempDir())
	prepareWriters(t)
	defer func() { atomicfile.Fault = nil }()
	for i, line := range writers {
		t.Run(line, func(t *testing.T) {
			if i%4 != 2 { // each starts processes and learns, every time
				testenv.Slow(t)
			}
			if err := os.MkdirAll("out", 0o777); err != nil {
				t.Fatal(err)
			}
			steps := atStep(0, nil)
			must(t, writerArgs(line, "out")...)
			atomicfile.Fault = nil
			want, n := contents(t, "out"), steps.Load()
			for _, at := range []int64{2, n} { // into the first file, and before the last is renamed
				age(t, "out", want)
				cmd := process(t, ".", writerArgs(line, "out")...)
				cmd.Env = append(cmd.Env, killAt+"="+strconv.FormatInt(at, 10))
				out, err := cmd.CombinedOutput()
				if cmd.ProcessState.ExitCode() != -1 {
					t.Fatalf("step %d of %d: not killed: %v, %s", at, n, err, out)
				}
				whole(t, "killed", "out", want, true)
				must(t, writerArgs(line, "out")...)
				if made := whole(t, "the next run", "out", want, true); made != len(want) {
					t.Errorf("step %d of %d: the next run made %d of %d files", at, n, made, len(want))
				}
			}
			if err := os.RemoveAll("out"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// smallDisk mounts a file system of that many bytes, or skips the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a small file system here (root can): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// If the disk is full or read-only, every command says so, and the old files stay.
func TestDiskFullOrReadOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	prepareWriters(t)
	disk := smallDisk(t, "16m")
	for _, c := range []struct {
		name string
		make func(t *testing.T)
		want syscall.Errno
	}{
		{"full", func(t *testing.T) { fill(t, filepath.Join(disk, "ballast"), 0) }, syscall.ENOSPC},
		{"read-only", func(t *testing.T) {
			if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Skipf("cannot make it read-only: %v", err)
			}
		}, syscall.EROFS},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := map[string]string{"m.npz": "", "e.jsonl": "", "all.tally": "", "index.html": ""}
			if c.want == syscall.ENOSPC {
				age(t, filepath.Join(disk, "out"), names)
			}
			c.make(t)
			before := len(contents(t, disk))
			for _, line := range writers {
				o := patchworkCommand(t, writerArgs(line, filepath.Join(disk, "out"))...)
				if o.code != exitFailed || !strings.Contains(o.err, disk) || !strings.Contains(o.err, c.want.Error()) ||
					strings.Count(o.err, "\n") != 1 {
					t.Errorf("%s: exit %d, %q", line, o.code, o.err)
				}
				if len(contents(t, disk)) != before {
					t.Fatalf("%s: left %v", line, listing(t, filepath.Join(disk, "out")))
				}
				for name := range names {
					if read(t, filepath.Join(disk, "out", name)) != oldContent {
						t.Errorf("%s: %s is another", line, name)
					}
				}
			}
		})
	}
}

// fill fills the disk up to the last but bytes.
func fill(t *testing.T, path string, but int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Truncate(info.Size() - but)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A checkpoint on a full disk ends the run, and what it holds is good: with space, the
// run continues to the same model.
func TestCheckpointOnAFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	prepareWriters(t)
	disk := smallDisk(t, "16m")
	kept := filepath.Join(disk, "kept")
	for _, line := range []string{
		"learn q.npz --rule max-minus-min -k 4 --starts 2 -q",
		"learn q.npz --rule max-minus-min --method soft -k 3 -q",
	} {
		must(t, append(fields(line), "-o", "want.npz")...)
		for _, room := range []int64{0, 8192, 16384} {
			fill(t, filepath.Join(disk, "ballast"), room)
			args := append(fields(line), "-o", "got.npz", "--checkpoint", kept)
			o := patchworkCommand(t, args...)
			if o.code != exitFailed || !strings.Contains(o.err, syscall.ENOSPC.Error()) || !strings.Contains(o.err, kept) ||
				strings.Count(o.err, "\n") != 1 {
				t.Errorf("%s, %d bytes of room: exit %d, %q", line, room, o.code, o.err)
			}
			if _, err := os.Stat("got.npz"); err == nil {
				t.Fatal("a model was written")
			}
			if err := os.Remove(filepath.Join(disk, "ballast")); err != nil {
				t.Fatal(err)
			}
			must(t, args...)
			if read(t, "got.npz") != read(t, "want.npz") {
				t.Errorf("%s, %d bytes of room: another model", line, room)
			}
			if err := os.Remove("got.npz"); err != nil {
				t.Fatal(err)
			}
		}
	}
}
