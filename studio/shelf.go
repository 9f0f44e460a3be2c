package studio

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// item is what all have that the server keeps: models, data sets and jobs.
type item struct {
	id, name string
	fixed    bool  // the operator's, or built in: not counted, not deleted
	size     int64 // in bytes, about
}

func (i *item) kept() *item { return i }

// lookUp returns the item with an id; the error lists some existing ids.
func lookUp[T interface{ kept() *item }](all []T, what, id string) (found T, err error) {
	var ids []string
	for _, x := range all {
		if x.kept().id == id {
			return x, nil
		}
		ids = append(ids, x.kept().id)
	}
	return found, problemf(statusNotFound, "there is no %s %.64q; there are %s", what, id, some(ids))
}

// some lists the first names.
func some(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > 10:
		return strings.Join(names[:10], ", ") + fmt.Sprintf(" and %d more", len(names)-10)
	}
	return strings.Join(names, ", ")
}

// shelf holds what is being served, in order of arrival.
type shelf[T interface {
	kept() *item
	bytes() int64
}] struct {
	what, loosely string // what is here, and what those are that are counted
	limit         int    // how many of these there may be
	space         int64  // for all of them

	mu   sync.Mutex
	next int
	all  []T
}

// keep stores an item under its id, or else the next of m1, m2, and so on. The
// error says that there are too many.
func (s *shelf[T]) keep(x T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := x.kept()
	i.size = x.bytes()
	switch n, used := s.loose(); {
	case i.fixed:
	case n >= s.limit:
		return s.full()
	case used+i.size > s.space:
		return problemf(statusInsufficientStorage, "%s would take %d bytes, and this server keeps %d; delete one first",
			s.loosely, used+i.size, s.space)
	}
	if i.id == "" {
		s.next++
		i.id = fmt.Sprintf("%c%d", s.what[0], s.next)
	}
	s.all = append(s.all, x)
	return nil
}

// full is the error that there are too many.
func (s *shelf[T]) full() error {
	return problemf(statusInsufficientStorage, "this server keeps %d %s; delete one first", s.limit, s.loosely)
}

// loose counts those that are not fixed, and their bytes. The caller holds s.mu.
func (s *shelf[T]) loose() (n int, used int64) {
	for _, x := range s.all {
		if i := x.kept(); !i.fixed {
			n, used = n+1, used+i.size
		}
	}
	return n, used
}

func (s *shelf[T]) list() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// find returns the item with that id.
func (s *shelf[T]) find(id string) (T, error) { return lookUp(s.list(), s.what, id) }

// remove forgets an item. Requests that hold it finish.
func (s *shelf[T]) remove(id string) (T, error) {
	x, err := s.find(id)
	if err != nil {
		return x, err
	}
	if x.kept().fixed {
		return x, problemf(statusConflict, "%s %s is built in or was loaded at the server's start; it cannot be deleted",
			s.what, id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(o T) bool { return o.kept().id == id })
	return x, nil
}
