package bitmap

import "math/bits"

// Lists is a table of bits of which few are on: of each row the columns that are.
type Lists struct {
	Width   int
	Start   []int   // of each row among Columns, and where the last one ends
	Columns []int32 // each row's in order
}

// NewLists returns a table without rows.
func NewLists(width int) *Lists { return &Lists{Width: width, Start: []int{0}} }

// Len returns the number of rows.
func (l *Lists) Len() int { return len(l.Start) - 1 }

// Row returns the columns that are on in row r.
func (l *Lists) Row(r int) []int32 { return l.Columns[l.Start[r]:l.Start[r+1]] }

// Append adds a row, whose columns are in order.
func (l *Lists) Append(columns []int32) {
	l.Columns = append(l.Columns, columns...)
	l.Start = append(l.Start, len(l.Columns))
}

// Turned returns the table with its columns as rows.
func (l *Lists) Turned() *Lists {
	out := &Lists{Width: l.Len(), Start: make([]int, l.Width+1), Columns: make([]int32, len(l.Columns))}
	for _, d := range l.Columns {
		out.Start[d+1]++
	}
	for d := range l.Width {
		out.Start[d+1] += out.Start[d]
	}
	at := append([]int(nil), out.Start[:l.Width]...)
	for r := range l.Len() {
		for _, d := range l.Row(r) {
			out.Columns[at[d]] = int32(r)
			at[d]++
		}
	}
	return out
}

// AppendOn appends the pixels of the first row that are on, and those that are unknown.
func (m *Image) AppendOn(on, unknown []int32) (ones, missing []int32) {
	is, known := m.Row(0)
	for w, v := range is {
		for ; v != 0; v &= v - 1 {
			on = append(on, int32(64*w+bits.TrailingZeros64(v)))
		}
		if known == nil {
			continue
		}
		for v := ^known[w]; v != 0; v &= v - 1 {
			if i := 64*w + bits.TrailingZeros64(v); i < m.Width() {
				unknown = append(unknown, int32(i))
			}
		}
	}
	return on, unknown
}
