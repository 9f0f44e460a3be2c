package posterior

import (
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/elem"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/pose"
)

// Searcher finds the best explanations of images by a beam search: likelihood
// matching pursuit on log P(x, picks) that extends the Beam best sets of picks
// instead of one, and keeps the Keep best distinct sets among all it has
// evaluated. It starts from the empty set, which is an explanation too, and stops
// when no extension beats the best set extended, as greedy pursuit does.
//
// The likelihood is the untruncated one: posterior weights need a probability.
// As with any beam search, a wider beam nearly always finds at least as much,
// though not always. For a model that searches with truncated templates
// (Config.Truncate) the beam starts a second time from what a refined Pursuit
// finds, so that the best alternative is never worse than that explanation.
//
// An image costs about Beam times what Pursuit does, plus the exact scoring of
// the Keep best candidates of each set extended, and twice that from two starts;
// memory holds one gain per candidate, for 2*Beam + 1 searches.
//
// A Searcher owns scratch memory and belongs to one goroutine; Fork makes another
// for the same model.
type Searcher struct {
	model    *patchwork.Model
	opt      Options
	bank     *score.Bank
	costs    []float64          // of a pick of each expert, without its pose
	constant float64            // log prior of the empty set
	reuse    int                // picks an expert may have
	hybrid   *patchwork.Pursuit // finds the second start; nil for none
	joint    *joint.Search      // of the rules that are no fold; nil for max and max-minus-min

	grid   pose.Grid
	origin score.Search // the image, and no picks
	paid   []float64    // costs, pose included, for the present image
	nodes  []node       // all sets worth remembering; 0 is the empty one
	level  []int        // nodes of the present size
	beam   []branch     // the sets being extended, best first
	spare  []branch
	top    []score.Ranked
	used   []int // picks of each expert in the set being extended

	pixels   []uint8
	extremes patchwork.Composition
}

// node is a set of picks, as its parent and one pick more.
type node struct {
	parent    int // -1: none
	candidate int // the last pick
	gain      score.Gain
	joint     score.Gain // log joint; Possible is minus the number of impossible pixels
	set       []int      // candidates, ascending
}

// branch is a set being extended.
type branch struct {
	node   int
	search *score.Search
}

