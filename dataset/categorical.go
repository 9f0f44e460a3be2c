package dataset

import (
	"fmt"
	"slices"
)

// Categorical is a column of categories that is read as one column of bits per
// value, of which at most one is on in a row.
type Categorical struct {
	Name string `json:"name"`
	// Levels lists the values. In [Options], none means those that the data have;
	// a value that is not listed is unknown.
	Levels []string `json:"levels"`
	// Off, if there are any, are the words for no of a column that is one bit: Levels has its word for yes. "" means
	// that an empty cell is no.
	Off []string `json:"off,omitempty"`
	// Ordered says that the levels are steps of a scale.
	Ordered bool `json:"ordered,omitempty"`
	// Cuts, if there are any, make levels of numbers: each is of what is greater than one more of them. With one level
	// the column is a bit. An empty list asks for three levels of about as many rows each.
	Cuts []float64 `json:"cuts,omitempty"`
	// Split separates answers in a cell, each of which is a level: they do not exclude each other.
	Split string `json:"split,omitempty"`
}

// columns returns the names of the columns of bits.
func (c *Categorical) columns() []string {
	if c.bit() {
		return []string{c.bitName()}
	}
	out := make([]string, len(c.Levels))
	for i, level := range c.Levels {
		out[i] = c.Name + "=" + level
	}
	return out
}

// askedCategories returns, by column, the categories that the options ask for.
func (in *input) askedCategories(s *survey, v vocabularies) (map[int]*Categorical, error) {
	asked := map[int]*Categorical{}
	for _, c := range in.opts.Categories {
		if in.opts.model != nil && c.Levels != nil && s.names != nil && !slices.Contains(s.names, c.Name) {
			continue // its absence is told with that of other columns
		}
		if c.Name == allCategories && !slices.Contains(s.names, allCategories) {
			in.allCategories(s, v, asked)
			continue
		}
		at, err := findColumns(s.names, len(s.columns), []string{c.Name})
		if err != nil {
			return nil, err
		}
		of := &s.columns[at[0]]
		if class, _ := of.classOf(v); c.Ordered && in.real && class == numberClass {
			continue // numbers are in an order
		}
		c.Name = s.name(at[0])
		if err := of.settle(&c, len(s.columns)); err != nil {
			return nil, err
		}
		asked[at[0]] = &c
	}
	return asked, nil
}

// settle finds the cuts or the separator of a category that is asked for.
func (c *columnStats) settle(of *Categorical, columns int) error {
	switch {
	case of.bands():
		of.Cuts = c.thirds()
		of.Levels = bandNames(of.Cuts)
		if len(of.Cuts) == 0 {
			return &FormatError{Column: of.Name, Msg: "holds no numbers to cut in bands", Hint: "ask for a category instead"}
		}
	case of.Split == anySeparator:
		if of.Split = c.separator(true); of.Split == "" {
			return &FormatError{Column: of.Name, Msg: "no cell has several answers with ; | or , between them",
				Hint: "ask for a category instead"}
		}
		of.Levels = c.answers(of.Split)
	case of.Levels == nil && c.many:
		return tooManyLevels(of.Name, c.levels.n, columns)
	}
	return nil
}

// tooManyLevels returns the error for a column of which n values, and then another, were
// counted, in a table of so many columns.
func tooManyLevels(name string, n, columns int) error {
	limit := levelLimitOf(columns)
	msg := fmt.Sprintf("more than %d values, too many for categories", limit.n)
	if n < limit.n {
		msg = fmt.Sprintf("the values have more than %d bytes together, too many for categories of %d columns", limit.bytes,
			columns)
	}
	return &FormatError{Column: name, Msg: msg, Hint: "make them coarser, or keep the column as a label: " +
		columnFlag(name, "label")}
}

// allCategories is the name that asks for all columns that look like categories.
const allCategories = "all"

func (in *input) allCategories(s *survey, v vocabularies, asked map[int]*Categorical) {
	used := members(len(s.columns), in.used(s))
	for i := range s.columns {
		c := &s.columns[i]
		class, _ := c.classOf(v)
		if asked[i] == nil && !used[i] && !s.isIndex(i, class) && c.few() &&
			(class == labelClass || class == numberClass && !c.span().fractions) {
			asked[i] = &Categorical{Name: s.name(i), Ordered: scaleOf(c.allLevels()) != nil}
		}
	}
}

// mostlyLabels is how many times more columns of few words than of bits a table has whose
// words are categories, not labels.
const mostlyLabels = 3

// categoriesForWantOfBits makes categories of the text columns that have few values if
// the table would have no data otherwise, or next to none. It returns the others.
func (in *input) categoriesForWantOfBits(s *survey, v vocabularies, texts, auto, explicit []int,
	asked map[int]*Categorical) []int {
	if len(explicit) > 0 || len(in.opts.Categories) > 0 {
		return texts
	}
	used := members(len(s.columns), in.used(s))
	other, text := members(len(s.columns), auto), members(len(s.columns), texts)
	bits, few := 0, 0
	for i := range s.columns {
		switch {
		case other[i], used[i], s.trailing && i == len(s.columns)-1:
		case !text[i]:
			bits++
		case s.columns[i].few():
			few++
		}
	}
	if bits > 0 && (in.opts.model != nil || few <= mostlyLabels*bits) {
		return texts // there is other data
	}
	labels := texts[:0]
	for _, i := range texts {
		if s.columns[i].few() && !used[i] {
			asked[i] = &Categorical{Name: s.name(i), Ordered: scaleOf(s.columns[i].allLevels()) != nil}
		} else {
			labels = append(labels, i)
		}
	}
	return labels
}

// addCategory lays out the pixels of a category.
func (p *tablePlan) addCategory(c *columnStats, d *dataColumn, category *Categorical) {
	found := c.allLevels()
	switch {
	case category.Levels == nil:
		if category.Levels = found; category.Ordered {
			inScale(category.Levels)
		}
	case category.Split != "":
		found = c.answers(category.Split)
		fallthrough
	case category.Cuts == nil:
		cells, example := 0, ""
		for _, level := range found {
			if !slices.Contains(category.Levels, level) && !slices.Contains(category.Off, level) {
				cells += max(1, c.levels.count(level), c.answered(category.Split, level))
				example = level
			}
		}
		if cells > 0 {
			text := fmt.Sprintf("in the column %s %s none of %s, such as %q, and taken as unknown", category.Name,
				people(cells, "cell is", "cells are"), listShort(category.Levels), example)
			p.unseen = append(p.unseen, text)
			p.note("%s", text)
		}
	}
	d.levels, d.n, d.off = map[string]int{}, len(category.Levels), category.Off
	d.cuts, d.split = category.Cuts, category.Split
	for k, level := range category.Levels {
		d.levels[level] = k
	}
	p.categories = append(p.categories, *category)
}
