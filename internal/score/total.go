package score

// Total adds up numbers that belong to pixels, in the order of all sums over
// pixels. A group is four neighbours in row-major order; a group adds up from
// left to right, every fourth group joins the same one of four sums, and these
// join in pairs. One order everywhere gives every path the same bits; this one
// is also the order of a table by four bits of a row (package rows) and of
// vector code.
type Total struct {
	sums [4]float64
	part float64 // of the present group
	four int     // the number of the present group
}

// Add adds v, which belongs to pixel j; pixels come in row-major order.
func (t *Total) Add(j int, v float64) {
	if j>>2 != t.four {
		t.sums[t.four&3] += t.part
		t.part, t.four = 0, j>>2
	}
	t.part += v
}

// Sum returns the sum so far.
func (t Total) Sum() float64 {
	t.sums[t.four&3] += t.part
	return t.sums[0] + t.sums[1] + (t.sums[2] + t.sums[3])
}

// Sum returns the Total of terms, one per pixel.
func Sum(terms []float64) float64 {
	var s [4]float64
	i := 0
	for ; i+16 <= len(terms); i += 16 {
		t := terms[i : i+16 : i+16]
		s[0] += 0 + t[0] + t[1] + t[2] + t[3]
		s[1] += 0 + t[4] + t[5] + t[6] + t[7]
		s[2] += 0 + t[8] + t[9] + t[10] + t[11]
		s[3] += 0 + t[12] + t[13] + t[14] + t[15]
	}
	total := Total{sums: s, four: i >> 2}
	for ; i < len(terms); i++ {
		total.Add(i, terms[i])
	}
	return total.Sum()
}
