package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyday lists, for commands with many flags, those that --help shows, in this
// order; --help-all shows the others too, and the whole text. Commands that are not
// listed have few flags and show all.
var everyday = map[string]string{
	"learn":            "output experts for shift rotate rows where threshold seed picture",
	"explain":          "model output rows where best picture scene",
	"predict":          "model output cells all rows where best",
	"score":            "model output rows where hide seed json",
	"info":             "model rows where json",
	"stats":            "model output rows where shard lines json",
	"report":           "model output csv stability json rows where",
	"look":             "output model json rows where threshold size",
	"exact":            "output cheapest report picture model seconds exceptions never-add json rows where",
	"find":             "model output cut symbol turns mirror rival svg png counts json",
	"classify learn":   "by output experts examples curve shift rotate rows where seed",
	"classify predict": "model output by rows where json",
	"serve":            "model data addr open token no-learn no-upload",
}

// everydayOf returns the everyday flags of a command; "" if it has few.
func everydayOf(cmd *cobra.Command) string {
	return everyday[strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")]
}

// flagGroups are the groups of the flags beyond the everyday ones, with the names of
// their flags. A name may follow that of a command and a dot, for that command alone.
// A flag that stands nowhere is shown under "More".
var flagGroups = []struct{ title, flags string }{
	{"Which rows", "rows where first-per weight labels"},
	{"How data are read", "array names threshold invert size height width transpose columns meta categories items pairs header delimiter"},
	{"Where parts may be", "shift shift-step rotate stretch scene reuse outside"},
	{"How to learn", "by examples for rule mode method experts alphabet start-from aim starts iterations seed straight learn.refine truncate background prior init until-ink last"},
	{"How to explain", "pursuit start score alpha min-gain max-picks refine refine-threshold calibrate pose-prior best beam gains by-column"},
	{"What is written", "escape-formulas"},
	{"What blocks are like", "prices must never most-rows most-columns steps exact.seed"},
	{"What is looked for", "find.rotate find.scales share min-odds all list-rivals flip keep-lines dpi tiles"},
	{"Pictures", "picture picture-images progress-picture curve probabilities coloured"},
	{"Large data and long runs", "workers memory sample checkpoint engine"},
	{"Limits of the server", "max-upload max-memory max-jobs max-time"},
}

// moreFlags is the title of the flags in no group.
const moreFlags = "More"

// commandGroups are the groups of commands in the help of the root.
var commandGroups = []struct{ title, commands string }{
	{"Learn and look", "learn exact report info name look draw"},
	{"Use a model", "explain predict classify find score sample"},
	{"Try it, and the paper", "demo synth rule paper"},
	{"In a browser, on many machines", "serve stats mstep"},
}

// groupCommands sorts the commands below root into their groups.
func groupCommands(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(strings.Fields(g.commands), c.Name()) {
				c.GroupID = g.title
			}
		}
	}
}

// groupOf returns the title of the group of a flag of a command.
func groupOf(cmd *cobra.Command, flag string) string {
	for _, name := range []string{cmd.Name() + "." + flag, flag} {
		for _, g := range flagGroups {
			if slices.Contains(strings.Fields(g.flags), name) {
				return g.title
			}
		}
	}
	return moreFlags
}

// plainHelp returns arguments with --help in the place of --help-all, which is the
// same for the parser, and keeps which it was.
func (a *app) plainHelp(args []string) []string {
	end := slices.Index(args, "--")
	for i, arg := range args {
		if arg == "--help-all" && (end < 0 || i < end) {
			args, a.helpAll = slices.Concat(args[:i], []string{"--help"}, args[i+1:]), true
		}
	}
	return args
}

// help prints the help of a command, wrapped to the width of the terminal.
func (a *app) help(cmd *cobra.Command) {
	w := helpWriter{cmd.OutOrStdout(), 80}
	if a.width > 0 {
		w.width = min(max(a.width, 40), 100)
	}
	w.paragraph(cmd.Short)
	usage := strings.TrimSpace(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()))
	usage = strings.TrimSpace(strings.TrimSuffix(usage, "[flags]"))
	if cmd.HasAvailableSubCommands() {
		usage = "COMMAND"
	}
	w.text(strings.TrimSpace("Usage: " + cmd.CommandPath() + " " + usage))
	short := everydayOf(cmd) != "" && !a.helpAll
	long := strings.TrimSpace(cmd.Long)
	if short {
		long, _, _ = strings.Cut(long, "\n\n")
	}
	if long != "" {
		w.line("")
		w.text(long)
	}
	w.commands(cmd)
	hidden := w.flags(cmd, short)
	if cmd.HasExample() {
		w.line("")
		w.line("Examples:")
		for _, l := range strings.Split(strings.Trim(cmd.Example, "\n"), "\n") {
			w.command(l)
		}
	}
	switch {
	case hidden > 0:
		w.line("")
		w.text(fmt.Sprintf("%s --help-all explains more, and has %s in groups.", cmd.CommandPath(), words.Count(hidden, "further flag")))
	case cmd.HasAvailableSubCommands():
		w.line("")
		w.text(cmd.CommandPath() + " COMMAND --help has the flags of a command, and examples.")
	}
}

// helpWriter prints help. It ignores errors of the output, as cobra does.
type helpWriter struct {
	io.Writer
	width int
}

func (w helpWriter) line(s string) { fmt.Fprintln(w, s) }

// paragraph prints text and an empty line.
func (w helpWriter) paragraph(s string) {
	w.text(s)
	w.line("")
}

