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
	"null for parts of a curve":    {`"record":{"curve":[` + many(1<<20, always("null")) + `]}`, "field record: null is in a list; leave it out"},
	"null for starts":              {`"record":{"starts":[{"seed":1},null]}`, "field record: null is in a list"},
	"null for sets":                {`"presence":[null]`, "field presence: null is in a list"},
	"null for names":               {`"names":["a",null]`, "field names: null is in a list"},
	"null for columns":             {`"columns":[ null ]`, "field columns: null is in a list"},
	"null for an angle":            {`"rotations":[1,null]`, "field rotations: null is in a list"},
	"null in an unknown field":     {`"wings":[[null]]`, "field wings: null is in a list"},
	"null in a reading":            {`"reading":{"categories":[` + many(maxObjects+1, always("null")) + `]}`, "field reading: more than 262144 objects; leave some out"},
	"null of users":                {`"x-a":[` + many(maxObjects+1, always("null")) + `]`, "field x-a: more than 262144 objects"},
	"escaped name of a reading":    {`"\u0072eading":{"meta":[null]}`, "null is in a list"},
	"empty parts of a curve":       {`"record":{"curve":[` + many(maxObjects+1, always("{}")) + `]}`, "field record: more than 262144 objects"},
	"numbers for parts of a curve": {`"record":{"curve":[` + many(1<<20, always("1")) + `]}`, "record: |1 in a list at byte|is no object"},
	"texts for starts":             {`"record":{"starts":[` + many(1<<20, always(`""`)) + `]}`, "record|in a list|"},
	"numbers for sets":             {`"presence":[` + many(1<<20, always("1")) + `]`, "presence: |1 in a list at byte 1 is no object"},
	"lists":                        {`"stretch":[` + many(maxObjects+1, always("[]")) + `]`, "field stretch: more than 262144 lists"},
	"angles":                       {`"rotations":[` + many(maxValues+1, always("0")) + `]`, "field rotations: more than 2097152 values"},
	"empty columns":                {`"columns":[` + many(1<<20, always(`""`)) + `]`, "field columns: has 1048576 names for 6; name every column, or none"},
	"texts of a reading":           {`"reading":{"meta":[` + many(maxValues/2+2, always(`""`)) + `]}`, "field reading: more than 1048576 values, with other fields like it; keep them in a file of their own"},
	"unknown fields":               {many(maxFields+1, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) }), "an object has more than 1024 fields; leave some out"},
	"fields of users":              {many(maxFields+1, func(i int) string { return fmt.Sprintf(`"x-%d":0`, i) }), "an object has more than 1024 fields"},
	"unknown fields of a record":   {`"record":{` + many(maxFields+1, func(i int) string { return fmt.Sprintf(`"x-%d":0`, i) }) + `}`, "field record: an object has more than 1024 fields"},
	"fields in one of users":       {`"x-a":{` + many(maxObjects+1, func(i int) string { return fmt.Sprintf(`"%d":0`, i) }) + `}`, "field x-a: an object has more than 262144 fields"},
	"a long number":                {`"junk":` + strings.Repeat("1", 65), "field junk: a number has more than 64 bytes; round it"},
	"a long number of users":       {`"x-a":[-` + strings.Repeat("1", 1<<20) + `]`, "field x-a: a number has more than 64 bytes"},
	"a long text":                  {`"columns":["` + strings.Repeat(`\u0001`, maxName+1) + `"]`, "field columns: a text has more than 24576 bytes; shorten it"},
	"a long name":                  {`"` + strings.Repeat("a", 1<<20) + `":1`, "a text has more than 24576 bytes"},
	"a long text of users":         {`"x-a":"` + strings.Repeat("a", maxOwn) + `"`, "field x-a: more than 17825792 bytes, with other fields like it"},
	"blanks":                       {`"shift":` + strings.Repeat(" ", maxBlanks+1) + `0`, "more than 16777216 blanks"},
	"nested lists":                 {`"x-a":` + strings.Repeat("[", 65) + strings.Repeat("]", 65), "field x-a: lists and objects are in each other more than 64 deep"},
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
		// The text itself, as it grows, and what unpacks it; most texts are left long before their end.
		if most := 4*min(len(p.text), 18<<20) + 1<<20; used > uint64(most) {
			t.Errorf("%s: %d bytes allocated for a text of %d", name, used, len(p.text))
		}
		if name == "a long text of users" || name == "blanks" || strings.Contains(c.want, "|") {
			continue // the same bounds, which take long; and lists that these models do not have
		}
		p.arrays = map[string]*npy.Array{}
		for _, name := range realNeeds.arrays {
			p.arrays[name] = npy.New([]float64{1}, 1, 1)
		}
		file = p.bytes(t, npy.Deflate)
		_, err = ReadReal(bytes.NewReader(file), int64(len(file)))
		checkMessage(t, name+", real values", err, c.want)
	}
}

// TestMostOfEachKind: what a text may hold at most takes little to decode.
func TestMostOfEachKind(t *testing.T) {
	for name, fields := range map[string]string{
		"points":         `"record":{"curve":[` + many(maxObjects-8, always("{}")) + `]}`,
		"unknown fields": `"record":{"curve":[` + many(1000, always("{"+many(1000, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) })+"}")) + `]}`,
		"users":          `"x-a":{` + many(maxObjects-8, func(i int) string { return fmt.Sprintf(`"%d":0`, i) }) + `}`,
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
	wide := valid()
	columns := 250_000
	wide.header["height"], wide.header["width"] = 1, columns
	wide.header["columns"] = slices.Repeat([]string{strings.Repeat("c", 246)}, columns)
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
	deep.header["record"] = newRecord(r)
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

// TestCommitteeTexts: the texts of a committee are bounded as one.
func TestCommitteeTexts(t *testing.T) {
	inner := valid()
	inner.text = `{"rule":"max","height":2,"width":3,"x-a":[` + many(1<<20-9, always("1")) + `]}`
	outer := valid()
	for i := range 3 {
		outer.raw[committeeName(i)] = string(inner.bytes(t, npy.Deflate))
	}
	_, err := read(outer.bytes(t, npy.Store))
	checkMessage(t, "three", err, "committee-3.npz: the models of the committee have more than 67108864 bytes or 2097152 values of model.json together; leave out their columns")
	delete(outer.raw, committeeName(2))
	if _, err := read(outer.bytes(t, npy.Store)); err != nil {
		t.Error(err)
	}
}
