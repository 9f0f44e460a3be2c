package patchwork

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// chain is a prior by which part 1 depends on part 0 and part 2 on part 1, and parts 0 and 2 have a name.
func chain() *SetPrior {
	return &SetPrior{Sets: [][]int{{0, 2}}, Share: []float64{0.2}, Parent: []int{-1, 0, 1},
		Active: [][2]float64{{0.4, 0.4}, {0.1, 0.9}, {0.05, 0.6}}}
}

// Sets are drawn as often as the prior says.
func TestSetPriorDraws(t *testing.T) {
	p, rng := chain(), rand.New(rand.NewPCG(1, 40))
	const n = 100_000
	var got [8]float64
	for range n {
		set := 0
		for k, on := range p.draw(rng) {
			if on {
				set |= 1 << k
			}
		}
		got[set] += 1.0 / n
	}
	for set := range got {
		on := func(k int) int { return set >> k & 1 }
		want := 0.8
		for k, parent := range p.Parent {
			a := p.Active[k][0]
			if parent >= 0 {
				a = p.Active[k][on(parent)]
			}
			if on(k) == 0 {
				a = 1 - a
			}
			want *= a
		}
		if set == 0b101 {
			want += 0.2
		}
		if math.Abs(got[set]-want) > 5*math.Sqrt(want/n) {
			t.Errorf("set %03b is drawn in %.4f, want %.4f", set, got[set], want)
		}
	}
}

// Compounds are drawn as often as they come, and their parts where they do.
func TestCompoundsAreDrawn(t *testing.T) {
	p := &SetPrior{Sets: [][]int{{0, 1}, {2}}, Sure: [][]float64{{0.9, 0.8}, {0.95}}, Share: []float64{0.5, 0.5},
		Parent: []int{-1, -1, -1}, Active: [][2]float64{{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}},
		Above: &SetPrior{Sets: [][]int{{0}, {1}}, Share: []float64{0.5, 0.3}, Parent: []int{-1, -1},
			Active: [][2]float64{{0.5, 0.5}, {0.25, 0.25}}}}
	if err := p.check(3); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 40))
	const n = 50_000
	var got [3]float64
	for range n {
		for k, on := range p.draw(rng) {
			if on {
				got[k] += 1.0 / n
			}
		}
	}
	for k, want := range []float64{0.6*0.9 + 0.4*0.1, 0.6*0.8 + 0.4*0.2, 0.35*0.95 + 0.65*0.3} {
		if math.Abs(got[k]-want) > 5*math.Sqrt(want/n) {
			t.Errorf("part %d is drawn in %.4f, want %.4f", k, got[k], want)
		}
	}
}

// What does not fit is refused with what it is.
func TestSetPriorRefusals(t *testing.T) {
	m, err := NewModel(Config{Height: 1, Width: 2}, [][]float64{{0.9, 0.5}, {0.5, 0.9}, {0.9, 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*SetPrior){
		"":                   func(*SetPrior) {},
		"there are 3 parts":  func(p *SetPrior) { p.Parent = p.Parent[:2] },
		"they are to rise":   func(p *SetPrior) { p.Sets[0] = []int{2, 0} },
		"below 3":            func(p *SetPrior) { p.Sets[0] = []int{0, 3} },
		"leave nothing":      func(p *SetPrior) { p.Share[0] = 1 },
		"is active with":     func(p *SetPrior) { p.Active[1][1] = 1 },
		"depends on itself":  func(p *SetPrior) { p.Parent[0] = 2 },
		"a part that is non": func(p *SetPrior) { p.Parent[0] = 3 },
		"are no compounds":   func(p *SetPrior) { p.Above = chain() },
		"of 2 compounds":     func(p *SetPrior) { p.Sure = [][]float64{{0.5, 0.5}, {0.5}} },
		"has 1 probab":       func(p *SetPrior) { p.Sure = [][]float64{{0.5}} },
		"with probability 1": func(p *SetPrior) { p.Sure = [][]float64{{0.5, 1}} },
		"beside compounds":   func(p *SetPrior) { p.Sure = [][]float64{{0.5, 0.5}} },
	} {
		p := chain()
		change(p)
		_, err := m.WithExtras(Extras{SetPrior: p})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
