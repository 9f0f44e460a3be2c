package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/table/described"
)

// near reports whether two lengths are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*(1+math.Abs(a)) }

// counted returns what rows say about a model.
func counted(t testing.TB, m *patchwork.Model, data patchwork.Data) *Counts {
	t.Helper()
	c := NewCounts(m)
	if err := c.Add(t.Context(), m, data, 1); err != nil {
		t.Fatal(err)
	}
	return c
}

// Parts and columns have no order.
func TestLengthHasNoOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 30))
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin, noisyOr} {
		for range 5 {
			m, data := randomTable(rng, rule, 40, 4, 9)
			want := counted(t, m, data).Length(m)
			parts, columns := rng.Perm(m.K()), rng.Perm(9)
			cfg, extras := m.Config(), m.Extras()
			q, usage := slices.Clone(cfg.QMap), extras.Usage
			var templates [][]float64
			extras.Usage = nil
			for _, k := range parts {
				template := make([]float64, 9)
				for i, at := range columns {
					template[i], q[i] = m.Template(k)[at], m.Abstention(at)
				}
				templates = append(templates, template)
				if usage != nil {
					extras.Usage = append(extras.Usage, usage[k])
				}
			}
			cfg.QMap = q
			other, err := m.WithConfig(cfg)
			if err != nil {
				t.Fatal(err)
			}
			var moved patchwork.Data
			for r, row := range data.Images {
				x := row.AppendValues(nil)
				to := bitmap.New(1, 9)
				for i, at := range columns {
					if to.Set(0, i, x[at] == joint.On); x[at] == joint.Unknown {
						to.SetUnknown(0, i)
					}
				}
				moved.Images, moved.Weights = append(moved.Images, to), append(moved.Weights, data.Weight(r))
			}
			other = other.WithTemplates(templates, extras)
			got := counted(t, other, moved).Length(other)
			if math.Abs(got.Nats()-want.Nats()) > 0.01 { // rows explained as well in two ways
				t.Errorf("rule %v: %+v, in another order %+v", rule, want, got)
			}
		}
	}
}

// lengthOfParts describes parts whose votes are 0.9, of so many rows, each active in a fifth.
func lengthOfParts(t testing.TB, rule patchwork.Rule, width int, parts ...[]int) *described.Model {
	t.Helper()
	q := slices.Repeat([]float64{0.5}, width)
	d := &described.Model{Rule: jointRule(rule), Width: width, Rows: 100, Number: described.Number(100), Q: q}
	for _, columns := range parts {
		template := slices.Clone(q)
		for _, c := range columns {
			if template[max(c, ^c)] = 0.9; c < 0 {
				template[^c] = 0.1
			}
		}
		d.Parts = append(d.Parts, partOf(d, template, 20))
	}
	return d
}

// A part alone names its columns by themselves; one of the same columns refers to it.
func TestLengthOfColumns(t *testing.T) {
	d := lengthOfParts(t, patchwork.RuleMax, 10, []int{1, 2, 3})
	if want := math.Log(120); !near(d.Columns(), want) {
		t.Errorf("three columns of ten take %v nats, want %v", d.Columns(), want)
	}
	// Two parts: whether by the other, which of two, no changes; of two orders one is possible.
	d = lengthOfParts(t, patchwork.RuleMax, 10, []int{1, 2, 3}, []int{1, 2, 3})
	if want := math.Log(120) + 2*math.Ln2 + math.Ln2 + math.Ln2 - math.Ln2; !near(d.Columns(), want) {
		t.Errorf("twice the same columns take %v nats, want %v", d.Columns(), want)
	}
	alike := lengthOfParts(t, patchwork.RuleMaxMinusMin, 40, []int{1, 2, 3, 4, 5}, []int{^1, ^2, ^3, ^4, ^5})
	apart := lengthOfParts(t, patchwork.RuleMaxMinusMin, 40, []int{1, 2, 3, 4, 5}, []int{^6, ^7, ^8, ^9, ^10})
	if alike.Columns() > apart.Columns()-5 {
		t.Errorf("a part and its opposite take %v nats, two parts %v", alike.Columns(), apart.Columns())
	}
	pure := lengthOfParts(t, patchwork.RuleMaxMinusMin, 40, []int{1, 2, 3, 4, 5, 6})
	mixed := lengthOfParts(t, patchwork.RuleMaxMinusMin, 40, []int{1, 2, 3, 4, 5, ^6})
	if mixed.Columns() < pure.Columns()+3 {
		t.Errorf("votes for either side take %v nats, for one %v", mixed.Columns(), pure.Columns())
	}
}

