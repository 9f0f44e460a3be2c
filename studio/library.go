package studio

import (
	"fmt"
	"slices"
	"sync"

	"example.com/patchwork/dataset"
)

// data is a data set being served. It does not change once stored.
type data struct {
	id, name  string
	set       *dataset.Set    // of real values only their labels
	values    *dataset.Values // nil for bits
	files     []string        // their names on a command line
	args      []string        // flags that read it the same way, such as --threshold 128
	noCommand bool            // no flags read it the same way
	fixed     bool
	labels    map[string]label   // of its metadata
	called    func(i int) string // what people call its rows

	size int64 // of all of it; the library has the lock of what follows
	jobs int   // that learn from it, or will
	gone bool  // forgotten, but jobs have it still
}

// bytes returns the memory of its packed images and of all else that it has, about: labels, names
// of columns, files and arguments.
func (d *data) bytes() int64 {
	n := 64*int64(d.set.Len()+len(d.set.Columns)) + textMemory(d.set.Columns) + textMemory(d.set.Notes) +
		textMemory(d.files) + textMemory(d.args)
	for _, c := range d.set.Meta {
		n += int64(len(c.Name))
		if text, ok := c.Values.([]string); ok {
			n += textMemory(text)
		}
	}
	for _, c := range d.set.Categories {
		n += int64(len(c.Name)) + textMemory(c.Levels)
	}
	n += 8 * int64(d.set.Len()) * int64(len(d.set.Meta))
	if d.values != nil {
		return n + int64(d.values.Len())*(24+8*int64(d.values.Height)*int64(d.values.Width)) + textMemory(d.values.Columns)
	}
	for _, img := range d.set.Images {
		n += 128 + 2*8*int64(img.Height())*int64((img.Width()+63)/64)
	}
	return n
}

// library holds the data sets being served.
type library struct {
	mu    sync.Mutex
	limit int
	space int64
	used  int64
	next  int
	all   []*data
}

func newLibrary(limit int, space int64) *library { return &library{limit: limit, space: space} }

// keep stores a data set and assigns its id. The error says that there is no
// room.
func (l *library) keep(d *data) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.labels, d.called = newLabels(d.set), d.set.Called()
	d.size = d.bytes()
	if !d.fixed {
		if err := l.roomFor(d.size); err != nil {
			return err
		}
		l.used += d.size
	}
	if d.id == "" {
		l.next++
		d.id = fmt.Sprintf("d%d", l.next)
	}
	l.all = append(l.all, d)
	return nil
}

func (l *library) roomFor(size int64) error {
	loose := 0
	for _, d := range l.all {
		if !d.fixed {
			loose++
		}
	}
	if loose >= l.limit {
		return problemf(statusInsufficientStorage, "this server keeps %d uploaded data sets; delete one first", l.limit)
	}
	if l.used+size > l.space {
		return problemf(statusInsufficientStorage,
			"the data sets would take %d bytes, and this server keeps %d; delete one first", l.used+size, l.space)
	}
	return nil
}

func (l *library) list() []*data {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

func (l *library) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used
}

// find returns the data set of bits with that id.
func (l *library) find(id string) (*data, error) {
	d, err := l.any(id)
	if err == nil && d.values != nil {
		return nil, problemf(422, "data set %.64q is of real values: they are at /v1/data/%.64s/values", id, id)
	}
	return d, err
}

// findValues returns the data set of real values with that id.
func (l *library) findValues(id string) (*data, error) {
	d, err := l.any(id)
	if err == nil && d.values == nil {
		return nil, problemf(422, "data set %.64q is of bits: they are at /v1/data/%.64s/images", id, id)
	}
	return d, err
}

// any returns the data set with that id, of bits or of real values.
func (l *library) any(id string) (*data, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for _, d := range l.all {
		if d.id == id {
			return d, nil
		}
		ids = append(ids, d.id)
	}
	return nil, problemf(statusNotFound, "there is no data set %.64q; there are %s", id, some(ids))
}

func (l *library) remove(id string) error {
	d, err := l.any(id)
	if err != nil {
		return err
	}
	if d.fixed {
		return problemf(statusConflict, "data set %s is built in or was loaded at the server's start; it cannot be deleted",
			id)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.all, d); i >= 0 {
		l.all = slices.Delete(l.all, i, i+1)
		if d.gone = d.jobs > 0; !d.gone {
			l.used -= d.size
		}
	}
	return nil
}

// lend notes that a job learns from a data set, whose memory counts until it has ended.
func (l *library) lend(d *data) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.jobs++
}

// back ends what lend began.
func (l *library) back(d *data) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.jobs--; d.jobs == 0 && d.gone {
		l.used -= d.size
	}
}
