package rows

// Explainer explains and counts rows. It belongs to one goroutine; its memory is
// reused.
type Explainer struct {
	*Table
	byRow  byRow
	bySet  bySet
	byVote byVote
	alone  int // rows explained one by one
	counts counts
}

// NewExplainer makes the scratch memory of one goroutine.
func NewExplainer(t *Table) *Explainer {
	x := &Explainer{Table: t}
	x.byRow.prepare(t)
	x.bySet.prepare(t)
	x.counts.Table = t
	return x
}

// Block is the number of rows that take the steps of the pursuit together: enough to share
// tables, few enough to stay in the cache.
const Block = 8192

// Explain explains rows and replaces what out holds.
func (x *Explainer) Explain(rows Packed, out *Picked) {
	out.reset(rows.N)
	x.byVote.asked += rows.N
	x.bySet.atOnce = x.setsPay()
	votes := rows.Known == nil && !x.bySet.atOnce && x.byVote.use(x.Table, rows.N)
	for from, size := 0, 0; from < rows.N; from += size {
		size = min(Block, rows.N-from)
		if votes && x.byVote.goesOn() {
			size = min(x.byVote.block(), size)
			x.explainByVote(rows, from, from+size, out)
		} else {
			x.explainBlock(rows, from, from+size, out)
		}
	}
}

// setsPay reports whether the tables of all sets pay: for few experts, where very many rows have come or are known to
// come.
func (x *Explainer) setsPay() bool {
	return x.bySet.on && x.experts <= 8 && max(x.byVote.asked, x.opt.Rows) >= setsWorth*x.pixels<<x.experts>>8
}

// setsWorth times the pixels are the rows that pay for the tables of sets of eight experts: for 36 pixels they take 3
// ms, and save 50 ns a row.
const setsWorth = 1400

// explainByVote explains rows [from, to), at most x.byVote.block().
func (x *Explainer) explainByVote(rows Packed, from, to int, out *Picked) {
	x.byVote.take()
	defer x.byVote.release()
	x.byVote.explain(rows, from, to)
	for n := from; n < to; n++ {
		if n = from + x.byVote.gather(n-from, to-from, out); n < to {
			x.explainRow(rows, n, out)
		}
	}
}

// explainRow explains row n by itself.
func (x *Explainer) explainRow(rows Packed, n int, out *Picked) {
	x.alone++
	first := len(out.Expert)
	if !x.byRow.explain(n, x.row(rows.On, n, nil), x.row(rows.Known, n, x.all), out) {
		out.Expert, out.Gain = out.Expert[:first], out.Gain[:first]
		out.Odd = append(out.Odd, n)
	}
	out.From = append(out.From, len(out.Expert))
}

// explainBlock explains rows [from, to), at most Block.
func (x *Explainer) explainBlock(rows Packed, from, to int, out *Picked) {
	n := from
	shared := x.bySet.on && rows.Known == nil
	if shared {
		x.bySet.take()
		defer x.bySet.release()
		x.bySet.explain(rows, from, to, out)
		n += x.bySet.gather(0, out)
	}
	for ; n < to; n++ {
		x.explainRow(rows, n, out)
		if shared {
			n = from + x.bySet.gather(n+1-from, out) - 1
		}
	}
}

// Count adds to c, for every row but the odd ones, the pixels that its picks
// won and lost, as often as its weight says (nil: once), which must not be
// negative. The bank must hold the original templates.
func (x *Explainer) Count(rows Packed, weights []int64, picked *Picked, c Counts) {
	x.counts.add(rows, weights, picked, c)
}
