package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/workbench"
)

// byteSize is a flag such as 256MB or 1GB, in units of 1000 or, with an i, of
// 1024.
type byteSize int64

func (b *byteSize) String() string {
	switch v := int64(*b); {
	case v >= 1e9 && v%1e9 == 0:
		return fmt.Sprintf("%dGB", v/1e9)
	case v >= 1e6 && v%1e6 == 0:
		return fmt.Sprintf("%dMB", v/1e6)
	}
	return strconv.FormatInt(int64(*b), 10)
}

func (b *byteSize) Type() string { return "SIZE" }

func (b *byteSize) Set(text string) error {
	number := strings.TrimRight(text, "BKMGTibkmgt")
	unit, ok := map[string]float64{"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12,
		"tb": 1e12,
		"ki": 1 << 10, "kib": 1 << 10, "mi": 1 << 20, "mib": 1 << 20, "gi": 1 << 30, "gib": 1 << 30, "ti": 1 << 40,
		"tib": 1 << 40}[strings.ToLower(text[len(number):])]
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v*unit >= 1<<16 && v*unit < 1<<60) {
		return fmt.Errorf("give a size such as 256MB or 2GB, at least 64KiB")
	}
	*b = byteSize(v * unit)
	return nil
}

// defaultMemory returns how much memory images may take: 256 MB, or half of what the
// environment variable GOMEMLIMIT allows the whole process, if that is less.
func defaultMemory() byteSize {
	limit := debug.SetMemoryLimit(-1) // only reads it
	return byteSize(max(min(256e6, limit/2), 1<<16))
}

// addMemory adds --memory to a command that need not hold all images in memory.
func (f *dataFlags) addMemory(cmd *cobra.Command) {
	f.memory = defaultMemory()
	cmd.Flags().Var(&f.memory, "memory",
		"how much memory images may take; files that need more are read again in every pass")
	groupFlags(cmd.Flags(), largeData, "memory")
}

// wholeMemory returns how much memory images may take for commands that hold them all:
// 1 GB, or half of what GOMEMLIMIT allows the whole process, if that is less.
func wholeMemory() byteSize { return max(byteSize(min(1e9, debug.SetMemoryLimit(-1)/2)), 1<<16) }

// addWholeMemory adds --memory to a command that holds all images in memory.
func (f *dataFlags) addWholeMemory(cmd *cobra.Command) {
	f.memory = wholeMemory()
	cmd.Flags().Var(&f.memory, "memory",
		"how much memory images may take; --rows takes some of files that need more")
	groupFlags(cmd.Flags(), largeData, "memory")
}

// whole returns how much memory data may take for a command that holds them all.
func (f *dataFlags) whole() int64 { return int64(cmp.Or(f.memory, wholeMemory())) }

// errWhole says what to do where a command that holds all rows cannot.
func errWhole(err error) error {
	return &inputError{fmt.Errorf(
		"%w; this command holds all rows: take some with --rows A:B, or allow more with --memory", err)}
}

// inMemory returns the data of a command that holds all images, where notes says what was found out about them.
func (f *dataFlags) inMemory(cmd *cobra.Command, paths []string, opt dataset.Options, notes bool) (*dataset.Frame,
	error) {
	opt.MaxMemory = f.whole()
	s, err := f.source(cmd, paths, opt, notes, true)
	if err != nil {
		return nil, err
	}
	return s.set, nil
}

// selects reports whether the flags take some of the rows, which may fit in memory where all do not.
func (f *dataFlags) selects(opt *dataset.Options) bool {
	return f.takeGiven || opt.FirstPer.Count > 0 || len(opt.Where) > 0
}

// source is the data of a command: in memory, or if they are too large, files that
// are read again in every pass.
type source struct {
	set    *dataset.Frame // nil if the data are streamed
	stream *dataset.Stream
	lists  *bitmap.Lists // of a wide table, beside a set that has its columns only; nil for none
}

// head returns a set that is not empty, of some of the images, with their metadata
// columns and names.
func (s *source) head() *dataset.Set {
	if s.set != nil {
		return s.set
	}
	return s.stream.Head()
}

// weighted reports whether the images have weights.
func (s *source) weighted() bool {
	if s.set != nil {
		return s.set.Weights != nil
	}
	return s.stream.Weighted()
}

// rows returns the number of images, or 0 if it is not known before they are read.
func (s *source) rows() int {
	if s.set != nil {
		return s.set.Len()
	}
	n, _ := s.stream.Len()
	return n
}

// identity returns what the images in memory are; "" for a stream.
func (s *source) identity() string {
	if s.set == nil {
		return ""
	}
	id := tallyfile.NewIdentity()
	if s.lists != nil {
		return ""
	}
	if h, w := s.set.Size(); s.numbers() {
		id.AddValues(h, w, s.set.Values)
	} else {
		id.Add(s.set.Data)
	}
	return id.String()
}

// numbers reports whether the data are numbers.
func (s *source) numbers() bool { return s.head().Values != nil }

// open reads and selects bits, into memory if --memory allows it.
func (f *dataFlags) open(cmd *cobra.Command, paths []string) (*source, error) {
	return f.openAs(cmd, paths, dataset.Bit)
}

