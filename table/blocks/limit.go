package blocks

import "slices"

// limit divides blocks that have more columns than they may, joins those of the same
// columns, divides those that have more rows than they may, and takes rows and columns out
// of blocks whose cells others cover.
func (o *Options) limit(all []Block) []Block {
	if o.MaxRows == 0 && o.MaxColumns == 0 {
		return all
	}
	var narrow []Block
	for _, b := range all {
		for _, columns := range chunks(b.Columns, o.MaxColumns) {
			same := func(x Block) bool { return slices.Equal(x.Columns, columns) }
			if k := slices.IndexFunc(narrow, same); k >= 0 {
				narrow[k].Rows = union(narrow[k].Rows, b.Rows)
			} else {
				narrow = append(narrow, Block{b.Rows, columns})
			}
		}
	}
	var out []Block
	for _, b := range narrow {
		for _, rows := range chunks(b.Rows, o.MaxRows) {
			out = append(out, Block{slices.Clone(rows), slices.Clone(b.Columns)})
		}
	}
	return trim(out)
}

// chunks divides a list into as few parts of at most n as there may be, of about the
// same length; 0 is no limit.
func chunks(list []int32, n int) [][]int32 {
	if n == 0 || len(list) <= n {
		return [][]int32{list}
	}
	parts := (len(list) + n - 1) / n
	var out [][]int32
	for i := range parts {
		out = append(out, list[i*len(list)/parts:(i+1)*len(list)/parts])
	}
	return out
}

// trim takes out of each block, smallest last, the rows all of whose cells other blocks
// cover, then the columns; blocks without any go.
func trim(all []Block) []Block {
	times := map[Cell]int32{} // how many blocks cover a cell
	for _, b := range all {
		for _, i := range b.Rows {
			for _, d := range b.Columns {
				times[Cell{i, d}]++
			}
		}
	}
	var out []Block
	for _, b := range slices.Backward(all) {
		b.Rows = slices.DeleteFunc(b.Rows, func(i int32) bool {
			return spare(times, b.Columns, func(d int32) Cell { return Cell{i, d} })
		})
		b.Columns = slices.DeleteFunc(b.Columns, func(d int32) bool {
			return spare(times, b.Rows, func(i int32) Cell { return Cell{i, d} })
		})
		if len(b.Rows) > 0 && len(b.Columns) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// spare takes a line out of a block if all its cells are covered more than once, and
// reports whether it did.
func spare(times map[Cell]int32, along []int32, cell func(int32) Cell) bool {
	for _, v := range along {
		if times[cell(v)] < 2 {
			return false
		}
	}
	for _, v := range along {
		times[cell(v)]--
	}
	return true
}
