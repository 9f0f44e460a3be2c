// Package atomicfile writes a file so that its path holds either the complete
// new content or what it held before, whatever fails in between.
package atomicfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"example.com/patchwork/internal/pipes"
)

// bufferSize keeps small writes from costing one system call each.
const bufferSize = 1 << 16

// Fault is called, if not nil, before every step of writing a file: "create",
// "write", "sync", "close", "rename", "sync folder", with the path of the hidden file or the folder. A
// non-nil error replaces the step, except that a failing write still writes
// half of its bytes. Tests use it to see what remains after a system failure;
// set it only while nothing is being written.
var Fault func(step, path string) error

// fails returns the injected error of a step, if any.
func fails(step, path string) error {
	if Fault == nil {
		return nil
	}
	if err := Fault(step, path); err != nil {
		return &fs.PathError{Op: step, Path: path, Err: err}
	}
	return nil
}

// try does a step, unless its error is injected.
func try(step, path string, do func() error) error {
	if err := fails(step, path); err != nil {
		return err
	}
	return do()
}

// faulty is a file whose writes can be made to fail.
type faulty struct{ *os.File }

func (f faulty) Write(b []byte) (int, error) {
	if err := fails("write", f.Name()); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

// Write calls write with a buffered writer and puts what it wrote at path.
//
// The content goes to a hidden file in the same folder, which is flushed to
// the disk and then renamed to path. If write or anything else fails (or
// panics), the hidden file is removed and path is untouched. A symbolic link is
// followed: the file it names is replaced, not the link. An existing file keeps
// its permission bits; a new one gets 0666 less the umask. A path that names a
// device or a pipe, such as /dev/stdout, cannot be replaced and is written
// straight through. A folder is refused.
//
// Errors from the file system name path and unwrap to their cause
// (errors.Is(err, fs.ErrNotExist), syscall.ENOSPC, ...); an error of write is
// returned as it is. Concurrent calls for one path are safe: the last rename
// wins, and the file is never a mixture.
func Write(path string, write func(io.Writer) error) error {
	p, err := Stage(path, write)
	if err != nil {
		return err
	}
	return Commit(p)
}

// Pending is a file whose content is complete and on the disk, under a hidden name beside its path.
// The zero value is a device or a pipe that was written straight through.
type Pending struct {
	path, hidden, target string
	kept                 string   // second name of what was at target, while it may have to return
	fresh                bool     // nothing was at target
	holds                []func() // end those of the hidden names
}

// Stage is the first half of [Write]: it leaves the content in a hidden file, which [Commit] puts at
// its path or [Pending.Discard] removes.
func Stage(path string, write func(io.Writer) error) (*Pending, error) {
	target, mode, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if mode&unreplaceable != 0 {
		return new(Pending), writeThrough(path, write)
	}
	sweep(target)
	f, release, err := createBeside(target)
	if err != nil {
		return nil, rename(err, path)
	}
	p := &Pending{path: path, hidden: f.Name(), target: target, fresh: mode == 0, holds: []func(){release}}
	unfinished.Store(p.hidden, nil)
	done := false
	defer func() { // also on a panic of write
		if !done {
			f.Close()
			p.Discard()
		}
	}()
	if err := fill(f, write); err != nil {
		return nil, named(err, p.hidden, path)
	}
	if mode != 0 { // the bits of the file being replaced
		if err := f.Chmod(mode.Perm()); err != nil {
			return nil, rename(err, path)
		}
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{{"sync", f.Sync}, {"close", f.Close}} {
		if err := try(step.name, p.hidden, step.do); err != nil {
			return nil, rename(err, path)
		}
	}
	done = true
	return p, nil
}

// Discard removes a file that is not to be kept.
func (p *Pending) Discard() {
	if p.hidden != "" {
		os.Remove(p.hidden)
		p.end()
	}
	for _, release := range p.holds {
		release()
	}
	p.holds = nil
}

// end forgets the hidden name, which is free from here on.
func (p *Pending) end() {
	unfinished.Delete(p.hidden)
	p.hidden = ""
}

// Commit is the second half of [Write], for one file or for several that belong together: all are put
// at their paths, or what was there before is there again. After an error nothing hidden is left.
func Commit(files ...*Pending) (err error) {
	done := 0
	defer func() {
		for i, p := range files {
			if err != nil && i < done {
				err = errors.Join(err, p.undo())
			}
			if p.kept != "" {
				os.Remove(p.kept)
				unfinished.Delete(p.kept)
			}
			p.Discard()
		}
	}()
	files = slices.DeleteFunc(slices.Clone(files), func(p *Pending) bool { return p.hidden == "" })
	folders := map[string]string{} // and a path in it
	for i, p := range files {
		if i < len(files)-1 {
			p.keep()
		}
		if err := try("rename", p.hidden, func() error { return os.Rename(p.hidden, p.target) }); err != nil {
			return rename(err, p.path)
		}
		p.end()
		done++
		folders[filepath.Dir(p.target)] = p.path
	}
	done = 0 // from here on all are there
	for dir, path := range folders {
		if err := try("sync folder", dir, func() error { return SyncFolder(dir) }); err != nil {
			return rename(err, path)
		}
	}
	return nil
}

// keep gives what is at the target a second name, where the file system can. It need not be done for
// the last of several files: nothing fails after it.
func (p *Pending) keep() {
	if p.fresh {
		return
	}
	if old, err := os.Open(p.target); err == nil { // what may not be read cannot be held, either
		if release := hold(old); release != nil {
			p.holds = append(p.holds, release)
		}
		old.Close()
	}
	if os.Link(p.target, p.hidden+".old") == nil {
		p.kept = p.hidden + ".old"
		unfinished.Store(p.kept, nil)
	}
}

// undo takes a file that was put at its path away again.
func (p *Pending) undo() error {
	if p.fresh {
		return os.Remove(p.target)
	}
	if p.kept == "" { // the old content is gone; the new one is at least complete
		return nil
	}
	return os.Rename(p.kept, p.target)
}

// SyncFolder brings the names in a folder to its disk. That some systems cannot is no error.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) { // a folder may be written without being read
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if runtime.GOOS == "windows" || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // folders cannot be synced there, or not on this file system
	}
	return err
}

