package studio

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/patchwork/internal/testenv"
)

var update = testenv.Update

// description is what of an OpenAPI document the page depends on.
type description struct {
	Paths      map[string]map[string]*operationText
	Components struct{ Schemas map[string]*schema }
}

type operationText struct {
	OperationID string
	Parameters  []struct {
		In, Name string
		Required bool
		Schema   *schema
	}
	RequestBody struct{ Content content }
	Responses   map[string]struct{ Content content }
}

type content map[string]struct{ Schema *schema }

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any    // text, or a list of them
	Properties           map[string]*schema
	Required             []string
	Items                *schema
	AdditionalProperties any
	Enum                 []any
	AnyOf, OneOf         []*schema
}

func (s *schema) types() []string {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, t := range t {
			all = append(all, t.(string))
		}
		return all
	}
	return nil
}

// values returns the schema of an object's unnamed fields, nil if it has none.
func (s *schema) values() *schema {
	if _, ok := s.AdditionalProperties.(map[string]any); !ok {
		return nil
	}
	text, err := json.Marshal(s.AdditionalProperties)
	if err != nil {
		panic(err)
	}
	v := new(schema)
	if err := json.Unmarshal(text, v); err != nil {
		panic(err)
	}
	return v
}

func parseDescription(t testing.TB, s *Server) *description {
	t.Helper()
	d := new(description)
	if err := json.Unmarshal(s.spec, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// answer returns what an operation answers: its media type, and the schema if
// that is JSON or events of JSON.
func (o *operationText) answer() (kind string, s *schema) {
	for status, r := range o.Responses {
		for kind, c := range r.Content {
			if strings.HasPrefix(status, "2") {
				return kind, c.Schema
			}
		}
	}
	return "", nil
}

// misfit says where a JSON value is not what a schema describes, "" if nowhere.
func (d *description) misfit(s *schema, v any, at string) string {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.misfit(d.Components.Schemas[name], v, at)
	}
	if any := append(slices.Clone(s.AnyOf), s.OneOf...); any != nil {
		var wrong []string
		for _, one := range any {
			w := d.misfit(one, v, at)
			if w == "" {
				return ""
			}
			wrong = append(wrong, w)
		}
		return strings.Join(wrong, "; and ")
	}
	if s.Type == nil {
		return "" // any value
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Sprintf("%s is %v, none of %v", at, v, s.Enum)
	}
	kind := "null"
	switch v := v.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case float64:
		kind = "number"
		if v == math.Trunc(v) && slices.Contains(s.types(), "integer") {
			kind = "integer"
		}
	case []any:
		kind = "array"
		for i, e := range v {
			if s.Items != nil {
				if w := d.misfit(s.Items, e, fmt.Sprintf("%s[%d]", at, i)); w != "" {
					return w
				}
			}
		}
	case map[string]any:
		kind = "object"
		if w := d.misfitFields(s, v, at); w != "" {
			return w
		}
	}
	if !slices.Contains(s.types(), kind) {
		return fmt.Sprintf("%s is of type %s, described as %v", at, kind, s.Type)
	}
	return ""
}

func (d *description) misfitFields(s *schema, v map[string]any, at string) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return at + "." + name + " is missing"
		}
	}
	for name, e := range v {
		p := s.Properties[name]
		if p == nil {
			p = s.values()
		}
		if p == nil {
			return at + "." + name + " is not described"
		}
		if w := d.misfit(p, e, at+"."+name); w != "" {
			return w
		}
	}
	return ""
}

// All servers have the same description but for their version.
var (
	once      sync.Once
	described *description
)

