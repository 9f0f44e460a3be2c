package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/pose"
	"example.com/patchwork/posterior"
)

// The checks of Model, in the order of the kinds.

// The limits of the diagnosis: beyond each of them, in experience, a fault begins
// to show in the likelihood of unseen images.
const (
	sameVotes   = 0.25 // votes in dispute, as a share of all, below which experts are duplicates
	noVotes     = 0.05 // largest vote of an expert that does not vote; range of one that is constant
	edgeShare   = 0.2  // of the picks at one end of a range, or twice what chance gives
	edgePicks   = 10   // below which shares mean nothing
	listedAtAll = 10   // images named in a finding
	rareUses    = 2    // of an expert, up to which it is rare
	rareRows    = 50   // images, from which on it is
)

// called returns what part k is called at the beginning of a sentence: "Part 3 (bog)".
func called(m *patchwork.Model, k int) string {
	text := fmt.Sprintf("Part %d", k+1)
	if name := words.Name(m, k); name != words.Numbered(k) {
		text += " (" + name + ")"
	}
	return text
}

// unexplainedAdvice returns what to do about inputs that nothing explains, where there
// are too many parts already, or not.
func unexplainedAdvice(m *patchwork.Model, tooMany bool) string {
	if tooMany {
		return fmt.Sprintf("That is fair for blank, sparse or noisy %ss; more parts are no help while some are unused, "+
			"doubled or do not vote.", nouns(m).Image)
	}
	if m.Height() == 1 {
		return "That is fair for sparse or noisy rows; if these are neither, learn more parts."
	}
	if c := m.Config(); !c.Scene && c.Poses.Len() == 1 {
		return "That is fair for blank or noisy images; if these are neither, learn more parts, or let them move (--shift, " +
			"--rotate)."
	}
	return "That is fair for blank or noisy images; if these are neither, learn more parts or allow more poses."
}

// nouns returns what images and pixels are called: a model of height 1 is of the rows
// of a table.
func nouns(m *patchwork.Model) words.Nouns { return words.NounsOf(m.Height() == 1) }

// noParts is the advice where the only part is of no use.
func noParts(m *patchwork.Model) string {
	return fmt.Sprintf("There may be no parts in these %ss.", nouns(m).Image)
}

func findUnused(m *patchwork.Model, t *patchwork.Tally) []Finding {
	advice := "Learn with fewer parts, or from more starts."
	if c := m.Config(); c.Scene || c.Poses.Len() > 1 {
		advice = "Learn with fewer parts, from more starts, or with a wider range of poses."
	}
	if m.K() == 1 {
		advice = noParts(m)
	}
	var out []Finding
	for k := range m.K() {
		facts := ""
		switch {
		case t != nil && t.Rows() > 0 && t.Active(k) == 0:
			facts = fmt.Sprintf("%s explains none of the %d %ss.", called(m, k), t.Rows(), nouns(m).Image)
		case t == nil && m.Extras().Usage != nil && m.Extras().Usage[k] == 0:
			facts = fmt.Sprintf("%s explained no training %s.", called(m, k), nouns(m).Image)
		default:
			continue
		}
		out = append(out, Finding{Kind: KindUnused, Experts: []int{k}, Facts: facts, Advice: advice})
	}
	return out
}

// findRare returns findings about experts that next to no image of many uses.
func findRare(m *patchwork.Model, t *patchwork.Tally) []Finding {
	r := m.Extras().Record
	rows, uses := float64(r.Rows), func(k int) float64 { return m.Extras().Usage[k] * float64(r.Rows) }
	if t != nil {
		rows, uses = float64(t.Rows()), func(k int) float64 { return float64(t.Active(k)) }
	}
	if rows < rareRows || t == nil && m.Extras().Usage == nil {
		return nil
	}
	fewer := ", or learn with fewer parts"
	if m.K() == 1 {
		fewer = ""
	}
	var out []Finding
	for k := range m.K() {
		n := math.Round(uses(k))
		if n == 0 || n > rareUses || loudestVote(m, k) < noVotes { // one without votes is no odd row
			continue
		}
		out = append(out, Finding{Kind: KindRare, Experts: []int{k}, Value: n, Limit: rareUses,
			Facts:  fmt.Sprintf("%s is used in %.0f of %.0f %ss.", called(m, k), n, rows, nouns(m).Image),
			Advice: fmt.Sprintf("It may be one odd %s rather than a part: look at it%s.", nouns(m).Image, fewer)})
	}
	return out
}

