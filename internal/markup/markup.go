// Package markup writes HTML by the templates of text/template, parsed by its parser: every value is escaped as text,
// unless it is markup already. It is there because the standard templates call methods by names, so that a
// program that links them keeps every exported method of every type: 3 MB of the command.
//
// A template has fields, variables, functions, if, with, range and template; it calls no methods. Values belong into
// text and into attributes in quotes, nowhere else.
package markup

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template/parse"
)

// HTML is markup, and what else belongs on a page as it stands.
type HTML string

// Funcs are the functions of a template, by name.
type Funcs map[string]any

// Template is a set of named templates.
type Template struct {
	trees map[string]*parse.Tree
	funcs map[string]reflect.Value
}

// New parses texts, of which the first gets the name and others define theirs. It panics if one is wrong: they are
// compiled in.
func New(name string, funcs Funcs, texts ...string) *Template {
	t := &Template{map[string]*parse.Tree{}, map[string]reflect.Value{}}
	all := map[string]any{}
	for _, f := range []Funcs{builtin, funcs} {
		for name, fn := range f {
			all[name], t.funcs[name] = fn, reflect.ValueOf(fn)
		}
	}
	for i, text := range texts {
		trees, err := parse.Parse(fmt.Sprint(name, strings.Repeat("+", i)), text, "", "", all)
		if err != nil {
			panic("markup: " + err.Error())
		}
		for name, tree := range trees {
			t.trees[name] = tree
		}
	}
	return t
}

// Execute writes what the named template makes of data.
func (t *Template) Execute(w io.Writer, name string, data any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("template %s: %v", name, p)
		}
	}()
	r := &run{t: t}
	r.template(name, reflect.ValueOf(data))
	_, err = io.WriteString(w, r.out.String())
	return err
}

// escape escapes text as html/template does.
var escape = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;",
	">", "&gt;")

// run is one execution. It panics where a template and its data do not fit.
type run struct {
	t    *Template
	out  strings.Builder
	vars []variable
}

type variable struct {
	name string
	is   reflect.Value
}

// template runs a template of its own variables.
func (r *run) template(name string, data reflect.Value) {
	tree := r.t.trees[name]
	if tree == nil {
		panic("there is none of this name")
	}
	kept := r.vars
	r.vars = []variable{{"$", data}}
	r.walk(data, tree.Root)
	r.vars = kept
}

func (r *run) walk(dot reflect.Value, node parse.Node) {
	switch n := node.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			r.walk(dot, one)
		}
	case *parse.TextNode:
		r.out.Write(n.Text)
	case *parse.ActionNode:
		if v := r.pipe(dot, n.Pipe); len(n.Pipe.Decl) == 0 {
			r.print(v)
		}
	case *parse.IfNode:
		r.branch(dot, &n.BranchNode)
	case *parse.WithNode:
		r.branch(dot, &n.BranchNode)
	case *parse.RangeNode:
		r.each(dot, n)
	case *parse.TemplateNode:
		data := reflect.Value{}
		if n.Pipe != nil {
			data = r.pipe(dot, n.Pipe)
		}
		r.template(n.Name, data)
	default:
		panic(fmt.Sprintf("%s is not understood", node))
	}
}

// branch runs the list for what is true, which with makes its dot, or the other one.
func (r *run) branch(dot reflect.Value, n *parse.BranchNode) {
	count := len(r.vars)
	switch v := r.pipe(dot, n.Pipe); {
	case truth(v) && n.NodeType == parse.NodeWith:
		r.walk(v, n.List)
	case truth(v):
		r.walk(dot, n.List)
	case n.ElseList != nil:
		r.walk(dot, n.ElseList)
	}
	r.vars = r.vars[:count]
}

// each runs a list for each element of a slice.
func (r *run) each(dot reflect.Value, n *parse.RangeNode) {
	count := len(r.vars)
	list := indirect(r.value(dot, n.Pipe.Cmds[0]))
	for i := 0; list.IsValid() && i < list.Len(); i++ {
		r.vars = r.vars[:count]
		item := list.Index(i)
		switch d := n.Pipe.Decl; len(d) {
		case 1:
			r.vars = append(r.vars, variable{d[0].Ident[0], item})
		case 2:
			r.vars = append(r.vars, variable{d[0].Ident[0], reflect.ValueOf(i)}, variable{d[1].Ident[0], item})
		}
		r.walk(item, n.List)
	}
	r.vars = r.vars[:count]
	if (!list.IsValid() || list.Len() == 0) && n.ElseList != nil {
		r.walk(dot, n.ElseList)
	}
}

