package score

import "math"

const (
	dispersionReach = 2   // pixels, up to which errors are compared
	clearVote       = 0.1 // how far above its abstention value a pixel is one of a part
)

// Dispersion returns how many times larger the variance of a sum of errors is than it
// would be if pixels erred independently, in and around what the picks explain: 1 for
// templates that are right up to noise, more where shapes differ from them.
func (f *Search) Dispersion() float64 {
	errs, near := make([]float64, f.Height*f.Width), f.around()
	n, mean, own := 0.0, 0.0, 0.0
	for i := range errs {
		q := Compose(f.Hi[i], f.Lo[i], f.Bank.Abstention(i))
		if near[i] = near[i] && f.X[i] != Unknown && q > 0 && q < 1; near[i] {
			errs[i] = -q / math.Sqrt(q*(1-q))
			if f.X[i] == On {
				errs[i] = (1 - q) / math.Sqrt(q*(1-q))
			}
			n, mean = n+1, mean+errs[i]
		}
	}
	for i := range errs {
		if near[i] { // noise of another strength than the templates' is no dispersion
			errs[i] -= mean / n
			own += float64(errs[i] * errs[i])
		}
	}
	sum := 0.0
	for i, e := range errs {
		if e == 0 {
			continue
		}
		y, x := i/f.Width, i%f.Width
		for v := max(0, y-dispersionReach); v <= min(f.Height-1, y+dispersionReach); v++ {
			for u := max(0, x-dispersionReach); u <= min(f.Width-1, x+dispersionReach); u++ {
				sum += float64(e * errs[v*f.Width+u])
			}
		}
	}
	if d := sum / max(own, n); d > 1 && !math.IsInf(d, 1) {
		return d
	}
	return 1 // also without pixels, and for errors whose squares are beyond all numbers
}

// around marks the pixels that the picks clearly vote for, and those close to them.
func (f *Search) around() []bool {
	near := make([]bool, f.Height*f.Width)
	for i := range near {
		if f.Hi[i] <= f.Bank.Abstention(i)+clearVote {
			continue
		}
		y, x := i/f.Width, i%f.Width
		for v := max(0, y-dispersionReach); v <= min(f.Height-1, y+dispersionReach); v++ {
			for u := max(0, x-dispersionReach); u <= min(f.Width-1, x+dispersionReach); u++ {
				near[v*f.Width+u] = true
			}
		}
	}
	return near
}