// vote returns by how much an opinion p differs from the abstention value q.
func vote(rule patchwork.Rule, p, q float64) float64 {
	v := p - q
	if !rule.TwoSided() {
		return max(v, 0)
	}
	return v
}

// Two experts are compared pixel by pixel: of many or large ones only the first are, so
// that a model is described within seconds whatever it is.
const (
	mostCompared  = 500_000_000 // pixels, about
	leastCompared = 64          // experts
	mostListed    = 1000        // duplicates
)

// compared returns how many of k experts of so many pixels are compared with each other:
// the first.
func compared(k, pixels int) int {
	return min(k, max(int(math.Sqrt(2*mostCompared/float64(pixels))), leastCompared))
}

// findDuplicates reports experts that say nearly the same, among the first of compared.
func findDuplicates(m *patchwork.Model) []Finding {
	var out []Finding
	n := compared(m.K(), m.Height()*m.Width())
	v := newVoters(m, n)
	for a := range n {
		for b := a + 1; b < n && len(out) < mostListed; b++ {
			if d := v.dispute(a, b, sameVotes); d < sameVotes {
				out = append(out, Finding{Kind: KindDuplicate, Experts: []int{a, b}, Value: d, Limit: sameVotes,
					Facts: fmt.Sprintf("%s and %s say nearly the same: %.0f %% of their votes are in dispute.", called(m, a),
						words.Full(m, b), 100*d),
					Advice: "Learn with fewer parts, or from more starts."})
			}
		}
	}
	return out
}

// voters are the first experts of a model.
type voters struct {
	*patchwork.Model
	rule        patchwork.Rule
	abstentions []float64
	all         []float64 // the votes of each, added up without their signs
	still       bool      // they are compared where they are
	reach       pose.Grid
	centres     [][2]float64 // of votes, unless they are still
}

func newVoters(m *patchwork.Model, n int) *voters {
	c := m.Config()
	v := &voters{Model: m, rule: c.Rule, abstentions: make([]float64, m.Height()*m.Width()), all: make([]float64, n),
		still: c.Scene || c.Poses.Shifts() == 1, reach: c.Poses}
	for i := range v.abstentions {
		v.abstentions[i] = m.Abstention(i)
	}
	for k := range v.all {
		for i, p := range m.Template(k) {
			v.all[k] += math.Abs(vote(v.rule, p, v.abstentions[i]))
		}
		if !v.still {
			y, x := centre(m, k)
			v.centres = append(v.centres, [2]float64{y, x})
		}
	}
	return v
}

// dispute returns the share of the votes of experts a and b that they do not have
// in common: the sum of the differences over the sum of the larger votes, with b
// shifted onto a's centre as far as the poses allow; 1 where it is more than most, or if neither votes.
func (v *voters) dispute(a, b int, most float64) float64 {
	// The larger votes are at most half of all votes and of the differences: so many differences are too many.
	enough := most / (2 - most) * (v.all[a] + v.all[b]) * (1 + 1e-9)
	if math.Abs(v.all[a]-v.all[b]) > enough {
		return 1
	}
	h, w := v.Height(), v.Width()
	dy, dx := v.offset(a, b)
	ta, tb := v.Template(a), v.Template(b)
	differ, larger := 0.0, 0.0
	add := func(va, vb float64) {
		differ += math.Abs(va - vb)
		larger += max(math.Abs(va), math.Abs(vb))
	}
	for y := range h {
		rowA, rowB, q := ta[y*w:][:w], tb[y*w:][:w], v.abstentions[y*w:][:w]
		for x, p := range rowA {
			va, vb := vote(v.rule, p, q[x]), 0.0
			switch yb, xb := y-dy, x-dx; {
			case dy == 0 && dx == 0:
				vb = vote(v.rule, rowB[x], q[x])
			case yb >= 0 && yb < h && xb >= 0 && xb < w:
				vb = vote(v.rule, tb[yb*w+xb], v.abstentions[yb*w+xb])
			}
			add(va, vb)
			if y+dy < 0 || y+dy >= h || x+dx < 0 || x+dx >= w {
				add(0, vote(v.rule, rowB[x], q[x])) // shifted out of a's frame
			}
			if differ > enough {
				return 1
			}
		}
	}
	if larger == 0 {
		return 1
	}
	return differ / larger
}

