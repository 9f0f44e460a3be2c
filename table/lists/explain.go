package lists

import (
	"cmp"
	"slices"

	"example.com/patchwork/internal/elem"
)

const (
	improvements = 4  // passes of removing, exchanging and adding parts
	mostTogether = 64 // parts that are looked at in one row
)

// believed is a level, with its probability.
type believed struct {
	level int
	p     float64
}

// explainer explains rows, one at a time.
type explainer struct {
	*index
	*view
	stamp  int32
	mark   []int32   // by column: the stamp of the last row in which it was on, or less it where unknown
	seen   []int32   // by part: the stamp of the last row with one of its columns
	says   []float64 // by part: what the row's ones say of it, at level 0
	hits   []float64 // by part: how many those are
	score  []float64 // by part: its log odds in the row beside no other part
	odds   []float64 // by part: beside those that are active
	active []bool    // by part
	top    []loudest // by column where several vote: of the parts that are active

	touched    []int32 // parts with a column in the row
	candidates []int32 // those that may be active
	set        []int32 // those that are
	overlap    bool    // whether two candidates vote on the same column

	levels   []believed // those that the row may have
	odd      float64    // sum of the log odds of its ones at level 0, by the background
	evidence float64    // of the row
	bonus    float64    // how much of that is of other sets than the best
}

func newExplainer(x *index) *explainer {
	k := len(x.Parts)
	return &explainer{index: x, view: &x.views[0], mark: make([]int32, len(x.Q)), seen: make([]int32, k),
		says: make([]float64, k), hits: make([]float64, k), score: make([]float64, k), odds: make([]float64, k),
		active: make([]bool, k), top: make([]loudest, len(x.Q))}
}

// loudest are the two strongest votes on a column, each with 1 more, so that 0 stands for none.
type loudest [2]int32

// row explains a row by the parts that make it most probable, at the level that does.
func (e *explainer) row(ones, unknown []int32) {
	e.gather(ones, unknown)
	e.levels = e.levels[:0]
	if len(e.views) == 1 {
		e.at(0, ones, unknown)
		e.levels = append(e.levels, believed{0, 1})
		return
	}
	best := e.start(len(ones))
	e.at(best, ones, unknown)
	e.levels = append(e.levels, believed{best, e.evidence})
	top, last := e.evidence, best
	for _, way := range [...]int{-1, 1} {
		for l := last + way; l >= 0 && l < len(e.views); l += way {
			e.at(l, ones, unknown)
			e.levels = append(e.levels, believed{l, e.evidence})
			if e.evidence > top {
				best, top = l, e.evidence
			} else if e.evidence < top-unlikelier {
				break
			}
		}
	}
	sum := 0.0
	for i, v := range e.levels {
		e.levels[i].p = elem.Exp(v.p - top)
		sum += e.levels[i].p
	}
	for i := range e.levels {
		e.levels[i].p /= sum
	}
	e.at(best, ones, unknown)
	e.evidence = top + elem.Log(sum)
}

// start returns the level at which rows of so many ones are expected, if they have no parts.
func (e *explainer) start(ones int) int {
	l := 0
	for l < len(e.views)-1 && e.views[l].ones < float64(ones) {
		l++
	}
	return l
}

// gather finds the parts that a row touches, and what its ones say of them.
func (e *explainer) gather(ones, unknown []int32) {
	e.stamp++
	e.touched, e.odd = e.touched[:0], 0
	for _, k := range e.always {
		e.touch(k)
	}
	for _, d := range unknown {
		e.mark[d] = -e.stamp
		for _, v := range e.votersOn(d) {
			if e.seen[v.part] != e.stamp {
				e.touch(v.part)
			}
		}
	}
	for _, d := range ones {
		e.odd += e.logit[d]
		for _, v := range e.votersOn(d) {
			if e.seen[v.part] != e.stamp {
				e.touch(v.part)
			}
			e.says[v.part] += v.weight
			e.hits[v.part]++
		}
	}
}

// at explains the row that was gathered as one of level l.
func (e *explainer) at(l int, ones, unknown []int32) {
	e.view = &e.views[l]
	e.candidates, e.set = e.candidates[:0], e.set[:0]
	sum := e.base + e.odd + e.weight + float64(e.shift*float64(len(ones)))
	for _, k := range e.touched {
		e.score[k] = e.alone[k] + e.says[k] - float64(e.shift*e.hits[k])
	}
	for _, d := range unknown {
		sum -= e.not[d]
		for _, v := range e.votersOn(d) {
			e.score[v.part] -= e.no[v.vote] - e.not[d]
		}
	}
	rest := e.soft
	for _, k := range e.touched {
		rest -= e.softs[k]
		if e.score[k] > unlikely {
			e.candidates = append(e.candidates, k)
		} else {
			rest += soft(e.score[k])
		}
	}
	slices.Sort(e.candidates)
	if len(e.candidates) > mostTogether {
		e.fewer()
	}
	for _, k := range e.candidates {
		e.odds[k] = e.score[k]
	}
	if e.overlap = e.overlaps(); e.overlap {
		for _, d := range ones {
			e.mark[d] = e.stamp
		}
		sum += e.choose()
	} else {
		for _, k := range e.candidates {
			if e.score[k] > 0 {
				e.active[k] = true
				sum += e.score[k]
			}
		}
	}
	rest += e.others()
	e.evidence, e.bonus = sum+rest, rest
	e.activate(false)
}

