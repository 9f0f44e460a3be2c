package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	X int `json:"x"`
}

type embedded struct {
	Deep string `json:"deep"`
}

// own reads itself, by names of its own.
type own struct{ text string }

func (o *own) UnmarshalJSON(b []byte) error { o.text = string(b); return nil }

type outer struct {
	embedded
	A     int              `json:"a"`
	Aside int              `json:"-"`
	Inner *inner           `json:"inner,omitempty"`
	List  []inner          `json:"list"`
	Names map[string]inner `json:"names"`
	Any   any              `json:"any"`
	Own   own              `json:"own"`
	Raw   json.RawMessage  `json:"raw"`
	Plain string
}

func TestUnmarshal(t *testing.T) {
	for _, good := range []string{
		`{"a":1,"inner":{"x":2},"list":[{"x":1},{"x":2}],"names":{"A":{"x":1},"a":{"x":2}},"deep":"d"}`,
		`{"any":{"A":1,"a":2},"own":{"X":1,"x":2},"raw":{"X":[]},"Plain":"p","unknown":{"X":1}}`,
		`{"aside":1,"Aside":2}`, `{}`, `null`,
	} {
		var v outer
		if err := Unmarshal([]byte(good), &v); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, says := range map[string]string{
		`{"a":1,"a":2}`:                    `"a" is there twice, again at byte 10`,
		`{"A":1}`:                          `"A" at byte 4 is called "a"`,
		`{"a":1,"A":1}`:                    `is called "a"`,
		`{"inner":{"X":1}}`:                `is called "x"`,
		`{"list":[{"x":1},{"x":1,"x":1}]}`: "twice",
		`{"list":[{"x":1},{"X":1}]}`:       `is called "x"`,
		`{"names":{"k":{"X":1}}}`:          `is called "x"`,
		`{"names":{"k":{},"k":{}}}`:        "twice",
		`{"any":{"k":[{"q":1,"q":2}]}}`:    "twice",
		`{"raw":{"q":1,"q":2}}`:            "twice",
		`{"DEEP":"d"}`:                     `is called "deep"`,
		`{"plain":"p"}`:                    `is called "Plain"`,
		`{"\u0061":1,"a":2}`:               "twice",
	} {
		var v outer
		var key *KeyError
		if err := Unmarshal([]byte(bad), &v); !errors.As(err, &key) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", bad, err, says)
		}
	}
	for bad, says := range map[string]string{
		`{"list":[null]}`:      "null in a list at byte 9 is no object",
		`{"list":[{}, 12345]}`: "12345 in a list at byte 13 is no object",
		`{"list":["` + "abcdefghijklmnopqrstuvwxyz" + `"]}`: `"abcdefghijklmnopqrs in a list`,
		`{"list":[[1]]}`: "[1] in a list",
	} {
		var v outer
		if err := Unmarshal([]byte(bad), &v); !errors.As(err, new(*EntryError)) || !strings.Contains(err.Error(), says) || v.List != nil {
			t.Errorf("%s: %v, want %q", bad, err, says)
		}
	}
	var v outer
	if err := Unmarshal([]byte(`{"a":`), &v); err == nil || errors.As(err, new(*KeyError)) {
		t.Errorf("cut off: %v", err)
	}
	if err := Unmarshal([]byte(strings.Repeat("[", 1_000_000)), new(any)); err == nil {
		t.Error("a million lists in each other")
	}
}

// Whatever is accepted is what json.Unmarshal makes of it, and no object has a key twice.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"a":1,"inner":{"x":2},"list":[{"x":1}],"own":{}}`))
	f.Add([]byte(`{"a":1,"A":2,"a":3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b outer
		errA, errB := Unmarshal(data, &a), json.Unmarshal(data, &b)
		if errA == nil && errB != nil {
			t.Fatalf("%q: %v", data, errB)
		}
		if errA != nil && errB == nil && !errors.As(errA, new(*KeyError)) && !errors.As(errA, new(*EntryError)) {
			t.Fatalf("%q: %v", data, errA)
		}
	})
}

func typeOf(v any) reflect.Type { return reflect.TypeOf(v) }

func validJSON(data []byte) bool { return json.Valid(data) }

// reference finds the first key that is there twice, as encoding/json reads keys.
func reference(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value func() error
	value = func() error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		switch token {
		case json.Delim('['), json.Delim('{'):
			for d.More() {
				if token == json.Delim('{') {
					key, err := d.Token()
					if err != nil {
						return err
					}
					if seen[key.(string)] {
						return &KeyError{Key: key.(string), Offset: d.InputOffset()}
					}
					seen[key.(string)] = true
				}
				if err := value(); err != nil {
					return err
				}
			}
			_, err = d.Token()
		}
		return err
	}
	return value()
}
