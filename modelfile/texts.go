package modelfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"example.com/patchwork"
)

const maxName = 1 << 12 // bytes of the name of a column or an expert

// checkTexts rejects names and a reading that do not fit a model of so many pixels
// and experts, or that a file cannot hold.
func checkTexts(e *patchwork.Extras, pixels, experts int) error {
	return cmp.Or(checkList("columns", e.Columns, pixels, "name every column, or none"),
		checkList("names", e.Names, experts, `name every part, "" for one without a name, or none`))
}

// checkList checks a list of names, which must be empty or as long as said.
func checkList(field string, names []string, want int, hint string) error {
	if len(names) > 0 && len(names) != want {
		return bad(field, hint, "has %d names for %d", len(names), want)
	}
	for i, name := range names {
		switch {
		case len(name) > maxName:
			return bad(field, "shorten it", "name %d has %d bytes, more than %d", i+1, len(name), maxName)
		case !utf8.ValidString(name):
			return bad(field, "write it as UTF-8", "name %d is not UTF-8: %.40q", i+1, name)
		}
	}
	return nil
}

// compact returns a reading, a JSON object, without blanks; nil for an empty one.
func compact(text json.RawMessage) (json.RawMessage, error) {
	if text == nil || string(text) == "null" {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(text, &fields)
	if err == nil && !utf8.Valid(text) {
		err = errors.New("not UTF-8")
	}
	if err != nil {
		return nil, &FormatError{Member: jsonName, Field: "reading", Msg: fmt.Sprintf("is %s, want an object", excerpt(text)),
			Err: err}
	}
	if len(fields) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return nil, err // it is JSON
	}
	return out.Bytes(), nil
}