// offset returns the shift that carries expert b's centre of votes onto a's, as far
// as the poses let the two move apart; 0 for the experts of scenes, which are cut
// out to fit.
func (v *voters) offset(a, b int) (dy, dx int) {
	if v.still {
		return 0, 0
	}
	reachY, reachX := v.reach.DY.Max-v.reach.DY.Min, v.reach.DX.Max-v.reach.DX.Min
	dy, dx = int(math.Round(v.centres[a][0]-v.centres[b][0])), int(math.Round(v.centres[a][1]-v.centres[b][1]))
	return max(-reachY, min(dy, reachY)), max(-reachX, min(dx, reachX))
}

// centre returns the centre of an expert's votes; 0 if it has none.
func centre(m *patchwork.Model, k int) (y, x float64) {
	sum, rule := 0.0, m.Config().Rule
	for i, p := range m.Template(k) {
		v := math.Abs(vote(rule, p, m.Abstention(i)))
		y += float64(v * float64(i/m.Width()))
		x += float64(v * float64(i%m.Width()))
		sum += v
	}
	if sum == 0 {
		return 0, 0
	}
	return y / sum, x / sum
}

// loudestVote returns the largest vote of part k.
func loudestVote(m *patchwork.Model, k int) float64 {
	loudest, rule := 0.0, m.Config().Rule
	for i, p := range m.Template(k) {
		loudest = max(loudest, math.Abs(vote(rule, p, m.Abstention(i))))
	}
	return loudest
}

