package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/patchwork"
)

// Reading says how data were read that a model was learned from: that part of the
// Options which holds for other data of the same kind, but not which rows were
// selected. A model keeps it ([Set.Describe]), so that the data it meets later are
// read in the same way. The zero value says nothing.
type Reading struct {
	Array  string `json:"array,omitempty"`
	Invert bool   `json:"invert,omitempty"`

	// Columns lists what there is to say of columns beyond the names of those of data: how cells of data are read, and
	// which columns were labels or weights or were left out. Those of a file without names have their numbers, which
	// Numbered says.
	Columns  []Coding `json:"columns,omitempty"`
	Numbered bool     `json:"numbered,omitempty"`
	Only     bool     `json:"only,omitempty"` // the data were chosen: all other columns were left out

	// Missing lists what says that nothing is known, as the options do.
	Missing []string `json:"missing,omitempty"`
	// Items and Pairs say that the rows are lists of items; Columns of the model has
	// the items.
	Items bool     `json:"items,omitempty"`
	Pairs []string `json:"pairs,omitempty"`

	Names     string `json:"names,omitempty"`     // pattern of the names of pictures
	Size      []int  `json:"size,omitempty"`      // [height, width] of images that are rows in the file, or of pictures
	Transpose bool   `json:"transpose,omitempty"` // of these images, or of tables
	Delimiter string `json:"delimiter,omitempty"` // of CSV files, if it was given
	Header    string `json:"header,omitempty"`    // of CSV files: "yes" or "no", if it was given
	Points    bool   `json:"points,omitempty"`    // of CSV files: stand before thousands
	Threshold any    `json:"threshold,omitempty"` // a number, or autoThreshold
}

// headerNames has the names of the header modes in a Reading.
var headerNames = [...]string{HeaderAuto: "", HeaderPresent: "yes", HeaderAbsent: "no"}

// newReading returns the reading that the options ask for.
func newReading(o *Options) Reading {
	r := Reading{Array: o.Array, Invert: o.Invert,
		Only: len(o.Columns) > 0, Missing: o.Missing, Items: o.Items, Pairs: o.Pairs,
		Names: o.Names, Transpose: o.Transpose, Header: headerNames[o.Header]}
	if o.Threshold != nil {
		r.Threshold = *o.Threshold
	} else if o.AutoThreshold {
		r.Threshold = autoThreshold
	}
	if o.Height > 0 {
		r.Size = []int{o.Height, o.Width}
	}
	if w := o.weight(); w != "" {
		r.Columns = []Coding{{Name: w, Kind: Weight, By: Asked}}
	}
	if o.Delimiter != 0 {
		r.Delimiter = string(o.Delimiter)
	}
	return r
}

// Options returns options that read in this way, but for what columns are.
func (r *Reading) Options() Options {
	o := Options{Array: r.Array, AutoThreshold: r.Threshold == autoThreshold, Invert: r.Invert,
		Missing: r.Missing, Items: r.Items, Pairs: r.Pairs,
		Names: r.Names, Transpose: r.Transpose, Header: HeaderMode(max(0, slices.Index(headerNames[:], r.Header)))}
	if at, number := r.Threshold.(float64); number {
		o.Threshold = &at
	}
	if len(r.Size) == 2 {
		o.Height, o.Width = r.Size[0], r.Size[1]
	}
	if r.Delimiter != "" {
		o.Delimiter, _ = utf8.DecodeRuneInString(r.Delimiter)
	}
	return o
}

// keep adds what there is to say of the columns of a table.
func (s *Set) keep() {
	r := s.roles
	if r == nil {
		return
	}
	s.reading.Numbered = r.names == nil && s.Columns != nil
	s.reading.Columns = slices.Clone(s.Codings)
	data := members(r.n, r.data)
	for k, i := range r.meta {
		if data[i] {
			continue // a condition is on it
		}
		by := Asked
		if r.auto[k] {
			by = Seen
		}
		s.reading.Columns = append(s.reading.Columns, Coding{Name: r.name(i), Kind: Label, By: by})
	}
	if r.weight >= 0 {
		s.reading.Columns = append(s.reading.Columns, Coding{Name: r.name(r.weight), Kind: Weight, By: Asked})
	}
	for _, i := range slices.Sorted(maps.Keys(r.ignored)) {
		s.reading.Columns = append(s.reading.Columns, Coding{Name: r.name(i), By: Asked})
	}
}

// Reading returns how the data were read, for a model to keep, as a JSON object; nil if there is nothing to say.
func (s *Set) Reading() (json.RawMessage, error) {
	text, err := json.Marshal(s.reading)
	if err != nil {
		return nil, fmt.Errorf("keep how the data were read: %w", err)
	}
	if string(text) == "{}" {
		return nil, nil
	}
	return text, nil
}

