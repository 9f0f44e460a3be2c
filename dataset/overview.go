package dataset

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Overview says of a set what the plan of its columns does not, for people who want to know whether it was
// read as they mean it. Shares are from 0 to 1; indices count the images of the set from 0.
type Overview struct {
	Ink     float64 `json:"ink"`     // share of the known pixels that are on
	InkMin  float64 `json:"ink_min"` // the least and the greatest share of one image
	InkMax  float64 `json:"ink_max"`
	Unknown float64 `json:"unknown"` // share of the pixels

	Blank    []int `json:"blank"`    // images of which no known pixel is on
	Full     []int `json:"full"`     // images of which all known pixels are on
	Nothing  []int `json:"nothing"`  // images without a known pixel
	Same     []int `json:"same"`     // images that are equal to an earlier one
	SameAs   []int `json:"same_as"`  // the first one that each of Same is equal to
	Constant []int `json:"constant"` // columns of bits of a table with one known value only

	Columns []Column `json:"-"` // of bits of a table
}

// LabelCount is a value and how many images have it.
type LabelCount struct {
	Value string `json:"value"`
	N     int    `json:"n"`
}

// mostLabels bounds the values of a column that a plan lists.
const mostLabels = 20

// Overview returns what is in the set.
func (s *Set) Overview() *Overview {
	o := &Overview{Blank: []int{}, Full: []int{}, Nothing: []int{}, Same: []int{}, SameAs: []int{}, Constant: []int{}}
	on, known, all := 0, 0, 0
	first := map[[sha256.Size]byte]int{}
	o.InkMin = 1
	for i, m := range s.Images {
		k, n := m.CountKnown(), m.CountOn()
		on, known, all = on+n, known+k, all+m.Len()
		switch {
		case k == 0:
			o.Nothing = append(o.Nothing, i)
			continue
		case n == 0:
			o.Blank = append(o.Blank, i)
		case n == k:
			o.Full = append(o.Full, i)
		}
		share := float64(n) / float64(k)
		o.InkMin, o.InkMax = min(o.InkMin, share), max(o.InkMax, share)
		key := sha256.Sum256(m.AppendKnown(m.AppendBytes(nil)))
		if j, ok := first[key]; ok {
			o.Same, o.SameAs = append(o.Same, i), append(o.SameAs, j)
		} else {
			first[key] = i
		}
	}
	o.InkMin = min(o.InkMin, o.InkMax)
	o.Ink, o.Unknown = ratio(on, known), ratio(all-known, all)
	if s.Table {
		o.Columns = s.bitColumns(Seen)
		for j, c := range o.Columns {
			if c.Yes != nil && (*c.Yes == 0 || *c.Yes == 1) {
				o.Constant = append(o.Constant, j)
			}
		}
	}
	return o
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// counts returns the number of values of a column, and how often each occurs: the most frequent first, equally
// frequent ones in the order of their names. What is missing is "".
func (c Labels) counts() (distinct int, most []LabelCount) {
	counts := map[string]int{}
	for i := range c.Len() {
		counts[c.Text(i)]++
	}
	values := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), naturally(a, b))
	})
	most = []LabelCount{}
	for _, v := range values[:min(len(values), mostLabels)] {
		most = append(most, LabelCount{strings.ToValidUTF8(v, "\uFFFD"), counts[v]})
	}
	return len(values), most
}

// bitColumns describes the columns of a table of bits.
func (s *Set) bitColumns(by By) []Column {
	_, w := s.Size()
	ones, known := make([]int, w), make([]int, w)
	var on, has []uint8
	for _, m := range s.Images {
		on, has = m.AppendBytes(on[:0]), m.AppendKnown(has[:0])
		for x := range w {
			ones[x] += int(on[x])
			known[x] += int(has[x])
		}
	}
	out := make([]Column, w)
	for x := range out {
		out[x] = bitColumn(s.ColumnName(x), by, ones[x], known[x], s.Len())
	}
	return out
}

// pixels describes the pixels of all images as one column.
func (s *Set) pixels(by By) Column {
	on, known, n := 0, 0, 0
	for _, m := range s.Images {
		on, known, n = on+m.CountOn(), known+m.CountKnown(), n+m.Len()
	}
	return bitColumn("pixels", by, on, known, n)
}

// ColumnName returns the name of column x of a table, or its number from 1.
func (s *Set) ColumnName(x int) string {
	if s.Columns != nil {
		return s.Columns[x]
	}
	return "column " + strconv.Itoa(x+1)
}
