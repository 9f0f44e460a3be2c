package dataset

import (
	"fmt"
	"math"

	"example.com/patchwork/diagnose/words"
)

// plainly returns why values cannot but be meant as real values, not as bits, in a clause such as "12 of 13 columns
// hold decimals"; "" where that is open. Of a table some column must hold numbers other than 0 and 1. Of images at
// least one pixel in twenty must be neither 0 nor 1, in arrays of a floating-point type; whole numbers and pictures
// may be drawings that a threshold makes bits of.
func (v *Set) plainly() string {
	var fractions, others, known, numbers, decimals int
	for i := range v.Height * v.Width {
		before, whole := others, fractions
		for x := range v.numbers(i, i+1) {
			known += btoi(!math.IsNaN(x))
			others += btoi(!math.IsNaN(x) && x != 0 && x != 1)
			fractions += btoi(!math.IsNaN(x) && x != math.Trunc(x))
		}
		numbers += btoi(others > before)
		decimals += btoi(fractions > whole)
	}
	if v.Table {
		if numbers == 0 {
			return ""
		}
		return plainTable(numbers, decimals, v.Width, false)
	}
	switch {
	case !v.floats || 20*others < known:
		return ""
	case fractions > 0:
		return fmt.Sprintf("%.0f %% of the pixels lie between whole numbers",
			math.Ceil(100*float64(fractions)/float64(known)))
	}
	return fmt.Sprintf("%.0f %% of the pixels are neither 0 nor 1, in an array of real numbers",
		math.Floor(100*float64(others)/float64(known)))
}

// plainTable returns why so many of the columns of a table, which hold numbers, decimals and perhaps commas before
// thousands, are meant as real values.
func plainTable(numbers, decimals, columns int, grouped bool) string {
	hold, in := "hold", words.Count(columns, "column")
	switch {
	case decimals == 1:
		return "1 of " + in + " holds decimals"
	case decimals > 0:
		return fmt.Sprintf("%d of %s hold decimals", decimals, in)
	case grouped:
		return fmt.Sprintf("%d of %s hold numbers, some with commas before thousands", numbers, in)
	case numbers == 1:
		hold = "holds"
	}
	return fmt.Sprintf("%d of %s %s numbers other than 0 and 1", numbers, in, hold)
}
