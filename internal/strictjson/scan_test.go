package strictjson

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

var small = Bounds{Objects: 3, Lists: 3, Values: 8, Fields: 4, Text: 6, Blanks: 5,
	Own: func(name string) bool { return strings.HasPrefix(name, "x-") }, All: 30, OwnValues: 6}

func TestScan(t *testing.T) {
	for _, good := range []string{
		`{}`, `[]`, `{"a":null,"b":[1,{}],"x-":[null,"12345678"]}`, `{"a":"[{,\"","b":[[],[]]}`, `{"x-1":{"1":0,"2":0,"3":0},"b":-1.5e300}`, ` [ true ] `,
		`{"\u0061":1}`, `null`,
	} {
		if err := Scanned([]byte(good), small); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		`{"a":[null]}`:                             "field a: null is in a list; leave it out",
		`[1,null]`:                                 "null is in a list; leave it out",
		`{"x-":[null,null,null]}`:                  "field x-: more than 3 objects; leave some out",
		`[{},{},{},{}]`:                            "more than 3 objects",
		`{"a":[[],[],[]]}`:                         "field a: more than 3 lists",
		`[1,2,3,4,5,6,7,8,9,10]`:                   "more than 8 values",
		`{"x-":[1,2,3,4,5,6,7,8]}`:                 "field x-: more than 6 values, with other fields like it",
		`{"a":1,"b":1,"c":1,"d":1,"e":1}`:          "an object has more than 4 fields",
		`{"a":"1234567"}`:                          "field a: a text has more than 6 bytes; shorten it",
		`{"1234567":1}`:                            "a text has more than 6 bytes",
		`{"x-":{"1234567":1}}`:                     "field x-: a text has more than 6 bytes",
		`{"x-":"` + strings.Repeat("a", 40) + `"}`: "field x-: more than 30 bytes",
		`[      1]`:                                "more than 5 blanks; write it without",
		`[` + strings.Repeat("1", 65):              "a number has more than 64 bytes; round it",
		strings.Repeat("[", 65):                    "more than 3 lists",
		"{\"a\u001b\":[null]}":                     "field a: null",
		`{"x-":1,"a":[null]}`:                      "field a: null",
	} {
		err := Scanned([]byte(bad), small)
		if !errors.As(err, new(*BoundError)) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
		s := NewScan(small) // in pieces
		for i := 0; i < len(bad); i++ {
			_, _ = s.Write([]byte(bad[i : i+1]))
		}
		if _, again := s.Write(nil); again == nil || again.Error() != err.Error() {
			t.Errorf("%s in pieces: %v, %v", bad, again, err)
		}
	}
	for _, junk := range []string{`]]]]`, `}{"`, `{]"a":[null`, `"\`, `,,,`, `:`, `{"a"]"b":[`} {
		_ = Scanned([]byte(junk), small) // whatever it says
	}
}

func TestFields(t *testing.T) {
	fields, err := Fields([]byte(` {"a" : [1, {"b":"}"}] ,"\u0062":null}`))
	if got := fmt.Sprintf("%s %v", fields, err); got != `[{a [1, {"b":"}"}]} {b null}] <nil>` {
		t.Error(got)
	}
	if _, err := Fields([]byte(`{"a":1,"b":{"c":1,"c":1},"\u0061":1}`)); err == nil || !strings.Contains(err.Error(), `"a" is there twice, again at byte 33`) {
		t.Error(err)
	}
	for _, cut := range []string{`{"":[0`, `{"a":"\`, `{"a":{"b":1`, `{"a":1`, `{"a\`} {
		if fields, err := Fields([]byte(cut)); err == nil || !strings.HasPrefix(err.Error(), "not JSON at byte ") {
			t.Errorf("%s: %v %v", cut, fields, err)
		}
	}
	for text, want := range map[string]int{`[]`: 0, `[1]`: 1, ` ["a,b", [1,2] , {"c":[3,4]}]`: 3, `{}`: 0, `null`: 0, ``: 0} {
		if got := Len([]byte(text)); got != want {
			t.Errorf("%s: %d entries, want %d", text, got, want)
		}
	}
}

func TestDecode(t *testing.T) {
	var v outer
	if err := Decode([]byte(`{"a":1,"names":{"k":{"x":1}},"raw":{"q":1},"any":{"q":1},"own":{"q":1},"x-q":{"x-q":1}}`), &v, "x-"); err != nil {
		t.Error(err)
	}
	if err := Decode([]byte(`{"inner":{"x-":1}}`), &v, "x-"); err == nil || err.Error() != `unknown field "x-"` {
		t.Error(err)
	}
	for _, bad := range []string{`{"q":1}`, `{"inner":{"q":1}}`, `{"list":[{"x":1,"q":[]}]}`} {
		if err := Decode([]byte(bad), &v, ""); err == nil || err.Error() != `unknown field "q"` {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if err := Decode([]byte(`{"A":1}`), &v, ""); !errors.As(err, new(*KeyError)) {
		t.Error(err)
	}
	if err := Decode([]byte(`{`), &v, ""); err == nil {
		t.Error("cut off")
	}
}

// The check takes no memory for what a type says, and no more than its keys for what it does not.
func TestCheckIsLean(t *testing.T) {
	text := []byte(`{"list":[{"x":1}` + strings.Repeat(`,{"x":1}`, 1000) + `]}`)
	var v outer
	if n := testing.AllocsPerRun(10, func() {
		if err := Check(text, typeOf(&v)); err != nil {
			t.Fatal(err)
		}
	}); n > 3100 {
		t.Errorf("%v allocations for 1000 objects", n)
	}
}

// What is refused by the walk is no JSON, and what it says of JSON is what encoding/json says.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}],"c":"\"\u0061"}`, `[`, `{"a"`, `{"a":1,"\u0061":1}`, "\"\xff\"", `{"":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = Scanned(data, small)
		_, _ = Fields(data)
		_ = Len(data)
		want := reference(data)
		got := Check(data, nil)
		if want == nil != (got == nil) && validJSON(data) {
			t.Fatalf("%q: %v, want %v", data, got, want)
		}
		if want != nil && got != nil && validJSON(data) && want.Error() != got.Error() {
			t.Fatalf("%q: %v, want %v", data, got, want)
		}
	})
}
