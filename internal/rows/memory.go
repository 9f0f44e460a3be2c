package rows

import "example.com/patchwork/internal/recall"

// Memory is the memory of a learner by the name that learn and table give it; see
// learn.Memory.
type Memory = recall.Memory

// PartMemory is a memory for one of several sets of images that a run reads: its
// keys begin with Part.
type PartMemory struct {
	Memory
	Part string
}

// Recall returns the value that the memory has for the part's key.
func (m PartMemory) Recall(key string) ([]byte, bool, error) { return m.Memory.Recall(m.Part + key) }

// Keep stores a value under the part's key.
func (m PartMemory) Keep(key string, value []byte) error { return m.Memory.Keep(m.Part+key, value) }
