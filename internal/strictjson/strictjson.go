// Package strictjson refuses what encoding/json lets pass in silence: an object that has a
// key twice, of which one value would be lost, and a field written in other case than it is
// called, which another reader would not see.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal is json.Unmarshal for one value, with both refused.
func Unmarshal(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	return Check(data, reflect.TypeOf(v))
}

// KeyError reports a key of an object.
type KeyError struct {
	Key    string
	Called string // what it is called; "" for a key that is there twice
	Offset int64  // of the byte behind it
}

// Error implements the error interface.
func (e *KeyError) Error() string {
	if e.Called != "" {
		return fmt.Sprintf("the field %.60q at byte %d is called %q", e.Key, e.Offset, e.Called)
	}
	return fmt.Sprintf("the field %.60q is there twice, again at byte %d", e.Key, e.Offset)
}

// Check returns a *[KeyError] for the first key that is wrong in a value that json.Unmarshal
// reads into a type, or that would be read into none for nil.
func Check(data []byte, into reflect.Type) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return value(d, into)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// plain returns the type without pointers, or nil if it reads itself.
func plain(t reflect.Type) reflect.Type {
	for t != nil {
		if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshaler) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	return t
}

func value(d *json.Decoder, into reflect.Type) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	into = plain(into)
	switch token {
	case json.Delim('['):
		var of reflect.Type
		if into != nil && (into.Kind() == reflect.Slice || into.Kind() == reflect.Array) {
			of = into.Elem()
		}
		for d.More() {
			if err := value(d, of); err != nil {
				return err
			}
		}
		_, err = d.Token()
	case json.Delim('{'):
		err = object(d, into)
	}
	return err
}

func object(d *json.Decoder, into reflect.Type) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string) // the decoder sees to that
		if seen[key] {
			return &KeyError{Key: key, Offset: d.InputOffset()}
		}
		seen[key] = true
		of, called := field(into, key)
		if called != "" {
			return &KeyError{key, called, d.InputOffset()}
		}
		if err := value(d, of); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// field returns the type that a key is read into, nil for none; called is the name of the
// field that would take the key although it is written otherwise.
func field(t reflect.Type, key string) (of reflect.Type, called string) {
	if t == nil {
		return nil, ""
	}
	if t.Kind() == reflect.Map {
		return t.Elem(), ""
	}
	if t.Kind() != reflect.Struct {
		return nil, ""
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		switch {
		case name == key:
			return f.Type, ""
		case strings.EqualFold(name, key):
			called = name
		}
	}
	return nil, called
}
