package strictjson

import (
	stdjson "encoding/json"
	"errors"
	"io"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// asNull writes numbers that JSON does not have as null.
var asNull = json.MarshalToFunc(func(e *jsontext.Encoder, v float64) error {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return e.WriteToken(jsontext.Null)
	}
	return errors.ErrUnsupported // as it is
})

// asNaN reads null as a number that is not one.
var asNaN = json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *float64) error {
	if d.PeekKind() != 'n' {
		return errors.ErrUnsupported
	}
	*v = math.NaN()
	return d.SkipValue()
})

// Write writes a value as json.Marshal would, but with null for numbers that JSON does not have.
func Write(w io.Writer, v any, more ...json.Options) error {
	return json.MarshalWrite(w, v, append([]json.Options{jsonv1.DefaultOptionsV1(), json.WithMarshalers(asNull)}, more...)...)
}

// Read is json.Unmarshal of a text that [Check] accepts, but null where a number is wanted is read as NaN.
func Read(text []byte, v any) error {
	err := json.Unmarshal(text, v, jsonv1.DefaultOptionsV1(), json.WithUnmarshalers(asNaN))
	var te *jsonv1.UnmarshalTypeError
	if errors.As(err, &te) { // as json.Unmarshal says it
		return &stdjson.UnmarshalTypeError{Value: te.Value, Type: te.Type, Field: te.Field}
	}
	return err
}