// pipe evaluates a command and declares its variable.
func (r *run) pipe(dot reflect.Value, p *parse.PipeNode) reflect.Value {
	if len(p.Cmds) != 1 || p.IsAssign {
		panic(fmt.Sprintf("%s: neither | nor = is understood", p))
	}
	v := r.value(dot, p.Cmds[0])
	for _, d := range p.Decl {
		r.vars = append(r.vars, variable{d.Ident[0], v})
	}
	return v
}

// value evaluates a node.
func (r *run) value(dot reflect.Value, node parse.Node) reflect.Value {
	switch n := node.(type) {
	case *parse.CommandNode:
		if f, ok := n.Args[0].(*parse.IdentifierNode); ok {
			return r.call(dot, f.Ident, n.Args[1:])
		}
		return r.value(dot, n.Args[0])
	case *parse.PipeNode:
		return r.pipe(dot, n)
	case *parse.IdentifierNode:
		return r.call(dot, n.Ident, nil)
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return r.fields(dot, n.Ident)
	case *parse.ChainNode:
		return r.fields(r.value(dot, n.Node), n.Field)
	case *parse.VariableNode:
		for i := len(r.vars) - 1; ; i-- { // the parser knows that it is there
			if r.vars[i].name == n.Ident[0] {
				return r.fields(r.vars[i].is, n.Ident[1:])
			}
		}
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.NumberNode:
		return reflect.ValueOf(int(n.Int64)) // templates have no other numbers
	}
	panic(fmt.Sprintf("%s is not understood", node))
}

// fields follows names of fields.
func (r *run) fields(v reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		of := indirect(v)
		if !of.IsValid() || of.Kind() != reflect.Struct {
			panic(fmt.Sprintf("nothing has a field %s", name))
		}
		field := of.FieldByName(name)
		if !field.IsValid() {
			panic(fmt.Sprintf("%s has no field %s", of.Type(), name))
		}
		v = field
	}
	return v
}

// call calls a function, with numbers of the kinds that it takes. Its last result, if it is an error, ends the
// execution.
func (r *run) call(dot reflect.Value, name string, args []parse.Node) reflect.Value {
	f := r.t.funcs[name]
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		v, want := r.value(dot, arg), f.Type().In(min(i, f.Type().NumIn()-1))
		if f.Type().IsVariadic() && i >= f.Type().NumIn()-1 {
			want = want.Elem()
		}
		if v.IsValid() && !v.Type().AssignableTo(want) {
			v = indirect(v)
		}
		switch {
		case !v.IsValid():
			v = reflect.Zero(want)
		case want.Kind() == reflect.Int64 || want.Kind() == reflect.Float64:
			v = v.Convert(want)
		}
		in[i] = v
	}
	out := f.Call(in)
	if len(out) == 2 && !out[1].IsNil() {
		panic(out[1].Interface())
	}
	return out[0]
}

// print writes a value: markup as it is, anything else as text.
func (r *run) print(v reflect.Value) {
	v = indirect(v)
	if !v.IsValid() {
		return
	}
	if html, ok := v.Interface().(HTML); ok {
		r.out.WriteString(string(html))
		return
	}
	escape.WriteString(&r.out, fmt.Sprint(v.Interface()))
}

// indirect follows pointers and interfaces to the end; it is not valid where that is nil.
func indirect(v reflect.Value) reflect.Value {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		v = v.Elem()
	}
	return v
}

// truth reports whether a value is not empty: not false, 0, nil or of length 0.
func truth(v reflect.Value) bool {
	if v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}

// builtin are the functions that templates have in any case.
var builtin = Funcs{
	"not":   func(v any) bool { return !truth(reflect.ValueOf(v)) },
	"len":   func(v any) int { return indirect(reflect.ValueOf(v)).Len() },
	"eq":    func(a, b any) bool { return compare(a, b) == 0 },
	"lt":    func(a, b any) bool { return compare(a, b) < 0 },
	"index": func(list any, i int) any { return indirect(reflect.ValueOf(list)).Index(i).Interface() },
}

// compare compares whole numbers, or texts.
func compare(a, b any) int {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Kind() == reflect.String {
		return strings.Compare(x.String(), y.String())
	}
	switch d := x.Int() - y.Int(); {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}
