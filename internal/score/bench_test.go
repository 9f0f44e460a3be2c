package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/patchwork/internal/score/kernel"

	"example.com/patchwork/pose"
)

// The benchmarks search one letter of 56 x 56 pixels under shifts of +-14 and nine
// rotations, and one scene of 64 x 64 under ten templates of 28 x 28. LADDER.md
// has the numbers and says what each rung does.

// bar returns a soft-edged stroke across the middle of a side x side frame.
func bar(side int, angle, length, width float64) []float64 {
	t := make([]float64, side*side)
	sin, cos := math.Sincos(angle)
	c := float64(side-1) / 2
	for i := range t {
		y, x := float64(i/side)-c, float64(i%side)-c
		along, across := math.Abs(x*cos+y*sin), math.Abs(y*cos-x*sin)
		d := max(along-length/2, across-width/2)
		t[i] = 0.01 + 0.94/(1+math.Exp(2*d))
		if t[i] < 0.02 {
			t[i] = 0.001 // below q: no vote
		}
	}
	return t
}

// turns returns gather maps of rotations by -24, -18, ..., 24 degrees.
func turns(side int) []pose.Turn {
	var all []pose.Turn
	for _, a := range pose.Evenly(24, 6) {
		all = append(all, pose.NewTurn(side, side, a))
	}
	return all
}

// letter returns a T of about 400 ink pixels, drawn from the bars themselves.
func letter(side int) []uint8 {
	x := make([]uint8, side*side)
	across, down := bar(side, 0.1, 40, 6), bar(side, math.Pi/2, 36, 6)
	for i := range x {
		y, c := i/side, i%side
		if up := i + 14*side; up < len(x) && across[up] > 0.5 || down[i] > 0.5 && c < side && y > 4 {
			x[i] = On
		}
	}
	return x
}

type benchmark struct {
	name   string
	bank   *Bank
	grid   Grid
	side   int
	x      []uint8
	second int // a candidate to place before an update
}

func benchmarks() []benchmark {
	var all []benchmark
	letterGrid := Grid{DY0: -14, NY: 29, StepY: 1, DX0: -14, NX: 29, StepX: 1}
	for _, k := range []int{2, 4} {
		templates := [][]float64{bar(56, 0, 36, 7), bar(56, math.Pi/2, 36, 7), bar(56, 0.8, 30, 7), bar(56, -0.8, 30, 7)}[:k]
		all = append(all, benchmark{fmt.Sprintf("letter56/K=%d", k),
			NewBank(Frame{Height: 56, Width: 56, Q: 0.01, Turns: turns(56)}, templates), letterGrid, 56, letter(56), 0})
	}
	sides := [][]float64{bar(56, 0, 36, 7), bar(56, math.Pi/2, 36, 7), bar(56, 0.8, 30, 7), bar(56, -0.8, 30, 7)}
	for _, t := range sides {
		for i, v := range t {
			t[i] = max(v, 0.05) // against, around the bar, and nothing at the border
			if y, x := i/56, i%56; min(y, x) < 8 || max(y, x) >= 48 {
				t[i] = 0.5
			}
		}
	}
	all = append(all, benchmark{"sides56/K=4",
		NewBank(Frame{Height: 56, Width: 56, Q: 0.5, TwoSided: true, Turns: turns(56)}, sides), letterGrid, 56, letter(56),
		0})
	rng := rand.New(rand.NewPCG(1, 2))
	var templates [][]float64
	for i := range 10 {
		t := bar(28, float64(i)*math.Pi/10, 20, 4)
		for j := range t {
			t[j] = max(t[j], 0.5) // truncated
		}
		templates = append(templates, t)
	}
	scene := make([]uint8, 64*64)
	for i := range scene {
		if rng.Float64() < 0.15 {
			scene[i] = On
		}
	}
	all = append(all, benchmark{"scene64/K=10",
		NewBank(Frame{Height: 28, Width: 28, Q: 0.5, Turns: []pose.Turn{{}}}, templates),
		Grid{NY: 37, StepY: 1, NX: 37, StepX: 1}, 64, scene, 0})
	all = append(all, turned())
	for i := range all {
		b := &all[i]
		var s Search
		s.Reset(b.bank, b.grid, b.side, b.side, b.x)
		b.second, _ = s.Best(nil, everybody)
	}
	return all
}

