package mixed

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// modelOf draws a model of columns of all kinds with some parts, and a row of codes.
func modelOf(t *rapid.T, parts int) (*Model, []float64) {
	m := &Model{}
	var row []float64
	for range rapid.IntRange(2, 6).Draw(t, "columns") {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		c, b := columnOf(t, k.family, k.levels)
		if c.Family == Real {
			c.All, c.Floor = *b, .01
			c.Scale = &Scale{SD: 1}
		} else {
			c.All = Opinion{P: b.P}
		}
		m.Columns, m.Background = append(m.Columns, *c), append(m.Background, *b)
		x := math.NaN()
		if rapid.IntRange(0, 9).Draw(t, "known") > 0 {
			x = rapid.SampledFrom(codes(c)).Draw(t, "code")
		}
		row = append(row, x)
	}
	for range parts {
		p := Part{Share: rapid.Float64Range(.05, .6).Draw(t, "share"), Entries: make([]Entry, len(row))}
		for d := range p.Entries {
			c, b := &m.Columns[d], &m.Background[d]
			switch rapid.IntRange(0, 2).Draw(t, "vote") {
			case 1:
				p.Entries[d] = Entry{Numbers: 1, Opinion: *opinionOf(t, c, b)}
			case 2:
				p.Entries[d] = Entry{Numbers: 2, Opinion: *ownShape(t, c, b)}
			}
		}
		m.Parts = append(m.Parts, p)
	}
	return m, row
}

// What the pursuit says of every set is what the formulas say.
func TestPursuitIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(0, 4).Draw(t, "parts"))
		p := newPursuit(newBank(m))
		p.load(row)
		for range 8 {
			if want := m.LogJoint(row, p.set); math.Abs(p.joint-want) > 1e-6 {
				t.Fatalf("set %b: %v, by the formulas %v", p.set, p.joint, want)
			}
			if len(m.Parts) > 0 {
				p.flip(rapid.IntRange(0, len(m.Parts)-1).Draw(t, "flip"))
			}
		}
	})
}

// Of few parts all sets count; of more the evidence is hardly less than that of all.
func TestEvidence(t *testing.T) {
	worst := 0.0
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(0, 8).Draw(t, "parts"))
		sets, got := newPursuit(newBank(m)).explain(row)
		short := m.LogEvidence(row) - got
		if len(m.Parts) <= always && math.Abs(short) > 1e-6 || math.Abs(short) > 1 {
			t.Fatalf("%d parts: evidence %v, %v less than that of all sets", len(m.Parts), got, short)
		}
		worst = max(worst, math.Abs(short))
		sum := 0.0
		for i, s := range sets {
			sum += s.weight
			if i > 0 && s.weight > sets[i-1].weight {
				t.Fatalf("sets are not in order: %v", sets)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("probabilities add up to %v", sum)
		}
	})
	t.Logf("the largest error is %.3f nats", worst)
}

// A row of which nothing is known has the evidence 1, and parts their shares.
func TestUnknownRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(1, enumerated).Draw(t, "parts"))
		for d := range row {
			row[d] = math.NaN()
		}
		e := NewExplainer(m).explain(row)
		if math.Abs(e.LogLik) > 1e-9 || e.LogBackground != 0 {
			t.Fatalf("evidence %v", e.LogLik)
		}
		for k := range m.Parts {
			if got := e.Share(k); math.Abs(got-m.Parts[k].Share) > .1 {
				t.Fatalf("part %d is there with %v, its share is %v", k, got, m.Parts[k].Share)
			}
		}
	})
}

// What is believed of a column is the mixture, over sets, of what they say.
func TestBeliefs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(0, 3).Draw(t, "parts"))
		e := NewExplainer(m).explain(row)
		for d := range m.Columns {
			c := &m.Columns[d]
			for _, x := range codes(c) {
				want := 0.0
				for i, s := range e.Sets {
					want += e.Weights[i] * math.Exp(c.logDensity(m.Compose(d, s), x))
				}
				if got := math.Exp(c.logDensity(e.OnOff(d), x)); math.Abs(got-want) > 1e-9 {
					t.Fatalf("column %d, code %v: density %v, over the sets %v", d, x, got, want)
				}
			}
		}
	})
}

// Counts of parts of the rows, in any order, are those of all; every cell is counted once for the background or a part
// that speaks.
func TestCountsMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, row := modelOf(t, rapid.IntRange(0, 3).Draw(t, "parts"))
		rows := [][]float64{row}
		for range 4 {
			next := make([]float64, len(row))
			for d := range next {
				next[d] = rapid.SampledFrom(append(codes(&m.Columns[d]), math.NaN())).Draw(t, "code")
			}
			rows = append(rows, next)
		}
		count := func(rows ...[]float64) *Tally {
			c := newCounter(m, nil, 1, 1)
			if _, err := c.count(t.Context(), rows); err != nil {
				t.Fatal(err)
			}
			out, err := c.tally()
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		all, some := count(rows...), count(rows[3], rows[1])
		if err := some.Merge(count(rows[0], rows[4], rows[2])); err != nil {
			t.Fatal(err)
		}
		if all.Rows != some.Rows || all.LogLik != some.LogLik {
			t.Fatalf("%d rows of %d, merged %d of %d", all.Rows, all.LogLik, some.Rows, some.LogLik)
		}
		for i := range all.cells {
			if all.cells[i] != some.cells[i] {
				t.Fatalf("count %d is %d, merged %d", i, all.cells[i], some.cells[i])
			}
		}
	})
}
