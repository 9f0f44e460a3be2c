// Package recall lets a learner keep what its steps came to, so that a run that was
// interrupted does not take them again.
package recall

import "fmt"

// Memory keeps values by keys. learn.Memory documents it.
type Memory = interface {
	// Recall returns the value of a key; ok is false where none was kept.
	Recall(key string) (value []byte, ok bool, err error)
	// Keep keeps the value of a key.
	Keep(key string, value []byte) error
}

// Or returns what the memory has for a key, as decode reads it. If there is nothing, or
// decode finds it damaged, Or does the work and keeps the result. Without a memory, which
// is nil, it only does the work. Errors of the memory say what the step is, such as "an
// E-step"; those of the work are returned as they are.
func Or[T any](memory Memory, what string, key func() string, decode func([]byte) (T, bool), work func() (T, error),
	encode func(T) []byte) (T, error) {
	if memory == nil {
		return work()
	}
	var none T
	name := key()
	value, ok, err := memory.Recall(name)
	if err != nil {
		return none, fmt.Errorf("recall %s: %w", what, err)
	}
	if ok {
		if kept, ok := decode(value); ok {
			return kept, nil
		}
	}
	made, err := work()
	if err != nil {
		return none, err
	}
	if err := memory.Keep(name, encode(made)); err != nil {
		return none, fmt.Errorf("keep %s: %w", what, err)
	}
	return made, nil
}
