package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// Read reads files and folders, in the given order: as bits, or as numbers if [Options].Kind is Number.
//
// All images must have one size, and tables with column names the same names;
// the error says which path differs. Metadata columns are kept if every path
// has them. Content that cannot be used yields a [*FormatError]; file-system
// errors unwrap to their cause, such as [fs.ErrNotExist]. The path - means standard
// input; what it is shows by its content, as with files.
//
// Numbers are those of arrays, of the columns of a table that hold numbers (columns of text, and a first column that
// counts the rows, are metadata), and the grey values of pictures, 0 black to 255 white. Nothing is scaled or rounded.
// Options that make bits are refused.
func Read(paths []string, opts Options) (*Set, error) {
	if opts.Kind != Number {
		opts.Kind = Bit
	}
	return read(paths, opts)
}

// read reads bits or numbers, and where the options leave it open, numbers where a single table plainly holds them.
func read(paths []string, opts Options) (*Set, error) {
	in, paths, err := opts.input(paths)
	if err != nil {
		return nil, err
	}
	opts = in.opts
	in.either = opts.open(paths)
	var out joiner
	var notes Set
	for i, path := range paths {
		part, err := in.path(path, opts.label(i))
		var said []Note
		if err == nil {
			said = part.Notes
			err = out.add(part, path)
		}
		if err != nil {
			return nil, at(err, path)
		}
		notes.addNotes(said, paths, i)
	}
	set := out.done(in)
	set.forget(opts.Missing)
	if in.undecided != nil {
		set.undecided = at(in.undecided, paths[0])
	}
	set.Notes = slices.Concat(noted(in.told...), noted(in.seen.notes(&opts)...), notes.Notes,
		noted(in.seen.strangeNotes()...))
	if err = in.seen.checkKnown(set); err == nil {
		err = opts.Model.checkFrame(set)
	}
	if err != nil {
		return nil, err
	}
	set.takeCodes(&opts)
	set.noteFar(opts.Model)
	set.noteTotal()
	set.noteUnused(opts.Missing)
	if set, err = set.selected(newSelection(opts.Where, opts.FirstPer, math.MaxInt64)); err != nil {
		return nil, err
	}
	return set, nil
}

// input returns what reads the paths, without those of labels, by the options.
func (o Options) input(paths []string) (*input, []string, error) {
	if o.files == nil {
		paths, o = o.labelled(paths)
	}
	if o.pipes == nil {
		o.pipes = map[string][]byte{}
	}
	o, notes := o.forModel()
	err := o.check(paths)
	if err == nil && o.Kind == Number {
		err = o.checkNumbers()
	}
	if err != nil {
		return nil, nil, err
	}
	if o, err = o.settle(paths); err != nil {
		return nil, nil, err
	}
	in := newInput(o)
	in.told = notes
	return in, paths, nil
}

// open reports whether the data may be bits or numbers.
func (o *Options) open(paths []string) bool {
	return o.Kind == Unknown && o.Model == nil && o.checkNumbers() == nil
}

// checkNumbers returns an error if the options make bits of data.
func (o *Options) checkNumbers() error {
	for _, g := range []struct {
		given bool
		name  string
	}{{o.Threshold != nil || o.AutoThreshold, "a threshold"}, {o.Items || len(o.Pairs) > 0, "lists of items"}} {
		if g.given {
			return &FormatError{Msg: g.name + " make bits of data, which are to be read as real values",
				Hint: "leave it out, or read the data as bits"}
		}
	}
	return nil
}

// selectedBy lists the columns that the selection needs.
func (o *Options) selectedBy() []string {
	var names []string
	for _, c := range o.Where {
		names = append(names, c.Name)
	}
	return append(names, o.FirstPer.Names...)
}

// label returns the label file of path i, "" for none.
func (o *Options) label(i int) string {
	if len(o.Labels) == 0 {
		return ""
	}
	return o.Labels[i]
}

// input holds what the decoders share.
type input struct {
	opts      Options
	rule      rule
	budget    *budget
	stream    bool // the budget is for one part at a time
	real      bool // of parts of real values, not of bits
	either    bool // real values are read where a table plainly holds them; why says so
	why       string
	told      []string // notes on the options
	undecided error    // what shows that the data are no bits, where they were read as numbers then
	most      int      // images still wanted, if known; else 0
	seen      seen     // what was done to pictures
	headed    bool     // the first record of the table has names for certain

	plan     *tablePlan // for a table of text, if it was made before
	made     *tablePlan // the one that was made
	thorough bool       // tables of text are examined to their end before they are read
}

func newInput(opts Options) *input {
	limit := opts.maxMemory()
	return &input{opts: opts, rule: rule{opts.Threshold, opts.AutoThreshold, opts.Invert,
		codeNumbers(opts.Missing)}, real: opts.Kind == Number, why: opts.why,
		budget: &budget{left: limit, max: limit, real: opts.Kind == Number}}
}

// setNumbers decides that numbers are read.
func (in *input) setNumbers() { in.real, in.budget.real = true, true }