func findConstant(m *patchwork.Model) []Finding {
	var out []Finding
	for k, t := range m.Templates() {
		loudest := loudestVote(m, k)
		spread := slices.Max(t) - slices.Min(t)
		f := Finding{Kind: KindNearConstant, Experts: []int{k}, Value: spread, Limit: noVotes,
			Advice: "Learn with fewer parts, or from more starts."}
		if m.K() == 1 {
			f.Advice = noParts(m)
		}
		switch {
		case loudest < noVotes:
			f.Value = loudest
			f.Facts = fmt.Sprintf("%s does not vote: its largest vote is %s.", called(m, k), words.PercentFine(loudest))
		case len(t) > 1 && spread < noVotes:
			f.Facts = fmt.Sprintf("%s says the same everywhere: all its values lie in %s to %s.", called(m, k),
				words.PercentFine(slices.Min(t)), words.PercentFine(slices.Max(t)))
			f.Advice = "Give the background that value instead, or learn with fewer parts."
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}

// edge is one end of a range of poses.
type edge struct {
	name      string
	at        float64
	positions int
	of        func(patchwork.Pick) float64
}

// edges returns the ends of the ranges that have positions between their ends. A
// full circle of rotations has no ends.
func edges(m *patchwork.Model) []edge {
	var out []edge
	g := m.Config().Poses
	ends := func(name string, lo, hi float64, n int, of func(patchwork.Pick) float64) {
		if n > 2 {
			out = append(out, edge{name, lo, n, of}, edge{name, hi, n, of})
		}
	}
	if !m.Config().Scene {
		ends("dy", float64(g.DY.At(0)), float64(g.DY.At(g.DY.Len()-1)), g.DY.Len(),
			func(p patchwork.Pick) float64 { return float64(p.Pose.DY) })
		ends("dx", float64(g.DX.At(0)), float64(g.DX.At(g.DX.Len()-1)), g.DX.Len(),
			func(p patchwork.Pick) float64 { return float64(p.Pose.DX) })
	}
	if n := len(g.Angles); n > 2 {
		lo, hi := slices.Min(g.Angles), slices.Max(g.Angles)
		if step := (hi - lo) / float64(n-1); hi-lo+step < 359.999 {
			ends("angle", lo, hi, n, func(p patchwork.Pick) float64 { return p.Pose.Angle })
		}
	}
	return out
}

func findEdges(m *patchwork.Model, explained []*patchwork.Explanation) []Finding {
	edges := edges(m)
	picks := make([]int, m.K())
	at := make([][]int, m.K())
	for k := range at {
		at[k] = make([]int, len(edges))
	}
	for _, e := range explained {
		if e == nil {
			continue
		}
		for _, p := range e.Picks {
			picks[p.Expert]++
			for i, edge := range edges {
				if edge.of(p) == edge.at {
					at[p.Expert][i]++
				}
			}
		}
	}
	var out []Finding
	for k, counts := range at {
		for i, n := range counts {
			share, limit := float64(n)/float64(picks[k]), max(edgeShare, 2/float64(edges[i].positions))
			if picks[k] < edgePicks || share <= limit {
				continue
			}
			out = append(out, Finding{Kind: KindPoseAtEdge, Experts: []int{k}, Value: share, Limit: limit,
				Facts: fmt.Sprintf("%s is at the end of its range, %s = %v, in %d of %d picks.",
					called(m, k), edges[i].name, edges[i].at, n, picks[k]),
				Advice: fmt.Sprintf("Widen the range of %s.", edges[i].name)})
		}
	}
	return out
}

func findOverconfident(m *patchwork.Model, t *patchwork.Tally) []Finding {
	out := findCertain(m)
	if t == nil {
		return out
	}
	n, c := m.Height()*m.Width(), t.Counts()
	for k, template := range m.Templates() {
		wrong, expected := 0.0, 0.0
		for i, p := range template {
			seen, on := float64(c.Seen[k*n+i]), float64(c.On[k*n+i])
			if p > 0.5 {
				on, p = seen-on, 1-p
			}
			wrong += on
			expected += float64(seen * p)
		}
		// Five standard deviations of a sum of rare errors, and twice as many.
		if limit := max(2*expected, expected+float64(5*math.Sqrt(expected+1))); wrong > limit {
			out = append(out, Finding{Kind: KindOverconfident, Experts: []int{k}, Value: wrong, Limit: limit,
				Facts: fmt.Sprintf("%s is wrong at %.0f %ss it decides, where its template expects %.0f.", called(m, k), wrong,
					nouns(m).Place, expected),
				Advice: "Clip its probabilities to the noise of these images, or continue learning with them."})
		}
	}
	return out
}

// findCertain returns findings about votes that are too certain for the data to
// have taught (a hundredth of the probability of one surprise in all training
// images), and about backgrounds of exactly 0 or 1.
func findCertain(m *patchwork.Model) []Finding {
	limit, rule := 1e-4, m.Config().Rule
	if rows := posterior.TrainingRows(m); rows > 0 {
		limit = 0.01 / (rows + 1)
	}
	var out []Finding
	for k, template := range m.Templates() {
		certain := 0
		for i, p := range template {
			if vote(rule, p, m.Abstention(i)) != 0 && min(p, 1-p) < limit {
				certain++
			}
		}
		if certain > 0 {
			out = append(out, Finding{Kind: KindOverconfident, Experts: []int{k}, Value: float64(certain),
				Facts:  fmt.Sprintf("%s has %s within %.2g of 0 or 1.", called(m, k), words.Count(certain, "value"), limit),
				Advice: "Clip them to the noise of the images: one surprise there outweighs all else."})
		}
	}
	certain := 0
	for i := range m.Height() * m.Width() {
		if q := m.Abstention(i); q == 0 || q == 1 {
			certain++
		}
	}
	if certain > 0 {
		out = append(out, Finding{Kind: KindOverconfident, Value: float64(certain),
			Facts: fmt.Sprintf("The background is certain (exactly 0 or 1) at %d of %d %ss.", certain, m.Height()*m.Width(),
				nouns(m).Place),
			Advice: "The paper does the same; with a little noise instead, a stray pixel there would not make an image " +
				"impossible."})
	}
	return out
}

func findUnexplained(m *patchwork.Model, explained []*patchwork.Explanation, name func(i int) string,
	tooMany bool) []Finding {
	var nothing, impossible []int
	total := 0
	for i, e := range explained {
		if e == nil {
			continue
		}
		total++
		if math.IsInf(e.LogLikModel, -1) {
			impossible = append(impossible, i)
		} else if len(e.Picks) == 0 || e.LogLik <= e.StartLogLik {
			nothing = append(nothing, i)
		}
	}
	var out []Finding
	add := func(kind Kind, images []int, what, advice string) {
		if len(images) == 0 {
			return
		}
		listed := images[:min(len(images), listedAtAll)]
		names := make([]string, len(listed))
		for i, image := range listed {
			names[i] = name(image)
		}
		if len(images) > len(listed) {
			names = append(names, "...")
		}
		out = append(out, Finding{Kind: kind, Images: slices.Clone(listed), Value: float64(len(images)) / float64(total),
			Facts:  fmt.Sprintf("%s %d of %d %ss (%s).", what, len(images), total, nouns(m).Image, strings.Join(names, ", ")),
			Advice: advice})
	}
	add(KindUnexplained, nothing, "Nothing explains", unexplainedAdvice(m, tooMany))
	add(KindImpossible, impossible, "The model gives probability 0 to",
		"Clip the templates and the background away from 0 and 1.")
	return out
}
