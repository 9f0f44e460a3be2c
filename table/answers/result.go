package answers

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

const (
	folds     = 5
	undecided = 3 // nats within which two pictures describe a table equally well
)

// Options are those of Compare.
type Options struct {
	Seed     uint64
	Classes  int               // how many; 0 finds it out
	Progress func(kind string) // called with what is about to be learned; may be nil
}

// Compared is a picture beside others.
type Compared struct {
	*Picture
	Length  float64 // of the description of all rows, in nats
	Numbers int     // that the picture has
	LogP    float64 // of all rows

	// HeldOut, of [Result.HoldOut], is the mean log probability of a row, in nats, by a picture of this kind that is
	// learned anew without the row's fifth of all rows, and Error its standard error.
	HeldOut, Error float64
}

// Result is what a comparison came to: pictures, the shortest description first. That is the pick.
type Result struct {
	Pictures []Compared
	search   *search
}

// Undecided returns the pictures that describe the table as well as the first, within three nats.
func (r *Result) Undecided() (out []Compared) {
	for _, p := range r.Pictures[1:] {
		if p.Length < r.Pictures[0].Length+undecided {
			out = append(out, p)
		}
	}
	return out
}

// Of returns the picture of a kind, nil if there is none.
func (r *Result) Of(kind string) *Compared {
	for i := range r.Pictures {
		if r.Pictures[i].Kind == kind {
			return &r.Pictures[i]
		}
	}
	return nil
}

// Ordered reports whether each of the classes is above the one before in every column.
func (p *Picture) Ordered() bool {
	order := make([]int, len(p.Votes))
	mean := make([]float64, len(order))
	for k, votes := range p.Votes {
		order[k] = k
		for _, v := range votes {
			mean[k] += v
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	for i, k := range order[1:] {
		for d, v := range p.Votes[k] {
			if v < p.Votes[order[i]][d] {
				return false
			}
		}
	}
	return p.Classes
}

// bySize returns classes, the largest first.
func (p *Picture) bySize() *Picture {
	out := p.clone()
	for i, k := range largestFirst(p.Share) {
		out.Votes[i], out.Share[i] = p.Votes[k], p.Share[k]
	}
	return out
}

// largestFirst returns the order of shares.
func largestFirst(share []float64) []int {
	order := make([]int, len(share))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	return order
}

// Compare learns every picture of a table of answers, and describes the table by each.
func Compare(ctx context.Context, data patchwork.Data, opt Options) (*Result, error) {
	all, err := read(data)
	if err != nil {
		return nil, err
	}
	s, err := newSearch(ctx, data, opt)
	if err != nil {
		return nil, err
	}
	if err := s.learn(); err != nil {
		return nil, err
	}
	out := &Result{search: s}
	sides := map[bool]*answers{false: all, true: all.flipped()}
	for _, f := range s.by {
		if f.Share == nil {
			f.Picture = f.clone().withSets()
		}
		if f = measured(f.Picture, sides[f.Lacking], 60); f.Classes {
			f = measured(f.bySize(), all, 0)
		}
		out.Pictures = append(out.Pictures, f.compared())
	}
	slices.SortFunc(out.Pictures, func(a, b Compared) int {
		if a.Length < b.Length || a.Length == b.Length && a.Kind < b.Kind {
			return -1
		}
		return 1
	})
	return out, nil
}

// HoldOut learns all pictures again without a fold of the rows that were searched, and asks how probable these are
// then.
func (r *Result) HoldOut() error {
	s, n := r.search, len(r.Pictures)
	sum, squares := make([]float64, n), make([]float64, n)
	if s.t.n < 2*folds {
		return nil
	}
	for i, fold := range foldsOf(s.data, s.seed) {
		if err := s.tell("fold " + string(rune('1'+i))); err != nil {
			return err
		}
		held, err := read(patchwork.Data{Images: s.data.Images, Weights: fold, Unit: s.data.Unit})
		if err != nil {
			return err
		}
		train := &search{ctx: s.ctx, seed: s.seed, whole: s}
		train.data = patchwork.Data{Images: s.data.Images, Unit: s.data.Unit}
		for i := range fold {
			train.data.Weights = append(train.data.Weights, s.data.Weight(i)-fold[i])
		}
		if train.t, err = read(train.data); err != nil {
			return err
		}
		if err := train.learn(); err != nil {
			return err
		}
		for i, p := range r.Pictures {
			a, b := train.judge(p.Kind, held)
			sum[i], squares[i] = sum[i]+a, squares[i]+b
		}
	}
	for i := range r.Pictures {
		p := &r.Pictures[i]
		p.HeldOut = sum[i] / s.t.n
		p.Error = math.Sqrt(max(squares[i]/s.t.n-float64(p.HeldOut*p.HeldOut), 0) / s.t.n)
	}
	return nil
}

// judge returns the sum over held-out rows of their log probability by the picture of a kind, and that of the squares.
// Where a fold has no parts to say something of, the picture is that without the layer.
func (s *search) judge(kind string, held *answers) (sum, squares float64) {
	f, ok := s.by[kind]
	for !ok {
		base, layers, _ := cutKind(kind)
		switch layer, rest, _ := cutKind(layers); {
		case rest != "":
			kind = base + "+" + layer
		case layer == "level":
			kind = "level"
		case layer != "":
			kind = base
		default:
			kind = "independent"
		}
		f, ok = s.by[kind]
	}
	if f.Lacking {
		held = held.flipped()
	}
	for n, e := range prepare(f.Picture).evidence(held) {
		sum += float64(held.times[n] * e)
		squares += float64(held.times[n] * e * e)
	}
	return sum, squares
}

// cutKind returns what a picture is made of, and the layers beyond.
func cutKind(kind string) (base, layers string, more bool) { return strings.Cut(kind, "+") }

// foldsOf deals the rows out to folds, in random order, and returns their weights in each.
func foldsOf(data patchwork.Data, seed uint64) [][]int64 {
	unit := max(data.Unit, 1)
	var of []int
	for i := range data.Images {
		for range min((data.Weight(i)+unit-1)/unit, int64(rows.Total(data))) {
			of = append(of, i)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1<<33))
	rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	out := make([][]int64, folds)
	left := make([]int64, len(data.Images))
	for i := range left {
		left[i] = data.Weight(i)
	}
	for k := range out {
		out[k] = make([]int64, len(data.Images))
		for i := k; i < len(of); i += folds {
			w := min(unit, left[of[i]])
			out[k][of[i]] += w
			left[of[i]] -= w
		}
	}
	return out
}