// openAs reads and selects data of a kind, into memory if --memory allows it; what needs more is a stream.
func (f *dataFlags) openAs(cmd *cobra.Command, paths []string, kind dataset.Kind) (*source, error) {
	opt, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	if opt.MaxMemory = int64(f.memory); kind != dataset.Unknown {
		opt.Kind = kind
	}
	return f.source(cmd, paths, opt, true, false)
}

// source reads and selects data, into memory if the options allow it; what needs more is a stream, or for a command
// that holds all an error unless those that are selected fit.
func (f *dataFlags) source(cmd *cobra.Command, paths []string, opt dataset.Options, notes, whole bool) (*source,
	error) {
	// Data that turn out to be too large must not take twice their share before they
	// are collected.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(roomFor(opt.MaxMemory)))
	data, err := f.load(cmd, paths, opt, notes)
	if !errors.Is(err, dataset.ErrMemory) {
		return &source{set: data}, err
	}
	if whole && !f.selects(&opt) {
		return nil, errWhole(err)
	}
	s, streamed := f.openStream(cmd, paths, opt)
	if whole && streamed == nil && s.set == nil {
		return nil, errWhole(err)
	}
	return s, streamed
}

// load reads and selects into memory; what needs more than the options allow is a [dataset.ErrMemory]. Where notes,
// it says what was found out about the data.
func (f *dataFlags) load(cmd *cobra.Command, paths []string, opt dataset.Options, notes bool) (*dataset.Frame, error) {
	data, err := readAll(cmd.Context(), paths, opt)
	if err != nil {
		return nil, err
	}
	if notes && !f.silent {
		sayNotes(cmd, data.Notes...)
	}
	return f.cut(data)
}

// roomFor returns the limit for this process while it reads data that may take that many
// bytes: so much more than it has now, or than a process needs that has just begun. One
// that serves many requests may have more than the data need; under a limit below
// that, every allocation would wait for the garbage collector.
func roomFor(data int64) int64 {
	var has runtime.MemStats
	runtime.ReadMemStats(&has)
	return min(debug.SetMemoryLimit(-1), data+max(int64(has.Sys-has.HeapReleased), 32<<20))
}

// openStream opens data that do not fit in memory; the selected images may fit.
func (f *dataFlags) openStream(cmd *cobra.Command, paths []string, opt dataset.Options) (*source, error) {
	ctx := cmd.Context()
	stream, err := dataset.OpenStream(ctx, paths, opt)
	if err != nil {
		return nil, &inputError{err}
	}
	if !f.silent {
		sayNotes(cmd, stream.Head().Notes...)
	}
	stream = stream.Cut(f.skip, f.most())
	if f.selects(&opt) {
		set, err := stream.Set(ctx)
		if err == nil {
			return &source{set: set}, nil
		}
		if !errors.Is(err, dataset.ErrMemory) {
			return nil, &inputError{err}
		}
	}
	return &source{stream: stream}, nil
}

// sayStreaming notes, unless quiet, that data are streamed, if they are.
func (a *app) sayStreaming(s *source, memory byteSize, what string) {
	if s.stream != nil {
		a.note("%s needs more than --memory %v; %s", s.head().Source, &memory, what)
	}
}

// job is a model and the data that a command uses it for.
type job struct {
	source
	model   workbench.Model
	workers int
}

// open reads the model, perhaps of classes, and opens the data as it needs them.
func (f *inputFlags) open(cmd *cobra.Command, paths []string, classes bool) (*job, error) {
	m, err := modelFor(cmd, f.model, classes)
	if b, ok := m.(workbench.Bits); ok {
		b.Model, err = f.placed(cmd, b.Model)
		m = b
	}
	if err != nil {
		return nil, err
	}
	f.data.model = m
	s, err := f.data.open(cmd, paths)
	if err != nil {
		return nil, err
	}
	if m, err = fitted(cmd, m, s.head()); err != nil {
		return nil, err
	}
	return &job{*s, m, f.workers}, nil
}

// frames reads the data once, and one block ahead of what is done with them.
func (s *source) frames(ctx context.Context) iter.Seq2[*dataset.Frame, error] {
	if s.set != nil {
		return workbench.Once(s.set)
	}
	return ahead(func(yield func(*dataset.Frame, error) bool) {
		for set, err := range s.stream.Sets(ctx) {
			if err != nil {
				yield(nil, &inputError{err})
				return
			}
			if !yield(set, nil) {
				return
			}
		}
	})
}

// eachExplained explains the rows of a job, and does something with each part of them. It returns their number.
func (a *app) eachExplained(ctx context.Context, j *job, how workbench.Explaining,
	do func(*workbench.Explained) error) (n int, err error) {
	how.Workers = j.workers
	bar := a.progress("image", j.rows())
	defer bar.stop()
	for x, err := range j.model.Explain(ctx, j.frames(ctx), how) {
		if err != nil {
			return n, request(err)
		}
		if err := do(x); err != nil {
			return n, err
		}
		n += len(x.Rows)
		bar.add(len(x.Rows))
	}
	return n, nil
}

// ahead reads the next element of a sequence while one is being used.
func ahead[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	type item struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		items, stop := make(chan item), make(chan struct{})
		go func() {
			defer close(items)
			for v, err := range seq {
				select {
				case items <- item{v, err}:
				case <-stop:
					return
				}
			}
		}()
		defer func() {
			close(stop)
			for range items { // until the reader has ended
			}
		}()
		for i := range items {
			if !yield(i.value, i.err) {
				return
			}
		}
	}
}
