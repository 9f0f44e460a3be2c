package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/pose"
)

// parts is a model file in pieces, so that tests can spoil one.
type parts struct {
	header map[string]any
	text   string // replaces header
	arrays map[string]*npy.Array
	raw    map[string]string
}

func valid() *parts {
	return &parts{
		header: map[string]any{"rule": "max", "height": 2, "width": 3},
		arrays: map[string]*npy.Array{"experts": npy.New(make([]float64, 12), 2, 2, 3)},
		raw:    map[string]string{},
	}
}

func (p *parts) bytes(t testing.TB, method npy.Method) []byte {
	t.Helper()
	if p.header != nil {
		text, err := json.Marshal(p.header)
		if err != nil {
			t.Fatal(err)
		}
		p.raw[jsonName] = string(text)
	}
	if p.text != "" {
		p.raw[jsonName] = p.text
	}
	var members []npy.Member
	for name, text := range p.raw {
		members = append(members, npy.Member{Name: name, Raw: []byte(text)})
	}
	for name, a := range p.arrays {
		members = append(members, npy.Member{Name: name, Array: a})
	}
	var buf bytes.Buffer
	if err := npy.WriteZip(&buf, method, members...); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func set(name string, value any) func(*parts) {
	return func(p *parts) { p.header[name] = value }
}

func array(name string, a *npy.Array) func(*parts) {
	return func(p *parts) { p.arrays[name] = a }
}

func all(edits ...func(*parts)) func(*parts) {
	return func(p *parts) {
		for _, edit := range edits {
			edit(p)
		}
	}
}

func numbers(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

var (
	zeros12 = npy.New(make([]int64, 12), 2, 2, 3)
	counts  = all(array("on", zeros12), array("seen", zeros12))
	mean6   = array("geometry_mean", npy.New(make([]float64, 6), 6))
	place   = all(mean6, array("geometry_cov", npy.New(diagonal(6), 6, 6)))
)

// TestRefusals spoils one thing at a time; the message must say where and what.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*parts)
		want  string // parts of the message, in order, separated by |
	}{
		{"no header", func(p *parts) { p.header = nil }, `model.json: not in the file|"height":H`},
		{"no experts", func(p *parts) { delete(p.arrays, "experts") }, "experts.npy: not in the file|templates of shape"},
		{"no JSON", func(p *parts) { p.text = "rule=max" }, "model.json: not a JSON object"},
		{"JSON list", func(p *parts) { p.text = "[1,2]" }, "model.json: not a JSON object"},
		{"JSON and more", func(p *parts) { p.text = `{"rule":"max"} {}` }, "model.json: not a JSON object"},
		{"NaN in JSON", func(p *parts) { p.text = `{"rule":"max","height":2,"width":3,"q":NaN}` },
			"model.json: not a JSON object"},
		{"two headers", array(jsonName, npy.New([]string{"{}"})), "model.json|keep one"},
		{"header of numbers", func(p *parts) { p.header = nil; p.arrays[jsonName] = npy.New([]float64{1}) },
			"model.json.npy: not a single text|json.dumps"},
		{"other format", set("format", "pickle"), `field format|"pickle"|patchwork learn`},
		{"newer", all(set("version", 2), set("wings", 4)),
			"field version: the file has version 2|reads version 1; use a newer patchwork"},
		{"version 0", set("version", 0), "there is no version 0"},
		{"version text", set("version", "one"), "field version: is text, want a whole number"},
		{"no rule", func(p *parts) { delete(p.header, "rule") }, `field rule: is ""|"max-minus-min"`},
		{"other rule", set("rule", "least"), `field rule: is "least"`},
		{"other case", set("Rule", "max"), `"Rule" at byte|is called "rule"`},
		{"unknown field", set("tilt", 3), `unknown field "tilt"|x-`},
		{"stretch text", set("stretch", "1.33"), "field stretch: is text, want a list"},
		{"stretch of nothing", set("stretch", []any{nil}), "a stretch is one factor or two"},
		{"stretch by 0", set("stretch", []float64{1, 0}), "a stretch is one factor or two"},
		{"stretch three ways", set("stretch", []any{[]float64{1, 2, 3}}),
			"a stretch is one factor or two"},
		{"stretch across by 0", set("stretch", []any{[]float64{2, 0}}), "a stretch is one factor or two"},
		{"long stretch", set("stretch", []float64{1, 9}), "model.json|stretch 1 is by 9, not by a factor from 0.125 to 8"},
		{"stretch twice", set("stretch", []any{1, 2, []float64{2, 1}}), "model.json|stretch 2 x 1 is listed twice"},
		{"no size", func(p *parts) { delete(p.header, "height") }, "height, width: a frame of 0 x 3"},
		{"negative size", set("height", -2), "a frame of -2 x 3"},
		{"huge size", all(set("height", int64(1<<40)), set("width", int64(1<<40))),
			"a frame of 1099511627776 x 1099511627776"},
		{"size text", set("height", "28"), "field height: is text, want a whole number"},
		{"size part", set("height", 2.5), "field height: is 2.5, want a whole number"},
		{"q", set("q", 1.5), "model.json|q = 1.5 is not a probability"},
		{"truncate", all(set("rule", "max-minus-min"), set("truncate", true)),
			"model.json|truncated templates belong to the max rule"},
		{"outside", set("outside", "lava"), `field outside: is "lava"|"unknown"`},
		{"prior", set("prior", map[string]any{"on": -1, "off": 1}), "model.json|Beta(-1, 1) is not a prior"},
		{"half a prior", set("prior", map[string]any{"on": 1}), "field prior: on or off is missing"},
		{"prior list", set("prior", []int{1, 1}), "field prior: is a list, want an object"},
		{"reuse", set("reuse", 0), "field reuse"},
		{"shift", set("shift", -1), "field shift: is -1"},
		{"long shift", set("shift", 1<<30), "field shift|1048576 pixels"},
		{"longest shift", set("shift", int64(math.MinInt64)), "field shift"},
		{"shift step", all(set("shift", 3), set("shift_step", 0)), "field shift_step: is 0"},
		{"two kinds of shift", all(set("shift", 3), set("shift_x", []int{-1, 1})), "field shift: cannot be combined"},
		{"range of one", set("shift_y", []int{4}), "field shift_y: has 1 numbers; give [min, max]"},
		{"empty range", set("shift_y", []int{2, 1, 1}), "model.json|dy range 2..1"},
		{"range step", set("shift_x", []int{1, 2, 0}), "field shift_x|step of 0"},
		{"rotation twice", set("rotations", []int{5, 5}), "model.json|5 degrees is listed twice"},
		{"many poses", all(set("shift_y", []int{0, 1 << 20}), set("shift_x", []int{0, 1 << 20})),
			"field shift: 2 parts in 1099513724929 poses|shorter ranges"},
		{"many rotations", manyRotations, "experts.npy: 2 parts of 1000 x 1000 pixels in 40 rotations|fewer rotations"},
		{"flat experts", array("experts", npy.New(make([]float64, 12), 2, 6)),
			"experts.npy: has shape [2 6]; model.json says (K, 2, 3)|reshape"},
		{"turned experts", array("experts", npy.New(make([]float64, 12), 2, 3, 2)), "experts.npy: has shape [2 3 2]"},
		{"zero experts", array("experts", npy.New([]float64{}, 0, 2, 3)), "experts.npy: has shape [0 2 3]|K at least 1"},
		{"text experts", array("experts", npy.New([]string{"a", "b", "c", "d", "e", "f"}, 1, 2, 3)),
			"experts.npy: holds text"},
		{"NaN expert", array("experts", npy.New(numbers(6, math.NaN()), 1, 2, 3)),
			"experts.npy|part 1, row 1, column 1 is NaN"},
		{"expert of 2", array("experts", npy.New([]float64{0, 0, 0, 0, 0, 2}, 1, 2, 3)),
			"experts.npy|part 1, row 2, column 3 is 2"},
		{"unknown array", array("usages", npy.New([]float64{1, 1}, 2)), "usages.npy: unknown to version 1|x-"},
		{"on alone", array("on", zeros12), "on.npy, seen.npy: one is there without the other"},
		{"lost alone", all(array("lost_on", zeros12), array("lost_seen", zeros12)), "on.npy, seen.npy: not in the file"},
		{"rows alone", set("rows", 4), "on.npy, seen.npy: not in the file"},
		{"float counts", all(counts, array("on", npy.New(make([]float64, 12), 2, 2, 3))),
			"on.npy: holds floating-point numbers"},
		{"short counts", all(counts, array("seen", npy.New(make([]int64, 6), 1, 2, 3))),
			"seen.npy: has shape [1 2 3]; this model needs [2 2 3]"},
		{"more on than seen", all(counts, array("on", npy.New([]int64{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 2, 2, 3))),
			"on.npy, seen.npy|pixel won number 8 was on 1 times of 0"},
		{"huge counts", all(counts, array("seen", npy.New([]int64{0, 0, math.MaxInt64, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 2, 2, 3))),
			"seen.npy: count number 3|2^53"},
		{"huge rows", all(counts, set("rows", int64(math.MaxInt64))), "field rows|2^53"},
		{"negative rows", all(counts, set("rows", -1)), "on.npy, seen.npy|counts of -1 images"},
		{"q shape", array("q", npy.New(make([]float64, 6), 6)), "q.npy: has shape [6]; this model needs [2 3]"},
		{"q map", array("q", npy.New(numbers(6, 7), 2, 3)), "model.json|abstention value of row 1, column 1 is 7"},
		{"q of a scene", all(set("scene", true), array("q", npy.New(make([]float64, 6), 2, 3))), "model.json|not scenes"},
		{"usage shape", array("usage", npy.New(make([]float64, 3), 3)), "usage.npy: has shape [3]"},
		{"means shape", array("means", npy.New(make([]float64, 3), 3)), "means.npy: has shape [3]"},
		{"usage", array("usage", npy.New([]float64{0, math.Inf(1)}, 2)), "usage.npy|usage of part 2 is +Inf"},
		{"mean alone", mean6, "geometry_mean.npy, geometry_cov.npy: one is there"},
		{"presence alone", set("presence", []any{}), "field presence: needs geometry_mean.npy"},
		{"covariance", all(mean6, array("geometry_cov", npy.New(numbers(36, -1), 6, 6))),
			"geometry_mean.npy, geometry_cov.npy|variance of coordinate 0 is -1"},
		{"covariance of infinities", all(mean6, array("geometry_cov", npy.New(numbers(36, math.Inf(1)), 6, 6))),
			"geometry_cov.npy|+Inf"},
		{"presence beyond", all(place, set("presence", []any{map[string]any{"experts": []int{2}, "count": 1}})),
			"field presence: set 1: part 3"},
		{"presence order", all(place, set("presence", []any{map[string]any{"experts": []int{1, 0}, "count": 1}})),
			"field presence: set 1: part 1"},
		{"presence twice", all(place,
			set("presence", []any{map[string]any{"experts": []int{1}, "count": 1},
				map[string]any{"experts": []int{1}, "count": 1}})), "field presence: set 2 does not come after"},
		{"presence never", all(place, set("presence", []any{map[string]any{"experts": []int{1}}})),
			"field presence: set 1 was seen 0 times"},
		{"columns", set("columns", []string{"a", "b"}), "field columns: has 2 names for 6; name every column, or none"},
		{"columns text", set("columns", "a,b"), "field columns: is text, want a list"},
		{"column number", set("columns", []any{"a", 1}), "field columns: is number, want text"},
		{"names", set("names", []string{"bog"}), `field names: has 1 names for 2; name every part, "" for one`},
		{"long name", set("names", []string{"", strings.Repeat("x", maxName+1)}),
			"field names: name 2 has 4097 bytes, more than 4096; shorten it"},
		{"reading", set("reading", []string{"meta"}), `field reading: is ["meta"], want an object`},
		{"reading text", set("reading", "meta"), `field reading: is "meta", want an object`},
		{"record", set("record", "good"), "field record: is text, want"},
	} {
		p := valid()
		c.spoil(p)
		_, err := read(p.bytes(t, npy.Store))
		checkMessage(t, c.name, err, c.want)
	}
}

func manyRotations(p *parts) {
	angles := make([]int, 40)
	for i := range angles {
		angles[i] = i
	}
	p.header["rotations"], p.header["height"], p.header["width"] = angles, 1000, 1000
	p.arrays["experts"] = npy.New(make([]float64, 2e6), 2, 1000, 1000)
}

// checkMessage checks that err is a FormatError of one line that contains the
// pieces in order.
func checkMessage(t *testing.T, name string, err error, want string) {
	t.Helper()
	var fe *FormatError
	if !errors.As(err, &fe) || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("%s: %v is no FormatError of one line", name, err)
		return
	}
	rest := err.Error()
	for piece := range strings.SplitSeq(want, "|") {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			t.Errorf("%s: %q lacks %q", name, err, piece)
			return
		}
		rest = after
	}
}

