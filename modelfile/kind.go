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
)

// KindOf returns the kind of a model file; that of bits for all that is none, of which the reader of these says what it
// is. Where the kind is not said, as people may leave it out, the arrays show whether it is of numbers. Classes of
// earlier programs are refused.
func KindOf(r io.ReaderAt, size int64) (string, error) {
	z, err := npy.ReadZip(r, size, maxJSON)
	if err != nil {
		return KindBits, nil
	}
	if z.HasFile("classes.json") && !hasHeader(z) {
		return "", &FormatError{Member: "classes.json", Msg: "holds classes in the form of an earlier program",
			Hint: "learn them again with patchwork learn --by"}
	}
	text, err := headerText(z)
	var h struct {
		Kind string `json:"kind"`
	}
	switch {
	case err != nil || json.Unmarshal(text, &h) != nil:
		return KindBits, nil
	case h.Kind == "" && z.Has("mean") && !z.Has("experts"):
		return KindNumbers, nil
	case h.Kind == "":
		return KindBits, nil
	}
	return h.Kind, nil
}

// checkKind rejects a model of another kind.
func checkKind(is, want string) error {
	if is != want {
		return bad("kind", "", "is %q, not %q", is, want)
	}
	return nil
}
