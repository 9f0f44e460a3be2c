package main

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// readable returns a number as the lines of explain give it.
func readable(v float64) float64 {
	r, err := strconv.ParseFloat(string(appendField(nil, "", v)), 64)
	if err != nil {
		panic(err)
	}
	return r
}

func TestAppendNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 12: "12", 0.5: "0.5", -941.2345678901: "-941.234568", 8.41: "8.41", 1.0000004: "1",
		99.9999999: "100",
		1.000001:   "1.000001", 10.05: "10.05", 0.99999999: "1", 0.000123456789: "0.000123457", 1e-9: "1e-09",
		1.25e10: "12500000000", 1234567.25: "1234567.25", 1e30: "1e+30", 123456789.125: "123456789.125",
		-0.6166030: "-0.616603", 999999999.9999999: "1000000000",
	} {
		if got := string(appendField([]byte("x"), "", v)); got != "x"+want {
			t.Errorf("%v is written as %s, want %s", v, got[1:], want)
		}
	}
	if got := string(appendField(nil, "", math.Copysign(0, -1))); got != "-0" && got != "0" {
		t.Errorf("-0 is written as %s", got)
	}
}

// What is written is near the number, short, and itself when written again.
func TestAppendNumberIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2000, 2000), rapid.Float64Range(-1, 1)).Draw(t, "v")
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return
		}
		text := appendField(nil, "", v)
		r := readable(v)
		if math.Abs(v) >= 1 && math.Abs(r-v) > 5.1e-7 || math.Abs(v) < 1 && math.Abs(r-v) > 5.1e-6*math.Abs(v) {
			t.Fatalf("%v is written as %s", v, text)
		}
		if again := string(appendField(nil, "", r)); again != string(text) {
			t.Fatalf("%v is written as %s, and that as %s", v, text, again)
		}
	})
}
