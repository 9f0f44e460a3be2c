package dataset

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
)

// Stream reads files in blocks, in order and any number of times, for data that
// do not fit in memory. It yields the rows that [Read] would return, bits or numbers, with the
// same row numbers, weights, metadata and selection. It is a
// [patchwork.Source]: learners read it as it is. A Stream is immutable; several
// goroutines may read it at once, and it keeps no file open between readings.
//
// Arrays and CSV files are read a few hundred images at a time, Parquet files
// one row group at a time, pictures one by one. Arrays in Fortran order, such
// as those of MAT-files, and gzipped archives and Parquet files must fit in
// Options.MaxMemory as a whole.
type Stream struct {
	paths      []string
	opts       Options
	head       *Set // one image, and what all parts have in common
	weighted   bool
	kinds      []map[string]ColumnType // of the metadata, by file
	plans      []*tablePlan            // of tables of text, by file; nil for other formats
	count      int                     // images before any selection, -1 if not known
	skip, take int                     // take < 0: all
}

// OpenStream reads the beginning of every file, and all of those whose metadata are
// text (CSV, Parquet): only the last row shows whether a column holds integers,
// numbers or text. Errors are those of [Read]; in addition, input that can be
// read only once, such as a pipe, is refused. Without [Options].Kind the data are numbers where the file shows it.
func OpenStream(ctx context.Context, paths []string, opts Options) (*Stream, error) {
	in, paths, err := opts.input(paths)
	if err != nil {
		return nil, err
	}
	opts = in.opts
	s := &Stream{paths: paths, opts: opts, take: -1}
	var heads joiner
	var said Set
	for i, path := range paths {
		if err := s.survey(ctx, i, &heads, &said); err != nil {
			return nil, at(err, path)
		}
	}
	s.weighted, in.opts.Missing = heads.set.Weights != nil, s.opts.Missing
	s.head = heads.done(in).Pick([]int{0})
	s.head.Weights, s.head.Index, s.head.Notes = nil, nil, append(noted(in.told...), said.Notes...)
	if err := opts.Model.checkFrame(s.head); err != nil {
		return nil, err
	}
	for _, name := range opts.selectedBy() {
		if _, err := s.head.Column(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Head returns a set of one image, before any selection, with what all parts
// have in common: the size, Table, Columns, Source, and the names and types of
// the metadata. It must not be changed.
func (s *Stream) Head() *Set { return s.head }

// Len returns the number of images, if the beginnings of the files state it and
// no selection applies; otherwise ok is false.
func (s *Stream) Len() (n int, ok bool) {
	if s.count < 0 || s.selects() {
		return 0, false
	}
	n = max(0, s.count-s.skip)
	if s.take >= 0 {
		n = min(n, s.take)
	}
	return n, true
}

// selects reports whether conditions select among the images.
func (s *Stream) selects() bool { return len(s.opts.Where)+len(s.opts.FirstPer.Names) > 0 }

// Weighted reports whether the images have weights.
func (s *Stream) Weighted() bool { return s.weighted }

// Cut returns the stream without its first skip selected images, limited to the
// next take; take below 0 means all. Later images are not read. It panics for a
// negative skip.
func (s *Stream) Cut(skip, take int) *Stream {
	if skip < 0 {
		panic("dataset: a negative number of images")
	}
	c := *s
	c.skip, c.take = skip, take
	return &c
}

// input returns a new input for one reading.
func (s *Stream) input() *input {
	in := newInput(s.opts)
	in.stream = true
	return in
}

// survey examines file i, and adds its first row to those of the others, and its notes.
func (s *Stream) survey(ctx context.Context, i int, heads *joiner, said *Set) error {
	if once, err := readOnce(s.paths[i]); err != nil {
		return err
	} else if once {
		return &FormatError{Msg: fmt.Sprintf("holds more than fits in %d bytes of memory, and can be read only once",
			s.opts.maxMemory()),
			Hint: "save it to a file first, or allow more memory", memory: true}
	}
	in := s.input()
	in.either = len(s.paths) == 1 && s.opts.open(s.paths) // of several, all together have decided
	d, err := in.open(s.paths[i], s.opts.label(i))
	if err != nil {
		return err
	}
	defer d.close()
	asked := s.opts
	if in.real {
		s.opts.Kind, s.opts.why = Number, in.why
	}
	s.plans = append(s.plans, in.made)
	part, err := d.next()
	if err != nil {
		return err
	}
	if n := d.count(); n < 0 || s.count < 0 {
		s.count = -1
	} else {
		s.count += n
	}
	if part.forget(s.opts.Missing); i == 0 {
		s.opts.Missing = slices.Concat(s.opts.Missing, part.takeCodes(&asked))
	}
	part.noteFar(s.opts.Model)
	first, notes := part.Cut(0, 1), part.Notes
	kinds, err := surveyMeta(ctx, d, part, in.made != nil && in.made.model)
	if err != nil {
		return err
	}
	said.addNotes(slices.Concat(noted(in.seen.commonNotes()...), notes, noted(in.seen.strangeNotes()...)), s.paths, i)
	s.kinds = append(s.kinds, kinds)
	for k, c := range first.Meta {
		first.Meta[k] = c.as(kinds[c.Name])
	}
	if first.Values == nil { // the others need not stay in memory
		first.Images[0] = first.Images[0].Clone()
	} else {
		first.Values[0] = slices.Clone(first.Values[0])
	}
	return heads.add(first, s.paths[i])
}

// readOnce reports whether what a path names can be read only once.
func readOnce(path string) (bool, error) {
	if path == standardInput {
		return true, nil
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir(), err
}

// surveyMeta determines the types of the metadata of a file that begins with
// part; all says to read on though none are text, as there may be words that a model does not know.
func surveyMeta(ctx context.Context, d parts, part *Set, all bool) (map[string]ColumnType, error) {
	kinds, guesses := map[string]ColumnType{}, map[string]*guesser{}
	for _, c := range part.Meta {
		if kinds[c.Name] = c.Type; c.Type == columnRaw {
			guesses[c.Name] = new(guesser)
		}
	}
	var err error
	for ; (all || len(guesses) > 0) && err == nil; part, err = d.next() {
		for _, c := range part.Meta {
			if g := guesses[c.Name]; g != nil {
				g.add(c.Cells)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for name, g := range guesses {
		kinds[name] = g.kind()
	}
	if err == io.EOF {
		err = nil
	}
	return kinds, err
}

// Blocks reads the files from the first image on, as [Stream.Sets] does, and
// yields the images and their weights.
func (s *Stream) Blocks(ctx context.Context) iter.Seq2[patchwork.Data, error] {
	return func(yield func(patchwork.Data, error) bool) {
		for set, err := range s.Sets(ctx) {
			if err != nil {
				yield(patchwork.Data{}, err)
				return
			}
			if !yield(set.Data, nil) {
				return
			}
		}
	}
}

// Sets reads the files from the first image on. It yields sets of at least
// one image, whose Rows count from the first image of the first file,
// regardless of the selection. It ends with the first error: one of [Read], the
// context's, or that a file has changed since the stream was opened.
func (s *Stream) Sets(ctx context.Context) iter.Seq2[*Set, error] {
	return func(yield func(*Set, error) bool) {
		r := &traversal{Stream: s, yield: yield, left: s.take,
			chosen: newSelection(s.opts.Where, s.opts.FirstPer, s.opts.maxMemory())}
		for i, path := range s.paths {
			if err := r.file(ctx, i); err != nil {
				r.fail(at(err, path))
				return
			}
			if r.stopped || r.left == 0 {
				return
			}
		}
		r.fail(r.nothing())
	}
}

// Set reads all selected images into one set. The error is that of Sets, or
// unwraps to [ErrMemory] if they do not fit in Options.MaxMemory.
func (s *Stream) Set(ctx context.Context) (*Set, error) {
	in := newInput(s.opts)
	var out *Set
	for part, err := range s.Sets(ctx) {
		if err != nil {
			return nil, err
		}
		h, w := part.Size()
		if err := in.budget.spend(part.Len(), h, w); err != nil {
			return nil, at(err, s.head.Source)
		}
		if out == nil {
			out = part
			continue
		}
		out.append(part)
		out.Index = append(out.Index, part.Index...)
	}
	return out, nil
}

// traversal is one reading of a stream.
type traversal struct {
	*Stream
	yield    func(*Set, error) bool
	stopped  bool // by the caller
	joiner   joiner
	rows     int // before any selection
	selected int
	left     int // to take; below 0: all
	chosen   *selection
}

func (r *traversal) fail(err error) {
	if err != nil && !r.stopped {
		r.yield(nil, err)
	}
}

// file reads file i.
func (r *traversal) file(ctx context.Context, i int) error {
	in := r.input()
	in.plan = r.plans[i]
	d, err := in.open(r.paths[i], r.opts.label(i))
	if err != nil {
		return err
	}
	defer d.close()
	if over, err := r.pass(d); over || err != nil {
		return err
	}
	for !r.stopped && r.left != 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.left > 0 && !r.selects() { // later images need not be decompressed
			d.in.most = max(0, r.skip-r.selected) + r.left
		}
		s, err := d.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = r.complete(s, i)
		}
		if err == nil {
			s, err = r.selection(s)
		}
		if err != nil {
			return err
		}
		if s.Len() > 0 && !r.yield(s, nil) {
			r.stopped = true
		}
	}
	return nil
}

// pass skips images before the wanted ones if it can do so without
// decompressing them: whole files, and the first rows of arrays.
func (r *traversal) pass(d *opened) (over bool, err error) {
	n := r.skip - r.selected
	if n <= 0 || r.selects() {
		return false, nil
	}
	if all := d.count(); all >= 0 && all <= n {
		n, over = all, true
	} else if d.labels == nil {
		n, err = d.skip(n)
	} else {
		n = 0
	}
	r.rows += n
	r.selected += n
	return over, err
}

// complete fits a part of file i to the other files.
func (r *traversal) complete(s *Set, i int) error {
	s.forget(r.opts.Missing)
	h, w := s.Size()
	if hh, ww := r.head.Size(); h != hh || w != ww {
		return r.changed(i)
	}
	if err := r.joiner.weigh(s, r.paths[i]); err != nil {
		return err
	}
	if s.inUnit(r.head.Unit); r.weighted {
		s.Weights = weights(s)
	}
	var meta []Labels
	for _, c := range r.head.Meta {
		values, err := s.Column(c.Name)
		if err != nil {
			return r.changed(i)
		}
		kind := r.kinds[i][c.Name]
		if values.Type != columnRaw && values.Type != kind {
			return &FormatError{Column: c.Name, Hint: "allow more memory",
				Msg: "metadata beyond 64-bit integers, which only a file read as a whole may have"}
		}
		meta = append(meta, values.as(kind).as(c.Type))
	}
	s.Meta, s.Table, s.Columns, s.Source, s.reading = meta, r.head.Table, r.head.Columns, r.head.Source, r.head.reading
	s.Codings, s.Notes = r.head.Codings, r.head.Notes
	for range s.Len() {
		s.Index = append(s.Index, r.rows)
		r.rows++
	}
	return nil
}

func (r *traversal) changed(i int) error {
	return at(errChanged(), r.paths[i])
}

// selection returns the images of a part that pass the conditions and the cut.
func (r *traversal) selection(s *Set) (*Set, error) {
	index, err := r.chosen.of(s)
	if err != nil {
		return nil, err
	}
	if index == nil {
		index = identity(s.Len())
	}
	r.selected += len(index)
	index = index[min(len(index), max(0, len(index)-(r.selected-r.skip))):]
	if r.left >= 0 {
		index = index[:min(len(index), r.left)]
		r.left -= len(index)
	}
	if len(index) == s.Len() {
		return s, nil
	}
	return s.Pick(index), nil
}

// nothing returns an error that says why no image was selected, or nil if some
// were.
func (r *traversal) nothing() error {
	if err := r.chosen.nothing(r.head.Source); err != nil {
		return err
	}
	if r.selected <= r.skip {
		noun := "image"
		if h, _ := r.head.Size(); r.head.Table || h == 1 {
			noun = "row"
		}
		return &FormatError{Path: r.head.Source, Msg: fmt.Sprintf("the %ss asked for begin after the last of %s", noun,
			words.Count(r.selected, noun))}
	}
	return nil
}