// TestAccepted covers input that users bring and that the rules allow.
func TestAccepted(t *testing.T) {
	for name, edit := range map[string]func(*parts){
		"least": func(*parts) {},
		"private names": all(set("x-note", []any{"mine"}), array("x-y", npy.New([]int32{1}, 1)),
			func(p *parts) { p.raw["README.txt"] = "hello" }),
		"float32":         array("experts", npy.New(make([]float32, 12), 2, 2, 3)),
		"integers":        array("experts", npy.New(make([]uint8, 12), 2, 2, 3)),
		"trivial stretch": set("stretch", []float64{1}),
		"null is left out": all(set("q", nil), set("rotations", nil), set("columns", nil), set("names", nil),
			set("reading", nil)),
		"empty lists": all(set("columns", []string{}), set("names", []string{}),
			set("reading", map[string]string{})),
		"numpy.savez": func(p *parts) {
			text, _ := json.Marshal(p.header)
			p.header, p.arrays[jsonName] = nil, npy.New([]string{string(text)})
		},
	} {
		p := valid()
		edit(p)
		for _, method := range []npy.Method{npy.Store, npy.Deflate} {
			m, err := read(p.bytes(t, method))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			want := model(t, patchwork.Config{Height: 2, Width: 3}, make([]float64, 6), make([]float64, 6))
			if diff := same(want, m); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// TestDefaults covers omitted fields, and a shift that is not a multiple of its
// step.
func TestDefaults(t *testing.T) {
	p := valid()
	p.header["rule"], p.header["shift"], p.header["shift_step"] = "max-minus-min", 5, 2
	m, err := read(p.bytes(t, npy.Store))
	if err != nil {
		t.Fatal(err)
	}
	grid := pose.Grid{DY: pose.Symmetric(5, 2), DX: pose.Symmetric(5, 2)}
	want := model(t, patchwork.Config{Rule: patchwork.RuleMaxMinusMin, Height: 2, Width: 3, Q: 0.5, Poses: grid},
		make([]float64, 6), make([]float64, 6))
	if diff := same(want, m); diff != "" {
		t.Error(diff)
	}
}

// TestTruncatedFileIsRefused: no strict prefix of a file is a model.
func TestTruncatedFileIsRefused(t *testing.T) {
	b := encode(t, everything(t))
	for n := range b {
		_, err := read(b[:n])
		var fe *FormatError
		if !errors.As(err, &fe) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(b), err)
		}
	}
}

// TestFlippedBits: damage inside a member is always detected. (Damage to the
// directory of the zip may make an optional part disappear, but never changes
// one.)
func TestFlippedBits(t *testing.T) {
	want, b := everything(t), encode(t, everything(t))
	directory := bytes.Index(b, []byte("PK\x01\x02"))
	for i := range b {
		b[i] ^= 1 << (i % 8)
		m, err := read(b)
		b[i] ^= 1 << (i % 8)
		var fe *FormatError
		if err != nil && !errors.As(err, &fe) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if err == nil && i < directory && same(want, m) != "" {
			t.Fatalf("byte %d: another model: %s", i, same(want, m))
		}
	}
}

// TestHugeClaimsCostNoMemory: files of a few kilobytes that claim huge contents must not get the
// memory.
func TestHugeClaimsCostNoMemory(t *testing.T) {
	long := valid()
	long.text = `{"rule":"max",` + strings.Repeat(" ", maxJSON) + `"height":2,"width":3}`
	wide := valid()
	wide.header["height"], wide.header["width"] = 1<<13, 1<<12
	wide.arrays["experts"] = npy.New(make([]bool, 3<<25), 3, 1<<13, 1<<12)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"long header": {long.bytes(t, npy.Deflate), "model.json: larger than the limit of 4194304 bytes"},
		"experts":     {wide.bytes(t, npy.Deflate), "experts.npy: 3 parts of 8192 x 4096"},
	} {
		if len(c.file) > 1<<20 {
			t.Fatalf("%s: %d bytes are no bomb", name, len(c.file))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(c.file)
		runtime.ReadMemStats(&after)
		checkMessage(t, name, err, c.want)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d", name, used, len(c.file))
		}
	}
}

