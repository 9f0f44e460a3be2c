package mat_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/patchwork/dataset/mat"
	"example.com/patchwork/dataset/mat/mattest"
	"example.com/patchwork/internal/npy"
)

func open(b []byte, lim npy.Limits) ([]*mat.Variable, error) {
	return mat.Open(bytes.NewReader(b), int64(len(b)), lim)
}

// everything returns a file with every kind of variable that is read, and one
// that is not.
func everything() []mattest.Var {
	return []mattest.Var{
		mattest.Uint8("small", []uint8{1, 2, 3}, 1, 3),
		mattest.Uint8("matrix", []uint8{1, 2, 3, 4, 5, 6}, 2, 3),
		mattest.Double("reals", []float64{.5, math.Inf(1), -3, 1e300}, 4, 1),
		{Name: "ints", Class: 6, Shape: []int32{1, 5}, Type: 3, Data: []int16{-1, 0, 1, 2, 300}}, // doubles in less space
		{Name: "truth", Class: 9, Flags: 2, Shape: []int32{2, 2}, Type: 2, Data: []uint8{1, 0, 0, 1}},
		{Name: "big", Class: 14, Shape: []int32{1, 1}, Type: 12, Data: []int64{1 << 60}},
		mattest.Text("text", "ab ", "cde"),
		{Name: "utf8", Class: 4, Shape: []int32{1, 3}, Type: 16, Data: []byte("aéb")},
		mattest.Cells("cells", mattest.Text("", "T"), mattest.Text("", "L "), mattest.Var{Class: 4, Shape: []int32{0, 0}, Type: 4, Data: []uint16{}}),
		mattest.Cells("stack", mattest.Uint8("", []uint8{1, 2, 3, 4}, 2, 2), mattest.Uint8("", []uint8{5, 6, 7, 8}, 2, 2)),
		{Name: "complex", Class: 6, Flags: 8, Shape: []int32{1, 1}, Type: 9, Data: []float64{1}},
		{Name: "struct", Class: 2, Shape: []int32{1, 1}},
	}
}

func TestRead(t *testing.T) {
	want := map[string]any{
		"small": []uint8{1, 2, 3}, "matrix": []uint8{1, 3, 5, 2, 4, 6}, // in C order
		"reals": []float64{.5, math.Inf(1), -3, 1e300}, "ints": []int16{-1, 0, 1, 2, 300},
		"truth": []bool{true, false, false, true}, "big": []int64{1 << 60},
		"text": []string{"ab", "cde"}, "utf8": []string{"aéb"}, "cells": []string{"T", "L", ""},
		"stack": []float64{1, 3, 2, 4, 5, 7, 6, 8},
	}
	for _, order := range []mattest.Order{binary.LittleEndian, binary.BigEndian} {
		for _, packed := range []bool{false, true} {
			vars, err := open(mattest.File(order, packed, everything()...), npy.Limits{})
			if err != nil || len(vars) != 12 {
				t.Fatalf("%v, packed %v: %d variables, %v", order, packed, len(vars), err)
			}
			for _, v := range vars {
				got, err := content(v)
				if w, ok := want[v.Name]; !ok {
					if err == nil || !strings.Contains(err.Error(), v.Name) {
						t.Errorf("%v: %v, %v", v, got, err)
					}
				} else if err != nil || !cmp.Equal(got, w) {
					t.Errorf("%v, packed %v, %v: %v, want %v, %v", order, packed, v, got, w, err)
				}
			}
			if s := fmt.Sprint(vars[1], vars[4], vars[11]); s != "matrix: 2x3 uint8 truth: 2x2 logical struct: 1x1 struct" {
				t.Error(s)
			}
		}
	}
}

// content returns all of a variable.
func content(v *mat.Variable) (any, error) {
	switch {
	case v.Class == "char":
		return v.Strings(1 << 20)
	case v.Class == "cell":
		if a, err := v.Stack(1 << 20); err == nil {
			return a.Data, nil
		}
		return v.Strings(1 << 20)
	}
	r, err := v.Reader()
	if err != nil {
		return nil, err
	}
	a, err := r.All()
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}