// Describe returns a model that was learned from these images with the names of
// their columns, if each pixel of the model is a column, and with how they were
// read.
func (s *Set) Describe(m *patchwork.Model) (*patchwork.Model, error) {
	e := m.Extras()
	e.Columns = nil
	if s.Table && len(s.Columns) == m.Height()*m.Width() {
		e.Columns = s.Columns
	}
	var err error
	if e.Reading, err = s.Reading(); err != nil {
		return nil, err
	}
	return m.WithExtras(e)
}

// readingOf reads what a model keeps.
func readingOf(kept json.RawMessage) (Reading, error) {
	var r Reading
	if len(kept) == 0 {
		return r, nil
	}
	d := json.NewDecoder(bytes.NewReader(kept))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Reading{}, &FormatError{Msg: "the model says in a way unknown to this version how its data are read",
			Hint: "learn it again, or use the patchwork that wrote it", Err: err}
	}
	return r, r.check()
}

// check rejects values that no Options have.
func (r *Reading) check() error {
	bad := func(format string, args ...any) error {
		return &FormatError{Msg: "the model says how its data are read, but " + fmt.Sprintf(format, args...),
			Hint: "correct reading in its model.json"}
	}
	_, number := r.Threshold.(float64)
	switch {
	case !slices.Contains(headerNames[:], r.Header):
		return bad(`header is %q, not "yes" or "no"`, shorten(r.Header))
	case r.Delimiter != "" && (utf8.RuneCountInString(r.Delimiter) != 1 || !validDelimiter([]rune(r.Delimiter)[0])):
		return bad("%q cannot separate columns", shorten(r.Delimiter))
	case r.Size != nil && len(r.Size) != 2:
		return bad("size has %d numbers, not two", len(r.Size))
	case r.Threshold != nil && !number && r.Threshold != autoThreshold:
		return bad("the threshold %v is neither a number nor %q", r.Threshold, autoThreshold)
	}
	for _, c := range r.Columns {
		if c.Name == "" || c.Levels == nil && (c.Off != nil || c.Cuts != nil || c.Split != "") ||
			c.Cuts != nil && len(c.Levels) != 1 && len(c.Levels) != len(c.Cuts)+1 {
			return bad("it is not clear what the column %q is", shorten(c.Name))
		}
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

// autoThreshold stands for Otsu's threshold of each image.
const autoThreshold = "auto"

// ReadWith returns what of a kept reading flags say, as a shell takes them. columns has the names of the model's.
func ReadWith(kept json.RawMessage, columns []string) (flags []string) {
	r, err := readingOf(kept)
	if err != nil {
		return nil
	}
	say := func(flag, value string) {
		if value != "" {
			flags = append(flags, strings.TrimSpace("--"+flag+" "+shellWord(value)))
		}
	}
	few := func(list []string) string { return strings.Join(list[:min(len(list), mostListed)], ",") }
	say("array", r.Array)
	o := r.Options()
	say("threshold", o.threshold())
	if r.Invert {
		flags = append(flags, "--invert")
	}
	if r.Only {
		say("columns", few(columns))
	}
	for i := range r.Columns[:min(len(r.Columns), 2*mostListed)] {
		if c := &r.Columns[i]; c.By == Asked || c.Kind == Label {
			say("column", c.Name+"="+c.want())
		}
	}
	say("missing", few(r.Missing))
	if r.Items {
		flags = append(flags, "--items")
	}
	if r.Pairs != nil {
		flags = append(flags, "--items="+shellWord(strings.Join(r.Pairs, ",")))
	}
	say("names", r.Names)
	if r.Transpose && r.Size == nil {
		flags = append(flags, "--size columns")
	}
	if len(r.Size) == 2 {
		order := map[bool]string{true: ",columns"}[r.Transpose]
		say("size", fmt.Sprintf("%dx%d%s", r.Size[0], r.Size[1], order))
	}
	say("delimiter", r.Delimiter)
	say("header", r.Header)
	return flags
}

// want returns what an edit says that makes a column what it is.
func (c *Coding) want() string {
	switch {
	case c.Split != "":
		return "split"
	case c.keyed():
		return yesPrefix + strings.Join(c.Levels, "|")
	case len(c.Cuts) == 1:
		return "bit>" + strconv.FormatFloat(c.Cuts[0], 'f', -1, 64)
	case c.Cuts != nil:
		return "bands"
	case c.Kind == Ordinal && c.By == Asked && c.Levels != nil:
		return strings.Join(c.Levels, "<")
	}
	return c.Kind.String()
}
