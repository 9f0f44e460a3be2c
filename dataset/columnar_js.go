package dataset

import "io"

// In a browser Parquet is neither read nor written: its library would be most of the
// program, and bring a whole web server along.

func (in *input) parquet(*content) (parts, error) {
	return nil, &FormatError{Msg: "a table in Parquet, which the page without a server does not read",
		Hint: "save it as CSV, or open it in patchwork serve"}
}

// notWritten is a table in this format; what is called first refuses it.
type notWritten struct{ tableWriter }

func newParquetTable(io.Writer) tableWriter { return notWritten{} }

func (notWritten) begin([]TableColumn) error {
	return &FormatError{Msg: "the page without a server does not write Parquet"}
}
