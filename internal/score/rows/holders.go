package rows

import "example.com/patchwork/internal/score"

// This file finds the holders of the extremal opinions at a pixel: experts, or
// abstention.

// prepareOrders fills in above and below.
func (t *Table) prepareOrders() {
	held := make([][]float64, t.experts+1) // by holder
	for h := range held {
		held[h] = make([]float64, 16*t.quads)
		for i := range t.pixels {
			held[h][i] = t.opinion(h, i)
		}
	}
	n := t.experts * (t.experts + 1) * t.words
	t.above = make([]uint64, n)
	if t.bank.TwoSided {
		t.below = make([]uint64, n)
	}
	for at := 0; at < n; at += t.words {
		v, w := held[at/t.words/(t.experts+1)+1], held[at/t.words%(t.experts+1)]
		greater(t.above[at:at+t.words], v, w)
		if t.bank.TwoSided {
			greater(t.below[at:at+t.words], w, v)
		}
	}
}

// opinion returns the opinion of holder h on pixel i.
func (t *Table) opinion(h, i int) float64 {
	if h == 0 {
		return t.bank.Abstention(i)
	}
	return t.bank.Sprites[h-1].V[i]
}

// logLik returns the log-likelihood of pixel i of value x where top holds the
// largest opinion and bottom the smallest: 1 + an expert, or 0 for abstention.
func (t *Table) logLik(x uint8, i, top, bottom int) float64 {
	one := top + bottom - 1 // the only expert that votes, if there is only one
	switch {
	case top > 0 && bottom > 0:
		return score.PixelLogLik(x, score.Compose(t.opinion(top, i), t.opinion(bottom, i), t.bank.Abstention(i)))
	case one < 0:
		return t.base[x][i]
	case x == score.On:
		return t.bank.Sprites[one].On[i]
	}
	return t.bank.Sprites[one].Off[i]
}

// votes sets up and down to the known pixels at which expert c would hold the
// largest, smallest, opinion if it joined the picks. down is nil under max.
func (t *Table) votes(c int, picks []int32, known, up, down []uint64) {
	at, end := c*(t.experts+1)*t.words, (c+1)*(t.experts+1)*t.words
	voters(up, known, t.above[at:end], picks)
	if down != nil {
		voters(down, known, t.below[at:end], picks)
	}
}
