package report

import (
	"cmp"
	"math"
	"slices"

	"example.com/patchwork/workbench"
)

const (
	faint       = 0.005 // a vote on a bit this close to what is said otherwise is none
	strong      = 0.1   // a vote on a bit that the page shows differs by this much
	typicalRows = 5     // listed for each part
)

// parts counts who uses each part, and compares what it says with the data.
func (b *builder) parts() {
	for k := range b.m.K() {
		p := b.m.Part(k)
		part := Part{Number: k, Name: workbench.Called(b.m, k), Words: p.Says}
		for _, v := range p.Votes {
			if one := (Vote{b.r.names[v.Column], v.Column + 1, v.Value, v.Otherwise, v.Spread, Number(b.columns[v.Column].mean()),
				Number(b.among[k][v.Column].mean()), v.Words}); one.Spread > 0 || one.strength() > faint {
				part.Votes = append(part.Votes, one)
			}
		}
		b.r.Parts = append(b.r.Parts, part)
	}
	for i, row := range b.r.rows {
		w, active := b.set.Weight(i), activeParts(row.Picks)
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
		p.Share, p.Typical = b.shares[k], b.typical(k)
	}
}

// typical lists the rows in which part k gains most.
func (b *builder) typical(k int) []Typical {
	var out []Typical
	for i, row := range b.r.rows {
		for _, p := range row.Picks {
			if p.Expert == k && (len(out) < typicalRows || p.Gain > float64(out[len(out)-1].Gain)) {
				out = append(out, Typical{at: i, Gain: Number(p.Gain)})
				slices.SortStableFunc(out, func(x, y Typical) int { return cmp.Compare(y.Gain, x.Gain) })
				out = out[:min(len(out), typicalRows)]
			}
		}
	}
	for j, t := range out {
		out[j].Row, out[j].Name = b.r.ByRow[t.at].Row, b.r.ByRow[t.at].Name
	}
	return out
}

// strength is by how much the part moves the mean: of a bit the probability, of numbers in deviations.
func (v Vote) strength() float64 { return math.Abs(v.Value-v.Otherwise) / cmp.Or(v.Spread, 1) }

// For reports whether the vote is for more, not for less.
func (v Vote) For() bool { return v.Value > v.Otherwise }

// Clear reports whether the vote is strong enough to be shown.
func (v Vote) Clear() bool { return v.Spread > 0 || v.strength() >= strong }
