package dataset

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
)

// ValueStream reads files of real values in blocks, in order and any number of times, for data that do not fit in
// memory: the rows that [ReadValues] would return, without their labels. It is immutable; several goroutines may read
// it at once, and it keeps no file open between readings.
//
// Arrays and tables of text are read some rows at a time, Parquet files by row groups, pictures one
// by one. Arrays in Fortran order, and packed archives and Parquet files, must fit in Options.MaxMemory as a whole.
type ValueStream struct {
	paths      []string
	opts       Options
	head       *Values
	skip, take int // take < 0: all

	columns []string // of a model, in whose order they are; nil for the files' own
	match   bool
}

// OpenValues reads the beginning of every file. Errors are those of [ReadValues]; in addition what can be read only
// once, such as a pipe, and a selection by labels (Where, FirstPer) are refused.
func OpenValues(paths []string, opts Options) (*ValueStream, error) {
	paths, opts = opts.labelled(paths)
	if err := opts.checkValues(paths); err != nil {
		return nil, err
	}
	opts, err := opts.settle(paths)
	if err != nil {
		return nil, err
	}
	beyond := fmt.Sprintf("more real values than fit in %d bytes of memory", opts.maxMemory())
	if len(opts.selectedBy()) > 0 {
		return nil, &FormatError{Msg: beyond + ", which are not selected by their labels",
			Hint: "select rows by number, save those wanted to a file of their own, or allow more memory", memory: true}
	}
	s := &ValueStream{paths: paths, opts: opts, take: -1}
	for _, path := range paths {
		if err := s.survey(path, beyond); err != nil {
			return nil, at(err, path)
		}
	}
	s.head.Source = list(paths)
	return s, at(s.head.arrange(&opts), s.head.Source)
}

// survey reads the beginning of a file.
func (s *ValueStream) survey(path, beyond string) error {
	if once, err := readOnce(path); err != nil {
		return err
	} else if once {
		return &FormatError{Msg: "holds " + beyond + ", and can be read only once",
			Hint: "save it to a file first, or allow more memory", memory: true}
	}
	in := s.input()
	d, err := in.open(path, "")
	if err != nil {
		return err
	}
	defer d.close()
	part, err := d.next()
	if err != nil {
		return err
	}
	head := part.values()
	head.Rows, head.Meta = nil, nil
	for _, c := range part.Meta { // the names alone
		head.Meta = append(head.Meta, Labels{c.Name, []string{}})
	}
	head.note(&in.seen)
	if s.head == nil {
		s.head = head
		return nil
	}
	return s.head.join(head)
}

// input returns a new input for one reading.
func (s *ValueStream) input() *input {
	in := newValueInput(s.opts)
	in.stream = true
	return in
}

// Head returns all but the rows and their labels. It must not be changed.
func (s *ValueStream) Head() *Values { return s.head }

// Size returns the size of images; rows of a table have the height 1.
func (s *ValueStream) Size() (height, width int) { return s.head.Height, s.head.Width }

// Cut returns the stream without its first skip rows, limited to the next take; take below 0 means all.
func (s *ValueStream) Cut(skip, take int) *ValueStream {
	c := *s
	c.skip, c.take = skip, take
	return &c
}

// Match returns the stream with the columns of a model, as [Values.Match] does.
func (s *ValueStream) Match(columns []string, height, width int) (*ValueStream, error) {
	c := *s
	var err error
	if c.head, err = s.head.Match(columns, height, width); err != nil {
		return nil, err
	}
	c.columns, c.match = columns, true
	return &c, nil
}

// Blocks reads the rows, at least one at a time. It ends with the first error: one of [ReadValues], the context's, or
// that
// a file has changed since the stream was opened.
func (s *ValueStream) Blocks(ctx context.Context) iter.Seq2[[][]float64, error] {
	return func(yield func([][]float64, error) bool) {
		seen := 0
		for _, path := range s.paths {
			more, err := s.file(ctx, path, &seen, yield)
			if err != nil {
				yield(nil, at(err, path))
			}
			if !more || err != nil {
				return
			}
		}
		if seen <= s.skip {
			yield(nil, &FormatError{Path: s.head.Source, Msg: fmt.Sprintf("the rows asked for begin after the last of %d",
				seen)})
		}
	}
}

// file reads one file; seen rows were read before it. more is false if no more rows are wanted.
func (s *ValueStream) file(ctx context.Context, path string, seen *int, yield func([][]float64, error) bool) (more bool,
	err error) {
	d, err := s.input().open(path, "")
	if err != nil {
		return false, err
	}
	defer d.close()
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		set, err := d.next()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		part := set.values()
		rows := part.Rows
		part.Rows = s.wanted(rows, *seen)
		*seen += len(rows)
		if len(part.Rows) > 0 {
			if err := part.arrange(&s.opts); err != nil {
				return false, err
			}
			if err := s.fit(part); err != nil {
				return false, err
			}
			if !yield(part.Rows, nil) {
				return false, nil
			}
		}
		if s.take >= 0 && *seen >= s.skip+s.take {
			return false, nil
		}
	}
}

// wanted returns those of some rows, which come after first others, that Cut left.
func (s *ValueStream) wanted(rows [][]float64, first int) [][]float64 {
	from, to := max(0, s.skip-first), len(rows)
	if s.take >= 0 {
		to = min(to, s.skip+s.take-first)
	}
	if from >= to {
		return nil
	}
	return rows[from:to]
}

// fit brings the columns of a part into the model's order, and returns an error if they are not those of the head.
func (s *ValueStream) fit(part *Values) error {
	if s.match {
		matched, err := part.Match(s.columns, s.head.Height, s.head.Width)
		if err != nil {
			return err
		}
		*part = *matched
	}
	if part.Height != s.head.Height || part.Width != s.head.Width || part.Columns != nil && s.head.Columns != nil &&
		!slices.Equal(part.Columns, s.head.Columns) {
		return errChanged()
	}
	return nil
}
