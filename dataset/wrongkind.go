package dataset

import (
	"fmt"
)

// refusePictures returns an error if the model is of a table, whose rows pictures
// cannot be.
func (w *expected) refusePictures() error {
	if w == nil || w.width == 0 {
		return nil
	}
	of := fmt.Sprintf("%d columns without names", w.width)
	if len(w.columns) > 0 {
		of = "the columns " + andList(w.columns)
	}
	return &FormatError{Msg: "these are pictures, and the model is of a table with " + of,
		Hint: "give a table with these columns, or a model that was learned from pictures"}
}

// refuseTable returns an error if the model is of images, and a table of n columns of
// data has no row that is one. size says that the rows are to be made images.
func (w *expected) refuseTable(r *roles, size bool) error {
	if w == nil || w.height <= 1 || size {
		return nil
	}
	e := &FormatError{Msg: fmt.Sprintf("this is a table with %d columns, and the model is of images of %s", len(r.data),
		sizeText(w.height, w.across)),
		Hint: "give images, or a model that was learned from such a table"}
	if r.names != nil {
		e.Msg = fmt.Sprintf("this is a table with the columns %s, and the model is of images of %s",
			andList(pick(r.names, r.data)), sizeText(w.height, w.across))
	}
	if len(r.data) == w.height*w.across {
		e.Hint = fmt.Sprintf("--size %dx%d makes its rows images", w.height, w.across)
	}
	return e
}
