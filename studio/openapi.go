//go:build !js

package studio

import (
	"path"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// nullable lists the lists and objects of answers that may be null. Numbers and
// text that may be say so at their field.
var nullable = []string{"ModelInfo.columns", "ModelInfo.names", "ModelInfo.geometry", "DataInfo.columns", "ExpertInfo.columns", "ExpertInfo.pose"}

// correct makes the description say what answers are where huma cannot know: it
// takes every list for one that may be null and no object, and files for text.
func correct(doc *huma.OpenAPI) {
	for name, s := range doc.Components.Schemas.Map() {
		for field, p := range s.Properties {
			null := slices.Contains(nullable, name+"."+field)
			switch {
			case p.Type == huma.TypeArray:
				p.Nullable = null
			case null:
				object := *p
				object.Description = ""
				*p = huma.Schema{AnyOf: []*huma.Schema{&object, {Type: "null"}}, Description: p.Description}
			}
		}
	}
	kinds := map[string]string{".png": "image/png", ".svg": "image/svg+xml"}
	for at, item := range doc.Paths {
		if item.Get == nil {
			continue
		}
		for _, r := range item.Get.Responses {
			if text := r.Content["application/json"]; text != nil && text.Schema.ContentEncoding == "base64" {
				kind, ok := kinds[path.Ext(at)]
				if !ok {
					kind = "application/octet-stream"
				}
				r.Content = map[string]*huma.MediaType{kind: {}}
			}
		}
	}
}

// eventData describes what the events of a job carry: its progress and, last,
// what it came to.
func eventData(schemas huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[progress](), true, ""),
		schemas.Schema(reflect.TypeFor[jobEnd](), true, ""),
	}}
}
