package studio

import (
	"errors"
	"fmt"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/real"
)

// NamedReal is a model of real values to serve, with data that it fits; Data may be nil.
type NamedReal struct {
	Name  string
	Model *real.Model
	Data  *dataset.Values
}

// plainlyReal returns the answer to data that are plainly real values, which the views of the page and the API do not show,
// and err for others.
func plainlyReal(err error, name string, content []byte) error {
	var fe *dataset.FormatError
	if !errors.As(err, &fe) || !strings.Contains(fe.Msg, "neither 0 nor 1") {
		return err
	}
	if v, e := dataset.DecodeValues(name, content, dataset.Options{MaxMemory: 8 * int64(len(content))}); e == nil {
		if why := v.Plainly(); why != "" {
			return &dataset.FormatError{Msg: fmt.Sprintf("%s: real values (%s), which are not bits", name, why),
				Hint: "open them at /real on this server: parts, rows explained, predictions; or give a threshold to make bits of them"}
		}
	}
	return err
}
