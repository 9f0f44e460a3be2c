package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/patchwork/diagnose/words"
)

// ReadLines reads a CSV file that goes with data, such as a list of their cells: n cells on each
// line, and no more lines than most. It calls use with each line and its number, from 1; the cells
// are valid until use returns, whose error ends the reading and is returned as it is. hint says in
// errors what a line is. Records are bounded as those of data. Only a regular file is read, which
// may be packed: a pipe or a device may have no end.
func ReadLines(path string, n, most int, hint string, use func(line int, cells []string) error) error {
	info, err := os.Stat(path) // before it is opened: a pipe would wait
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &FormatError{Path: path, Msg: "is not a regular file", Hint: "save the list to a CSV file, and name that"}
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var used error
	c := contentAt(path, io.NewSectionReader(f, 0, info.Size()))
	err = newInput(Options{}).lines(c, n, most, hint, func(line int, cells []string) error {
		used = use(line, cells)
		return used
	})
	if used != nil {
		return used
	}
	return at(err, path)
}

func (in *input) lines(c *content, n, most int, hint string, use func(line int, cells []string) error) error {
	if c.size == 0 {
		return nil
	}
	c, f, err := in.inner(c)
	if err == nil && f.name != textFormat {
		err = &FormatError{Msg: "is not a text", Hint: hint}
	}
	if err != nil {
		return err
	}
	text, err := in.decoded(c)
	if err != nil {
		return err
	}
	r := csvForm{comma: ','}.records(text)
	for lines := 0; ; lines++ {
		cells, line, err := r.read()
		var fe *FormatError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &fe) && fe.Line == 0: // of a record that is too long
			fe.Hint = hint
		}
		if err != nil {
			return err
		}
		if len(cells) != n {
			return &FormatError{Line: line, Msg: words.Count(len(cells), "cell") + fmt.Sprintf(" instead of %d", n), Hint: hint}
		}
		if lines == most {
			return &FormatError{Line: line, Msg: fmt.Sprintf("more lines than the %d that there can be", most),
				Hint: "name each only once"}
		}
		if err := use(line, cells); err != nil {
			return err
		}
	}
}
