package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// graph says how often files use each other's declarations.
type graph struct {
	files []string
	uses  [][]int // by file and file used: functions, methods, types, variables and constants
	calls [][]int // of these, functions and methods
	cost  [][]int // of each if it goes up: a call costs more than all other uses together
}

// filesOf returns the graph of a package. A use is an identifier that names
// something declared at the top level of another file, a method or its receiver.
func filesOf(p *program, c *code) *graph {
	n := len(c.names)
	g := &graph{c.names, square(n), square(n), square(n)}
	for from, file := range c.files {
		ast.Inspect(file, func(node ast.Node) bool {
			id, ok := node.(*ast.Ident)
			if !ok {
				return true
			}
			o, ok := global(p.uses[id])
			if !ok || o.Pkg() != c.Package {
				return true
			}
			to := slices.Index(c.names, p.file(o.Pos()))
			if from == to {
				return true
			}
			g.uses[from][to]++
			g.cost[from][to]++
			if _, ok := o.(*types.Func); ok {
				g.calls[from][to]++
				g.cost[from][to] += 1 << 20
			}
			return true
		})
	}
	return g
}

func square(n int) [][]int {
	out := make([][]int, n)
	for i := range out {
		out[i] = make([]int, n)
	}
	return out
}

// house lists the files of a package in the order in which to read them: what a
// file uses is below it, except for uses that go up.
type house struct {
	*graph
	order []int // files from the top
	layer []int // of each file: the longest chain of uses downward from it, 1 for none
	up    int   // the cost of the uses of files above
}

// layers returns the longest chain of uses from file to file below.
func (h *house) layers() int { return slices.Max(h.layer) }

// upward counts the uses or calls that go up.
func (h *house) upward(weight [][]int) int {
	n := 0
	for at, file := range h.order {
		for _, above := range h.order[:at] {
			n += weight[file][above]
		}
	}
	return n
}

// standing returns the house with its files in the given order.
func standing(g *graph, order []int) *house {
	h := &house{graph: g, order: order, layer: make([]int, len(order))}
	for at, file := range slices.Backward(order) {
		h.layer[file] = 1
		for _, below := range order[at+1:] {
			if g.uses[file][below] > 0 {
				h.layer[file] = max(h.layer[file], h.layer[below]+1)
			}
		}
	}
	h.up = h.upward(g.cost)
	return h
}

// restarts is the number of orders from which the search for the best starts.
const restarts = 200

// best searches for the order with the fewest calls upward, then the fewest other
// uses, and of equal ones the fewest layers. It moves one file at a time, starts
// from many orders, and returns the same every time.
func best(g *graph) *house {
	rng := rand.New(rand.NewPCG(1, 2))
	var best *house
	for range restarts {
		h := standing(g, settle(g.cost, rng.Perm(len(g.files))))
		slices.SortStableFunc(h.order, func(a, b int) int { return cmp.Compare(h.layer[b], h.layer[a]) })
		if h = standing(g, h.order); best == nil || better(h, best) {
			best = h
		}
	}
	return best
}

func better(a, b *house) bool {
	return cmp.Or(cmp.Compare(a.up, b.up), cmp.Compare(a.layers(), b.layers()), slices.Compare(a.order, b.order)) < 0
}

// settle moves files, one at a time, to where the cost is lowest, until none moves.
func settle(weight [][]int, order []int) []int {
	for moved := true; moved; {
		moved = false
		for file := range order {
			at := slices.Index(order, file)
			rest := slices.Delete(slices.Clone(order), at, at+1)
			cost := 0 // of the file at the top: all uses of it go up
			for _, other := range rest {
				cost += weight[other][file]
			}
			least, place, now := cost, 0, cost
			for i, other := range rest {
				cost += weight[file][other] - weight[other][file]
				if i+1 == at {
					now = cost
				}
				if cost < least {
					least, place = cost, i+1
				}
			}
			if least < now {
				order, moved = slices.Insert(rest, place, file), true
			}
		}
	}
	return order
}

// greedy returns the order by the heuristic of Eades, Lin and Smyth (1993), which
// ignores how often files use each other: files that use none of the rest go to
// the end, files that none of the rest uses to the beginning; otherwise the file
// that uses the most files, minus those that use it, comes next. It needs no
// search, and is worse.
func greedy(g *graph) *house {
	rest := make([]int, len(g.files))
	for i := range rest {
		rest[i] = i
	}
	degree := func(file int, use func(a, b int) bool) int {
		n := 0
		for _, other := range rest {
			if other != file && use(file, other) {
				n++
			}
		}
		return n
	}
	out := func(file int) int { return degree(file, func(a, b int) bool { return g.uses[a][b] > 0 }) }
	in := func(file int) int { return degree(file, func(a, b int) bool { return g.uses[b][a] > 0 }) }
	var top, bottom []int
	take := func(file int) { rest = slices.DeleteFunc(rest, func(f int) bool { return f == file }) }
	for len(rest) > 0 {
		if i := slices.IndexFunc(rest, func(f int) bool { return out(f) == 0 }); i >= 0 {
			bottom = append(bottom, rest[i])
			take(rest[i])
			continue
		}
		file := slices.MaxFunc(rest, func(a, b int) int { return cmp.Compare(out(a)-in(a), out(b)-in(b)) })
		if i := slices.IndexFunc(rest, func(f int) bool { return in(f) == 0 }); i >= 0 {
			file = rest[i]
		}
		top = append(top, file)
		take(file)
	}
	slices.Reverse(bottom)
	return standing(g, append(top, bottom...))
}

// draw writes the files from the top, with their layers and the files they use
// directly below; those above after "up".
func (h *house) draw(w io.Writer) {
	width := 0
	for _, name := range h.files {
		width = max(width, len(name))
	}
	for at, file := range h.order {
		var below, above []string
		for i, other := range h.order {
			switch {
			case h.uses[file][other] == 0:
			case i < at:
				above = append(above, stem(h.files[other]))
			case i > at:
				below = append(below, stem(h.files[other]))
			}
		}
		if above != nil {
			below = append(below, "(up: "+strings.Join(above, " ")+")")
		}
		line := fmt.Sprintf("%3d  %-*s  %s", h.layer[file], width, h.files[file], strings.Join(below, " "))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func stem(file string) string { return strings.TrimSuffix(file, ".go") }
