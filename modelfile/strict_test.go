package modelfile

import (
	"strings"
	"testing"
)

// A field that is there twice, or written otherwise than it is called, is refused: one
// reader would see another model than the next.
func TestFieldsOnce(t *testing.T) {
	const good = `{"format":"patchwork-model","version":1,"rule":"max","height":1,"width":2,"prior":{"on":1,"off":1}}`
	if _, err := parseHeader([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for change, says := range map[[2]string]string{
		{`"rule":"max"`, `"rule":"max","rule":"max-minus-min"`}: `"rule" is there twice`,
		{`"rule":"max"`, `"Rule":"max"`}:                        "Rule",
		{`"on":1`, `"On":1`}:                                    `called "on"`,
		{`"on":1`, `"on":1,"on":2`}:                             `"on" is there twice`,
	} {
		if _, err := parseHeader([]byte(strings.Replace(good, change[0], change[1], 1))); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change[1], err, says)
		}
	}
	for _, bad := range []string{`{"format":"patchwork-model","Version":1}`, `{"format":"x","format":"patchwork-model"}`} {
		if _, err := parseReal([]byte(bad)); err == nil || !strings.Contains(err.Error(), "called") &&
			!strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
