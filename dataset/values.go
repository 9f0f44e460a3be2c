package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Reading returns how the values were read, for a model to keep, as a JSON object.
func (s *Set) Reading() (json.RawMessage, error) {
	r := s.reading
	r.Categories = s.Categories
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("keep how the data were read: %w", err)
	}
	return text, nil
}

// Like returns options that read values as a model's were, unless o says otherwise. The error says what this
// version does not know.
func (o Options) Like(reading json.RawMessage) (Options, error) {
	if len(reading) == 0 {
		return o, nil
	}
	var r Reading
	if err := json.Unmarshal(reading, &r); err != nil {
		return o, err
	}
	like := r.Options()
	if len(o.Categories) == 0 {
		o.Categories = like.Categories
	}
	if len(o.Missing) == 0 {
		o.Missing = like.Missing
	}
	if o.Array == "" {
		o.Array = like.Array
	}
	if o.Names == "" {
		o.Names = like.Names
	}
	if o.Height == 0 {
		o.Height, o.Width, o.Transpose = like.Height, like.Width, o.Transpose || like.Transpose
	}
	if o.Delimiter == 0 {
		o.Delimiter = like.Delimiter
	}
	if o.Header == HeaderAuto {
		o.Header = like.Header
	}
	o.Invert = o.Invert || like.Invert
	return o, nil
}

// Match returns numbers with the columns of a model, by name if both have names, and otherwise by position. A
// column that is missing, or a size that differs, is an error.
func (s *Set) Match(columns []string, height, width int) (*Set, error) {
	out := *s
	out.Values = slices.Clone(s.Values)
	if s.Table {
		w := &expected{columns: columns, width: width, known: map[string]bool{}}
		for _, name := range columns {
			w.known[name] = true
		}
		if err := out.match(w, false); err != nil {
			return nil, at(err, s.Source)
		}
	}
	if out.Height != height || out.Width != width {
		return nil, &FormatError{Path: s.Source, Msg: fmt.Sprintf("%d x %d values, the model has %d x %d", s.Height, s.Width,
			height, width), Hint: "give data of the size of the model"}
	}
	return &out, nil
}
