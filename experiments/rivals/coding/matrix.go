package coding

import "gonum.org/v1/gonum/floats"

// Matrix is n rows of d zeros in one piece of memory.
func Matrix(n, d int) [][]float64 {
	all, out := make([]float64, n*d), make([][]float64, n)
	for i := range out {
		out[i] = all[i*d : (i+1)*d : (i+1)*d]
	}
	return out
}

// Clone returns a copy of the rows, which have one length.
func Clone(rows [][]float64) [][]float64 {
	if len(rows) == 0 {
		return nil
	}
	out := Matrix(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(out[i], r)
	}
	return out
}

// Transpose writes from, n rows of d, turned over to to, d rows of n.
func Transpose(to, from [][]float64) {
	for i, row := range from {
		for j, v := range row {
			to[j][i] = v
		}
	}
}

// Gram writes the inner products of the k rows to to, k rows of k.
func Gram(to, rows [][]float64) {
	for j, a := range rows {
		for k := range j + 1 {
			p := floats.Dot(a, rows[k])
			to[j][k], to[k][j] = p, p
		}
	}
}

// Activations writes the probabilities of K sigmoid units, given a row x, to
// code: sigmoid(bias + w'x), w being K rows of D.
func Activations(code []float64, w [][]float64, bias, x []float64) {
	for k, row := range w {
		code[k] = Sigmoid(bias[k] + floats.Dot(row, x))
	}
}

// LogOdds writes bias + code'w to t: what K units say of D pixels, w being K
// rows of D.
func LogOdds(t []float64, w [][]float64, bias, code []float64) {
	copy(t, bias)
	for k, u := range code {
		floats.AddScaled(t, u, w[k])
	}
}

// Probabilities writes sigmoid(bias + code'w) to y; see [LogOdds].
func Probabilities(y []float64, w [][]float64, bias, code []float64) {
	LogOdds(y, w, bias, code)
	for d, t := range y {
		y[d] = Sigmoid(t)
	}
}
