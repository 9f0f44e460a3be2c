package main

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/alike"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/render"
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
	return cmp.Or(words.Clean(givenName(m, k)), words.Numbered(k))
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
			if words.Clean(givenName(m, k)) != "" {
				full += fmt.Sprintf(" (%s)", words.Numbered(k))
			}
			if _, err := fmt.Fprintln(w, words.Visible(full+", "+m.said(k))); err != nil {
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
		out[k] = namedPart{k, givenName(m, k), m.words(k)}
	}
	return out
}

// namedModel is a model whose parts can be given names: of bits or of real values.
type namedModel interface {
	count() int
	names() []string // nil for none
	columns() []string
	moves() bool
	votes() alike.Votes
	words(k int) string
	said(k int) string // words, with the share of the rows if the model has it
	rename(k int, name string) (namedModel, error)
	save(a *app, path string) error
	size() string // the number of parts, and their size
}

// loadNamed reads a model of either kind.
func loadNamed(path string) (namedModel, error) {
	if isReal(path) {
		m, err := loadReal(path)
		return namedReal{m}, err
	}
	m, err := loadModel(path)
	return namedBits{m}, err
}

// namedBits is a model of bits.
type namedBits struct{ *patchwork.Model }

func (m namedBits) count() int                     { return m.K() }
func (m namedBits) names() []string                { return m.Extras().Names }
func (m namedBits) columns() []string              { return m.Extras().Columns }
func (m namedBits) moves() bool                    { return m.Config().Scene || m.Config().Poses.Len() > 1 }
func (m namedBits) votes() alike.Votes             { return alike.Templates(m.Model) }
func (m namedBits) words(k int) string             { return words.Part(m.Model, k, wordsColumns) }
func (m namedBits) said(k int) string              { return m.words(k) } // which begin with it
func (m namedBits) save(a *app, path string) error { return a.saveModel(path, m.Model) }
func (m namedBits) size() string                   { return describeModel(m.Model) }
func (m namedBits) rename(k int, name string) (namedModel, error) {
	out, err := words.Rename(m.Model, k, name)
	return namedBits{out}, err
}

// namedReal is a model of real values.
type namedReal struct{ *real.Model }

func (m namedReal) count() int                     { return m.K() }
func (m namedReal) names() []string                { return m.Names }
func (m namedReal) columns() []string              { return m.Columns }
func (m namedReal) moves() bool                    { return m.Moves() }
func (m namedReal) words(k int) string             { return words.RealPart(m.Model, k, wordsColumns) }
func (m namedReal) save(a *app, path string) error { return a.saveReal(path, m.Model) }
func (m namedReal) size() string                   { return realSize(m.Model) }
func (m namedReal) rename(k int, name string) (namedModel, error) {
	out, err := words.RenameReal(m.Model, k, name)
	return namedReal{out}, err
}

func (m namedReal) said(k int) string {
	if m.Pi == nil {
		return m.words(k)
	}
	return fmt.Sprintf("%s of %ss: %s", words.Percent(m.Pi[k]), words.NounsOf(isTableModel(m.Model)).Image, m.words(k))
}

func (m namedReal) votes() (v alike.Votes) {
	v.Height, v.Width = m.Frame()
	for k := range m.K() {
		v.Parts = append(v.Parts, render.RealDeviations(m.Model, k))
	}
	return v
}

// givenName returns the name of a part, "" for none.
func givenName(m namedModel, k int) string {
	if names := m.names(); names != nil {
		return names[k]
	}
	return ""
}

// keepNames gives the parts of a model that is to be written over another one the names
// that people gave to the same parts there, and notes which these are and which are
// lost. Two parts are the same if at least alike.Same of their votes is; none is where
// their images or columns are others.
func keepNames(cmd *cobra.Command, path string, m namedModel) namedModel {
	old, err := loadNamed(path)
	if err != nil || old.names() == nil || reflect.TypeOf(old) != reflect.TypeOf(m) {
		return m // there is none, or nothing to lose
	}
	of := slices.Repeat([]alike.Pair{{Part: -1}}, old.count())
	was, now := old.votes(), m.votes()
	if was.Height == now.Height && was.Width == now.Width && slices.Equal(old.columns(), m.columns()) {
		of = alike.Pairs(was, now, map[bool]int{true: 2}[m.moves()], m.moves())
	}
	var kept, lost []string
	for k, name := range old.names() {
		if name = words.Clean(name); name == "" {
			continue
		}
		if of[k].Similarity >= alike.Same {
			if renamed, err := m.rename(of[k].Part, name); err == nil {
				m = renamed
				kept = append(kept, fmt.Sprintf("%q is part %d (%s of its votes are the same)", name, of[k].Part+1,
					words.Percent(of[k].Similarity)))
				continue
			}
		}
		lost = append(lost, fmt.Sprintf("%q (part %d)", name, k+1))
	}
	if len(kept) > 0 {
		sayNotes(cmd, fmt.Sprintf("names kept from the model that %s held: %s", path, strings.Join(kept, ", ")))
	}
	if len(lost) > 0 {
		sayNotes(cmd, fmt.Sprintf(
			"names lost of the model that %s held, since no part has %s of their votes: %s; patchwork name gives new ones",
			path, words.Percent(alike.Same), strings.Join(lost, ", ")))
	}
	return m
}