// arrayLimit bounds arrays that are packed while being read: at worst 8 bytes
// become one bit. Arrays read in parts may have any size.
func (in *input) arrayLimit() int64 {
	if in.stream {
		return math.MaxInt64
	}
	return 64 * min(in.budget.max, 1<<50)
}

// parts are the rows of a file, some at a time: parts of the set, each with at least one image, without row numbers,
// and with metadata that may still be raw; then io.EOF.
type parts interface {
	next() (*Set, error)
	count() int              // of all rows, -1 if it is not known before they are read
	skip(n int) (int, error) // skips up to n rows, and returns how many
}

// uncounted is embedded in parts of which nothing is known before they are read.
type uncounted struct{}

func (uncounted) count() int            { return -1 }
func (uncounted) skip(int) (int, error) { return 0, nil }

// whole is a set that was read as a whole.
type whole struct {
	uncounted
	set *Set
}

func (d *whole) next() (*Set, error) {
	if d.set == nil {
		return nil, io.EOF
	}
	s := d.set
	d.set = nil
	return s, nil
}

// path reads one file or folder.
func (in *input) path(path, labels string) (*Set, error) {
	return in.collect(func() (*opened, error) { return in.open(path, labels) })
}

// collect joins the parts of a file that open opens; twice if the beginning of a
// table does not show how to read the rest.
func (in *input) collect(open func() (*opened, error)) (*Set, error) {
	left := in.budget.left
	for in.thorough = false; ; in.thorough = true {
		d, err := open()
		if err != nil {
			return nil, err
		}
		set, err := collect(d)
		d.close()
		var fe *FormatError
		if in.thorough || !errors.As(err, &fe) || !fe.early {
			return set, err
		}
		in.budget.left = left
	}
}

// collect joins the parts of a file.
func collect(d parts) (*Set, error) {
	var out *Set
	for {
		part, err := d.next()
		switch {
		case err == io.EOF:
			for i, c := range out.Meta {
				out.Meta[i] = c.guessed()
			}
			return out, nil
		case err != nil:
			return nil, err
		case out == nil:
			out = part
			continue
		}
		out.append(part)
	}
}

// opened is an open file: its parts and the state common to all formats.
type opened struct {
	parts
	in     *input
	file   *os.File
	labels *labelRows // nil for none
}

// open starts reading one file or folder, with a file of labels unless that is
// "".
func (in *input) open(path, labels string) (*opened, error) {
	d := &opened{in: in}
	err := d.read(path)
	if err == nil && labels != "" {
		d.labels, err = in.labels(labels)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// standardInput is the path of what a program is given through a pipe.
const standardInput = "-"

// read opens a path and recognises what it holds.
func (d *opened) read(path string) (err error) {
	o := &d.in.opts
	if held := o.files; held != nil {
		d.parts, err = d.in.file(contentAt(path, &whileReader{held.ctx, bytes.NewReader(held.content[path])}))
		return err
	}
	data, held := o.pipes[path]
	if !held {
		f := os.Stdin
		if path != standardInput {
			if f, err = o.openFile(path); err != nil {
				return err
			}
			d.file = f
		}
		switch info, err := f.Stat(); {
		case err != nil:
			return err
		case info.IsDir():
			d.parts, err = d.in.folder(path)
			return err
		case path != standardInput && info.Mode().IsRegular():
			d.parts, err = d.in.file(contentAt(path, io.NewSectionReader(f, 0, info.Size())))
			return err
		}
		if data, err = d.in.slurp(f); err != nil { // a pipe or a terminal, which can be read only once
			return err
		}
		o.pipes[path] = data
	}
	d.parts, err = d.in.file(contentAt(shown(path), bytes.NewReader(data)))
	return err
}

// shown returns a path for people.
func shown(path string) string {
	if path == standardInput {
		return "standard input"
	}
	return path
}

func (d *opened) close() {
	if d.file != nil {
		d.file.Close() // only read
	}
}

// next returns the next part, arranged according to the options.
func (d *opened) next() (*Set, error) {
	if d.in.stream {
		d.in.budget.refill()
	}
	s, err := d.parts.next()
	if err == io.EOF && d.labels != nil {
		if err := d.labels.add(&Set{}); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	err = d.finish(s)
	if err == nil && d.labels != nil {
		err = d.labels.add(s)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// finish arranges a part, and checks that it has what the options name.
func (d *opened) finish(s *Set) error {
	if err := d.in.arrange(s); err != nil {
		return err
	}
	if w := d.in.opts.weight(); w != "" && s.Weights == nil {
		return &FormatError{Msg: fmt.Sprintf("no weights %q: this format has no weights", w),
			Hint: "leave --weight out, or use an .npz or a table"}
	}
	for _, name := range d.in.opts.said("label") {
		if _, err := s.Column(name); err != nil {
			return err
		}
	}
	return nil
}

// slurp reads input that must be in memory as a whole.
func (in *input) slurp(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, in.budget.max))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) == in.budget.max {
		return nil, &FormatError{Msg: fmt.Sprintf("more than %d bytes to hold in memory", in.budget.max), memory: true}
	}
	return data, nil
}
