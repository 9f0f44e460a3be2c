// Package recall lets a learner keep what its steps came to, so that a run that was
// interrupted does not take them again.
package recall

import (
	"crypto/sha256"
	"fmt"

	"example.com/patchwork/internal/wire"
)

// Memory keeps values by keys. learn.Memory documents it.
type Memory = interface {
	// Recall returns the value of a key; ok is false where none was kept.
	Recall(key string) (value []byte, ok bool, err error)
	// Keep keeps the value of a key.
	Keep(key string, value []byte) error
}

// Key returns the key of a step: SHA-256 of everything that its result depends on, as
// fmt prints it, which is exact for numbers. Pointers may be in no value.
func Key(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		fmt.Fprintf(h, "%+v\n", v)
	}
	return string(h.Sum(nil))
}

// Or returns what the memory has for a key, as code reads it. If there is nothing, or
// code finds it damaged, Or does the work and keeps the result. Without a memory, which
// is nil, it only does the work. Errors of the memory say what the step is, such as "an
// E-step"; those of the work are returned as they are.
func Or[T any](memory Memory, what string, key func() string, code func(*wire.Codec, *T),
	work func() (*T, error)) (*T, error) {
	if memory == nil {
		return work()
	}
	name := key()
	value, ok, err := memory.Recall(name)
	if err != nil {
		return nil, fmt.Errorf("recall %s: %w", what, err)
	}
	kept := new(T)
	if ok && wire.Unmarshal(value, func(c *wire.Codec) { code(c, kept) }) == nil {
		return kept, nil
	}
	made, err := work()
	if err != nil {
		return nil, err
	}
	if err := memory.Keep(name, wire.Marshal(func(c *wire.Codec) { code(c, made) })); err != nil {
		return nil, fmt.Errorf("keep %s: %w", what, err)
	}
	return made, nil
}
