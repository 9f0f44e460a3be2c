package answers

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/score/joint"
	"example.com/patchwork/pose"
)

// randomPicture draws a picture of every layer that is asked for.
func randomPicture(rng *rand.Rand, width, parts int, level, own, usage, profiles bool) *Picture {
	t := &answers{x: [][]uint8{make([]uint8, width)}, mean: slices.Repeat([]float64{0.5}, width)}
	p := independent(t)
	for d := range width {
		p.Intercept[d] = rng.NormFloat64()
	}
	for range parts {
		votes := make([]float64, width)
		for d := range votes {
			if rng.IntN(3) == 0 {
				votes[d] = 0.1 + 0.8*rng.Float64()
			}
		}
		p.Votes, p.Usage = append(p.Votes, votes), append(p.Usage, rng.NormFloat64())
	}
	p.withSets()
	if level || usage {
		p.Steps, p.Weights = normalSteps()
	}
	for d := range p.Slope {
		if p.OwnSlopes = own; level && own {
			p.Slope[d] = rng.NormFloat64()
		} else if level {
			p.Slope[d] = 1.3
		}
	}
	if usage {
		p.WithUsage, p.UsageSlope = true, 0.9
	}
	if profiles && parts > 0 {
		p.Sets, p.Share = p.Sets[:len(p.Sets)-1], nil
		for range p.Sets {
			p.Share = append(p.Share, 1/float64(len(p.Sets)))
		}
	}
	return p
}

// drawn draws rows from a picture, with a share of the cells not known.
func drawn(rng *rand.Rand, p *Picture, rows int, hidden float64) *answers {
	t, m, prior := new(answers), prepare(p), p.prior()
	for range rows {
		u := rng.Float64()
		s, l := 0, 0
	draw:
		for i := range prior {
			for j, v := range prior[i] {
				s, l = i, j
				if u -= math.Exp(v); u < 0 {
					break draw
				}
			}
		}
		x := make([]uint8, len(p.Intercept))
		for d := range x {
			v := m.chance[d][l]
			if k := m.owner[s][d]; k >= 0 {
				v = p.Votes[k][d]
			}
			if rng.Float64() < v {
				x[d] = 1
			}
			if rng.Float64() < hidden {
				x[d] = joint.Unknown
			}
		}
		t.add(x, 1)
	}
	t.means()
	return t
}

// each calls f for pictures of every combination of layers.
func each(f func(p *Picture, rng *rand.Rand)) {
	rng := rand.New(rand.NewPCG(44, 1))
	for layers := range 16 {
		own := layers&2 != 0
		p := randomPicture(rng, 7, layers%5, layers&1 != 0, own, layers&4 != 0 && layers&8 == 0, layers&8 != 0)
		f(p, rng)
	}
}

// The E-step is the sum over all sets and steps, by definition, of rows of which not all is known; and the table of f
// says what the grid of steps says.
func TestEvidence(t *testing.T) {
	each(func(p *Picture, rng *rand.Rand) {
		data := drawn(rng, p, 30, 0.3)
		for n := range 10 {
			data.add(drawn(rng, p, 1, 0).x[0], float64(n+1))
		}
		m, grid := prepare(p), prepare(p)
		grid.f = nil
		a, b, prior := m.newRow(), m.newRow(), p.prior()
		for n, x := range data.x {
			want := 0.0
			for s := range p.Sets {
				for l, step := range p.Steps {
					v := math.Exp(prior[s][l])
					for d, x := range x {
						q := 1 / (1 + math.Exp(-p.Intercept[d]-p.Slope[d]*step))
						for k, votes := range p.Votes {
							if p.Sets[s]>>k&1 != 0 && votes[d] > 0 && p.owner(p.Sets[s], d) == k {
								q = votes[d]
							}
						}
						switch x {
						case 0:
							v *= 1 - q
						case 1:
							v *= q
						}
					}
					want += v
				}
			}
			got, byGrid := m.explain(a, data, n), grid.explain(b, data, n)
			if math.Abs(got-math.Log(want)) > 1e-9 || math.Abs(got-byGrid) > 1e-9 {
				t.Fatalf("log P is %v, by the grid %v, by definition %v", got, byGrid, math.Log(want))
			}
			for s := range a.weight {
				if math.Abs(a.weight[s]-b.weight[s]) > 1e-9 {
					t.Fatalf("set %d has posterior %v, by the grid %v", s, a.weight[s], b.weight[s])
				}
			}
		}
	})
}

// EM without pseudo rows never makes rows less probable, whatever the layers, and whatever is not known.
func TestRises(t *testing.T) {
	each(func(p *Picture, rng *rand.Rand) {
		data := drawn(rng, p, 300, 0.1)
		start := p.clone()
		for d := range start.Intercept {
			start.Intercept[d] += 0.5 * rng.NormFloat64()
		}
		before := math.Inf(-1)
		for i := range 15 {
			_, c := start.fit(data, i, 0, 0)
			if c.evidence < before-0.05 { // votes may pass each other or be joined
				t.Fatalf("from %v to %v in iteration %d of %d parts", before, c.evidence, i, len(p.Votes))
			}
			before = c.evidence
		}
	})
}

// dataOf returns rows as learners take them.
func dataOf(t *answers) patchwork.Data {
	var out patchwork.Data
	for _, x := range t.x {
		img := bitmap.New(1, len(x))
		for d, v := range x {
			if v == joint.Unknown {
				img.SetUnknown(0, d)
			} else {
				img.Set(0, d, v == joint.On)
			}
		}
		out.Images = append(out.Images, img)
	}
	return out
}

