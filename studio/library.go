package studio

import (
	"example.com/patchwork/dataset"
)

// data is a data set being served. It does not change once stored.
type data struct {
	item
	set       *dataset.Set       // of real values only their labels
	values    *dataset.Values    // nil for bits
	files     []string           // their names on a command line
	args      []string           // flags that read it the same way, such as --threshold 128
	noCommand bool               // no flags read it the same way
	labels    map[string]label   // of its metadata
	called    func(i int) string // what people call its rows

	// The library has the lock of these.
	jobs int  // that learn from it, or will
	gone bool // forgotten, but jobs have it still
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
type library struct{ shelf[*data] }

func newLibrary(limit int, space int64) *library {
	return &library{shelf[*data]{what: "data set", loosely: "uploaded data sets", limit: limit, space: space}}
}

// keep stores a data set and assigns its id. The error says that it is empty, or that there is no room.
func (l *library) keep(d *data) error {
	if d.values != nil {
		if d.values.Len() == 0 {
			return problemf(422, "%s holds no rows", d.name)
		}
		d.set = d.values.Labelled()
	}
	d.labels, d.called = newLabels(d.set), d.set.Called()
	return l.shelf.keep(d)
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

// remove forgets a data set, whose memory counts while jobs learn from it.
func (l *library) remove(id string) error {
	d, err := l.shelf.remove(id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.jobs > 0 && !d.gone {
		d.gone = true
		l.lent += d.size
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
		l.lent -= d.size
	}
}
