// Package strictjson refuses what encoding/json lets pass in silence: an object that has a
// key twice, of which one value would be lost, and a field written in other case than it is
// called, which another reader would not see.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Unmarshal is json.Unmarshal for one value, with both refused, and as in [Check], before anything
// is decoded.
func Unmarshal(data []byte, v any) error { return unmarshal(&walk{data: data}, v) }

// Decode is Unmarshal that also refuses keys which are no fields, except those of the outermost
// object that begin with own, if that is not "".
func Decode(data []byte, v any, own string) error {
	return unmarshal(&walk{data: data, known: true, own: own}, v)
}

func unmarshal(w *walk, v any) error {
	if !json.Valid(w.data) {
		return json.Unmarshal(w.data, v) // which says why
	}
	if err := w.value(reflect.TypeOf(v), 0); err != nil {
		return err
	}
	return json.Unmarshal(w.data, v)
}

// EntryError reports an entry of a list of objects that is none. It is refused because json.Unmarshal
// makes a whole object of it: of two bytes, hundreds.
type EntryError struct {
	Is     string // its beginning
	Offset int64  // of its first byte
}

// Error implements the error interface.
func (e *EntryError) Error() string {
	return fmt.Sprintf("%s in a list at byte %d is no object", e.Is, e.Offset)
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

// Check returns a *[KeyError] for the first key that is wrong, or an *[EntryError] for an entry, in a value that
// json.Unmarshal reads into a type, or that would be read into none for nil. The value must be JSON. It takes time in
// proportion to the
// value, and memory for the keys of one object that the type does not have.
func Check(data []byte, into reflect.Type) error {
	return (&walk{data: data}).value(into, 0)
}

// Field is a field of an object.
type Field struct {
	Name  string
	Value []byte // within the text
}

// Fields returns the fields of an object that json.Unmarshal reads; a key that is there twice is a
// *[KeyError].
func Fields(data []byte) (out []Field, err error) {
	w, seen := &walk{data: data}, map[string]bool{}
	err = w.object(func(key []byte) error {
		name, end := text(key), int64(w.at)
		if seen[name] {
			return &KeyError{Key: name, Offset: end}
		}
		seen[name] = true
		if c := w.next(); c != ':' {
			return w.bad()
		}
		w.at++
		w.next()
		begin := w.at
		if err := w.value(skip, 0); err != nil {
			return err
		}
		out = append(out, Field{name, data[begin:w.at]})
		return nil
	})
	return out, err
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

// Len returns how many entries a list has that json.Unmarshal reads, 0 for what is none.
func Len(data []byte) int {
	w := &walk{data: data}
	if w.next() != '[' {
		return 0
	}
	w.at++
	if w.next() == ']' {
		return 0
	}
	for n := 1; ; n++ {
		if err := w.value(skip, 0); err != nil || w.next() != ',' {
			return n
		}
		w.at++
	}
}

// skip is the type of values whose keys are not looked at.
var skip = reflect.TypeFor[struct{ skip struct{} }]()

const maxDepth = 10_000 // as in encoding/json

// walk goes through a value that json.Unmarshal accepts; of others it may return an error.
type walk struct {
	data  []byte
	at    int
	known bool // refuse keys that are no fields
	own   string
}

func (w *walk) bad() error { return fmt.Errorf("not JSON at byte %d", w.at) }

// next returns the next byte that is not blank, 0 at the end.
func (w *walk) next() byte {
	for ; w.at < len(w.data); w.at++ {
		if c := w.data[w.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

func (w *walk) value(into reflect.Type, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values are in each other more than %d deep", maxDepth)
	}
	switch w.next() {
	case 0:
		return w.bad()
	case '"':
		_, err := w.quoted()
		return err
	case '[':
		return w.list(into, depth)
	case '{':
		return w.members(into, depth)
	}
	begin := w.at
	for ; w.at < len(w.data); w.at++ {
		switch w.data[w.at] {
		case ',', ':', ']', '}', '[', '{', '"', ' ', '\n', '\t', '\r':
			if w.at == begin {
				return w.bad()
			}
			return nil
		}
	}
	return nil
}

// quoted returns a text as it is written, without quotes.
func (w *walk) quoted() ([]byte, error) {
	w.at++
	begin := w.at
	for ; w.at < len(w.data); w.at++ {
		switch w.data[w.at] {
		case '\\':
			w.at++
		case '"':
			w.at++
			return w.data[begin : w.at-1], nil
		}
	}
	w.at = len(w.data) // also behind a backslash at the end
	return nil, w.bad()
}

// list goes through a list.
func (w *walk) list(into reflect.Type, depth int) error {
	of := into
	if into = plain(into); into != skip {
		of = nil
		if into != nil && (into.Kind() == reflect.Slice || into.Kind() == reflect.Array) {
			of = into.Elem()
		}
	}
	w.at++
	if w.next() == ']' {
		w.at++
		return nil
	}
	objects := of != nil && of != skip && of.Kind() == reflect.Struct && plain(of) != nil
	for {
		if c := w.next(); objects && c != '{' {
			return w.entry()
		}
		if err := w.value(of, depth+1); err != nil {
			return err
		}
		c := w.next()
		if c != ',' && c != ']' {
			return w.bad()
		}
		if w.at++; c == ']' {
			return nil
		}
	}
}

// entry returns an error about the entry that begins here.
func (w *walk) entry() error {
	begin := w.at
	if err := w.value(skip, 0); err != nil {
		return err
	}
	return &EntryError{strings.ToValidUTF8(string(w.data[begin:min(w.at, begin+20)]), ""), int64(begin)}
}

// object goes through an object; each goes on behind a key, to the end of its value.
func (w *walk) object(each func(key []byte) error) error {
	if w.next() != '{' {
		return w.bad()
	}
	w.at++
	if w.next() == '}' {
		w.at++
		return nil
	}
	for {
		if w.next() != '"' {
			return w.bad()
		}
		key, err := w.quoted()
		if err != nil {
			return err
		}
		if err := each(key); err != nil {
			return err
		}
		c := w.next()
		if c != ',' && c != '}' {
			return w.bad()
		}
		if w.at++; c == '}' {
			return nil
		}
	}
}

// members goes through an object and checks its keys.
func (w *walk) members(into reflect.Type, depth int) error {
	if into = plain(into); into == skip {
		return w.object(func([]byte) error {
			if w.next() != ':' {
				return w.bad()
			}
			w.at++
			return w.value(skip, depth+1)
		})
	}
	var fields []named
	if into != nil && into.Kind() == reflect.Struct {
		fields = fieldsOf(into)
	}
	var seen map[string]bool // of keys that are no fields
	var had uint64           // of the first 64 fields
	return w.object(func(key []byte) error {
		n := slices.IndexFunc(fields, func(f named) bool { return f.name == string(key) })
		twice := n >= 0 && n < 64 && had>>n&1 == 1
		var of reflect.Type
		if n >= 0 && n < 64 {
			had |= 1 << n
			of = fields[n].of
		} else {
			name, called := text(key), ""
			if of, called = field(into, name); called != "" {
				return &KeyError{name, called, int64(w.at)}
			}
			own := depth == 0 && w.own != "" && strings.HasPrefix(name, w.own)
			if w.known && fields != nil && of == nil && !own {
				return fmt.Errorf("unknown field %.60q", name)
			}
			if n = slices.IndexFunc(fields, func(f named) bool { return f.name == name }); n >= 0 && n < 64 { // it is escaped
				twice = had>>n&1 == 1
				had |= 1 << n
			} else {
				if twice = seen[name]; seen == nil {
					seen = map[string]bool{}
				}
				seen[name] = true
			}
		}
		if twice {
			return &KeyError{Key: text(key), Offset: int64(w.at)}
		}
		if w.next() != ':' {
			return w.bad()
		}
		w.at++
		return w.value(of, depth+1)
	})
}

// text returns a text that is written so.
func text(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted)
	}
	var out string
	if json.Unmarshal(slices.Concat([]byte{'"'}, quoted, []byte{'"'}), &out) != nil {
		return string(quoted)
	}
	return out
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
	for _, f := range fieldsOf(t) {
		switch {
		case f.name == key:
			return f.of, ""
		case strings.EqualFold(f.name, key):
			called = f.name
		}
	}
	return nil, called
}

// named is a field of a struct, as it is called in JSON.
type named struct {
	name string
	of   reflect.Type
}

var known sync.Map // of the fields of types: to find them takes much longer than to read one

// fieldsOf returns the fields of a struct that are in JSON.
func fieldsOf(t reflect.Type) []named {
	if all, ok := known.Load(t); ok {
		return all.([]named)
	}
	var all []named
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		all = append(all, named{name, f.Type})
	}
	known.Store(t, all)
	return all
}
