package dataset

import "io"

// In a browser Parquet is neither read nor written: its library would be most of the
// program, and bring a whole web server along.

// notHere is the answer to a file in one of these formats.
func notHere(format string) error {
	return &FormatError{Msg: "a table in " + format + ", which the page without a server does not read",
		Hint: "save it as CSV, or open it in patchwork serve"}
}

func (in *input) parquet(*content) (parts, error) { return nil, notHere("Parquet") }

// notWritten is a table in one of these formats.
type notWritten struct{ format string }

func newParquetTable(io.Writer) tableWriter { return notWritten{"Parquet"} }

func (n notWritten) begin([]TableColumn) error {
	return &FormatError{Msg: "the page without a server does not write " + n.format}
}
func (n notWritten) write([]any, int) error { return n.begin(nil) }
func (n notWritten) end() error             { return n.begin(nil) }
func (n notWritten) close() error           { return nil }