// TestLoadNamesTheFile: errors name the file, and distinguish bad content from
// disk errors.
func TestLoadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.npz")
	if err := os.WriteFile(path, []byte("hello, no zip"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	checkMessage(t, "no zip", err, path+": not a readable zip")
	_, err = Load(dir)
	checkMessage(t, "folder", err, dir+": not a regular file")
	_, err = Load(filepath.Join(dir, "none.npz"))
	var fe *FormatError
	if !errors.Is(err, os.ErrNotExist) || errors.As(err, &fe) {
		t.Errorf("missing file: %v", err)
	}
	p := valid()
	p.header["height"] = 1
	if err := os.WriteFile(path, p.bytes(t, npy.Store), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Load(path)
	checkMessage(t, "shape", err, path+": experts.npy: has shape")
}

// TestWriteRefuses: Write refuses what Read would refuse.
func TestWriteRefuses(t *testing.T) {
	small := patchwork.Config{Height: 1, Width: 2}
	many := small
	many.Poses.DX, many.Poses.DY = pose.Symmetric(1<<14, 1), pose.Symmetric(1<<14, 1)
	record := func(r patchwork.Record) *patchwork.Model {
		return with(t, least(t), patchwork.Extras{Record: r})
	}
	tally, err := patchwork.TallyOf(least(t), patchwork.Counts{On: []int64{0, 0}, Seen: []int64{0, maxCount + 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	normal, err := gauss.New(make([]float64, 3), diagonal(3))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    *patchwork.Model
		want string
	}{
		"many":  {model(t, many, []float64{0, 0}), "field shift: 1 parts in"},
		"NaN":   {record(patchwork.Record{LogLik: math.NaN()}), "field record|NaN"},
		"+Inf":  {record(patchwork.Record{Starts: []patchwork.Start{{Score: math.Inf(1)}}}), "field record|+Inf"},
		"-Inf":  {record(patchwork.Record{DescriptionLength: math.Inf(-1)}), "field record|+Inf"},
		"curve": {record(patchwork.Record{Curve: []patchwork.CurvePoint{{LogLik: math.NaN()}}}), "field record|NaN"},
		"stage": {record(patchwork.Record{Curve: []patchwork.CurvePoint{{Stage: "\xff"}}}),
			`field record|"\xff" is not UTF-8`},
		"no UTF-8": {record(patchwork.Record{Method: "\xff"}), `field record|"\xff" is not UTF-8`},
		"counts":   {with(t, least(t), patchwork.Extras{Counts: tally}), "seen.npy: count number 2"},
		"presence": {with(t, least(t), patchwork.Extras{Geometry: &patchwork.Geometry{Normal: normal,
			Presence: gauss.Presence{{Mask: 2, N: 1}}}}), "field presence: set 1 holds a part beyond"},
	} {
		var buf bytes.Buffer
		checkMessage(t, name, Write(&buf, c.m), c.want)
		if buf.Len() > 0 {
			t.Errorf("%s: %d bytes were written", name, buf.Len())
		}
	}
}

// TestWriteReportsTheDisk: an error of the writer is passed on.
func TestWriteReportsTheDisk(t *testing.T) {
	full := errors.New("disk full")
	if err := Write(failing{full}, everything(t)); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