// turned returns a scene of 160 x 160 pixels with four of four strokes in 36 rotations
// each, a tenth of its pixels flipped.
func turned() benchmark {
	rng := rand.New(rand.NewPCG(3, 4))
	const side, frame = 160, 28
	var templates [][]float64
	for _, size := range [][2]float64{{22, 4}, {16, 7}, {12, 3}, {20, 6}} {
		t := bar(frame, 0, size[0], size[1])
		for i, v := range bar(frame, math.Pi/2, size[0]/2, size[1]) { // with a crossbar at one end
			if j := i + int(size[0]/3); j < len(t) {
				t[j] = max(t[j], v)
			}
		}
		for i := range t {
			t[i] = 0.1 + 0.8*t[i]
		}
		templates = append(templates, t)
	}
	f := Frame{Height: frame, Width: frame, Q: 0.1}
	for angle := 0.0; angle < 360; angle += 10 {
		f.Turns = append(f.Turns, pose.NewTurn(frame, frame, angle))
	}
	b := benchmark{"turned160/K=4", NewBank(f, templates), Grid{NY: side - frame + 1, StepY: 1, NX: side - frame + 1,
		StepX: 1}, side, make([]uint8, side*side), 0}
	for k := range templates {
		sprite := &b.bank.Sprites[36*k+7*k+3]
		at := Placed{DY: b.bank.Top + 10 + 33*k, DX: b.bank.Left + 100 - 25*k}
		for j, v := range sprite.V {
			if v > 0.5 {
				b.x[(at.DY+j/b.bank.Width)*side+at.DX+j%b.bank.Width] = On
			}
		}
	}
	for i := range b.x {
		if rng.Float64() < 0.1 {
			b.x[i] = 1 - b.x[i]
		}
	}
	return b
}

// everybody reports every expert as live.
func everybody(int) bool { return true }

// Rung 0: the formula, one candidate after the other.
func BenchmarkReferenceGains(b *testing.B) {
	for _, c := range benchmarks() {
		b.Run(c.name, func(b *testing.B) {
			var f Field
			f.Reset(c.bank, c.side, c.side, c.x)
			for b.Loop() {
				ReferenceGains(&f, c.grid)
			}
		})
	}
}

// Rung 1: only the pixels where a candidate votes, one candidate after the
// other. It is what decides near ties.
func BenchmarkExactGains(b *testing.B) {
	for _, c := range benchmarks() {
		b.Run(c.name, func(b *testing.B) {
			var f Field
			f.Reset(c.bank, c.side, c.side, c.x)
			sum := 0.0
			for b.Loop() {
				for i := range c.bank.Candidates(c.grid.Shifts()) {
					sum += f.Gain(c.grid.At(i)).Nats
				}
			}
			if math.IsNaN(sum) {
				b.Fatal("a gain is NaN")
			}
		})
	}
}

// onPaths runs a benchmark for every path of the inner loops.
func onPaths(b *testing.B, f func(b *testing.B, c benchmark)) {
	for _, p := range kernel.All() {
		restore := kernel.Force(p)
		for _, c := range benchmarks() { // their banks are of the path
			b.Run(c.name+"/"+p.Name, func(b *testing.B) { f(b, c) })
		}
		restore()
	}
}

// From rung 2 on, the first step: all candidates from abstention.
func BenchmarkFirstStep(b *testing.B) {
	onPaths(b, func(b *testing.B, c benchmark) {
		var s Search
		for b.Loop() {
			s.Reset(c.bank, c.grid, c.side, c.side, c.x)
			s.Best(nil, everybody)
		}
	})
}

// From rung 3 on, a further step: what the last pick changed.
func BenchmarkUpdate(b *testing.B) {
	onPaths(b, func(b *testing.B, c benchmark) {
		var s Search
		s.Reset(c.bank, c.grid, c.side, c.side, c.x)
		s.Best(nil, everybody)
		n := 0
		for b.Loop() {
			if n++; n%16 == 0 { // the error bound grows with the updates: start again, off the clock
				b.StopTimer()
				s.Reset(c.bank, c.grid, c.side, c.side, c.x)
				s.Best(nil, everybody)
				b.StartTimer()
			}
			s.Place(c.second)
			s.Best(nil, everybody)
			b.StopTimer()
			s.TakeBack(0)
			s.Best(nil, everybody)
			b.StartTimer()
		}
	})
}

// A complete explanation: Reset, and picks while they gain, each expert once.
func BenchmarkExplanation(b *testing.B) {
	onPaths(b, func(b *testing.B, c benchmark) {
		var s Search
		used := make([]bool, len(c.bank.Sprites))
		picks := 0
		for b.Loop() {
			clear(used)
			s.Reset(c.bank, c.grid, c.side, c.side, c.x)
			for {
				best, g := s.BestAbove(0, nil, func(k int) bool { return !used[k] })
				if best < 0 || !g.Exceeds(Tie) {
					break
				}
				s.Place(best)
				used[s.expertOf(best)] = true
			}
			picks = len(s.Picks())
		}
		b.ReportMetric(float64(picks), "picks")
	})
}

// The tables and terms of a bank, which every step of learning makes again.
func BenchmarkBoundTables(b *testing.B) {
	onPaths(b, func(b *testing.B, c benchmark) {
		if !kernel.Chosen().Fast() {
			b.Skip("the reference has none")
		}
		for b.Loop() {
			newBoundTables(c.bank, kernel.Chosen())
		}
	})
}
