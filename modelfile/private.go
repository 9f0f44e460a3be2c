package modelfile

import (
	"archive/zip"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/patchwork/internal/npy"
)

// Private returns what the model file at path holds beside the model and [Save] does
// not write back: its other members, and the fields of model.json that belong to the
// user.
func Private(path string) ([]string, error) { return LoadWith(path, "model", privateOf) }

func privateOf(r io.ReaderAt, size int64) ([]string, error) {
	small, err := npy.ReadZip(r, size, maxJSON)
	if err != nil {
		return nil, notModel(in(err, ""))
	}
	text, err := headerText(small)
	if err != nil {
		return nil, err
	}
	fields, err := fieldsOf(text, reflect.TypeFor[any]())
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &FormatError{Msg: "not a zip", Err: err} // it was one for ReadZip
	}
	var out []string
	known := slices.Concat(arrayNames, namesOf(new(realArrays).all()), namesOf(new(mixedArrays).all()))
	for _, member := range z.File {
		name, isArray := strings.CutSuffix(member.Name, npySuffix)
		if name != jsonName && !(isArray && slices.Contains(known, name)) {
			out = append(out, member.Name)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if strings.HasPrefix(field, private) {
			out = append(out, field+" in "+jsonName)
		}
	}
	return out, nil
}
