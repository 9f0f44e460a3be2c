package sheets

import (
	"math"
	"math/bits"
	"slices"

	"example.com/patchwork/internal/elem"
)

// These constants describe what else may be at a place.
const (
	expected   = 10.0 // finds on a page, before anything is seen of them
	strokeNats = 0.6  // what a pixel of ink costs where strokes are: most of it follows from the ink beside it
	otherPrior = -7.0 // log-odds that another thing stands there, before anything is seen of it
	morePrior  = -9.0 // that another thing stands there which has all strokes of the symbol, and more
	moreWeight = 120  // how fast that becomes likelier with the ink left over, per ink of the symbol
	maxLogOdds = 13.8 // a million to one: nothing is more certain than the model
)

// These say what speaks most against a find.
const (
	FewStrokes = "few strokes"
	Missing    = "strokes missing"
	More       = "more ink"
	Second     = "second" // another symbol fits nearly as well
)

// judge completes picks to finds, on a page of so many places that lies pad pixels from the corner of the planes.
func (r *round) judge(places int, pen *Pen, pad int) []Find {
	finds := make([]Find, len(r.picks))
	if !pen.Learned() {
		pen = nil
	}
	var shares []float64
	for i, p := range r.picks {
		sp, y, x := r.sprites[p.sprite].own(p.y, p.x)
		f := &finds[i]
		*f = Find{Symbol: sp.symbol, Turn: sp.turn, Y: float64(y-pad) + sp.dy, X: float64(x-pad) + sp.dx,
			Gain: float64(p.gain) * Unit, Second: -1,
			Top: max(0, y-pad), Left: max(0, x-pad), Bottom: min(r.before.h-2*pad, y-pad+sp.h),
			Right: min(r.before.w-2*pad, x-pad+sp.w)}
		if p.second >= 0 {
			f.Second, f.Ahead = r.sprites[p.second].symbol, float64(p.behind)*Unit
		}
		f.Ink, f.Missing = sp.missing(r.before, r.seen, y, x, pen)
		if f.Ink > 0 {
			shares = append(shares, float64(f.Missing)/float64(f.Ink))
		}
	}
	misses := spread(shares)
	prior := elem.Log(expected) - elem.Log(float64(places)) - elem.Log(float64(len(r.sprites)))
	page := &sheet{r.before, r.seen, r.left}
	lighter := make([]float64, len(finds)) // odds where outside pieces are accidents
	for i, p := range r.picks {
		f := &finds[i]
		drawn := r.sprites[p.sprite]
		sp, y, x := drawn.own(p.y, p.x)
		over := page.leftOver(y, x, sp, pen)
		ink := float64(max(1, min(drawn.ink, sp.ink)))
		f.Extra = over.extra
		against := []float64{
			-(min(f.Gain, strokeNats*float64(f.Ink-f.Missing)) + prior), // the page's own strokes
			otherPrior + misses.against(f.Missing, f.Ink),
			morePrior + float64(moreWeight*over.weight/ink),
			math.Inf(-1),
			-maxLogOdds,
		}
		if p.second >= 0 {
			against[3] = -f.Ahead
		}
		f.LogOdds = -logSum(against)
		f.Why = [...]string{FewStrokes, Missing, More, Second}[mostOf(against[:4])]
		against[2] = morePrior + float64(moreWeight*over.lighter/ink)
		lighter[i] = -logSum(against)
	}
	accidents(finds, lighter)
	for i := range finds {
		if f := &finds[i]; f.LogOdds >= certainOdds {
			f.Certain, f.Why = true, ""
		}
	}
	return finds
}

// accidents gives finds the odds that they have where what lies mostly outside their box is an accident, such
// as text, if this makes few of them likely: what stands at many finds of a symbol belongs to the thing.
func accidents(finds []Find, lighter []float64) {
	type tally struct{ finds, raised int }
	by, all := map[int]*tally{}, 0
	raised := func(i int) bool { return finds[i].LogOdds < 0 && lighter[i] >= 0 }
	for i, f := range finds {
		t := by[f.Symbol]
		if t == nil {
			t = new(tally)
			by[f.Symbol] = t
		}
		if lighter[i] >= 0 {
			t.finds, all = t.finds+1, all+1
		}
		if raised(i) {
			t.raised++
		}
	}
	single := 0
	for _, t := range by {
		if t.raised == 1 && t.finds >= 3 {
			single++
		}
	}
	for i := range finds {
		t := by[finds[i].Symbol]
		if raised(i) && (5*t.raised <= t.finds || t.raised == 1 && t.finds >= 3 && 5*single <= all) {
			finds[i].LogOdds = lighter[i]
		}
	}
}

// usual is how many of a thing are missing, as a range that is usual on a page.
type usual struct{ most float64 }

// spread returns the usual range of shares: their median and three robust deviations.
func spread(shares []float64) usual {
	const fewest = 8 // shares that tell how they spread
	middle, deviation := 0.02, 0.02
	if len(shares) > 0 {
		slices.Sort(shares)
		middle = min(max(shares[len(shares)/2], 0.005), 0.2)
		deviation = middle / 2
	}
	if len(shares) >= fewest {
		apart := make([]float64, len(shares))
		for i, s := range shares {
			apart[i] = math.Abs(s - middle)
		}
		slices.Sort(apart)
		deviation = 1.4826 * apart[len(apart)/2]
	}
	return usual{min(max(middle+float64(3*deviation), 0.02), 0.3)}
}

// against returns by how many nats k of n missing pixels are likelier at their own share
// than at any usual one.
func (u usual) against(k, n int) float64 {
	if n == 0 || float64(k) <= u.most*float64(n) {
		return 0
	}
	p := float64(k) / float64(n)
	sum := float64(float64(k) * elem.Log(p/u.most))
	if k < n {
		sum += float64(float64(n-k) * elem.Log((1-p)/(1-u.most)))
	}
	return sum
}

// mostOf returns the index of the largest number.
func mostOf(x []float64) int { return slices.Index(x, slices.Max(x)) }

func logSum(x []float64) float64 {
	top := slices.Max(x)
	sum := 0.0
	for _, v := range x {
		sum += elem.Exp(v - top)
	}
	return top + elem.Log(sum)
}

// missing returns how many pixels of the sprite's strokes can be seen at (y, x), and how
// many of them have no ink; with another pen, nor have their neighbours.
func (sp *sprite) missing(on, unknown *plane, y, x int, pen *Pen) (ink, missing int) {
	if pen != nil {
		for _, s := range sp.strokesAt(y, x) {
			if !unknown.at(s.y, s.x) {
				ink++
				if !on.at(s.y, s.x) && on.company(s.y, s.x) == 0 && unknown.company(s.y, s.x) == 0 {
					missing++
				}
			}
		}
		return ink, missing
	}
	shift, at := uint(x&63), y*on.stride+x>>6
	for i := range sp.levels {
		l := &sp.levels[i]
		if l.p < 0.5 {
			continue
		}
		for r := range sp.h {
			for c := range sp.words {
				row := at + r*on.stride + c
				o := on.bits[row]>>shift | on.bits[row+1]<<(64-shift)
				u := unknown.bits[row]>>shift | unknown.bits[row+1]<<(64-shift)
				b := l.bits[r*sp.words+c] &^ u
				ink += bits.OnesCount64(b)
				missing += bits.OnesCount64(b &^ o)
			}
		}
	}
	return ink, missing
}