// activate makes the parts of the best set active, or no longer so: no part is between rows.
func (e *explainer) activate(on bool) {
	for _, k := range e.set {
		if on {
			e.turn(k, true)
			continue
		}
		e.active[k] = false
		for _, vote := range e.shared[k] {
			e.top[e.column[vote]] = loudest{}
		}
	}
}

// turn makes a part active or not.
func (e *explainer) turn(k int32, on bool) {
	e.active[k] = on
	for _, vote := range e.shared[k] {
		d := e.column[vote]
		switch top := &e.top[d]; {
		case on:
			top.add(vote, e.yes)
		case top[0] == vote+1 || top[1] == vote+1:
			*top = loudest{}
			for _, v := range e.votersOn(d) {
				if e.active[v.part] {
					top.add(v.vote, e.yes)
				}
			}
		}
	}
}

// add adds a vote, of which yes says how strong each is.
func (t *loudest) add(vote int32, yes []float64) {
	switch {
	case t[0] == 0 || yes[vote] > yes[t[0]-1]:
		t[1], t[0] = t[0], vote+1
	case t[1] == 0 || yes[vote] > yes[t[1]-1]:
		t[1] = vote + 1
	}
}

// others collects the best set, and returns what others add to its probability that differ in one
// part, or in one part each of those that vote on columns of their own.
func (e *explainer) others() (rest float64) {
	sum := 0.0
	for _, k := range e.candidates {
		odds := e.odds[k]
		if e.active[k] {
			e.set, odds = append(e.set, k), -odds
		}
		if e.overlap && e.meetsAny(k) {
			sum += elem.Exp(odds)
		} else {
			rest += soft(odds)
		}
	}
	return rest + elem.Log1p(sum)
}

// meetsAny reports whether part k votes on a column of another candidate.
func (e *explainer) meetsAny(k int32) bool {
	return len(e.shared[k]) > 0 &&
		slices.ContainsFunc(e.candidates, func(j int32) bool { return j != k && e.meeting(j, k) })
}

func (e *explainer) touch(k int32) {
	e.seen[k], e.says[k], e.hits[k] = e.stamp, 0, 0
	e.touched = append(e.touched, k)
}

// fewer keeps the candidates that are most probable by themselves.
func (e *explainer) fewer() {
	slices.SortStableFunc(e.candidates, func(a, b int32) int { return cmp.Compare(e.score[b], e.score[a]) })
	e.candidates = e.candidates[:mostTogether]
	slices.Sort(e.candidates)
}

// overlaps reports whether two candidates vote on the same column.
func (e *explainer) overlaps() bool {
	for i, a := range e.candidates {
		if len(e.shared[a]) == 0 {
			continue
		}
		for _, b := range e.candidates[i+1:] {
			if e.meeting(a, b) {
				return true
			}
		}
	}
	return false
}

// beside returns the log odds of part k beside the others that are active.
func (e *explainer) beside(k int32) float64 {
	sum := e.score[k]
	for _, vote := range e.shared[k] {
		d := e.column[vote]
		other := e.top[d][0] - 1
		if other == vote {
			other = e.top[d][1] - 1
		}
		if other < 0 || e.mark[d] == -e.stamp {
			continue
		}
		if e.mark[d] == e.stamp {
			sum += max(e.yes[vote], e.yes[other]) - e.yes[other] - (e.yes[vote] - e.logQ(d))
		} else {
			sum += min(e.no[vote], e.no[other]) - e.no[other] - (e.no[vote] - e.not[d])
		}
	}
	return sum
}

// set makes a part active or not, and sets the log odds of those that vote where it does.
func (e *explainer) put(k int32, on bool) {
	e.turn(k, on)
	for _, j := range e.candidates {
		if e.meeting(k, j) {
			e.odds[j] = e.beside(j)
		}
	}
}

// choose chooses the parts of a row where candidates vote on the same columns: greedily, and
// improved by removing, exchanging and adding some. It returns what they gain.
func (e *explainer) choose() (gain float64) {
	gain = e.fill()
	for range improvements {
		before := gain
		for _, k := range e.candidates {
			if e.active[k] && e.odds[k] < 0 {
				gain -= e.odds[k]
				e.put(k, false)
			}
		}
		for _, k := range e.candidates {
			if e.active[k] {
				gain += e.exchange(k)
			}
		}
		if gain += e.fill(); gain <= before+1e-9 {
			break
		}
	}
	return gain
}

// fill adds the part that gains most, as long as one gains anything.
func (e *explainer) fill() (gain float64) {
	for {
		best := int32(-1)
		for _, k := range e.candidates {
			if !e.active[k] && e.odds[k] > 0 && (best < 0 || e.odds[k] > e.odds[best]) {
				best = k
			}
		}
		if best < 0 {
			return gain
		}
		gain += e.odds[best]
		e.put(best, true)
	}
}

// exchange replaces a part by others, if these gain more.
func (e *explainer) exchange(k int32) float64 {
	lost := e.odds[k]
	e.put(k, false)
	var added []int32
	gain := -lost
	for {
		best := int32(-1)
		for _, j := range e.candidates {
			if j != k && !e.active[j] && e.odds[j] > 0 && e.meeting(j, k) && (best < 0 || e.odds[j] > e.odds[best]) {
				best = j
			}
		}
		if best < 0 {
			break
		}
		gain += e.odds[best]
		e.put(best, true)
		added = append(added, best)
	}
	if gain > 1e-9 {
		return gain
	}
	for _, j := range added {
		e.put(j, false)
	}
	e.put(k, true)
	return 0
}