// wantDescribed compares an answer with the server's description of it.
func wantDescribed(t testing.TB, s *Server, pattern string, text []byte) {
	t.Helper()
	once.Do(func() { described = parseDescription(t, s) })
	d := described
	method, path, _ := strings.Cut(pattern, " ")
	op := d.Paths[path][strings.ToLower(method)]
	if op == nil {
		t.Errorf("%s is not described", pattern)
		return
	}
	_, answer := op.answer()
	if answer == nil {
		t.Errorf("%s answers with JSON, but no such answer is described", pattern)
		return
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if w := d.misfit(answer, v, "the answer"); w != "" {
		t.Errorf("%s is not as /openapi.json describes it: %s", pattern, w)
	}
}

// The page is compiled against the description: where a field or a path changes
// on one side only, this test or the compiler says so.
func TestPageTypes(t *testing.T) {
	const file = "web/src/schema.ts"
	want := parseDescription(t, newServer(t, nil)).typescript(pageSource(t, file))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	have, need := strings.Split(string(got), "\n"), strings.Split(want, "\n")
	for i := range need {
		if i >= len(have) || have[i] != need[i] {
			t.Fatalf("%s is not what the server describes, from line %d (%q): run go test ./studio -run PageTypes -update, "+
				"then npm run check in studio/web", file, i+1, need[i])
		}
	}
	t.Fatalf("%s is longer than what the server describes: run go test ./studio -run PageTypes -update", file)
}

// pageSource is the source of the page without the types written from it.
func pageSource(t *testing.T, types string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(types), "*.ts*"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		if file == filepath.FromSlash(types) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

var (
	word     = regexp.MustCompile(`\w+`)
	typeName = regexp.MustCompile(`\b[A-Z]\w+`)
	named    = regexp.MustCompile(`schema\.(\w+)`)
)

// typescript writes what of the description the page uses, as types: the
// operations that it names, what they take and answer, and the fields whose
// names are somewhere in it. An object of one field stands where it is taken or
// answered.
func (d *description) typescript(page string) string {
	used, texts := map[string]bool{}, map[string]string{}
	for _, w := range word.FindAllString(page, -1) {
		used[w] = true
	}
	var ops, requests strings.Builder
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if name := fmt.Sprintf("%q", strings.ToUpper(method)+" "+path); strings.Contains(page, name) {
				fmt.Fprintf(&ops, "  %s: { %s };\n", name, d.Paths[path][method].typescript(&requests, used))
			}
		}
	}
	todo := typeName.FindAllString(ops.String()+requests.String(), -1)
	for _, m := range named.FindAllStringSubmatch(page, -1) {
		todo = append(todo, m[1])
	}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if s := d.Components.Schemas[name]; s != nil && texts[name] == "" {
			texts[name] = declare(name, s.fields(used))
			todo = append(todo, typeName.FindAllString(texts[name], -1)...)
		}
	}
	for name, s := range d.Components.Schemas {
		if fields := s.fields(used); len(fields) == 1 && !used[name] && texts[name] != "" {
			text := regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(ops.String(), "{ "+fields[0]+" }")
			delete(texts, name)
			ops.Reset()
			ops.WriteString(text)
		}
	}
	var b strings.Builder
	b.WriteString("// What the page uses of the HTTP API, in types, as the server describes it. Written by:\n" +
		"// go test ./studio -run PageTypes -update\n")
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.WriteString(texts[name])
	}
	fmt.Fprintf(&b, "%s\n/** Every operation: what it is asked with, and its answer. */\nexport interface "+
		"Operations {\n%s}\n", &requests, &ops)
	return b.String()
}

// fields writes the fields of an object that are used.
func (s *schema) fields(used map[string]bool) []string {
	var all []string
	for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
		if used[field] {
			all = append(all, s.field(field))
		}
	}
	return all
}

// declare writes an object as an interface.
func declare(name string, fields []string) string {
	return fmt.Sprintf("\nexport interface %s {\n  %s;\n}\n", name, strings.Join(fields, ";\n  "))
}

func (s *schema) field(name string) string {
	if !slices.Contains(s.Required, name) {
		return name + "?: " + s.Properties[name].typescript()
	}
	return name + ": " + s.Properties[name].typescript()
}

// typescript writes what an operation takes and answers, and declares the type
// of its JSON body.
func (o *operationText) typescript(declared *strings.Builder, used map[string]bool) string {
	var parts []string
	for _, in := range []string{"path", "query"} {
		s, fields := &schema{Properties: map[string]*schema{}}, []string{}
		for _, p := range o.Parameters {
			if p.In == in {
				s.Properties[p.Name] = p.Schema
				if p.Required {
					s.Required = append(s.Required, p.Name)
				}
				fields = append(fields, s.field(p.Name))
			}
		}
		if fields != nil && s.Required == nil {
			in += "?"
		}
		if len(fields) > 0 {
			parts = append(parts, fmt.Sprintf("%s: { %s }", in, strings.Join(fields, "; ")))
		}
	}
	var bodies []string
	for _, kind := range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		as := ""
		switch kind {
		default:
			as = "Blob"
		case "multipart/form-data":
			as = "FormData"
		case "application/json":
			for word := range strings.SplitSeq(o.OperationID, "-") {
				as += strings.ToUpper(word[:1]) + word[1:]
			}
			as += "Request"
			fields := o.RequestBody.Content[kind].Schema.fields(used)
			if len(fields) == 1 {
				as = "{ " + fields[0] + " }"
				break
			}
			declared.WriteString(declare(as, fields))
		}
		if !slices.Contains(bodies, as) {
			bodies = append(bodies, as)
		}
	}
	if bodies != nil {
		parts = append(parts, "body: "+strings.Join(bodies, " | "))
	}
	answer := "undefined"
	if kind, s := o.answer(); s != nil {
		answer = s.typescript()
	} else if kind != "" {
		answer = "Blob"
	}
	return strings.Join(append(parts, "answer: "+answer), "; ")
}

// typescript writes the type of a value.
func (s *schema) typescript() string {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return name
	}
	if s.Type == nil && s.AnyOf == nil && s.OneOf == nil {
		return "unknown"
	}
	var all []string
	for _, one := range append(slices.Clone(s.AnyOf), s.OneOf...) {
		all = append(all, one.typescript())
	}
	for _, kind := range s.types() {
		switch {
		case s.Enum != nil && kind == "string":
			for _, e := range s.Enum {
				all = append(all, fmt.Sprintf("%q", e))
			}
		case kind == "integer":
			all = append(all, "number")
		case kind == "array":
			all = append(all, "Array<"+s.Items.typescript()+">")
		case kind == "object":
			all = append(all, "Record<string, "+s.values().typescript()+">")
		default:
			all = append(all, kind)
		}
	}
	return strings.Join(all, " | ")
}