// Votes that share their strength take one number, and those that differ more, the more the
// farther they are apart.
func TestLengthOfVotes(t *testing.T) {
	d := lengthOfParts(t, patchwork.RuleMax, 30, []int{0, 1, 2, 3, 4, 5, 6, 7})
	tied := d.Votes()
	if want := math.Ln2 + described.NumberPrice(20, 100) + math.Log(8)/2 + math.Log(8); !near(tied, want) {
		t.Errorf("eight tied votes take %v nats, want %v", tied, want)
	}
	for j := range 7 {
		before := tied
		for _, apart := range []float64{0.001, 0.01, 0.1, 0.3} {
			for i := range d.Parts[0].Strength[0] {
				d.Parts[0].Strength[0][i] = 0.6 + float64(min(i, j+1))*apart/8
			}
			if got := d.Votes(); got < before-1e-9 || got > 8*described.NumberPrice(20, 100)+math.Ln2+1e-9 {
				t.Errorf("%d votes, %v apart, take %v nats, nearer ones %v", j+2, apart, got, before)
			} else {
				before = got
			}
		}
	}
}

// saves returns what the prior over sets of parts saves.
func saves(c *counts) float64 {
	_, nats := c.setPrior()
	return nats
}

// What codes save is what brute force says, and nothing where parts are independent.
func TestCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 31))
	draw := func(k, n int, active func(set []bool)) *counts {
		c := &counts{heading: heading{active: make([]int64, k), rows: int64(n)}, groups: joint.NewGroups(1)}
		on := make([]bool, k)
		for range n {
			clear(on)
			active(on)
			var set []int16
			for j, v := range on {
				if v {
					set = append(set, int16(j))
					c.active[j] += weightUnit
				}
			}
			c.groups.Add(set, nil, nil, weightUnit)
		}
		return c
	}
	for range 20 {
		c := draw(5, 1000, func(on []bool) {
			for j := range on {
				on[j] = rng.Float64() < 0.3
			}
		})
		if got := saves(c); got > 5 { // by chance
			t.Errorf("independent parts are described in %v nats less", got)
		}
	}
	c := draw(3, 400, func(on []bool) {
		on[0] = rng.Float64() < 0.4
		on[1] = on[0] && rng.Float64() < 0.8 || rng.Float64() < 0.05
		on[2] = rng.Float64() < 0.2
	})
	number := described.Number(400)
	var both [2][2]float64
	c.groups.Each(func(set []int16, weight int64, _, _ []int64) {
		a, b := 0, 0
		if slices.Contains(set, 0) {
			a = 1
		}
		if slices.Contains(set, 1) {
			b = 1
		}
		both[a][b] += float64(weight) / weightUnit
	})
	want := -number - elem.Log(3)
	for a := range 2 {
		for b := range 2 {
			x, y := both[a][0]+both[a][1], both[0][b]+both[1][b]
			want += both[a][b] * math.Log(both[a][b]*400/(x*y))
		}
	}
	if got := saves(c) + elem.Log(3); math.Abs(got-want) > 1e-6 {
		t.Errorf("one edge saves %v nats, want %v", got, want)
	}
	exclusive := draw(4, 400, func(on []bool) { on[rng.IntN(4)] = true })
	if got := saves(exclusive); got < 200 {
		t.Errorf("exclusive parts are described in %v nats less", got)
	}
}

// What is learned says the length that its rows have.
func TestLearnedLengthIsTheModels(t *testing.T) {
	for _, rule := range []patchwork.Rule{patchwork.RuleMax, patchwork.RuleMaxMinusMin} {
		_, data := randomTable(rand.New(rand.NewPCG(5, 32)), rule, 200, 3, 12)
		m, err := Learn(t.Context(), data, patchwork.Config{Rule: rule, Height: 1, Width: 12}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := counted(t, m, data).DescriptionLength(m)
		if want := m.Extras().Record.DescriptionLength; math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("rule %v: learning says %v nats, the model's rows have %v", rule, want, got)
		}
		chosen := 0
		for _, p := range m.Extras().Record.Curve {
			if p.Chosen {
				chosen++
				if p.DescriptionLength != m.Extras().Record.DescriptionLength {
					t.Errorf("rule %v: the chosen point has %v nats, the record %v", rule, p.DescriptionLength,
						m.Extras().Record.DescriptionLength)
				}
			}
		}
		if chosen != 1 {
			t.Errorf("rule %v: %d points are chosen", rule, chosen)
		}
	}
}