func TestVectorIsInTheOrderOfTheFile(t *testing.T) {
	vars, err := open(mattest.File(binary.LittleEndian, true, mattest.Uint8("m", []uint8{1, 2, 3, 4, 5, 6}, 2, 3)), npy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := vars[0].Vector()
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.All()
	if diff := cmp.Diff(npy.New([]uint8{1, 2, 3, 4, 5, 6}, 6), a); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestRefusals(t *testing.T) {
	good := mattest.File(binary.LittleEndian, false, mattest.Uint8("x", make([]uint8, 40), 5, 8))
	packed := mattest.File(binary.LittleEndian, true, mattest.Uint8("x", make([]uint8, 4000), 50, 80))
	change := func(b []byte, at int, to byte) []byte {
		b = bytes.Clone(b)
		b[at] = to
		return b
	}
	huge := mattest.Uint8("x", []uint8{1}, 1<<20, 1<<20)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":              {nil, "cut off inside the header"},
		"no order":           {change(good, 126, 'X'), "byte order"},
		"version":            {change(good, 125, 2), "version 0x0200"},
		"cut":                {good[:len(good)-1], "only"},
		"cut in a tag":       {append(bytes.Clone(good), 1, 2, 3), "cut off"},
		"not a variable":     {change(good, 128, 9), "type 9 where a variable"},
		"no flags":           {change(good, 136, 9), "the flags of an array"},
		"flags of one":       {mattest.File(binary.LittleEndian, false, mattest.Var{Shape: []int32{1}, Class: 9}), "4 bytes for the sides"},
		"negative side":      {mattest.File(binary.LittleEndian, false, mattest.Uint8("x", nil, -1, 2)), "sides [-1]"},
		"too many":           {mattest.File(binary.LittleEndian, false, mattest.Uint8("x", nil, math.MaxInt32, math.MaxInt32, 2)), "an array of sides"},
		"promised":           {mattest.File(binary.LittleEndian, true, huge), "1 bytes for"},
		"type of elements":   {mattest.File(binary.LittleEndian, false, mattest.Var{Name: "x", Class: 6, Shape: []int32{1, 1}, Type: 77, Data: []uint8{1}}), "numbers of type 77"},
		"sparse":             {mattest.File(binary.LittleEndian, false, mattest.Var{Name: "x", Class: 5, Shape: []int32{1, 1}}), "class sparse"},
		"unknown class":      {mattest.File(binary.LittleEndian, false, mattest.Var{Name: "x", Class: 99, Shape: []int32{1, 1}}), "class 99"},
		"checksum":           {change(packed, len(packed)-1, ^packed[len(packed)-1]), "cannot be decompressed"},
		"packed nothing":     {change(packed, 136, 0), "cannot be decompressed"},
		"packed and cut off": {packCut(packed), "cut off"},
	} {
		_, err := readAll(c.file, npy.Limits{})
		var fe *npy.FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (%T), want %q", name, err, err, c.want)
		}
	}
	if _, err := readAll(packed, npy.Limits{Bytes: 3999}); err == nil || !strings.Contains(err.Error(), "limit of 3999 bytes") {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := open(mattest.File(binary.LittleEndian, false, everything()...), npy.Limits{Members: 3}); err == nil {
		t.Error("twelve variables where three may be")
	}
	many := mattest.Cells("x", mattest.Text("", "aaaaaaaaaa"), mattest.Text("", "aaaaaaaaaa"))
	vars, err := open(mattest.File(binary.LittleEndian, true, many), npy.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vars[0].Strings(200); err == nil || !strings.Contains(err.Error(), "cells of more than 200 bytes") {
		t.Errorf("cells beyond the limit: %v", err)
	}
}

// packCut drops the end of a compressed file and shortens its only element to
// match.
func packCut(b []byte) []byte {
	b = bytes.Clone(b[:len(b)-8])
	binary.LittleEndian.PutUint32(b[132:], uint32(len(b)-136))
	return b
}

// readAll reads all variables.
func readAll(b []byte, lim npy.Limits) (out []any, err error) {
	vars, err := open(b, lim)
	for _, v := range vars {
		c, cerr := content(v)
		if cerr != nil {
			return nil, cerr
		}
		out = append(out, c)
	}
	return out, err
}

// FuzzOpen: any bytes give a one-line error about the content, or variables
// that can be read within the limits.
func FuzzOpen(f *testing.F) {
	for _, order := range []mattest.Order{binary.LittleEndian, binary.BigEndian} {
		f.Add(mattest.File(order, false, everything()...))
		for _, v := range everything() {
			f.Add(mattest.File(order, true, v))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		vars, err := open(b, npy.Limits{Bytes: 1 << 20})
		check := func(err error) {
			var fe *npy.FormatError
			if err != nil && !errors.As(err, &fe) {
				t.Fatalf("%v (%T)", err, err)
			}
		}
		check(err)
		for _, v := range vars {
			_, err := v.Strings(1 << 20)
			check(err)
			_, err = v.Stack(1 << 20)
			check(err)
			if r, err := v.Vector(); err == nil {
				a, err := r.All()
				check(err)
				if err == nil && a.Len() != v.Len() {
					t.Fatalf("%d elements of %v", a.Len(), v)
				}
			} else {
				check(err)
			}
		}
	})
}