// sweep removes the hidden files for a target that killed processes have left.
func sweep(target string) {
	dir, base := filepath.Split(target)
	entries, _ := os.ReadDir(cmp.Or(dir, ".")) // what cannot be listed is left
	for _, e := range entries {
		middle, is := strings.CutPrefix(e.Name(), "."+base+".")
		if number := hiddenMiddle.FindString(middle); !is || number != middle || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if _, needed := unfinished.Load(path); needed {
			continue
		}
		removeUnheld(path)
	}
}

// hiddenMiddle is what follows the name of the target in that of a hidden file.
var hiddenMiddle = regexp.MustCompile(`^[0-9]+-[0-9]+\.tmp(\.old)?$`)

// Check reports, as an error like those of Write, why no file can be written at path, so
// that nobody works for a file that cannot be kept. It creates and removes a hidden file
// beside it; what is at path stays as it is.
func Check(path string) error {
	target, mode, err := resolve(path)
	if err != nil || mode&unreplaceable != 0 {
		return err
	}
	f, release, err := createBeside(target)
	if err != nil {
		return rename(err, path)
	}
	defer release()
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return rename(err, path)
	}
	return nil
}

// unfinished has the names of the hidden files that are being written.
var unfinished sync.Map

// RemoveUnfinished removes the hidden files that are being written now. A process
// that ends without waiting for them calls it last.
func RemoveUnfinished() {
	unfinished.Range(func(name, _ any) bool {
		os.Remove(name.(string))
		return true
	})
}

// unreplaceable are the kinds of files that are written straight through.
const unreplaceable = fs.ModeDevice | fs.ModeNamedPipe | fs.ModeSocket

// resolve follows links and looks at what path names now; mode is 0 when
// nothing is there yet.
func resolve(path string) (target string, mode fs.FileMode, err error) {
	if path == "" {
		return "", 0, errors.New("write: the output path is empty")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A dangling link is replaced where it points, if it points anywhere.
		if to, lerr := os.Readlink(path); lerr == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return to, 0, nil
		}
		return path, 0, nil
	case err != nil:
		return "", 0, rename(err, path)
	case info.IsDir():
		return "", 0, fmt.Errorf("write %s: it is a folder; name a file inside it", path)
	}
	if info.Mode()&unreplaceable != 0 {
		return path, info.Mode(), nil // its links may lead to no path, as those of /dev/stdout to a pipe
	}
	if target, err = filepath.EvalSymlinks(path); err != nil {
		return "", 0, rename(err, path)
	}
	return target, info.Mode(), nil
}

// createBeside makes a new hidden file in the folder of target, so that the
// later rename stays on one file system, and holds it until release.
func createBeside(target string) (f *os.File, release func(), err error) {
	dir, base := filepath.Split(target)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), try))
		if err := fails("create", name); err != nil {
			return nil, nil, err
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			if release := hold(f); release != nil {
				return f, release, nil
			}
			f.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrExist) || try >= 10000 {
			return nil, nil, err
		}
	}
}

func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(faulty{f}, bufferSize)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// writeThrough serves devices and pipes, which have no content to protect.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := pipes.OpenWriter(path)
	if err != nil {
		return rename(err, path)
	}
	if err := fill(f, write); err != nil {
		f.Close()
		return named(err, path, path)
	}
	if err := f.Close(); err != nil {
		return rename(err, path)
	}
	return nil
}

// named rewrites an error about the hidden file and returns all others
// unchanged.
func named(err error, hidden, path string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && pe.Path == hidden {
		return rename(pe, path)
	}
	return err
}

// rename rephrases a file-system error for the path that the caller knows.
func rename(err error, path string) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return fmt.Errorf("write %s: %w", path, err)
}