// command prints an example of a command, continued on further lines if it is long.
func (w helpWriter) command(line string) {
	for indent := "  "; len(line) > w.width; line = indent + "  " + line {
		at := strings.LastIndex(line[:w.width-1], " ")
		if at < 20 {
			break
		}
		w.line(line[:at] + " \\")
		line = line[at+1:]
	}
	w.line(line)
}

// text prints text whose paragraphs are wrapped to the width; indented lines stay.
func (w helpWriter) text(s string) {
	var open []string
	flush := func() {
		if len(open) > 0 {
			for _, l := range wrap(strings.Join(open, " "), w.width) {
				w.line(l)
			}
		}
		open = nil
	}
	for _, l := range strings.Split(s, "\n") {
		if l == "" || l[0] == ' ' {
			flush()
			if strings.Contains(l, "patchwork ") {
				w.command(l)
			} else {
				w.line(l)
			}
			continue
		}
		open = append(open, l)
	}
	flush()
}

// commands prints the commands below a command, in their groups.
func (w helpWriter) commands(cmd *cobra.Command) {
	print := func(title string, id string) {
		first := true
		for _, c := range inGroupOrder(cmd.Commands()) {
			if c.GroupID != id || !c.IsAvailableCommand() && c.Name() != "help" {
				continue
			}
			if first {
				w.line("")
				w.line(title + ":")
				first = false
			}
			w.entry("  "+c.Name(), c.Short, 14)
		}
	}
	for _, g := range cmd.Groups() {
		print(g.Title, g.ID)
	}
	title := "Commands"
	if len(cmd.Groups()) > 0 {
		title = moreFlags
	}
	print(title, "")
}

// inGroupOrder returns commands in the order of their groups, others as they are.
func inGroupOrder(commands []*cobra.Command) []*cobra.Command {
	place := func(c *cobra.Command) int {
		for _, g := range commandGroups {
			if i := slices.Index(strings.Fields(g.commands), c.Name()); i >= 0 && g.title == c.GroupID {
				return i
			}
		}
		return -1
	}
	out := slices.Clone(commands)
	slices.SortStableFunc(out, func(a, b *cobra.Command) int { return place(a) - place(b) })
	return out
}

// flags prints the flags of a command, in groups; with short the everyday ones alone.
// It returns how many it left out.
func (w helpWriter) flags(cmd *cobra.Command, short bool) (hidden int) {
	const everywhere = "Everywhere"
	groups, most := make(map[string][]*pflag.Flag), 0
	first := strings.Fields(everydayOf(cmd))
	for _, name := range first {
		if f := cmd.Flags().Lookup(name); f != nil && !f.Hidden {
			groups["Flags"] = append(groups["Flags"], f)
		}
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		title := "Flags"
		switch {
		case f.Hidden, slices.Contains(first, f.Name), f.Name == "help-all" && len(first) == 0 && cmd.HasParent():
			return
		case f.Name == "help", cmd.InheritedFlags().Lookup(f.Name) != nil:
			title = everywhere
		case len(first) > 0:
			title = groupOf(cmd, f.Name)
		}
		if short && title != "Flags" && title != everywhere {
			hidden++
			return
		}
		groups[title] = append(groups[title], f)
	})
	titles := []string{"Flags"}
	for _, g := range flagGroups {
		titles = append(titles, g.title)
	}
	for _, title := range append(titles, moreFlags, everywhere) {
		for _, f := range groups[title] {
			most = max(most, len(flagSpec(f)))
		}
	}
	inGroups := len(groups) > 2
	for _, title := range append(titles, moreFlags, everywhere) {
		if len(groups[title]) == 0 {
			continue
		}
		if title != everywhere || inGroups || len(groups) == 1 {
			w.line("")
			w.line(title + ":")
		}
		for _, f := range groups[title] {
			w.entry(flagSpec(f), flagText(f), min(most, 26)+2)
		}
	}
	return hidden
}

// entry prints a name and what it means in a column beside it, or below if the name
// is too long.
func (w helpWriter) entry(name, text string, column int) {
	lines := wrap(text, max(w.width-column, 20))
	if len(name)+2 > column {
		w.line(name)
		name = ""
	}
	for _, l := range lines {
		w.line(fmt.Sprintf("%-*s%s", column, name, l))
		name = ""
	}
}

// longType is the length of the names of a choice from which they stand in its text.
const longType = 14

// flagSpec returns a flag with its short form and the kind of its value.
func flagSpec(f *pflag.Flag) string {
	spec := "      --" + f.Name
	if f.Shorthand != "" {
		spec = "  -" + f.Shorthand + ", --" + f.Name
	}
	kind, _ := pflag.UnquoteUsage(f)
	switch {
	case isOutput(f) && f.Value.Type() == "string":
		kind = "FILE"
	case strings.Contains(kind, "|") && len(kind) > longType:
		kind = "NAME"
	default:
		if name, ok := map[string]string{"string": "TEXT", "strings": "LIST", "stringArray": "TEXT", "int": "N", "uint": "N", "float": "X", "duration": "TIME"}[kind]; ok {
			kind = name
		}
	}
	if kind != "" {
		spec += " " + kind
	}
	return spec
}

// flagText returns what a flag means, with its values and its default.
func flagText(f *pflag.Flag) string {
	kind, usage := pflag.UnquoteUsage(f)
	if strings.Contains(kind, "|") && len(kind) > longType {
		usage += ": " + orList(strings.Split(kind, "|"))
	}
	if d := f.DefValue; !slices.Contains([]string{"", "0", "0s", "false", "[]", "<nil>"}, d) && !strings.Contains(usage, "(default") {
		usage += " (default " + d + ")"
	}
	return usage
}

// wrap breaks text at blanks into lines of at most width characters, as far as its
// words allow it.
func wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len([]rune(*last))+1+len([]rune(word)) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
