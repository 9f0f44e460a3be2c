//go:build !js

package studio

import (
	"encoding"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/patchwork/workbench"
)

// object is an object of JSON.
type object = map[string]any

// nullable lists the lists and objects of answers that may be null. Numbers and
// text that may be say so at their field.
var nullable = []string{"DataInfo.columns", "ExpertInfo.columns", "ExpertInfo.pose", "ModelInfo.parts"}

// describer makes the description of the API, in OpenAPI 3.1, from the table of operations and the types
// that they read and write: by the same tags by which requests are checked.
type describer struct{ schemas object }

// openAPI returns the description of the API.
func (s *Server) openAPI() object {
	d, paths := &describer{object{}}, object{}
	for i := range s.operations {
		r := &s.operations[i]
		if paths[r.path] == nil {
			paths[r.path] = object{}
		}
		paths[r.path].(object)[strings.ToLower(r.method)] = d.operation(r)
	}
	components := object{"schemas": d.schemas}
	doc := object{"openapi": "3.1.0", "paths": paths, "components": components,
		"info": object{"title": "Patchwork studio", "version": s.version,
			"description": "Explain binary images by a few parts (fields of this API call a part expert), and learn such " +
				"parts."}}
	if s.token != "" {
		components["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
		doc["security"] = []object{{"token": []string{}}}
	}
	return doc
}

func (d *describer) operation(r *route) object {
	problem := object{"application/problem+json": object{"schema": d.schema(reflect.TypeFor[problemError](), "")}}
	out := object{"operationId": r.id, "summary": r.summary, "responses": object{
		strconv.Itoa(r.status): d.response(r),
		"default":              object{"description": "Error", "content": problem},
	}}
	var parameters []object
	for f := range fieldsOf(r.in) {
		if p := d.parameter(f); p != nil {
			parameters = append(parameters, p)
		}
	}
	if parameters != nil {
		out["parameters"] = parameters
	}
	if r.json != nil || r.file != "" {
		out["requestBody"] = d.requestBody(r)
	}
	return out
}

// parameter describes a field that is a parameter; nil if it is none.
func (d *describer) parameter(f reflect.StructField) object {
	for _, in := range []string{"path", "query"} {
		name, explode := strings.CutSuffix(f.Tag.Get(in), ",explode")
		if name == "" {
			continue
		}
		p := object{"in": in, "name": name, "schema": d.field(f, "")}
		if doc := f.Tag.Get("doc"); doc != "" {
			p["description"] = doc
		}
		if in == "path" || f.Tag.Get("required") == "true" {
			p["required"] = true
		}
		if in == "query" {
			p["explode"] = explode
		}
		return p
	}
	return nil
}

func (d *describer) requestBody(r *route) object {
	content, out := object{}, object{"required": true}
	if r.json != nil {
		content["application/json"] = object{"schema": d.fields(r.json, "")}
	} else {
		content["application/octet-stream"] = object{}
		out["description"] = r.file
	}
	for _, kind := range r.kinds {
		content[kind] = object{}
	}
	out["content"] = content
	return out
}

// response describes what an operation answers.
func (d *describer) response(r *route) object {
	out := object{"description": http.StatusText(r.status)}
	switch r.out {
	case reflect.TypeFor[struct{}]():
	case reflect.TypeFor[file]():
		kinds := map[string]string{".png": "image/png", ".svg": "image/svg+xml"}
		kind, ok := kinds[path.Ext(r.path)]
		if !ok {
			kind = "application/octet-stream"
		}
		out["content"] = object{kind: object{}}
	default:
		out["content"] = object{"application/json": object{"schema": d.schema(r.out, "")}}
	}
	return out
}

// schemaName returns the name of a type in the description.
func schemaName(of string) string { return strings.ToUpper(of[:1]) + of[1:] }

// schema describes a type; structs without a name take the given one.
func (d *describer) schema(of reflect.Type, name string) object {
	switch of {
	case reflect.TypeFor[nats]():
		return object{"type": []string{"number", "null"}, "description": "null where infinite"}
	case reflect.TypeFor[json.RawMessage]():
		return object{}
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	}
	if of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return d.schema(of.Elem(), name)
	case reflect.Struct:
		if of.Name() != "" {
			name = schemaName(of.Name())
		}
		if d.schemas[name] == nil {
			d.schemas[name] = object{} // a type may lead to itself
			d.schemas[name] = d.fields(of, name)
		}
		return object{"$ref": "#/components/schemas/" + name}
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": d.schema(of.Elem(), name)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(of.Elem(), name)}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number", "format": "double"}
	}
	return object{} // anything
}

// fields describes a struct, whose name is only for what may be null.
func (d *describer) fields(of reflect.Type, name string) object {
	properties, required := object{}, []string{}
	for f := range fieldsOf(of) {
		field, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if field == "" || field == "-" {
			continue
		}
		properties[field] = d.field(f, name+"."+field)
		if !strings.Contains(rest, "omit") && present(of, f) {
			required = append(required, field)
		}
	}
	out := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// present reports whether a field is there: those of an embedded pointer may not be, unless all have it.
func present(of reflect.Type, f reflect.StructField) bool {
	for _, i := range f.Index[:len(f.Index)-1] {
		in := of.Field(i)
		if in.Type.Kind() == reflect.Pointer && in.Type != reflect.TypeFor[*workbench.Description]() {
			return false
		}
		if of = in.Type; of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
	}
	return true
}

// boundTags are the tags of fields that schemas have, too.
var boundTags = []string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}

// field describes a field by its type and its tags.
func (d *describer) field(f reflect.StructField, name string) object {
	out := maps.Clone(d.schema(f.Type, ""))
	if f.Tag.Get("nullable") == "true" || slices.Contains(nullable, name) {
		if kind, ok := out["type"].(string); ok {
			out["type"] = []string{kind, "null"}
		} else {
			out = object{"anyOf": []object{out, {"type": "null"}}}
		}
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		out["description"] = doc
	}
	if list := f.Tag.Get("enum"); list != "" {
		out["enum"] = strings.Split(list, ",")
	}
	for _, bound := range boundTags {
		if b, err := strconv.ParseFloat(f.Tag.Get(bound), 64); err == nil {
			out[bound] = b
		}
	}
	if text := f.Tag.Get("default"); text != "" {
		out["default"] = text
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			out["default"] = n
		}
	}
	return out
}
