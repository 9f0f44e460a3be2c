package main

import (
	"example.com/patchwork"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn/real"
)

// namedModel is a model whose parts can be given names: of bits or of real values.
type namedModel interface {
	count() int
	nameOf(k int) string // "" for none
	words(k int) string
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
func (m namedBits) nameOf(k int) string            { return givenName(m.Extras().Names, k) }
func (m namedBits) words(k int) string             { return words.Part(m.Model, k, wordsColumns) }
func (m namedBits) save(a *app, path string) error { return a.saveModel(path, m.Model) }
func (m namedBits) size() string                   { return describeModel(m.Model) }
func (m namedBits) rename(k int, name string) (namedModel, error) {
	out, err := words.Rename(m.Model, k, name)
	return namedBits{out}, err
}

// namedReal is a model of real values.
type namedReal struct{ *real.Model }

func (m namedReal) count() int                     { return m.K() }
func (m namedReal) nameOf(k int) string            { return givenName(m.Names, k) }
func (m namedReal) words(k int) string             { return words.RealPart(m.Model, k, wordsColumns) }
func (m namedReal) save(a *app, path string) error { return a.saveReal(path, m.Model) }
func (m namedReal) size() string                   { return realSize(m.Model) }
func (m namedReal) rename(k int, name string) (namedModel, error) {
	out, err := words.RenameReal(m.Model, k, name)
	return namedReal{out}, err
}

// givenName returns the name of a part, "" for none.
func givenName(names []string, k int) string {
	if names == nil {
		return ""
	}
	return names[k]
}
