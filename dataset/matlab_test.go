package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/patchwork/internal/npy"
)

func matOpen(b []byte) ([]*matArray, error) {
	return matVariables(bytes.NewReader(b), 1<<20)
}

// everyVariable returns a file with every kind of variable that is read, and one
// that is not.
func everyVariable() []matVar {
	return []matVar{
		matUint8("small", []uint8{1, 2, 3}, 1, 3),
		matUint8("matrix", []uint8{1, 2, 3, 4, 5, 6}, 2, 3),
		matDouble("reals", []float64{.5, math.Inf(1), -3, 1e300}, 4, 1),
		{Name: "ints", Class: 6, Shape: []int32{1, 5}, Type: 3, Data: []int16{-1, 0, 1, 2, 300}}, // doubles in less space
		{Name: "truth", Class: 9, Flags: 2, Shape: []int32{2, 2}, Type: 2, Data: []uint8{1, 0, 0, 1}},
		{Name: "big", Class: 14, Shape: []int32{1, 1}, Type: 12, Data: []int64{1 << 60}},
		matText("text", "ab ", "cde"),
		{Name: "utf8", Class: 4, Shape: []int32{1, 3}, Type: 16, Data: []byte("aéb")},
		matCells("cells", matText("", "T"), matText("", "L "),
			matVar{Class: 4, Shape: []int32{0, 0}, Type: 4, Data: []uint16{}}),
		matCells("stack", matUint8("", []uint8{1, 2, 3, 4}, 2, 2), matUint8("", []uint8{5, 6, 7, 8}, 2, 2)),
		{Name: "complex", Class: 6, Flags: 8, Shape: []int32{1, 1}, Type: 9, Data: []float64{1}},
		{Name: "struct", Class: 2, Shape: []int32{1, 1}},
	}
}

func TestMATRead(t *testing.T) {
	want := map[string]any{
		"small": []uint8{1, 2, 3}, "matrix": []uint8{1, 3, 5, 2, 4, 6}, // in C order
		"reals": []float64{.5, math.Inf(1), -3, 1e300}, "ints": []int16{-1, 0, 1, 2, 300},
		"truth": []bool{true, false, false, true}, "big": []int64{1 << 60},
		"text": []string{"ab", "cde"}, "utf8": []string{"aéb"}, "cells": []string{"T", "L", ""},
		"stack": []float64{1, 3, 2, 4, 5, 7, 6, 8},
	}
	for _, packed := range []bool{false, true} {
		vars, err := matOpen(matFile(packed, everyVariable()...))
		if err != nil || len(vars) != 12 {
			t.Fatalf("packed %v: %d variables, %v", packed, len(vars), err)
		}
		for _, v := range vars {
			got, err := matValues(v, 0)
			if w, ok := want[v.name]; !ok {
				if err == nil || !strings.Contains(err.Error(), v.class) {
					t.Errorf("%v: %v, %v", v, got, err)
				}
			} else if err != nil || !cmp.Equal(got, w) {
				t.Errorf("packed %v, %v: %v, want %v, %v", packed, v, got, w, err)
			}
		}
	}
}

// matValues returns all of a variable.
func matValues(v *matArray, lim int64) (any, error) {
	r, err := v.numbers(v.shape, lim)
	switch v.class {
	case "cell":
		if r, err = v.stack(lim); err != nil {
			return v.texts()
		}
	case "char":
		return v.texts()
	}
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
	vars, err := matOpen(matFile(true, matUint8("m", []uint8{1, 2, 3, 4, 5, 6}, 2, 3)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := vars[0].numbers([]int{6}, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, err := r.All()
	if diff := cmp.Diff(npy.New([]uint8{1, 2, 3, 4, 5, 6}, 6), a); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestMATRefusals(t *testing.T) {
	good := matFile(false, matUint8("x", make([]uint8, 40), 5, 8))
	packed := matFile(true, matUint8("x", make([]uint8, 4000), 50, 80))
	change := func(b []byte, at int, to byte) []byte {
		b = bytes.Clone(b)
		b[at] = to
		return b
	}
	huge := matUint8("x", []uint8{1}, 1<<20, 1<<20)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":    {nil, "cut off"},
		"no order": {change(good, 126, 'X'), "version and byte order"},
		"high byte first": {append(append(bytes.Clone(good[:124]), 1, 0, 'M', 'I'), good[128:]...),
			`"\x01\x00MI", which are not read; save it with -v7, or in Python`},
		"cut":            {good[:len(good)-1], "cut off"},
		"cut in a tag":   {append(bytes.Clone(good), 1, 2, 3), "cut off"},
		"not a variable": {change(good, 128, 9), "an element of type 9"},
		"no flags":       {change(good, 136, 9), "the flags of an array"},
		"flags of one":   {matFile(false, matVar{Shape: []int32{1}, Class: 9}), "4 bytes of type 5 for the sides"},
		"negative side":  {matFile(false, matUint8("x", nil, -1, 2)), "sides [-1"},
		"too many":       {matFile(false, matUint8("x", nil, math.MaxInt32, math.MaxInt32, 2)), `"x" has sides`},
		"promised":       {matFile(true, huge), "1 bytes of type 2 for 1099511627776 elements"},
		"type of elements": {matFile(false, matVar{Name: "x", Class: 6, Shape: []int32{1, 1}, Type: 77, Data: []uint8{1}}),
			"1 bytes of type 77"},
		"sparse":             {matFile(false, matVar{Name: "x", Class: 5, Shape: []int32{1, 1}}), "class sparse"},
		"unknown class":      {matFile(false, matVar{Name: "x", Class: 99, Shape: []int32{1, 1}}), "class unknown"},
		"checksum":           {change(packed, len(packed)-1, ^packed[len(packed)-1]), "damaged compressed data"},
		"packed nothing":     {change(packed, 136, 0), "damaged compressed data"},
		"packed and cut off": {packCut(packed), "cut off"},
	} {
		_, err := matAll(c.file, 0)
		var fe *FormatError
		if err = at(err, ""); !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v (%T), want %q", name, err, err, c.want)
		}
	}
	if _, err := matAll(packed, 3999); err == nil ||
		!strings.Contains(err.Error(), "limit of 3999 bytes") {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := matVariables(bytes.NewReader(packed), 2000); !errors.Is(err, ErrMemory) {
		t.Errorf("more than fits in memory: %v", err)
	}
}

// packCut drops the end of a compressed file and shortens its only element to
// match.
func packCut(b []byte) []byte {
	b = bytes.Clone(b[:len(b)-8])
	binary.LittleEndian.PutUint32(b[132:], uint32(len(b)-136))
	return b
}

// matAll reads all variables.
func matAll(b []byte, lim int64) (out []any, err error) {
	vars, err := matOpen(b)
	for _, v := range vars {
		c, cerr := matValues(v, lim)
		if cerr != nil {
			return nil, cerr
		}
		out = append(out, c)
	}
	return out, err
}
