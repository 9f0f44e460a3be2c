package dataset

import (
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
)

// EncodeNPZ writes a set as an .npz archive that [Read] and numpy.load open:
// `x` uint8 (N,H,W), or (N,D) for a table; `known` bool of the same shape if
// some pixel is unknown; `weight`, `columns` and the metadata if the set has
// them; then the extra arrays. Numbers are float64, NaN where they are unknown. Row numbers and the source are not
// kept.
//
// The bytes depend only on the set and the Go release (because of the compressor).
// It fails if two arrays share a name, and for text that an array cannot hold;
// errors of the writer are passed on.
func EncodeNPZ(w io.Writer, s *Set, extra ...npy.Member) error {
	members, err := s.members()
	if err != nil {
		return err
	}
	return npy.WriteZip(w, npy.Deflate, append(members, extra...)...)
}

// members returns the arrays of a set.
func (s *Set) members() ([]npy.Member, error) {
	h, w := s.Size()
	shape := []int{s.Len(), h, w}
	if s.Table {
		shape = []int{s.Len(), w}
	}
	if s.Values != nil {
		return appendMeta([]npy.Member{{Name: "x", Array: npy.New(slices.Concat(s.Values...), shape...)}}, s.Columns, s.Meta)
	}
	x := make([]uint8, 0, s.Len()*h*w)
	complete := true
	for _, m := range s.Images {
		x = m.AppendBytes(x)
		complete = complete && m.Complete()
	}
	out := []npy.Member{{Name: "x", Array: npy.New(x, shape...)}}
	if !complete {
		out = append(out, npy.Member{Name: "known", Array: npy.New(knownPlane(s.Images), shape...)})
	}
	if s.Weights != nil {
		out = append(out, npy.Member{Name: "weight", Array: s.WeightArray()})
	}
	return appendMeta(out, s.Columns, s.Meta)
}

// appendMeta appends the names of columns and the metadata to the members of an archive.
func appendMeta(out []npy.Member, columns []string, meta []Labels) ([]npy.Member, error) {
	if columns != nil {
		out = append(out, npy.Member{Name: "columns", Array: npy.New(columns, len(columns))})
	}
	for _, c := range meta {
		if slices.Contains([]string{"x", "known", "missing", "weight", "columns"}, c.Name) {
			return nil, &FormatError{Msg: fmt.Sprintf("metadata cannot be called %q, which means something else in an .npz",
				c.Name), Hint: "rename it"}
		}
		a := &npy.Array{Shape: []int{c.Len()}, Data: c.Values(0, c.Len())}
		out = append(out, npy.Member{Name: c.Name, Array: a})
	}
	return out, nil
}

func knownPlane(images []*bitmap.Image) []bool {
	var out []bool
	var row []uint8
	for _, m := range images {
		row = m.AppendKnown(row[:0])
		for _, v := range row {
			out = append(out, v == 1)
		}
	}
	return out
}
