package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// call is a function that another one calls or passes on.
type call struct {
	name token.Pos // where it is named
	at   token.Pos // where it is called: after its arguments
	what *types.Func
}

// body describes the body of a function.
type body struct {
	calls  []call
	glance bool // it is short
}

// glance is the largest number of lines of a function that is read in passing,
// without losing one's place.
const glance = 8

// bodies returns the calls of each function in the order of execution, as far as
// the text determines it: a call comes after the calls in its arguments.
func (p *program) bodies() map[*types.Func]body {
	out := map[*types.Func]body{}
	for _, c := range p.packages {
		for _, file := range c.files {
			for _, decl := range file.Decls {
				if d, ok := decl.(*ast.FuncDecl); ok {
					out[p.defs[d.Name].(*types.Func)] = body{p.callsIn(d), p.fset.Position(d.End()).Line-p.fset.Position(d.Type.Pos()).Line <= glance}
				}
			}
		}
	}
	return out
}

func (p *program) callsIn(d *ast.FuncDecl) []call {
	ends := map[*ast.Ident]token.Pos{}
	var out []call
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id := callee(n.Fun); id != nil {
				ends[id] = n.Rparen
			}
		case *ast.Ident:
			if o, ok := global(p.uses[n]); ok {
				if f, ok := o.(*types.Func); ok {
					out = append(out, call{n.Pos(), max(n.Pos(), ends[n]), f})
				}
			}
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	return out
}

// callee returns the name of the called function, nil if it has none.
func callee(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return callee(fun.X)
	}
	return nil
}

// stop is a file on the way, and the first function entered there.
type stop struct {
	file, function string
	rank           int // of the file, from the top
}

// way lists the files that a function leads through: every function is entered
// once, at its first call, and one in another file than the one entered before
// makes a stop, unless it is short. All branches are taken, one after the other,
// and a method of an interface stands for those of our types that implement it.
type way struct{ stops []stop }

// files counts the files on the way.
func (w way) files() int {
	seen := map[string]bool{}
	for _, s := range w.stops {
		seen[s.file] = true
	}
	return len(seen)
}

// climbs counts the stops that are above the one before.
func (w way) climbs() int {
	n := 0
	for i := 1; i < len(w.stops); i++ {
		if w.stops[i].rank < w.stops[i-1].rank {
			n++
		}
	}
	return n
}

// returns counts the stops at a file that was left before.
func (w way) returns() int { return len(w.stops) - w.files() }

// String lists the stops.
func (w way) String() string {
	var b strings.Builder
	seen := map[string]bool{}
	for i, s := range w.stops {
		note := ""
		if i > 0 && s.rank < w.stops[i-1].rank {
			note += ", up"
		}
		if seen[s.file] {
			note += ", again"
		}
		seen[s.file] = true
		fmt.Fprintf(&b, "%3d  %s  %s%s\n", i+1, s.file, s.function, note)
	}
	return b.String()
}

// way follows a function, by its name or Type.Name in the main package, through
// what was executed of the root and the packages that import it: a call of a
// package below makes no stop.
func (p *program) way(name string, run profile) (way, error) {
	from := p.function(name)
	if from == nil {
		return way{}, fmt.Errorf("%s has no function %s", p.main().Path(), name)
	}
	t := tour{p, p.ranks(), p.bodies(), run, map[*types.Func]bool{}, way{}}
	t.enter(from)
	return t.way, nil
}

// tour is a way under construction.
type tour struct {
	*program
	rank   map[string]int
	bodies map[*types.Func]body
	run    profile
	done   map[*types.Func]bool
	way    way
}

func (t *tour) enter(f *types.Func) {
	rank, inside := t.rank[t.fset.Position(f.Pos()).Filename]
	if !inside || t.done[f] {
		return
	}
	t.done[f] = true
	body, concrete := t.bodies[f]
	if !concrete {
		for _, m := range t.methods(f) {
			t.enter(m)
		}
		return
	}
	file := strings.TrimPrefix(f.Pkg().Path()+"/", root+"/") + t.file(f.Pos())
	if last := len(t.way.stops) - 1; !body.glance && (last < 0 || t.way.stops[last].file != file) {
		t.way.stops = append(t.way.stops, stop{file, title(f), rank})
	}
	for _, c := range body.calls {
		if t.run.ran(f.Pkg().Path(), t.fset.Position(c.name)) {
			t.enter(c.what)
		}
	}
}

// ranks numbers the files of the packages that are or import the root, from the top.
func (p *program) ranks() map[string]int {
	ranks := map[string]int{}
	for _, c := range slices.Backward(p.packages) {
		if !c.onRoot() {
			continue
		}
		for _, file := range best(filesOf(p, c)).order {
			ranks[p.fset.Position(c.files[file].Pos()).Filename] = len(ranks)
		}
	}
	return ranks
}

// onRoot reports whether a package is or imports the root.
func (c *code) onRoot() bool {
	return c.Path() == root || slices.ContainsFunc(c.Imports(), func(i *types.Package) bool { return i.Path() == root })
}

// function finds a function or Type.Method of the main package.
func (p *program) function(name string) *types.Func {
	typ, method, isMethod := strings.Cut(name, ".")
	scope := p.main().Scope()
	if !isMethod {
		f, _ := scope.Lookup(name).(*types.Func)
		return f
	}
	o := scope.Lookup(typ)
	if o == nil {
		return nil
	}
	found, _, _ := types.LookupFieldOrMethod(o.Type(), true, p.main().Package, method)
	f, _ := found.(*types.Func)
	return f
}

// methods returns the methods of our types that implement a method of an
// interface, in the order of the packages and their names.
func (p *program) methods(f *types.Func) []*types.Func {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*types.Func
	for _, c := range p.packages {
		for _, name := range c.Scope().Names() {
			t, ok := c.Scope().Lookup(name).(*types.TypeName)
			if !ok || types.IsInterface(t.Type()) {
				continue
			}
			ptr := types.NewPointer(t.Type())
			if named, ok := t.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 || !types.Implements(ptr, iface) {
				continue
			}
			if m, _, _ := types.LookupFieldOrMethod(ptr, true, c.Package, f.Name()); m != nil {
				out = append(out, m.(*types.Func))
			}
		}
	}
	return out
}

// title returns a function's name, with its type if it has one.
func title(f *types.Func) string {
	if recv := f.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		return t.(*types.Named).Obj().Name() + "." + f.Name()
	}
	return f.Name()
}
