package studio

import (
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/dataset"
)

// ReadFor names a model whose data other data are read like.
type ReadFor struct {
	Model string `query:"model" maxLength:"64" doc:"id of a model: the data are read as those it was learned from, unless parameters say otherwise, and the columns of a table are matched by name; what does not fit is an error, as on the command line"`
}

// options returns reading options for the model, and its name; as they are without one.
func (r *ReadFor) options(s *core, opt dataset.Options) (_ dataset.Options, m *model, notes []string, err error) {
	if r.Model == "" {
		return opt, nil, nil, nil
	}
	if m, err = s.models.find(r.Model); err != nil {
		return opt, nil, nil, err
	}
	if opt, notes, err = opt.For(m.bits()); err != nil {
		return opt, nil, nil, contentError(err)
	}
	return opt, m, notes, nil
}

// readLike records that a data set was read for a model: in its notes, and in the flags
// that read it the same way without the model. again reads it so, too: then the set says
// of itself what it would after those flags, and what is learned from it is the same file.
func (d *data) readLike(m *model, notes []string, again func(dataset.Options) (*dataset.Set, error)) error {
	described, err := d.set.Describe(m.bits())
	if err != nil {
		return err
	}
	r, err := dataset.ReadingOf(described)
	if err != nil {
		return err
	}
	plain := true
	if columns := described.Extras().Columns; d.set.Table && columns != nil && !r.Numbered && len(r.Columns) == 0 {
		r.Columns, plain = columns, len(r.Categories) == 0 && !r.Items && len(r.Pairs) == 0
	}
	var sayable bool
	d.args, sayable = readingArgs(&r)
	notes = slices.Concat([]string{"read as the data that “" + m.name + "” was learned from"}, notes, d.set.Notes)
	if d.noCommand = !plain || !sayable; !d.noCommand {
		if d.set, err = again(r.Options()); err != nil {
			return err
		}
	}
	set := *d.set
	set.Notes = notes
	d.set = &set
	return nil
}

// readingArgs returns the flags of a reading; plain is false where flags cannot say it.
func readingArgs(r *dataset.Reading) (args []string, plain bool) {
	plain = r.Delimiter == "" && !r.Transpose && r.Weight == ""
	list := func(name string, values []string) {
		if len(values) > 0 {
			args, plain = append(args, "--"+name, strings.Join(values, ",")), plain && !unlistable(values)
		}
	}
	text := func(name, value string) {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	text("array", r.Array)
	list("meta", r.Meta)
	var categories []string
	for _, c := range r.Categories {
		if len(c.Off) == 0 { // a column of two words is a bit by itself
			categories = append(categories, c.Name)
		}
	}
	list("categories", categories)
	list("columns", r.Columns)
	switch {
	case len(r.Pairs) > 0:
		args, plain = append(args, "--items="+strings.Join(r.Pairs, ",")), plain && !unlistable(r.Pairs)
	case r.Items:
		args = append(args, "--items")
	}
	if r.Invert {
		args = append(args, "--invert")
	}
	text("names", r.Names)
	text("header", r.Header)
	if len(r.Size) == 2 {
		text("size", strconv.Itoa(r.Size[0])+"x"+strconv.Itoa(r.Size[1]))
	}
	switch {
	case r.AutoThreshold:
		text("threshold", "auto")
	case r.Threshold != nil:
		text("threshold", formatNumber(*r.Threshold))
	}
	return args, plain
}

// unlistable reports whether a flag that takes names separated by commas cannot take
// one of these.
func unlistable(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return n == "" || strings.ContainsAny(n, ",\"\r\n") })
}
