package studio

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"example.com/patchwork/internal/atomicfile"
)

// keeper writes the models of a server to a folder, where the next server finds them.
type keeper struct {
	dir   string // "" keeps nothing
	mu    sync.Mutex
	files map[string]string // their names, by the ids of models
}

// keptName is the name of a file as written here: the id of the model, and its name.
var keptName = regexp.MustCompile(`^(m\d{1,9}) (.*)\.npz$`)

// numberOf returns the number in a file's name, 0 for a file that was not written here.
func numberOf(file string) int {
	if kept := keptName.FindStringSubmatch(file); kept != nil {
		n, _ := strconv.Atoi(kept[1][1:]) // a short row of digits
		return n
	}
	return 0
}

// open lists the models of the folder, which it makes if it is not there. It leaves out, and logs, what is no
// model that this server could have stored.
func (k *keeper) open(s *core) error {
	if k.dir == "" {
		return nil
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return fmt.Errorf("studio: %w", err)
	}
	if err := atomicfile.Check(filepath.Join(k.dir, "m0.npz")); err != nil {
		return fmt.Errorf("studio: %w", err)
	}
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return fmt.Errorf("studio: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") || filepath.Ext(e.Name()) != ".npz"
	})
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return numberOf(a.Name()) - numberOf(b.Name()) })
	k.files = map[string]string{}
	for _, e := range entries {
		s.models.next = max(s.models.next, numberOf(e.Name()))
	}
	for _, e := range entries {
		if err := k.list(s, e.Name()); err != nil {
			s.log.Warn("a kept model is left out", "file", filepath.Join(k.dir, e.Name()), "error", err)
		}
	}
	return nil
}

// list adds the model of a file to those of the server, under the id that it had.
func (k *keeper) list(s *core, file string) error {
	content, err := readUpTo(filepath.Join(k.dir, file), s.limits.UploadBytes)
	if err != nil {
		return err
	}
	m, err := s.readModel(content)
	if err != nil {
		return err
	}
	m.source, m.name = "learned", strings.TrimSuffix(file, ".npz")
	if kept := keptName.FindStringSubmatch(file); kept != nil {
		m.name = kept[2]
		if _, twice := k.files[kept[1]]; !twice {
			m.id = kept[1]
		}
	}
	if err := s.models.keepLearned(m); err != nil {
		return err
	}
	k.files[m.id] = file
	return nil
}

// readUpTo returns the content of a file that is not larger than the limit.
func readUpTo(path string, limit int64) ([]byte, error) {
	switch about, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case about.Size() > limit:
		return nil, fmt.Errorf("%d bytes are more than this server reads (%d)", about.Size(), limit)
	}
	return os.ReadFile(path)
}

// save brings the folder up to date with one model: a file for one that is there, under its present name, and none
// for one that was removed.
func (k *keeper) save(s *core, id string) error {
	if k.dir == "" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	before, had := k.files[id]
	m, err := s.models.find(id)
	if err != nil {
		delete(k.files, id)
	} else if m.fixed {
		return nil
	} else if err := k.write(m); err != nil {
		s.log.Warn("a model is not kept", "model", id, "error", err)
		return problemf(statusInsufficientStorage, "the change holds until this server ends, but is not kept: %v", err)
	}
	if had && before != k.files[id] {
		if err := os.Remove(filepath.Join(k.dir, before)); err != nil && !os.IsNotExist(err) {
			return problemf(statusInsufficientStorage, "the file stays: %v", err)
		}
	}
	return nil
}

// write writes a model to a file of its name, never over one of another server.
func (k *keeper) write(m *model) error {
	file := fmt.Sprintf("%s %s.npz", m.id, safeName(m.name))
	for i := 2; file != k.files[m.id]; i++ {
		if _, err := os.Lstat(filepath.Join(k.dir, file)); os.IsNotExist(err) {
			break
		}
		file = fmt.Sprintf("%s %s %d.npz", m.id, safeName(m.name), i)
	}
	err := atomicfile.Write(filepath.Join(k.dir, file), func(w io.Writer) error { return m.of.Write(w) })
	if err == nil {
		k.files[m.id] = file
	}
	return err
}

// maxKeptName bounds the name of a model in the name of its file, in bytes.
const maxKeptName = 120

// safeName returns a name in signs that every file system takes.
func safeName(name string) string {
	safe := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.N, unicode.M) || strings.ContainsRune(" -_.,()", r) {
			return r
		}
		return '-'
	}, name)
	if len(safe) > maxKeptName {
		safe = strings.ToValidUTF8(safe[:maxKeptName], "")
	}
	return strings.TrimSpace(safe)
}
