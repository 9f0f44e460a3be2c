package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/internal/enum"
)

// order returns which of the candidates, columns of a table with names, are those of a model, in its order.
func order(wanted, names []string, candidates []int) (data []int, err error) {
	if slices.Equal(pick(names, candidates), wanted) {
		return candidates, nil
	}
	at, again := map[string]int{}, map[string]bool{}
	for _, i := range candidates {
		_, known := at[names[i]]
		again[names[i]] = again[names[i]] || known
		at[names[i]] = i
	}
	var wrong mismatch
	for _, name := range wanted {
		switch i, known := at[name]; {
		case !known:
			wrong.missing = append(wrong.missing, name)
		case again[name]:
			wrong.doubled = append(wrong.doubled, name)
		default:
			data = append(data, i)
		}
	}
	if len(wrong.missing) > 0 {
		known := indexOf(wanted)
		for _, i := range candidates {
			if _, ours := known[names[i]]; !ours {
				wrong.foreign = append(wrong.foreign, names[i])
			}
		}
	}
	return data, wrong.err()
}

// checkWidth returns an error unless rows have as many columns as the model.
func (p *Plan) checkWidth(want, n int) error {
	if n == want || want == 0 {
		return nil
	}
	e := &FormatError{Msg: fmt.Sprintf("%d columns of data, but the model has %d", n, want),
		Hint: "choose the model's with --columns, or say which are no data with --column NAME=label"}
	if p.fields != nil {
		e.Msg += ": " + list(quoted(p.names))
	}
	return e
}

// mismatch lists the names of columns that do not fit a model.
type mismatch struct{ missing, foreign, doubled []string }

// err returns an error that lists them, or nil if there are none.
func (m *mismatch) err() error {
	if len(m.missing)+len(m.doubled) == 0 {
		return nil
	}
	lost, near := m.likely()
	var what, hints []string
	say := func(label string, names []string) {
		if len(names) > 0 {
			what = append(what, label+": "+list(names))
		}
	}
	say("missing", quoted(m.missing))
	say("not in the model", near)
	say("more than once", quoted(m.doubled))
	if len(lost) < len(m.missing) {
		hints = append(hints, "rename what means the same")
	}
	if len(lost) > 0 {
		hints = append(hints, "add what is missing, with empty cells if it is unknown")
	}
	if len(m.doubled) > 0 {
		hints = append(hints, "rename or remove what comes more than once")
	}
	return &FormatError{Msg: "the columns are not those of the model: " + strings.Join(what, "; "),
		Hint: strings.Join(hints, "; ")}
}

// likely finds the missing name that a foreign one may stand for. It returns the
// missing names without such a partner, and all foreign
// names in quotes, each with its partner, as far as [list] shows them.
func (m *mismatch) likely() (lost, near []string) {
	const most = 50 // of those that are listed, among not too many
	lost = slices.Clone(m.missing)
	near = quoted(m.foreign)
	for i, name := range m.foreign[:min(len(m.foreign), most)] {
		if partner := enum.Nearest(name, lost[:min(len(lost), 20*most)]); partner != "" {
			near[i] += fmt.Sprintf(" (did you mean %q?)", shorten(partner))
			lost = slices.DeleteFunc(lost, func(s string) bool { return s == partner })
		}
	}
	return lost, near
}

// quoted returns names in quotes, and empty ones beyond those that [list] shows.
func quoted(names []string) []string {
	out := make([]string, len(names))
	for i := range min(len(names), mostNamed) {
		out[i] = strconv.Quote(shorten(names[i]))
	}
	return out
}

// refusePictures returns an error if the model is of a table, whose rows pictures
// cannot be.
func (p *Plan) refusePictures() error {
	if p == nil || p.Form != FormTable {
		return nil
	}
	of := fmt.Sprintf("%d columns without names", p.Width)
	if len(p.fields) > 0 {
		of = "the columns " + andList(p.names)
	}
	return &FormatError{Msg: "these are pictures, and the model is of a table with " + of,
		Hint: "give a table with these columns, or a model that was learned from pictures"}
}

// refuseTable returns an error if the model is of images, and a table of columns of
// data has no row that is one. size says that the rows are to be made images.
func (p *Plan) refuseTable(names []string, data []int, size bool) error {
	if p.Height <= 1 || size {
		return nil
	}
	e := &FormatError{Msg: fmt.Sprintf("this is a table with %d columns, and the model is of images of %s", len(data),
		sizeText(p.Height, p.Width)),
		Hint: "give images, or a model that was learned from such a table"}
	if names != nil {
		e.Msg = fmt.Sprintf("this is a table with the columns %s, and the model is of images of %s",
			andList(pick(names, data)), sizeText(p.Height, p.Width))
	}
	if len(data) == p.Height*p.Width {
		e.Hint = fmt.Sprintf("--size %dx%d makes its rows images", p.Height, p.Width)
	}
	return e
}
