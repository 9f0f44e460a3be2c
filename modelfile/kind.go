package modelfile

import (
	"encoding/json"
	"io"

	"example.com/patchwork/internal/npy"
)

// The kinds of models, as model.json has them.
const (
	KindBits    = "bits"
	KindNumbers = "numbers"
	KindMixed   = "mixed"
	KindClasses = "classes"
	KindLists   = "lists" // bits of a wide table
)

// KindOf returns the kind of a model file; that of bits for all that is none, of which the reader of these says what it
// is. Where the kind is not said, as people may leave it out, the arrays show whether it is of numbers.
func KindOf(r io.ReaderAt, size int64) string {
	z, err := npy.ReadZip(r, size, maxJSON)
	if err != nil {
		return KindBits
	}
	text, err := headerText(z)
	var h struct {
		Kind string `json:"kind"`
	}
	switch {
	case err != nil || json.Unmarshal(text, &h) != nil:
		return KindBits
	case h.Kind == "" && z.Has("mean") && !z.Has("experts"):
		return KindNumbers
	case h.Kind == "":
		return KindBits
	}
	return h.Kind
}

// checkKind rejects a model of another kind.
func checkKind(is, want string) error {
	if is != want {
		return bad("kind", "", "is %q, not %q", is, want)
	}
	return nil
}
