package dataset

import "fmt"

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
