package joint

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Groups of one kind compose to the same opinion on a bit, whoever else is in their sets, and
// no row is lost: of few voters, and of more than a word has bits.
func TestGroupsOfAKindAreAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	for _, r := range all {
		for _, experts := range []int{6, 100} {
			params := make([]float64, experts)
			q := 0.2
			for k := range params {
				if params[k] = r.none(q); experts > 64 || rng.IntN(2) == 0 {
					params[k] = r.parameter(0.3+float64(rng.IntN(3))/5, q)
				}
			}
			var groups []*group
			v := &votes{kinds: map[uint64]int32{}}
			var members []int // groups of expert 0
			for n := range 3000 / experts {
				c := &group{}
				for k := range experts {
					if rng.IntN(3) == 0 {
						c.set = append(c.set, int16(k))
					}
				}
				if slices.Contains(c.set, 0) {
					members = append(members, n)
				}
				seen := int64(rng.IntN(50))
				groups, v.rows = append(groups, c), append(v.rows, counted{rng.Int64N(seen + 1), seen})
			}
			v.alike = make([]int32, len(groups))
			v.sort(groups, params, r.none(q))
			if some := len(v.first) < len(groups); some != (experts == 6) {
				t.Errorf("%s, %d experts: %d kinds of %d groups", Names[r], experts, len(v.first), len(groups))
			}
			rest := func(set []int16) Rest {
				b := bit{rule: r, q: q}
				b.reset()
				for _, k := range set {
					b.join(params[k])
				}
				return b.rest()
			}
			all, own := make([]counted, len(v.first)), make([]counted, len(v.first))
			for n, c := range groups {
				kind := v.alike[n]
				all[kind] = counted{all[kind].on + v.rows[n].on, all[kind].seen + v.rows[n].seen}
				if slices.Contains(members, n) {
					own[kind] = counted{own[kind].on + v.rows[n].on, own[kind].seen + v.rows[n].seen}
				}
				if got, want := rest(groups[v.first[kind]].set), rest(c.set); got != want {
					t.Fatalf("%s: %v and %v are of a kind, but compose to %v and %v", Names[r], groups[v.first[kind]].set, c.set, got,
						want)
				}
			}
			v.of([]int{0, 1, 2}) // forgotten
			if kinds := v.of(members); !slices.Equal(v.all, all) || !slices.Equal(v.own, own) || len(kinds) == 0 {
				t.Errorf("%s, %d experts: rows are lost or counted twice", Names[r], experts)
			}
		}
	}
}
