package modelfile

import (
	"errors"

	"example.com/patchwork/internal/npy"
)

// FormatError reports content that is not a model this version can use, or a
// model that a file cannot hold: the member of the zip, such as "experts.npy", and the field of model.json.
type FormatError = npy.FormatError

// in adds the member to a FormatError that has none.
func in(err error, member string) error {
	var e *FormatError
	if errors.As(err, &e) && e.Member == "" {
		e.Member = member
	}
	return err
}

// misfit wraps an error of a package that checks part of a model.
func misfit(err error, member string) error {
	return &FormatError{Member: member, Msg: "not part of a valid model", Err: err}
}