// planted returns a picture of a kind, as tests are made.
func planted(rng *rand.Rand, kind string, width int) *Picture {
	p := randomPicture(rng, width, 0, kind == "level" || kind == "parts+level", false, false, false)
	for k := range 3 {
		if kind[0] != 'p' && kind[0] != 's' {
			break
		}
		votes := make([]float64, width)
		for d := range votes {
			if d%3 == k || rng.IntN(5) == 0 {
				votes[d] = 0.85
			}
		}
		p.Votes, p.Usage = append(p.Votes, votes), append(p.Usage, 0)
	}
	if p.withSets(); len(p.Votes) > 0 {
		for d := range p.Intercept {
			p.Intercept[d] = -1.5
		}
	}
	return p
}

// The kind of picture that made the rows is picked, of rows of which some is not known, too; and a model that is
// written gives them the probability that its picture does, as far as a search of few explanations finds it.
func TestCompare(t *testing.T) {
	for i, kind := range []string{"independent", "level", "parts+level", "skills"} {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		rows := drawn(rng, planted(rng, kind, 12), 400, 0.05*float64(i%3))
		if kind == "skills" {
			rows = rows.flipped()
		}
		data := dataOf(rows)
		r, err := Compare(context.Background(), data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Pictures[0]; got.Kind != kind {
			t.Errorf("%s: picked %s, %.1f nats, instead of %.1f", kind, got.Kind, got.Length, r.Of(kind).Length)
		}
		for _, w := range r.Pictures {
			m, err := w.Model(patchwork.NewConfig(patchwork.RuleMax, 1, 12, pose.Grid{}), 400, 0)
			if err != nil {
				t.Fatal(err)
			}
			again, err := ReaderOf(m, w.Layers())
			if err != nil {
				t.Fatal(err)
			}
			if nats, err := again.Length(data); err != nil || math.Abs(nats-w.Length) > 1e-9*w.Length {
				t.Errorf("%s: the model describes the rows in %v nats, its picture in %v: %v", w.Kind, nats, w.Length, err)
			}
		}
	}
}

// What a reader says of a row is the sum over all sets and steps, of a row of which something is not known; and rows
// that it draws have the parts and the columns as often as it says.
func TestReader(t *testing.T) {
	each(func(p *Picture, rng *rand.Rand) {
		p.Lacking = rng.IntN(2) == 0
		r, data := NewReader(p), drawn(rng, p, 12, 0.3)
		for n, img := range dataOf(data).Images {
			x := data.x[n]
			if p.Lacking {
				flipped := data.flipped()
				x, img = data.x[n], dataOf(flipped).Images[n]
			}
			all, level, square := 0.0, 0.0, 0.0
			has, on := make([]float64, len(p.Votes)), make([]float64, len(x))
			for s, set := range p.Sets {
				for l, step := range p.Steps {
					v, said := math.Exp(p.prior()[s][l]), make([]float64, len(x))
					for d := range x {
						if said[d] = 1 / (1 + math.Exp(-p.Intercept[d]-p.Slope[d]*step)); p.owner(set, d) >= 0 {
							said[d] = p.Votes[p.owner(set, d)][d]
						}
						switch x[d] {
						case joint.On:
							v *= said[d]
						case joint.Off:
							v *= 1 - said[d]
						}
					}
					all, level, square = all+v, level+v*step, square+v*step*step
					for k := range has {
						has[k] += v * float64(set>>k&1)
					}
					for d := range on {
						on[d] += v * said[d]
					}
				}
			}
			got, cells := r.Person(img), r.Predict(img, nil)
			if level /= all; p.Lacking {
				level = -level
			}
			near := math.Abs(got.LogP-math.Log(all)) < 1e-9 && math.Abs(got.Level-level) < 1e-9 &&
				math.Abs(got.Error-math.Sqrt(max(square/all-level*level, 0))) < 1e-7
			for k, v := range has {
				near = near && math.Abs(got.Has[k]-v/all) < 1e-9
			}
			for d, v := range on {
				if v /= all; p.Lacking {
					v = 1 - v
				}
				near = near && math.Abs(cells[d]-v) < 1e-9
			}
			if !near {
				t.Fatalf("row %d by %+v is %+v, with columns %v", n, p, got, cells)
			}
		}
		sum, rows := make([]float64, r.Len()), 4000
		for range rows {
			row, _ := r.Draw(rng)
			for d, v := range row.AppendValues(nil) {
				sum[d] += float64(v) / float64(rows)
			}
		}
		unknown := bitmap.New(1, r.Len())
		for d := range r.Len() {
			unknown.SetUnknown(0, d)
		}
		for d, v := range r.Predict(unknown, nil) {
			if math.Abs(v-sum[d]) > 0.05 {
				t.Errorf("column %d is on in %v of the rows that are drawn, not %v", d, sum[d], v)
			}
		}
	})
}

// A handful of rows has no classes.
func TestFewRows(t *testing.T) {
	p := randomPicture(rand.New(rand.NewPCG(3, 1)), 4, 0, false, false, false, false)
	r, err := Compare(context.Background(), dataOf(drawn(rand.New(rand.NewPCG(4, 1)), p, 6, 0.1)), Options{})
	if err == nil {
		err = r.HoldOut()
	}
	if err != nil || r.Pictures[0].Kind != "independent" || len(r.Of("classes").Votes) != 2 {
		t.Errorf("%v: %+v", err, r.Pictures)
	}
}