// NewSearcher prepares a search. The error says which option is out of range.
func NewSearcher(m *patchwork.Model, opt Options) (*Searcher, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	n := &Searcher{model: m, opt: opt.WithDefaults(), bank: bank(m),
		costs: activationCosts(m), constant: logPriorEmpty(m), reuse: max(m.Config().Reuse, 1)}
	if r := joint.Rule(m.Config().Rule); !r.Fold() || m.Extras().SetPrior != nil {
		n.joint = rows.Search(m, ActivationPrior(m), n.opt.Beam, n.opt.Keep, n.opt.MaxPicks)
	}
	if m.Config().Truncate {
		var err error
		if n.hybrid, err = patchwork.NewPursuit(m, patchwork.PursuitOptions{Refined: true, AsLearned: true,
			MaxPicks: opt.MaxPicks}); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// bank returns the sprites of a model as they are (untruncated).
func bank(m *patchwork.Model) *score.Bank {
	c := m.Config()
	f := score.Frame{Height: c.Height, Width: c.Width, Q: c.Q, QMap: c.QMap, TwoSided: c.Rule.TwoSided()}
	for t := range c.Poses.Turns() {
		f.Turns = append(f.Turns, pose.TurnOf(c.Height, c.Width, c.Poses.Turn(t)))
	}
	return score.NewBank(f, m.Templates())
}

// Fork returns a Searcher with the same model and options for another goroutine;
// the two share what is large and constant.
func (n *Searcher) Fork() *Searcher {
	f := &Searcher{model: n.model, opt: n.opt, bank: n.bank, costs: n.costs, constant: n.constant, reuse: n.reuse}
	if n.hybrid != nil {
		f.hybrid = n.hybrid.Fork()
	}
	if n.joint != nil {
		f.joint = n.joint.Fork()
	}
	return f
}

// Explain finds the best explanations of one image. The error is a *SizeError.
func (n *Searcher) Explain(img *bitmap.Image) (*Posterior, error) {
	grid, err := n.model.GridFor(img.Height(), img.Width())
	if err != nil {
		return nil, err
	}
	if n.joint != nil {
		return n.explainJoint(img), nil
	}
	n.begin(img, grid)
	n.climb(0)
	if n.hybrid != nil {
		e, err := n.hybrid.Explain(img)
		if err != nil {
			return nil, err
		}
		n.climb(n.adopt(e.Picks))
	}
	return n.posterior(), nil
}

// begin takes an image, with the empty set as the only node.
func (n *Searcher) begin(img *bitmap.Image, grid pose.Grid) {
	n.grid = grid
	n.paid = n.paid[:0]
	for _, c := range n.costs {
		n.paid = append(n.paid, c+elem.Log(float64(grid.Len())))
	}
	n.read(img)
	n.origin.Reset(n.bank, score.GridOf(grid.DY, grid.DX), img.Height(), img.Width(), n.pixels)
	joint := score.Gain{Nats: n.constant}
	for _, l := range n.origin.L {
		if math.IsInf(l, -1) {
			joint.Possible--
		} else {
			joint.Nats += l
		}
	}
	n.nodes = n.nodes[:0]
	n.push(node{parent: -1, candidate: -1, joint: joint})
}

// read takes the pixels of an image.
func (n *Searcher) read(img *bitmap.Image) {
	n.pixels = img.AppendValues(n.pixels[:0])
}

// climb extends the beam from one node until nothing is gained.
func (n *Searcher) climb(from int) {
	n.beam = n.branches(n.beam, 1)
	b := &n.beam[0]
	b.node = from
	b.search.CopyFrom(&n.origin)
	for _, c := range n.nodes[from].set {
		b.search.Place(c)
	}
	for size := len(n.nodes[from].set); (n.opt.MaxPicks == 0 || size < n.opt.MaxPicks) && n.extend(); size++ {
		n.advance()
	}
}

// adopt adds the picks of an explanation, one by one, as nodes, and returns the
// node of all of them.
func (n *Searcher) adopt(picks []patchwork.Pick) int {
	var f score.Field
	f.Reset(n.bank, n.origin.Height, n.origin.Width, n.pixels)
	at := 0
	for _, p := range picks {
		i, _ := n.grid.Index(p.Pose)
		c := p.Expert*n.grid.Len() + i
		placed := n.origin.At(c)
		at = n.child(at, score.Ranked{Candidate: c, Gain: f.Gain(placed)})
		f.Add(placed, nil)
	}
	return at
}

// branches returns b with the given length; searches are made once and kept.
func (n *Searcher) branches(b []branch, length int) []branch {
	for len(b) < length {
		if len(b) < cap(b) && b[:len(b)+1][len(b)].search != nil {
			b = b[:len(b)+1]
			continue
		}
		b = append(b, branch{search: new(score.Search)})
	}
	return b[:length]
}

// push adds a node whose set is its parent's and its candidate, and returns
// its number. The memory of an earlier image's sets is used again.
func (n *Searcher) push(add node) int {
	var set []int
	if len(n.nodes) < cap(n.nodes) {
		set = n.nodes[:len(n.nodes)+1][len(n.nodes)].set[:0]
	}
	if add.parent >= 0 {
		set = append(set, n.nodes[add.parent].set...)
		at, _ := slices.BinarySearch(set, add.candidate)
		set = slices.Insert(set, at, add.candidate)
	}
	add.set = set
	n.nodes = append(n.nodes, add)
	return len(n.nodes) - 1
}

// extend evaluates every set that has one pick more than those in the beam, and
// makes level the best of them, best first. It reports whether to go on: whether
// the best of them beats all it came from.
func (n *Searcher) extend() bool {
	n.level = n.level[:0]
	wanted := max(n.opt.Keep, n.opt.Beam)
	for i := range n.beam {
		b := &n.beam[i]
		n.countPicks(b.node)
		n.top = b.search.Top(wanted, n.paid, n.live, n.top[:0])
		for _, r := range n.top {
			n.consider(i, r)
		}
	}
	slices.SortStableFunc(n.level, n.byJoint)
	n.level = n.level[:min(len(n.level), wanted)]
	if len(n.level) == 0 {
		return false
	}
	best, from := n.nodes[n.level[0]].joint, n.nodes[n.beam[0].node].joint
	return best.Possible > from.Possible || best.Possible == from.Possible && best.Nats > from.Nats+score.Tie
}

// countPicks counts the picks of each expert in a set, in used.
func (n *Searcher) countPicks(at int) {
	n.used = append(n.used[:0], make([]int, n.model.K())...)
	for _, c := range n.nodes[at].set {
		n.used[n.expert(c)]++
	}
}

func (n *Searcher) live(expert int) bool { return n.used[expert] < n.reuse }

func (n *Searcher) expert(candidate int) int { return candidate / n.grid.Len() }

// consider adds the set of beam i and candidate r to the level, unless it
// contains an earlier set of the beam, which has led to it already.
func (n *Searcher) consider(i int, r score.Ranked) {
	at := n.child(n.beam[i].node, r)
	for _, earlier := range n.beam[:i] {
		if contains(n.nodes[at].set, n.nodes[earlier.node].set) {
			n.nodes = n.nodes[:at]
			return
		}
	}
	n.level = append(n.level, at)
}

// child pushes the node of a parent's set and candidate r.
func (n *Searcher) child(parent int, r score.Ranked) int {
	joint := n.nodes[parent].joint
	joint.Possible += r.Gain.Possible
	joint.Nats += r.Gain.Nats - n.paid[n.expert(r.Candidate)]
	return n.push(node{parent: parent, candidate: r.Candidate, gain: r.Gain, joint: joint})
}

// contains reports whether all of part, ascending, is in set, ascending.
func contains(set, part []int) bool {
	for _, c := range set {
		if len(part) > 0 && part[0] == c {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// byJoint orders nodes, the largest joint first; a stable sort leaves equals in
// the order of discovery.
func (n *Searcher) byJoint(a, b int) int { return n.nodes[a].joint.Compare(n.nodes[b].joint) }

// advance makes the best of the level the beam.
func (n *Searcher) advance() {
	width := min(n.opt.Beam, len(n.level))
	n.spare = n.branches(n.spare, width)
	for i, at := range n.level[:width] {
		from := slices.IndexFunc(n.beam, func(b branch) bool { return b.node == n.nodes[at].parent })
		n.spare[i].node = at
		n.spare[i].search.CopyFrom(n.beam[from].search)
		n.spare[i].search.Place(n.nodes[at].candidate)
	}
	n.beam, n.spare = n.spare, n.beam
}
