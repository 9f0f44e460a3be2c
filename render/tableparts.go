package render

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	patchwork "example.com/patchwork"
	"example.com/patchwork/diagnose/words"
)

// TableParts returns a picture of the parts of a table: a row for each, in the colours
// of [Expert] under the names of the columns, with what is predicted where no part votes
// as bars. Of a table with more columns than can be named, those have a place of which
// some part says most.
func TableParts(m *patchwork.Model) Rows {
	r := Rows{Bars: "no part", Legend: scale(m)}
	loud := make([]float64, m.Width())
	for k := range m.K() {
		for _, v := range words.Votes(m, k) {
			loud[v.Column] = max(loud[v.Column], v.P-v.Background, v.Background-v.P)
		}
	}
	columns := r.loudest(loud)
	for _, i := range columns {
		r.Columns = append(r.Columns, words.Column(m, i))
		r.Shares = append(r.Shares, m.Abstention(i))
	}
	for k := range m.K() {
		name := called(m, k)
		if usage := m.Extras().Usage; usage != nil {
			name += " · " + words.Percent(usage[k])
		}
		r.Names = append(r.Names, name)
		all := Expert(m, k)
		tile := image.NewRGBA(image.Rect(0, 0, len(columns), 1))
		for x, i := range columns {
			tile.SetRGBA(x, 0, all.RGBAAt(i, 0))
		}
		r.Tiles = append(r.Tiles, tile)
	}
	return r
}

// loudest returns the columns that have room for their names, in order: those of which some part says most. It notes
// that there are others.
func (r *Rows) loudest(loud []float64) []int {
	order := inOrder(len(loud))
	if len(order) > MostNamed {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loud[b], loud[a]) })
		order = order[:MostNamed]
		slices.Sort(order)
		r.Facts = []Fact{{"shown", fmt.Sprintf("the %d of %d columns of which the parts say most", len(order), len(loud))}}
	}
	return order
}
