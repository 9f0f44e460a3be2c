package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/modelfile"
)

const nameLong = `Give the parts of a model names. They stay in the model file and replace "part 3"
wherever parts are named: in info, explanations, tables of codes, pictures, reports
and the page. A part is its number, from 1, or the name that it has; an empty name
removes it. Several parts are named at once by several pairs.

Without a pair, the command lists the parts, their names and what they say.`

const nameExample = `  patchwork name model.npz
  patchwork name model.npz 1 bar 2 'upright stroke'
  patchwork name model.npz 'upright stroke' stem -o named.npz
  patchwork name model.npz bar ''`

func (a *app) nameCommand() *cobra.Command {
	var output string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "name MODEL [K NAME]...",
		Short:   "Give the parts of a model names",
		Long:    nameLong,
		Example: nameExample,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return misused(cmd, "no model: name its file")
			case len(args)%2 == 0:
				return misused(cmd, "%q has no name beside it: give a part and its name, such as 3 bog",
					args[len(args)-1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := checkOutput("name", output); err != nil {
				return err
			}
			if len(args) == 1 && output != "" {
				return usagef("-o %s: there is nothing to write; give a part and its name", output)
			}
			if len(args) > 1 && output == "" {
				return a.files.change(cmd.Context(), args[0], func() error { return a.name(args[0], "", args[1:]) })
			}
			if len(args) > 1 {
				return a.name(args[0], output, args[1:])
			}
			m, err := loadNamed(args[0])
			if err != nil {
				return err
			}
			return a.listNames(m, asJSON)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "model file to write (default: the same file)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "list the parts as one JSON object")
	return cmd
}

// name gives names to parts, by pairs of a part and its name, and writes the model.
func (a *app) name(path, output string, pairs []string) error {
	m, err := loadNamed(path)
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
	for pair := range slices.Chunk(pairs, 2) {
		k, err := findPart(m, pair[0])
		if err != nil {
			return err
		}
		if _, err := strconv.Atoi(words.Clean(pair[1])); err == nil { // here numbers mean parts
			return usagef("the name %s could be taken for the number of a part; give a word, after the part that it is for",
				pair[1])
		}
		if m, err = m.rename(k, pair[1]); err != nil {
			return usagef("%v", err)
		}
		if name := strings.TrimSpace(pair[1]); words.Clean(name) != "" {
			said = append(said, fmt.Sprintf("part %d is called %q", k+1, name))
		} else {
			said = append(said, fmt.Sprintf("part %d has no name", k+1))
		}
	}
	if err := m.save(a, output); err != nil {
		return err
	}
	return a.wrote(output, "%s", strings.Join(said, ", "))
}

// findPart returns the part that a text means: its number, or its name.
func findPart(m namedModel, text string) (int, error) {
	text = strings.TrimSpace(text)
	k, err := strconv.Atoi(text)
	n := m.count()
	if err == nil && k >= 1 && k <= n {
		return k - 1, nil
	}
	names := make([]string, n)
	for i := range names {
		if names[i] = calledPart(m, i); strings.EqualFold(names[i], text) {
			return i, nil
		}
	}
	if err == nil && k == 0 {
		return 0, usagef("there is no part 0: parts are counted from 1, here to %d (from 0 only in JSON and arrays)", n)
	}
	if err == nil {
		return 0, usagef("there is no part %d; the model has %d, from 1 to %d", k, n, n)
	}
	return 0, usagef("there is no part %q; give its number, from 1 to %d, or its name%s", text, n,
		enum.DidYouMean(text, names))
}

// calledPart returns what part k, from 0, is called: its name, or else "part 4" for 3.
func calledPart(m namedModel, k int) string {
	return cmp.Or(words.Clean(m.nameOf(k)), words.Numbered(k))
}

// namedPart is a part as JSON, a contract.
type namedPart struct {
	Part  int    `json:"part"`
	Name  string `json:"name"` // "" for none
	Words string `json:"words"`
}

// listNames lists the parts, their names and what they say.
func (a *app) listNames(m namedModel, asJSON bool) error {
	return a.output("-", func(w io.Writer) error {
		if asJSON {
			return encodeJSON(w, map[string][]namedPart{"parts": partsInWords(m)})
		}
		for k := range m.count() {
			full := calledPart(m, k)
			if words.Clean(m.nameOf(k)) != "" {
				full += fmt.Sprintf(" (%s)", words.Numbered(k))
			}
			if _, err := fmt.Fprintln(w, words.Visible(full+", "+m.words(k))); err != nil {
				return err
			}
		}
		return nil
	})
}

// wordsColumns is how many columns of each side the words of a part name.
const wordsColumns = 5

// partsInWords returns all parts with their names and words.
func partsInWords(m namedModel) []namedPart {
	out := make([]namedPart, m.count())
	for k := range out {
		out[k] = namedPart{k, m.nameOf(k), m.words(k)}
	}
	return out
}
