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

	Numbers  [][]float64 `json:"numbers"`
	Pointers []*inner    `json:"pointers"`
}

func TestDecode(t *testing.T) {
	for _, good := range []string{
		`{"a":1,"inner":{"x":2},"list":[{"x":1},{"x":2}],"names":{"A":{"x":1},"a":{"x":2}},"deep":"d"}`,
		`{"any":{"A":1,"a":[null]},"own":{"X":1,"x":2},"raw":{"X":[]},"Plain":"p","x-unknown":{"X":1}}`,
		`{"x-q":{"x-q":[1,null]}}`, `{"numbers":[[1.5,-2e300],[]],"pointers":[null,{"x":1}]}`, `{}`, `null`,
	} {
		var v, want outer
		err, wantErr := Decode([]byte(good), &v, "x-"), json.Unmarshal([]byte(good), &want)
		if err != nil || wantErr != nil || !reflect.DeepEqual(v, want) {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, says := range map[string]string{
		`{"a":1,"a":2}`:                                `"a" is there twice, again at byte`,
		`{"A":1}`:                                      `"A" at byte 4 is called "a"`,
		`{"a":1,"A":1}`:                                `is called "a"`,
		`{"inner":{"X":1}}`:                            `is called "x"`,
		`{"list":[{"x":1},{"x":1,"x":1}]}`:             "twice",
		`{"list":[{"x":1},{"X":1}]}`:                   `is called "x"`,
		`{"names":{"k":{"X":1}}}`:                      `is called "x"`,
		`{"names":{"k":{},"k":{}}}`:                    "twice",
		`{"any":{"k":[{"q":1,"q":2}]}}`:                "twice",
		`{"raw":{"q":1,"q":2}}`:                        "twice",
		`{"x-":{"q":1,"q":2}}`:                         "twice",
		`{"DEEP":"d"}`:                                 `is called "deep"`,
		`{"plain":"p"}`:                                `is called "Plain"`,
		`{"\u0061":1,"a":2}`:                           "twice",
		`{"q":1}`:                                      `unknown field "q"`,
		`{"inner":{"x-":1}}`:                           `unknown field "x-"`,
		`{"list":[{"x":1,"q":[]}]}`:                    `unknown field "q"`,
		`{"aside":1}`:                                  `unknown field "aside"`,
		`{"list":[null]}`:                              "null in a list, before byte 13, is not a valid value",
		`{"list":[{}, 12345]}`:                         "12345 in a list",
		`{"list":["` + strings.Repeat("a", 26) + `"]}`: `"aaaaaaaaaaaaaaaaaaa in a list`,
		`{"list":[[1]]}`:                               "[1] in a list",
		`{"numbers":[1,1]}`:                            "1 in a list",
		`{"numbers":[[1],null]}`:                       "null in a list",
		`{"numbers":[[null]]}`:                         "null in a list",
		`{"a":` + strings.Repeat("1", 65) + `}`:        "has more than 64 bytes; round it",
		`{"any":` + strings.Repeat("1", 1000) + `}`:    "has more than 64 bytes; round it",
		`{"any":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`: "or 64 in each other",
		`{"any":[{}` + strings.Repeat(",{}", maxObjects) + `]}`:             "more than 262144 lists and objects",
		`{"a":"1"}`:            "cannot unmarshal string",
		`{"a":1.5}`:            "cannot unmarshal number",
		`{"a":`:                "unexpected end",
		`{"a":1} {}`:           "after top-level value",
		``:                     "unexpected end",
		"{\"Plain\":\"\xff\"}": "invalid UTF-8",
	} {
		var v outer
		if err := Decode([]byte(bad), &v, "x-"); err == nil || !strings.Contains(err.Error(), says) || v.List != nil {
			t.Errorf("%.60s: %v, want %q", bad, err, says)
		}
	}
}

// The check takes no memory for what a type says, and no more than its keys for what it does not.
func TestCheckIsLean(t *testing.T) {
	text := []byte(`{"list":[{"x":1}` + strings.Repeat(`,{"x":1}`, 1000) + `]}`)
	if n := testing.AllocsPerRun(10, func() {
		if err := Check(text, reflect.TypeFor[outer]()); err != nil {
			t.Fatal(err)
		}
	}); n > 100 {
		t.Errorf("%v allocations for 1000 objects", n)
	}
}

// Whatever is accepted is what json.Unmarshal makes of it, and no object has a key twice.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"a":1,"inner":{"x":2},"list":[{"x":1}],"own":{}}`))
	f.Add([]byte(`{"a":1,"A":2,"a":3}`))
	f.Add([]byte(`{"":[0`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b outer
		errA, errB := Decode(data, &a, "x"), json.Unmarshal(data, &b)
		if errA == nil && (errB != nil || !reflect.DeepEqual(a, b) || twice(data)) {
			t.Fatalf("%q: %v", data, errB)
		}
	})
}

// twice reports whether an object has a key twice, as encoding/json reads keys.
func twice(data []byte) bool {
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
						return errTwice
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
	return value() == errTwice
}

var errTwice = errors.New("twice")
