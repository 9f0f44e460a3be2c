package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"example.com/patchwork/bitmap"
)

// itemForm recognises what separates items: of comma, tab and semicolon the one
// that the beginning has most often, or blanks between numbers.
func itemForm(head []byte) csvForm {
	best, most := mostFrequent(head)
	if most == 0 && len(bytes.Trim(head, "0123456789 \r\n")) == 0 {
		best = ' '
	}
	return csvForm{best}
}

// maxItem is the length in bytes of the longest item. Items become the names of columns, all of which have at
// most [maxNames].
const maxItem = 1 << 16

// vocabulary collects the items of a text.
type vocabulary struct {
	in    *input
	items map[string]int // how often each occurs
	model []string       // the items of the model, or of all files together; nil if they are not settled

	first    []string // of each line, while no two are the same
	repeated bool     // two are
}

func (in *input) vocabulary() *vocabulary {
	v := &vocabulary{in: in, items: map[string]int{}, model: in.opts.items}
	if in.opts.Model != nil {
		v.model = in.opts.Model.names
	}
	return v
}

// add takes an item; first says that it begins a line.
func (v *vocabulary) add(item string, first bool) error {
	if first && (item == "" || v.items[item] > 0) {
		v.first, v.repeated = nil, true
	}
	if item == "" {
		return nil
	}
	if _, known := v.items[item]; !known {
		if len(item) > maxItem {
			return &FormatError{Msg: fmt.Sprintf("an item of more than %d bytes", maxItem),
				Hint: "say --delimiter if something else separates the items"}
		}
		if err := v.in.budget.spendBytes(len(item) + groupOverhead); err != nil {
			return err
		}
		item = strings.Clone(item)
	}
	v.items[item]++
	if first && !v.repeated {
		v.first = append(v.first, item)
	}
	return nil
}

// leastNamed is the least number of lines that show that their first words are names.
const leastNamed = 5

// named reports whether the first words of the lines are names of rows, and forgets them
// as items: each is there once, and the other items twice on average or more. For a
// model they are names if they are none of its items.
func (v *vocabulary) named() bool {
	for _, item := range v.first {
		if v.items[item] != 1 || slices.Contains(v.model, item) {
			return false
		}
	}
	others, sum := 0, -len(v.first)
	for _, n := range v.items {
		sum += n
	}
	others = len(v.items) - len(v.first)
	if v.repeated || len(v.first) < leastNamed && v.in.opts.Model == nil || others == 0 || sum < 2*others &&
		v.in.opts.Model == nil {
		return false
	}
	for _, item := range v.first {
		delete(v.items, item)
	}
	return true
}

// columns returns the items in order; those of the model if there is one, with a note
// on the others.
func (v *vocabulary) columns(p *tablePlan) ([]string, error) {
	found := make([]string, 0, len(v.items))
	for item := range v.items {
		found = append(found, item)
	}
	if v.model == nil && boundNames(found) != nil {
		return nil, &FormatError{Msg: fmt.Sprintf("the items have more than %d bytes together", maxNames),
			Hint: "shorten them"}
	}
	sortLevels(found)
	if v.model != nil {
		at := indexOf(v.model)
		found = slices.DeleteFunc(found, func(item string) bool { _, known := at[item]; return known })
		if len(found) > 0 {
			p.note("%s unknown to the model and left out: %s", people(len(found), "item is", "items are"), list(found))
		}
		return v.model, nil
	}
	if len(found) == 0 {
		return nil, &FormatError{Msg: "the file has no items"}
	}
	return found, checkSize(1, len(found))
}

func indexOf(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return at
}

// blank returns a row without items.
func (in *input) blank(width int) *bitmap.Image {
	m := bitmap.New(1, width)
	for x := 0; in.opts.Invert && x < width; x++ {
		m.Set(0, x, true)
	}
	return m
}
