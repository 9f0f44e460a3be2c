// Package strictjson refuses what encoding/json lets pass in silence: an object that has a
// key twice, of which one value would be lost, and a field written in other case than it is
// called, which another reader would not see. It also refuses what takes much more memory as
// Go values than as text, before it takes any.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxText bounds JSON text in files, in bytes.
const MaxText = 4 << 20

const (
	maxObjects = 1 << 18 // of a text: {} has two bytes there, and hundreds as a struct
	maxNested  = 64
	maxNumber  = 64 // bytes
)

// Decode is json.Unmarshal of a text that [Check] accepts. It also refuses keys that are no fields, except those of
// the outermost object that begin with own, if that is not "".
func Decode(text []byte, v any, own string) error {
	if json.Valid(text) { // if not, Unmarshal says why
		if err := (&walk{known: true, own: own}).all(text, reflect.TypeOf(v)); err != nil {
			return err
		}
	}
	return json.Unmarshal(text, v)
}

// Check returns an error for JSON with a wrong key, or, in what json.Unmarshal would read into the type, a list of
// entries of another kind or null; any takes anything. Check takes memory for the keys of one object at a time.
func Check(text []byte, into reflect.Type) error { return new(walk).all(text, into) }

// walk goes through a text.
type walk struct {
	text    *jsontext.Decoder
	known   bool // refuse keys that are no fields
	own     string
	objects int
	fields  map[reflect.Type]map[string]reflect.Type // of structs, as they are called in JSON
}

func (w *walk) all(text []byte, into reflect.Type) error {
	w.text, w.fields = jsontext.NewDecoder(bytes.NewReader(text)), map[reflect.Type]map[string]reflect.Type{}
	err := w.value(into, 0)
	var syntax *jsontext.SyntacticError
	if errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax) {
		return fmt.Errorf("the field %.60q is there twice, again at byte %d", syntax.JSONPointer.LastToken(), syntax.ByteOffset)
	}
	return err
}

func (w *walk) value(into reflect.Type, depth int) error {
	kind := w.text.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := w.text.ReadValue()
		if kind == '0' && len(v) > maxNumber {
			err = fmt.Errorf("the number before byte %d has more than %d bytes; round it", w.text.InputOffset(), maxNumber)
		}
		return err
	}
	if w.objects++; w.objects > maxObjects || depth == maxNested {
		return fmt.Errorf("more than %d lists and objects, or %d in each other, at byte %d; leave some out", maxObjects,
			maxNested, w.text.InputOffset())
	}
	if _, err := w.text.ReadToken(); err != nil {
		return err
	}
	into = plain(into)
	for w.text.PeekKind() != '}' && w.text.PeekKind() != ']' {
		of, err := anything, error(nil)
		if kinds[into.Kind()] != 0 && into.Kind() != reflect.Struct {
			of = into.Elem()
		}
		if kind == '{' {
			of, err = w.key(into, of, depth)
		} else {
			err = w.entry(of)
		}
		if err == nil {
			err = w.value(of, depth+1)
		}
		if err != nil {
			return err
		}
	}
	_, err := w.text.ReadToken()
	return err
}

// entry returns an error about the next entry of a list if it is null or of another kind: json.Unmarshal would make a
// whole value of it.
func (w *walk) entry(of reflect.Type) error {
	is, want := w.text.PeekKind(), kinds[plain(of).Kind()]
	if of.Kind() == reflect.Pointer || plain(of) == anything || is != 'n' && (is == want || want == 0) {
		return nil
	}
	v, err := w.text.ReadValue()
	if err == nil {
		err = fmt.Errorf("%.20s in a list, before byte %d, is not a valid value there", v, w.text.InputOffset())
	}
	return err
}

// key reads the next key of an object, and returns the type of its value, which is that of all in a map.
func (w *walk) key(object, of reflect.Type, depth int) (reflect.Type, error) {
	token, err := w.text.ReadToken()
	if err != nil || object.Kind() != reflect.Struct {
		return of, err
	}
	name, fields := token.String(), w.fieldsOf(object)
	if of, known := fields[name]; known {
		return of, nil
	}
	for called := range fields {
		if strings.EqualFold(called, name) {
			return of, fmt.Errorf("the field %.60q at byte %d is called %q", name, w.text.InputOffset(), called)
		}
	}
	if own := depth == 0 && w.own != "" && strings.HasPrefix(name, w.own); w.known && !own {
		return of, fmt.Errorf("unknown field %.60q", name)
	}
	return of, nil
}

var (
	anything = reflect.TypeFor[any]()
	kinds    = map[reflect.Kind]jsontext.Kind{reflect.Struct: '{', reflect.Map: '{', reflect.Slice: '[', reflect.Array: '['}
)

// plain returns the type without pointers; one that reads itself takes anything.
func plain(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return anything
	}
	return t
}

func (w *walk) fieldsOf(t reflect.Type) map[string]reflect.Type {
	all, known := w.fields[t]
	if known {
		return all
	}
	all = map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "-" && !(f.Anonymous && name == "") {
			all[cmp.Or(name, f.Name)] = f.Type
		}
	}
	w.fields[t] = all
	return all
}
