package studio

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// checkJSON returns a problem that says where JSON is not what the tags of a type ask for; the description of
// the API is made of the same tags.
func checkJSON(of reflect.Type, v any, at string) error {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch v := v.(type) {
	case map[string]any:
		if of.Kind() == reflect.Struct {
			return checkFields(of, v, at)
		}
	case []any:
		for i := range v {
			if err := checkJSON(of.Elem(), v[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case nil:
		if of == reflect.TypeFor[nats]() {
			return nil // unknown
		}
		return problemAt(422, at, nil, "%s%s is null", misfit, at)
	}
	return nil
}

func checkFields(of reflect.Type, object map[string]any, at string) error {
	for f := range fieldsOf(of) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		v, there := object[name]
		if !there && strings.Contains(rest, "omit") {
			continue
		}
		if !there {
			return problemAt(422, at, nil, "%s%s lacks %s", misfit, at, name)
		}
		if err := checkJSON(f.Type, v, at+"."+name); err != nil {
			return err
		}
		if what := outside(f.Tag, v); what != "" {
			return problemAt(422, at+"."+name, v, "%s%s.%s: %s", misfit, at, name, what)
		}
	}
	return nil
}

// fieldsOf yields the fields of a struct, those of embedded structs in their place.
func fieldsOf(of reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(of) {
			if !f.Anonymous && !yield(f) {
				return
			}
		}
	}
}

// outside says how a value, as encoding/json has it, is outside the bounds in a tag, "" if it is not.
func outside(tag reflect.StructTag, v any) string {
	bound := func(name string) (float64, bool) {
		b, err := strconv.ParseFloat(tag.Get(name), 64)
		return b, err == nil
	}
	var size float64
	low, high, unit := "minimum", "maximum", ""
	switch v := v.(type) {
	case float64:
		size = v
	case string:
		if list := tag.Get("enum"); list != "" && !slices.Contains(strings.Split(list, ","), v) {
			return "expected one of " + list
		}
		size, low, high, unit = float64(utf8.RuneCountInString(v)), "minLength", "maxLength", " characters"
	case []any:
		size, low, high, unit = float64(len(v)), "minItems", "maxItems", " of them"
	default:
		return ""
	}
	if b, ok := bound(low); ok && size < b {
		return fmt.Sprintf("expected at least %v%s", b, unit)
	}
	if b, ok := bound(high); ok && size > b {
		return fmt.Sprintf("expected at most %v%s", b, unit)
	}
	return ""
}

// fill sets the fields of a struct to the parameters of a request, by their tags: path and query. Parameters of other
// names in the query are a problem, as are those that are there twice.
func fill(in any, path map[string]string, query map[string][]string) error {
	lists := map[string]bool{} // whether the parameters are lists
	to := reflect.ValueOf(in).Elem()
	if to.Kind() == reflect.Struct {
		for f := range fieldsOf(to.Type()) {
			var text []string
			where := "query"
			name, list := strings.CutSuffix(f.Tag.Get("query"), ",explode")
			switch {
			case name != "":
				text = query[name]
				lists[name] = list
			case f.Tag.Get("path") != "":
				where, name = "path", f.Tag.Get("path")
				text = []string{path[name]}
			default:
				continue
			}
			if err := fillField(to.FieldByIndex(f.Index), f.Tag, where+"."+name, text); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		list, known := lists[name]
		switch n := len(query[name]); {
		case !known:
			return problemAt(422, "query."+name, nil, "there is no parameter %.40q here", name)
		case n > 1 && !list: // all but one would be left out in silence
			return problemAt(statusBadRequest, "query."+name, nil,
				"the parameter %.40q is there %d times; give it once", name, n)
		}
	}
	return nil
}

// fillField sets a field to a parameter, none for an empty list.
func fillField(to reflect.Value, tag reflect.StructTag, at string, text []string) error {
	if len(text) == 0 && tag.Get("default") != "" {
		text = []string{tag.Get("default")}
	}
	if len(text) == 0 {
		if tag.Get("required") == "true" {
			return problemAt(422, at, nil, "the parameter %s is missing", at)
		}
		return nil
	}
	v, err := parameter(to, text)
	if err != nil {
		return problemAt(422, at, text[0], "%s: %.40q is not a value of it", at, text[0])
	}
	if what := outside(tag, v); what != "" {
		return problemAt(422, at, v, "%s: %s", at, what)
	}
	return nil
}

// parameter sets a field to a parameter, and returns that as encoding/json has it.
func parameter(to reflect.Value, text []string) (v any, err error) {
	switch to.Kind() {
	case reflect.String:
		to.SetString(text[0])
		return text[0], nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text[0])
		to.SetBool(b)
		return b, err
	case reflect.Int:
		n, err := strconv.Atoi(text[0])
		to.SetInt(int64(n))
		return float64(n), err
	case reflect.Float64:
		x, err := strconv.ParseFloat(text[0], 64)
		to.SetFloat(x)
		return x, err
	case reflect.Slice:
		all, list := make([]any, len(text)), reflect.MakeSlice(to.Type(), len(text), len(text))
		for i := range text {
			if all[i], err = parameter(list.Index(i), text[i:]); err != nil {
				return nil, err
			}
		}
		to.Set(list)
		return all, nil
	}
	panic("studio: no parameter is a " + to.Kind().String()) // misuse
}
