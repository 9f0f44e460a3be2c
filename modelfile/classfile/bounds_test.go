package classfile

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// Texts that would take much more memory than their bytes are refused before they are decoded.
func TestTextsAreJudgedFirst(t *testing.T) {
	const head = `{"format":"patchwork-classes","version":1,"height":1,"width":2,"sharpness":1,`
	fields := new(strings.Builder)
	for i := range 2000 {
		fmt.Fprintf(fields, `,"k%d":0`, i)
	}
	for text, want := range map[string]string{
		`"classes":[` + strings.Repeat("null,", 1<<20) + `null]}`:             "classes.json: field classes: null is in a list",
		`"classes":[` + strings.Repeat("1,", 1<<20) + `1]}`:                   "1 in a list at byte 88 is no object",
		`"classes":[{"examples":[` + strings.Repeat("{},", 1<<18) + `{}]}]}`:  "classes.json: field classes: more than 262144 objects",
		`"classes":[]` + fields.String() + `}`:                                "classes.json: an object has more than 1024 fields",
		`"classes":[{"name":"a","rows":1,"examples":[{"row":1,"wings":2}]}]}`: `unknown field "wings"`,
		`"classes":[],"columns":["` + strings.Repeat("a", 1<<20) + `"]}`:      "classes.json: field columns: a text has more than 24576 bytes",
		`"classes":[],"by":` + strings.Repeat(" ", maxTexts) + `"a"}`:         "more than 67108864",
	} {
		var file bytes.Buffer
		if err := npy.WriteZip(&file, npy.Deflate, npy.Member{Name: Name, Raw: []byte(head + text)}); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v, want %q", text, err, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(4*min(len(text), 8<<20))+1<<20 {
			t.Errorf("%.30s: %d bytes allocated for a text of %d", text, used, len(text))
		}
	}
	members := []npy.Member{{Name: Name, Raw: []byte(head + `"classes":[]}`)}}
	for i := range 3 {
		members = append(members, npy.Member{Name: fmt.Sprintf("learned/%d/model.json", i), Raw: bytes.Repeat([]byte(" "), maxTexts/3+1)})
	}
	var file bytes.Buffer
	if err := npy.WriteZip(&file, npy.Deflate, members...); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len())); err == nil || !strings.Contains(err.Error(), "learned/: the models of the classes have 67108866 bytes of model.json together, more than 67108864; learn fewer classes") {
		t.Error(err)
	}
}
