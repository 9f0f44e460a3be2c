package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"example.com/patchwork/diagnose/words"
)

const (
	faint        = 0.005 // a vote this close to the background is none
	strong       = 0.1   // a vote that words and pictures show differs by this much
	typicalRows  = 5     // listed for each part
	wordsColumns = 4     // named in the words of a part
)

// parts counts who uses each part, and compares what it says with the data.
func (b *builder) parts(context.Context) error {
	for k := range b.m.K() {
		b.r.Parts = append(b.r.Parts, Part{Number: k, Name: words.Name(b.m, k), Words: words.Part(b.said, k, wordsColumns)})
	}
	b.use()
	if b.set.Table {
		b.votes()
	}
	return nil
}

// use counts the rows that use each part.
func (b *builder) use() {
	for i, e := range b.found {
		w, active := b.set.Weight(i), activeParts(e.Picks)
		for len(b.r.PartCounts) <= len(active) {
			b.r.PartCounts = append(b.r.PartCounts, 0)
		}
		b.r.PartCounts[len(active)] += w
		for _, k := range active {
			b.r.Parts[k].Rows += w
			if len(active) == 1 {
				b.r.Parts[k].Alone += w
			}
		}
	}
	for k := range b.r.Parts {
		p := &b.r.Parts[k]
		p.Share, p.Typical = b.r.share(p.Rows), b.typical(k)
	}
}

// typical lists the rows in which part k gains most.
func (b *builder) typical(k int) []Typical {
	var out []Typical
	for i, e := range b.found {
		for _, p := range e.Picks {
			if p.Expert == k && (len(out) < typicalRows || p.Gain > float64(out[len(out)-1].Gain)) {
				out = append(out, Typical{at: i, Gain: Number(p.Gain)})
				slices.SortStableFunc(out, func(x, y Typical) int { return cmp.Compare(y.Gain, x.Gain) })
				out = out[:min(len(out), typicalRows)]
			}
		}
	}
	for j, t := range out {
		out[j].Row, out[j].Name = b.row(t.at), b.rowName(t.at)
	}
	return out
}

// votes sets what the parts of a table say, beside what the data say.
func (b *builder) votes() {
	n, k := b.r.Width, b.m.K()
	on, seen := make([]int64, k*n), make([]int64, k*n)
	b.cells(func(i int, bits, known []uint8) {
		w := b.set.Weight(i)
		for _, p := range activeParts(b.found[i].Picks) {
			for j := range n {
				seen[p*n+j] += w * int64(known[j])
				on[p*n+j] += w * int64(known[j]&bits[j])
			}
		}
	})
	for p := range b.r.Parts {
		part := &b.r.Parts[p]
		for _, v := range words.Votes(b.m, p) {
			j := v.Column
			if math.Abs(v.P-v.Background) > faint {
				part.Votes = append(part.Votes, Vote{Column: b.names[j], Number: j + 1, Probability: v.P, Background: v.Background,
					Everywhere: ratio(b.on[j], b.seen[j]), Among: ratio(on[p*n+j], seen[p*n+j])})
			}
		}
	}
}

// ratio returns a share, or NaN of nothing.
func ratio(on, seen int64) Number { return Number(float64(on) / float64(seen)) }

// For reports whether the vote is for the column, not against it.
func (v Vote) For() bool { return v.Probability > v.Background }

// Clear reports whether the vote is strong enough to be named.
func (v Vote) Clear() bool { return math.Abs(v.Probability-v.Background) >= strong }
