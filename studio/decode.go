package studio

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"

	"example.com/patchwork/internal/strictjson"
)

// batch is a body that says how many images or rows are in it, so that too many are refused before they are looked at.
type batch interface{ size() int }

// decodeJSON reads a body strictly: unknown and missing fields, wrong types and
// values out of range yield problems that say where they are.
func decodeJSON[T any](s *core, content []byte) (*T, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, problemf(statusBadRequest, "the body is empty; send JSON")
	}
	if !utf8.Valid(content) {
		return nil, problemf(statusBadRequest, "the body is not UTF-8")
	}
	out := new(T)
	if err := strictjson.Decode(content, out, ""); err != nil {
		return nil, jsonError(err)
	}
	if of, ok := any(out).(batch); ok {
		if err := s.checkBatch(of.size()); err != nil {
			return nil, err
		}
	}
	var fields any // which of them are there, and zero
	if err := json.Unmarshal(content, &fields); err != nil {
		return nil, jsonError(err)
	}
	return out, checkJSON(reflect.TypeFor[T](), fields, "body")
}

// jsonError returns the answer to JSON that is not what it should be.
func jsonError(err error) error {
	kind, syntax := new(json.UnmarshalTypeError), new(json.SyntaxError)
	switch {
	case errors.As(err, &syntax):
		return problemf(statusBadRequest, "not JSON at byte %d: %v", syntax.Offset, err)
	case errors.As(err, &kind):
		return problemf(statusUnprocessableEntity, "byte %d: %.60s is not a valid value of %q", kind.Offset, kind.Value,
			kind.Field)
	}
	return problemf(statusUnprocessableEntity, "%.200v; the valid fields are described in /openapi.json", err)
}
