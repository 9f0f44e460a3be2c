package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/render"
	"example.com/patchwork/workbench"
)

// showFlags are the flags of show.
type showFlags struct {
	data          dataFlags
	model, output string
	names         []string
	asJSON        bool
}

func (a *app) showCommand() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show FILE... [-o PICTURE]",
		Short: "Show what is in data or in a model, and name parts",
		Long: `Of data show how they were read: how many images or rows, how much of them is ink or 1, what
is unknown, blank, full or there twice, and the labels; of a model its parts in words.

Of a model it also says where parts may be, how it was learned, and at the end what may be wrong with it, and
what to do. Names of parts stay in the model file and replace "part 3" everywhere. A part is its number, from 1, or the name
that it has; an empty name removes it.

With -o, draw the parts of a model, or a sheet of data: up to 60 images, grouped by the label y if there is one, or
the first rows of a table under the names of its columns. Without -o, images appear in the terminal. Data with -m
are read as for that model.`,
		Example: `  patchwork show photos/ --size 56x56 -o sheet.png
  patchwork show letters.npz --where y=T --json
  patchwork show model.npz -o parts.svg
  patchwork show model.npz --name 1=bar --name 2='upright stroke'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.model == "" && len(args) > 0 && isModel(args[0]) {
				f.model, args = args[0], args[1:]
			}
			switch {
			case len(f.names) > 0:
				return a.nameParts(cmd, &f, args)
			case f.model == "" || len(args) > 0:
				return a.showData(cmd, &f, args)
			}
			return a.showModel(cmd, &f)
		},
	}
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	fs.StringVarP(&f.output, "output", "o", "",
		"picture to write (.png, .svg; default the terminal), or with --name the model (default the same file)")
	fs.StringArrayVar(&f.names, "name", nil, "name a part, such as 3=roof; may be repeated")
	fs.BoolVar(&f.asJSON, "json", false, "one JSON object instead of text")
	f.data.add(cmd)
	f.data.addWholeMemory(cmd)
	everyday(cmd, "output model name json rows where threshold size")
	return cmd
}

// isModel reports whether a file is a model of any kind.
func isModel(path string) bool {
	return kindOfFile(path) == kindModel
}

// showModel says in words what a model is, and draws its parts.
func (a *app) showModel(cmd *cobra.Command, f *showFlags) error {
	if _, err := checkOutput("show", f.output); err != nil {
		return err
	}
	m, err := load(f.model)
	if err != nil {
		return err
	}
	switch {
	case f.asJSON:
		if err := a.printLong(m.Describe()); err != nil || f.output == "" {
			return err
		}
	case f.output == "":
		if err := a.print(m.Describe().Lines()); err != nil || a.quiet || !a.outTerminal {
			return err
		}
	}
	picture, err := m.Draw()
	sheet, drawable := picture.(render.Sheet)
	switch {
	case err != nil && f.output != "":
		return request(err)
	case f.output != "":
		return a.savePicture(cmd.Context(), f.output, picture)
	case drawable:
		return a.show(sheet)
	}
	return nil // what a terminal cannot show was not asked for
}

// nameParts gives parts of a model names, and writes it.
func (a *app) nameParts(cmd *cobra.Command, f *showFlags, args []string) error {
	if f.model == "" || len(args) > 0 {
		return misused(cmd, "--name is for the parts of one model: name its file")
	}
	if f.asJSON {
		return usagef("--json and --name: name the parts, then show the model")
	}
	if _, err := checkOutput("show --name", f.output); err != nil {
		return err
	}
	if f.output == "" {
		return a.files.change(cmd.Context(), f.model, func() error { return a.name(f.model, "", f.names) })
	}
	return a.name(f.model, f.output, f.names)
}

// name gives names to parts, each such as 3=roof, and writes the model.
func (a *app) name(path, output string, names []string) error {
	m, err := load(path)
	if err != nil {
		return err
	}
	if output == "" {
		kept, err := modelfile.Private(path)
		if err != nil {
			return &inputError{err}
		}
		if len(kept) > 0 {
			return usagef("%s also holds %s, which writing it anew would lose; write the named model elsewhere with -o", path,
				strings.Join(kept, ", "))
		}
		output = path
	}
	var said []string
	for _, pair := range names {
		part, name, ok := strings.Cut(pair, "=")
		if !ok {
			return usagef("--name %s: give a part and its name, such as 3=roof", pair)
		}
		k, err := findPart(m, part)
		if err != nil {
			return err
		}
		if _, err := strconv.Atoi(words.Clean(name)); err == nil { // here numbers mean parts
			return usagef("the name %s could be taken for the number of a part; give a word, after the part that it is for",
				name)
		}
		if m, err = m.Name(k, name); err != nil {
			return usagef("%v", err)
		}
		if name = strings.TrimSpace(name); words.Clean(name) != "" {
			said = append(said, fmt.Sprintf("part %d is called %q", k+1, name))
		} else {
			said = append(said, fmt.Sprintf("part %d has no name", k+1))
		}
	}
	if err := a.saveModel(output, m); err != nil {
		return err
	}
	return a.wrote(output, "%s", strings.Join(said, ", "))
}

// findPart returns the part that a text means: its number, or its name.
func findPart(m workbench.Model, text string) (int, error) {
	text = strings.TrimSpace(text)
	k, err := strconv.Atoi(text)
	n := m.K()
	if err == nil && k >= 1 && k <= n {
		return k - 1, nil
	}
	names := make([]string, n)
	for i := range names {
		names[i] = workbench.Called(m, i)
	}
	at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, text) })
	switch {
	case at >= 0:
		return at, nil
	case err == nil && k == 0:
		return 0, usagef("there is no part 0: parts are counted from 1, here to %d (from 0 only in JSON and arrays)", n)
	case err == nil:
		return 0, usagef("there is no part %d; the model has %d, from 1 to %d", k, n, n)
	}
	return 0, usagef("there is no part %q; give its number, from 1 to %d, or its name%s", text, n,
		enum.DidYouMean(text, names))
}

// keepNames gives the parts of a model that is to be written over another one the names
// that people gave to the same parts there, and notes which these are and which are lost.
func keepNames(cmd *cobra.Command, path string, m workbench.Model) workbench.Model {
	old, err := workbench.Load(path)
	if err != nil {
		return m // there is none
	}
	m, kept, lost := workbench.KeepNames(m, old)
	if len(kept) > 0 {
		sayNotes(cmd, fmt.Sprintf("names kept from the model that %s held: %s", path, strings.Join(kept, ", ")))
	}
	if len(lost) > 0 {
		sayNotes(cmd, fmt.Sprintf(
			"names lost of the model that %s held, since no part has %s of their votes: %s; patchwork show --name "+
				"gives new ones",
			path, words.Percent(workbench.SameVotes), strings.Join(lost, ", ")))
	}
	return m
}
