package modelfile

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork/internal/npy"
)

// Texts that would take much more memory than their bytes are refused before they are decoded.
func TestClassTextsAreJudgedFirst(t *testing.T) {
	const head = `{"format":"patchwork-model","version":1,"kind":"classes","height":1,"width":2,"sharpness":1,`
	for text, want := range map[string]string{
		`"classes":[` + strings.Repeat("null,", 1<<19) + `null]}`:             "null in a list, before byte 107",
		`"classes":[` + strings.Repeat("1,", 1<<20) + `1]}`:                   "1 in a list, before byte 104",
		`"classes":[{"examples":[` + strings.Repeat("{},", 1<<18) + `{}]}]}`:  "more than 262144 lists and objects",
		`"classes":[{"name":"a","rows":1,"examples":[{"row":1,"wings":2}]}]}`: `unknown field "wings"`,
		`"classes":[],"by":` + strings.Repeat(" ", 4<<20) + `"a"}`:            "the limit of 4194304",
	} {
		var file bytes.Buffer
		if err := npy.WriteZip(&file, npy.Deflate, npy.Member{Name: jsonName, Raw: []byte(head + text)}); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadClasses(bytes.NewReader(file.Bytes()), int64(file.Len()))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v, want %q", text, err, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 24<<20 {
			t.Errorf("%.30s: %d bytes allocated for a text of %d", text, used, len(text))
		}
	}
	members := []npy.Member{{Name: jsonName, Raw: []byte(head + `"classes":[]}`)}}
	for i := range 3 {
		members = append(members, npy.Member{Name: fmt.Sprintf("learned/%d/model.json", i),
			Raw: bytes.Repeat([]byte(" "), maxTexts/3+1)})
	}
	var file bytes.Buffer
	if err := npy.WriteZip(&file, npy.Deflate, members...); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadClasses(bytes.NewReader(file.Bytes()), int64(file.Len())); err == nil ||
		!strings.Contains(err.Error(),
			"learned/: the models of the classes have 16777218 bytes of model.json together, more than 16777216; learn "+
				"fewer classes") {
		t.Error(err)
	}
}

// What a packed file unpacks to is bounded, all classes together, before it is read; a file that is not packed, as
// those that are written, may be as long as it is.
func TestClassArraysAreBoundedTogether(t *testing.T) {
	const head = `{"format":"patchwork-model","version":1,"kind":"classes","height":1024,"width":1024,"sharpness":1,`
	million := make([]float64, 1<<20) // a class has 8 MiB of them
	learned := []npy.Member{
		{Name: jsonName, Raw: []byte(head + `"classes":[` + strings.Repeat(`{"name":"a","rows":1},`, 8) +
			`{"name":"b","rows":1}]}`)}}
	for i := range 9 {
		model := []byte(`{"rule":"max","height":1024,"width":1024}`)
		learned = append(learned, npy.Member{Name: fmt.Sprintf("learned/%d/model.json", i), Raw: model},
			npy.Member{Name: fmt.Sprintf("learned/%d/experts", i), Array: npy.New(million, 1, 1024, 1024)})
	}
	for name, c := range map[string]struct {
		members []npy.Member
		method  npy.Method
		want    string
	}{
		"learned": {learned, npy.Deflate, "learned/: the models of the classes have 75"},
		"stored":  {learned, npy.Store, ""},
		"pieces": {[]npy.Member{
			{Name: jsonName, Raw: []byte(head + `"classes":[{"name":"a","rows":9,"examples":[` +
				strings.Repeat(`{"row":1,"cuts":1},`, 8) + `{"row":2,"cuts":1}]}]}`)},
			{Name: "pieces", Array: npy.New(make([]uint8, 9<<20), 9, 1024, 1024)}}, npy.Deflate,
			"pieces.npy: 9 cuts of 1024 x 1024 pixels, more than 4194304; do not compress the file"},
	} {
		var file bytes.Buffer
		if err := npy.WriteZip(&file, c.method, c.members...); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadClasses(bytes.NewReader(file.Bytes()), int64(file.Len()))
		runtime.ReadMemStats(&after)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 && c.method == npy.Deflate {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}

// Rotations of the models of all classes are bounded as those of one model are.
func TestTurnsAreBoundedTogether(t *testing.T) {
	angles := ""
	for i := range 600 {
		angles += fmt.Sprintf("%g,", float64(i)/2)
	}
	model := []byte(`{"rule":"max","height":40,"width":40,"rotations":[` + strings.TrimSuffix(angles, ",") + `]}`)
	members := []npy.Member{
		{Name: jsonName, Raw: []byte(
			`{"format":"patchwork-model","version":1,"kind":"classes","height":40,"width":40,"sharpness":1,"classes":[{"name":"a","rows":1},{"name":"b","rows":1},{"name":"c","rows":1}]}`)}}
	for i := range 3 {
		members = append(members, npy.Member{Name: fmt.Sprintf("learned/%d/model.json", i), Raw: model},
			npy.Member{Name: fmt.Sprintf("learned/%d/experts", i), Array: npy.New(make([]float64, 30*1600), 30, 40, 40)})
	}
	var file bytes.Buffer
	if err := npy.WriteZip(&file, npy.Store, members...); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadClasses(bytes.NewReader(file.Bytes()), int64(file.Len())); err == nil ||
		!strings.Contains(err.Error(), "learned/: the parts of all classes in all rotations have more than 67108864 values") {
		t.Error(err)
	}
}

// So are rotations of the cuts of examples, which a file of two kilobytes could have 720 of, of a million pixels.
func TestTurnsOfCutsAreBounded(t *testing.T) {
	const head = `{"format":"patchwork-model","version":1,"kind":"classes","height":300,"width":300,"sharpness":1,"classes":[{"name":"a","rows":1,"examples":[{"row":0,"cuts":1}]}],"poses":{"dy":[0,0,1],"dx":[0,0,1],"angles":[0`
	var angles strings.Builder
	for i := range 300 {
		fmt.Fprintf(&angles, ",%d", i+1)
	}
	var file bytes.Buffer
	if err := npy.WriteZip(&file, npy.Deflate, npy.Member{Name: jsonName, Raw: []byte(head + angles.String() + "]}}")},
		npy.Member{Name: "pieces", Array: npy.New(make([]uint8, 90000), 1, 300, 300)}); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadClasses(bytes.NewReader(file.Bytes()), int64(file.Len())); err == nil ||
		!strings.Contains(err.Error(), "pieces.npy: cuts of 90000 pixels in 301 rotations, more than 16777216 values") {
		t.Error(err)
	}
}
