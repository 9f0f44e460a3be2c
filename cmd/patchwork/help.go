package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/diagnose/words"
)

// everydayAnnotation, of a command with many flags, names those that --help shows, in this
// order; --help-all shows the others too, and the whole text.
const everydayAnnotation = "patchwork_everyday"

func everyday(cmd *cobra.Command, names string) { annotate(cmd, everydayAnnotation, names) }

// annotate sets an annotation of a command.
func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[key] = value
}

// groupAnnotation, of a flag, is the title under which --help-all shows it.
const groupAnnotation = "patchwork_group"

// The groups of the flags, in their order.
const (
	everydayFlags = "Flags"
	whichRows     = "Which rows"
	howRead       = "How data are read"
	wherePosed    = "Where parts may be"
	howLearned    = "How to learn"
	largeData     = "Large data and long runs"
	moreFlags     = "More"
	everywhere    = "Everywhere"
)

// groupFlags puts flags into a group.
func groupFlags(fs *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		mark(fs, name, groupAnnotation, []string{title})
	}
}

// groupOf returns the title of the group of a flag.
func groupOf(f *pflag.Flag) string {
	if title := f.Annotations[groupAnnotation]; title != nil {
		return title[0]
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
	w.text(cmd.Short + "\n")
	usage := strings.TrimSpace(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath()))
	usage = strings.TrimSpace(strings.TrimSuffix(usage, "[flags]"))
	if cmd.HasAvailableSubCommands() {
		usage = "COMMAND"
	}
	if !cmd.HasParent() {
		usage = "FILE..., or patchwork COMMAND"
	}
	w.text(strings.TrimSpace("Usage: " + calling(cmd) + " " + usage))
	short := cmd.Annotations[everydayAnnotation] != "" && !a.helpAll
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
	if a.helpAll && cmd.Flags().Lookup("column") != nil {
		w.line("")
		w.text("Also taken: --meta A,B for --column A=label and B=label, and so --categories (all: *) for category, --weight " +
			"and --split; --order 'LOW<HIGH' for --column 'LOW<HIGH'; --for real for --column '*=number'.")
	}
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
		w.text(fmt.Sprintf("%s --help-all explains more, and has %s in groups.", calling(cmd),
			words.Count(hidden, "further flag")))
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
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	} else {
		groups = append(slices.Clone(groups), &cobra.Group{Title: moreFlags})
	}
	for _, g := range groups {
		head := "\n" + g.Title + ":"
		for _, c := range cmd.Commands() {
			if c.GroupID != g.ID || !c.IsAvailableCommand() && c.Name() != "help" {
				continue
			}
			if head != "" {
				w.line(head)
				head = ""
			}
			w.entry("  "+c.Name(), c.Short, 14)
		}
	}
}

// flagGroups returns the flags of a command by their groups: the everyday ones, called Flags, those of the groups,
// and those of all commands.
func flagGroups(cmd *cobra.Command) map[string][]*pflag.Flag {
	groups, first := map[string][]*pflag.Flag{}, strings.Fields(cmd.Annotations[everydayAnnotation])
	for _, name := range first {
		groups[everydayFlags] = append(groups[everydayFlags], cmd.Flags().Lookup(name))
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		title := everydayFlags
		switch {
		case slices.Contains(first, f.Name):
			return
		case f.Name == "help", cmd.InheritedFlags().Lookup(f.Name) != nil:
			title = everywhere
		case len(first) > 0:
			title = groupOf(f)
		}
		groups[title] = append(groups[title], f)
	})
	return groups
}

// flags prints the flags of a command, in groups; with short the everyday ones alone.
// It returns how many it left out.
func (w helpWriter) flags(cmd *cobra.Command, short bool) (hidden int) {
	groups, most := flagGroups(cmd), 0
	for title, flags := range groups {
		if short && title != everydayFlags && title != everywhere {
			hidden += len(flags)
			delete(groups, title)
			continue
		}
		for _, f := range flags {
			most = max(most, len(flagSpec(f)))
		}
	}
	for _, title := range []string{everydayFlags, whichRows, howRead, wherePosed, howLearned, largeData, moreFlags,
		everywhere} {
		if groups[title] != nil && (title != everywhere || len(groups) != 2) { // two: a command's flags, and these after them
			w.line("\n" + title + ":")
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
	if f.Name == "items" {
		return spec + "[=" + kind + "]"
	}
	switch {
	case isOutput(f) && f.Value.Type() == "string":
		kind = "FILE"
	case strings.Contains(kind, "|") && len(kind) > longType:
		kind = "NAME"
	default:
		if name, ok := map[string]string{"string": "TEXT", "strings": "LIST", "stringArray": "TEXT", "int": "N", "uint": "N",
			"float": "X", "duration": "TIME"}[kind]; ok {
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
		usage += ": " + words.Or(strings.Split(kind, "|"))
	}
	if d := f.DefValue; !slices.Contains([]string{"", "0", "0s", "false", "[]", "<nil>", "default"}, d) &&
		!strings.Contains(usage, "(default") {
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
