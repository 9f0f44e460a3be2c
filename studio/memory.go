package studio

import (
	"context"
	"sync"
	"sync/atomic"
)

// account counts the bytes of one kind that are held now, against a limit.
type account struct {
	limit int64
	held  atomic.Int64
}

// always is how many bytes a body or an answer may take even if the account is full, so
// that small requests are answered whatever large ones do.
const always = 64 << 10

// take adds n bytes to those that one holder has already, and reports whether there was
// room: for all of them together, or because the holder stays small.
func (a *account) take(has, n int64) bool {
	if a.held.Add(n) > a.limit && has+n > always {
		a.held.Add(-n)
		return false
	}
	return true
}

func (a *account) give(n int64) { a.held.Add(-n) }

// share is a part of the memory that the server keeps.
type share struct {
	of          string
	held, limit int64
}

// shares returns what is held of each kind, and how much may be. Together they are all
// that stays while no request is worked on.
func (s *core) shares() []share {
	l := &s.limits
	return []share{
		{"bodies", s.bodies.held.Load(), l.FlightBytes},
		{"answers", s.answers.held.Load(), l.AnswerBytes},
		{"models", s.models.size(), l.ModelBytes},
		{"data", s.data.size(), l.DataBytes},
		{"examples", s.best.size() + s.classes.size() + s.searches.size(), 4 * l.RecalledBytes},
	}
}

// remembered keeps what the last request of a kind came to, for a next one with the same
// key. Goroutines may share it.
type remembered[K comparable, V any] struct {
	limit int64
	mu    sync.Mutex
	key   K
	of    V
	bytes int64
}

// recall returns what a key came to, if it was the last that is kept.
func (r *remembered[K, V]) recall(key K) (of V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes == 0 || r.key != key {
		return of, false
	}
	return r.of, true
}

// keep remembers what a key came to, which must not change any more and takes so many bytes, about, instead
// of the one before, unless it is larger than the limit.
func (r *remembered[K, V]) keep(key K, of V, bytes int64) {
	if bytes > r.limit {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key, r.of, r.bytes = key, of, bytes
}

func (r *remembered[K, V]) size() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// room is what the answer to one request holds of the account of all answers.
type room struct {
	of   *account
	held int64
}

// roomKey is the context value of the room of a request.
type roomKey struct{}

// answerTakes makes room for an answer of so many bytes, about, before it is made. The
// error says that it is too large, or that there is no room now.
func (s *core) answerTakes(ctx context.Context, bytes int64) error {
	if bytes > s.limits.AnswerBytes {
		s.refused("answer")
		return problemf(statusRequestEntityTooLarge,
			"the answer would take %d bytes, and this server answers with at most %d; ask for less", bytes, s.limits.AnswerBytes)
	}
	r, _ := ctx.Value(roomKey{}).(*room)
	if r == nil || bytes <= r.held {
		return nil
	}
	if !r.of.take(r.held, bytes-r.held) {
		s.refused("memory")
		return retryLater(1, "the answers that other clients have not read yet take %d bytes, the limit of this server",
			s.limits.AnswerBytes)
	}
	r.held = bytes
	return nil
}

// maxListed bounds the text of one model or data set in a list of all; alone it is told
// whole.
const maxListed = 64 << 10

// textBytes returns the size of texts, as an answer has them.
func textBytes(text []string) int64 {
	n := int64(0)
	for _, t := range text {
		n += int64(len(t)) + 3
	}
	return n
}

// textMemory returns how much memory texts take.
func textMemory(text []string) int64 { return textBytes(text) + 16*int64(len(text)) }

// free gives back the room of an answer.
func (r *room) free() {
	r.of.give(r.held)
	r.held = 0
}
