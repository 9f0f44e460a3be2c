package modelfile

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
)

// many returns n texts, separated by commas.
func many(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text(i))
	}
	return b.String()
}

// always returns a text for any number.
func always(text string) func(int) string { return func(int) string { return text } }

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostile are texts of each kind that would cost much more to decode than their bytes, and what is said of them.
var hostile = map[string]struct{ fields, want string }{
	"null for parts of a curve": {`"record":{"curve":[` + many(1<<19, always("null")) + `]}`, "null in a list"},
	"null for columns":          {`"columns":[ null ]`, "null in a list, before byte|is not a valid value there"},
	"escaped name":              {`"\u0063olumns":[null]`, "null in a list"},
	"empty parts of a curve": {`"record":{"curve":[` + many(1<<18+1, always("{}")) + `]}`,
		"more than 262144 lists and objects"},
	"numbers for parts of a curve": {`"record":{"curve":[` + many(1<<20, always("1")) + `]}`, "1 in a list, before byte"},
	"empty columns":                {`"columns":[` + many(1<<20, always(`""`)) + `]`, "1048576"},
	"objects of users":             {`"x-a":[` + many(1<<18+1, always("[]")) + `]`, "more than 262144 lists and objects"},
	"a long number": {`"record":{"seed":` + strings.Repeat("1", 65) + "}",
		"has more than 64 bytes; round it"},
	"a long number of users": {`"x-a":[-` + strings.Repeat("1", 1<<20) + `]`, "has more than 64 bytes"},
	"blanks": {`"columns":` + strings.Repeat(" ", maxJSON) + `[]`,
		"model.json: larger than the limit of 4194304 bytes"},
	"nested lists": {`"x-a":` + strings.Repeat("[", 65) + strings.Repeat("]", 65), "or 64 in each other"},
}

// TestTextsAreJudgedFirst: texts of a few bytes that would take much memory are refused before
// anything of them is decoded.
func TestTextsAreJudgedFirst(t *testing.T) {
	for name, c := range hostile {
		p := valid()
		p.text = `{"rule":"max","height":2,"width":3,` + c.fields + `}`
		file := p.bytes(t, npy.Deflate)
		var err error
		used := allocated(func() { _, err = read(file) })
		checkMessage(t, name, err, c.want)
		if used > 128<<20 {
			t.Errorf("%s: %d bytes allocated for a text of %d", name, used, len(p.text))
		}
		p.text = `{"rule":"pool","height":1,"width":1,` + c.fields + `}`
		p.arrays = map[string]*npy.Array{}
		for _, name := range realNeeds.arrays {
			p.arrays[name] = npy.New([]float64{1}, 1, 1)
		}
		file = p.bytes(t, npy.Deflate)
		_, err = ReadReal(bytes.NewReader(file), int64(len(file)))
		checkMessage(t, name+", real values", err, "")
	}
}

// TestMostOfEachKind: what a text may hold at most takes little to decode.
func TestMostOfEachKind(t *testing.T) {
	for name, fields := range map[string]string{
		"points": `"record":{"curve":[` + many(1<<18-8, always("{}")) + `]}`,
		"users":  `"x-a":{` + many(1<<18, func(i int) string { return fmt.Sprintf(`"%d":0`, i) }) + `}`,
	} {
		p := valid()
		p.text = `{"rule":"max","height":2,"width":3,` + fields + `}`
		file := p.bytes(t, npy.Deflate)
		var err error
		used := allocated(func() { _, err = read(file) })
		if err != nil || used > 300<<20 {
			t.Errorf("%s: %d bytes allocated, %v", name, used, err)
		}
	}
}

// TestLargeHonestModels: models as large as anyone has are written and read.
func TestLargeHonestModels(t *testing.T) {
	testenv.Slow(t)
	wide := valid()
	columns := 250_000
	wide.header["height"], wide.header["width"] = 1, columns
	wide.header["columns"] = slices.Repeat([]string{strings.Repeat("c", 12)}, columns)
	wide.arrays["experts"] = npy.New(make([]uint8, columns), 1, 1, columns)
	deep := valid()
	deep.arrays["experts"] = npy.New(make([]uint8, 6*20_000), 20_000, 2, 3)
	names := make([]string, 20_000)
	for i := range names {
		names[i] = fmt.Sprintf("part %d", i)
	}
	deep.header["names"] = names
	var r patchwork.Record
	for i := range 500 {
		r.Curve = append(r.Curve, patchwork.CurvePoint{Experts: i, Stage: "grown", Rows: 10, LogLik: -1.5})
		r.Starts = append(r.Starts, patchwork.Start{Seed: uint64(i), Score: -2.5, Method: "online"})
	}
	deep.header["record"] = record(r)
	deep.header["rotations"] = []float64{-12, 0, 12}
	deep.header["x-mine"] = map[string]any{"a": []any{nil, 1, map[string]any{"b": nil}}}
	deep.header["reading"] = map[string]any{"later": []any{nil}, "meta": names}
	for name, p := range map[string]*parts{"columns": wide, "parts": deep} {
		m, err := read(p.bytes(t, npy.Deflate))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := read(encode(t, m))
		if err != nil || same(m, back) != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
