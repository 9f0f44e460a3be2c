package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"example.com/patchwork"
)

// Reading says how data were read that a model was learned from: that part of the
// Options which holds for other data of the same kind, but not which rows were
// selected. A model keeps it ([Set.Describe]), so that the data it meets later are
// read in the same way. The zero value says nothing.
type Reading struct {
	Array     string   `json:"array,omitempty"`
	Threshold *float64 `json:"threshold,omitempty"`
	Invert    bool     `json:"invert,omitempty"`

	// AutoThreshold is the threshold "auto" in JSON.
	AutoThreshold bool `json:"-"`

	// Meta, Weight and Columns name columns of a table as its file names them, or by
	// number from 1 where it has no names. Meta has all that were metadata, for
	// whatever reason. Columns is empty unless the data were chosen by Options.Columns:
	// then all other columns are left out.
	Meta    []string `json:"meta,omitempty"`
	Weight  string   `json:"weight,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Numbered says that the file had no names of columns: those of the model are their
	// numbers in the file.
	Numbered bool `json:"numbered,omitempty"`

	Coded

	// Categories lists the columns that became columns of bits, with their values.
	Categories []Categorical `json:"categories,omitempty"`
	// Missing lists what says that nothing is known, as the options do.
	Missing []string `json:"missing,omitempty"`
	// Items and Pairs say that the rows are lists of items; Columns of the model has
	// the items.
	Items bool     `json:"items,omitempty"`
	Pairs []string `json:"pairs,omitempty"`

	Names     string `json:"names,omitempty"`     // pattern of the names of pictures
	Size      []int  `json:"size,omitempty"`      // [height, width] of images that are rows in the file, or of pictures
	Transpose bool   `json:"transpose,omitempty"` // of these images
	Delimiter string `json:"delimiter,omitempty"` // of CSV files, if it was given
	Header    string `json:"header,omitempty"`    // of CSV files: "yes" or "no", if it was given
}

// headerNames has the names of the header modes in a Reading.
var headerNames = [...]string{HeaderAuto: "", HeaderPresent: "yes", HeaderAbsent: "no"}

// newReading returns the reading that the options ask for.
func newReading(o *Options) Reading {
	r := Reading{Array: o.Array, Threshold: o.Threshold, AutoThreshold: o.AutoThreshold, Invert: o.Invert, Meta: o.Meta,
		Weight: o.Weight, Columns: o.Columns,
		Names: o.Names, Transpose: o.Transpose, Header: headerNames[o.Header]}
	if o.Height > 0 {
		r.Size = []int{o.Height, o.Width}
	}
	r.Items, r.Pairs, r.Missing = o.Items, o.Pairs, o.Missing
	if o.Delimiter != 0 {
		r.Delimiter = string(o.Delimiter)
	}
	return r
}

// Options returns options that read in this way.
func (r *Reading) Options() Options {
	o := Options{Array: r.Array, Threshold: r.Threshold, AutoThreshold: r.AutoThreshold, Invert: r.Invert, Meta: r.Meta,
		Weight: r.Weight, Columns: r.Columns, Categories: r.Categories, Items: r.Items, Pairs: r.Pairs,
		Names: r.Names, Transpose: r.Transpose, Header: HeaderMode(max(0, slices.Index(headerNames[:], r.Header)))}
	o.codings, o.Missing = r.codings(), r.Missing
	if len(r.Size) == 2 {
		o.Height, o.Width = r.Size[0], r.Size[1]
	}
	if r.Delimiter != "" {
		o.Delimiter, _ = utf8.DecodeRuneInString(r.Delimiter)
	}
	return o
}

// inNames replaces the numbers of columns by the names that they have in the file.
func (r Reading) inNames(of *roles) Reading {
	r.Meta = nil
	if of == nil {
		return r // columns are of tables
	}
	for _, i := range of.meta {
		r.Meta = append(r.Meta, of.name(i))
	}
	if of.weight >= 0 {
		r.Weight = of.name(of.weight)
	}
	if len(r.Columns) > 0 {
		r.Columns = nil
		for _, i := range of.data {
			r.Columns = append(r.Columns, of.name(i))
		}
	}
	r.Coded, r.Numbered = of.coded, of.numbered && of.columns == nil
	return r
}

// Describe returns a model that was learned from these images with the names of
// their columns, if each pixel of the model is a column, and with how they were
// read.
func (s *Set) Describe(m *patchwork.Model) (*patchwork.Model, error) {
	e := m.Extras()
	e.Columns, e.Reading = nil, nil
	if s.Table && len(s.Columns) == m.Height()*m.Width() {
		e.Columns = s.Columns
	}
	reading := s.reading
	reading.Categories = s.Categories
	text, err := json.Marshal(reading)
	if err != nil {
		return nil, fmt.Errorf("keep how the data were read: %w", err)
	}
	if string(text) != "{}" {
		e.Reading = text
	}
	return m.WithExtras(e)
}

// ReadingOf returns how the data were read that a model was learned from. The error,
// a [*FormatError], says what this version cannot do or does not know.
func ReadingOf(m *patchwork.Model) (Reading, error) {
	var r Reading
	text := m.Extras().Reading
	if len(text) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return Reading{}, &FormatError{Msg: "the model says in a way unknown to this version how its data are read",
			Hint: "use a newer patchwork", Err: err}
	}
	return r, r.check()
}

// check rejects values that no Options have.
func (r *Reading) check() error {
	bad := func(format string, args ...any) error {
		return &FormatError{Msg: "the model says how its data are read, but " + fmt.Sprintf(format, args...),
			Hint: "correct reading in its model.json"}
	}
	switch {
	case !slices.Contains(headerNames[:], r.Header):
		return bad(`header is %q, not "yes" or "no"`, shorten(r.Header))
	case r.Delimiter != "" && (utf8.RuneCountInString(r.Delimiter) != 1 || !validDelimiter([]rune(r.Delimiter)[0])):
		return bad("%q cannot separate columns", shorten(r.Delimiter))
	case r.Size != nil && len(r.Size) != 2:
		return bad("size has %d numbers, not two", len(r.Size))
	case r.Threshold != nil && (math.IsNaN(*r.Threshold) || math.IsInf(*r.Threshold, 0)):
		return bad("the threshold is %v", *r.Threshold)
	}
	o := r.Options()
	if o.Height == 0 && len(r.Size) == 2 {
		o.Height = -1
	}
	if err := o.check([]string{""}); err != nil {
		return bad("%v", err)
	}
	return nil
}

// plainReading is a Reading without its methods.
type plainReading Reading

// readingText is the JSON form of a Reading, whose threshold is a number or
// "auto".
type readingText struct {
	plainReading
	Threshold any `json:"threshold,omitempty"`
}

// autoThreshold stands for Otsu's threshold of each image.
const autoThreshold = "auto"

// MarshalJSON writes the reading as a model keeps it.
func (r Reading) MarshalJSON() ([]byte, error) {
	text := readingText{plainReading: plainReading(r)}
	switch {
	case r.AutoThreshold:
		text.Threshold = autoThreshold
	case r.Threshold != nil:
		text.Threshold = *r.Threshold
	}
	return json.Marshal(text)
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses fields that it does not
// know.
func (r *Reading) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var text readingText
	if err := d.Decode(&text); err != nil {
		return err
	}
	switch v := text.Threshold.(type) {
	case nil:
	case float64:
		text.plainReading.Threshold = &v
	default:
		if v != autoThreshold {
			return fmt.Errorf("the threshold %v is neither a number nor %q", v, autoThreshold)
		}
		text.AutoThreshold = true
	}
	*r = Reading(text.plainReading)
	return nil
}
