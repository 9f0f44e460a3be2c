package render

import (
	"cmp"
	"fmt"
	"image"
	"slices"

	patchwork "example.com/patchwork"
	"example.com/patchwork/diagnose/words"
)

// mostNamed is how many columns a picture can name.
const mostNamed = rowsWidth / namedCell

// TableParts returns a picture of the parts of a table: a row for each, in the colours
// of [Expert] under the names of the columns, with what is predicted where no part votes
// as bars. Of a table with more columns than can be named, those have a place of which
// some part says most.
func TableParts(m *patchwork.Model) Rows {
	r := Rows{Bars: "no part", Legend: scale(m)}
	columns := loudest(m, mostNamed)
	if len(columns) < m.Width() {
		r.Facts = []Fact{{"shown", fmt.Sprintf("the %d of %d columns of which the parts say most", len(columns), m.Width())}}
	}
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

// loudest returns up to n columns of a model, in order: those of which some part says
// most.
func loudest(m *patchwork.Model, n int) []int {
	order, most := make([]int, m.Width()), make([]float64, m.Width())
	for i := range order {
		order[i] = i
	}
	for k := range m.K() {
		for _, v := range words.Votes(m, k) {
			most[v.Column] = max(most[v.Column], v.P-v.Background, v.Background-v.P)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(most[b], most[a]) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}
