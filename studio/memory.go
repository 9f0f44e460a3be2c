package studio

import "sync"

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
