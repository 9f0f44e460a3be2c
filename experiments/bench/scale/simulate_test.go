package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var plain = Costs{Row: 1e-6, Shard: .01, Merge: .002, MStep: .1, Pipeline: 2, TallyBytes: 1e6, ModelBytes: 5e5}

func simulated(t interface{ Fatal(...any) }, rows float64, cost Costs, c Cluster) Run {
	r, err := Simulate(rows, cost, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// One worker takes the sum of everything; equal workers without failures take
// as long as the one with the most shards, and then the driver its time for each.
func TestFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cluster{Workers: rapid.IntRange(1, 40).Draw(t, "workers"), Shards: rapid.IntRange(1, 200).Draw(t, "shards"),
			Bandwidth: 1e8, Seed: rapid.Uint64().Draw(t, "seed"), Backup: rapid.Bool().Draw(t, "backup"), Unroll: rapid.IntRange(0, 5).Draw(t, "unroll")}
		rows := float64(rapid.IntRange(1, 1e9).Draw(t, "rows"))
		one := plain.Shard + rows*plain.Row/float64(c.Shards)
		explain := math.Ceil(float64(c.Shards)/float64(c.Workers)) * one
		r := simulated(t, rows, plain, c)
		if !near(r.Explain, explain) || r.Failures != 0 || r.Attempts != c.Shards {
			t.Fatalf("%+v; want %v s and %d attempts", r, explain, c.Shards)
		}
		message := plain.TallyBytes/c.Bandwidth + plain.Merge
		if c.Shards%c.Workers == 0 { // all are done at once
			combine := float64(c.Workers) * message
			want := plain.Pipeline/float64(max(c.Unroll, 1)) + float64(c.Workers)*plain.ModelBytes/c.Bandwidth + explain + combine + plain.MStep
			if !near(r.Combine, combine) || !near(r.Seconds, want) {
				t.Fatalf("%+v; want %v s, %v of them to combine", r, want, combine)
			}
		}
	})
}

// Under all failures the same arguments give the same run, nothing is faster than the work
// allows, and every shard is counted.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cluster{Workers: rapid.IntRange(1, 30).Draw(t, "workers"), Shards: rapid.IntRange(1, 100).Draw(t, "shards"),
			Bandwidth: 1e8, FanIn: rapid.SampledFrom([]int{0, 2, 8}).Draw(t, "fan-in"), Seed: rapid.Uint64().Draw(t, "seed"),
			Backup: rapid.Bool().Draw(t, "backup"), Tail: rapid.SampledFrom([]float64{0, 1.5, 3}).Draw(t, "tail"),
			Life: rapid.SampledFrom([]float64{0, 20, 100}).Draw(t, "life"), Detect: 5, Restart: 30}
		const rows = 1e8
		work := plain.Shard + rows*plain.Row/float64(c.Shards)
		if c.Life > 0 && work > c.Life {
			t.Skip("too long for such lives")
		}
		r, again := simulated(t, rows, plain, c), simulated(t, rows, plain, c)
		if r != again {
			t.Fatalf("%+v, then %+v", r, again)
		}
		least := math.Ceil(float64(c.Shards)/float64(c.Workers)) * work
		if r.Explain < least*(1-1e-9) || r.Combine <= 0 || r.Attempts < c.Shards || c.Life == 0 && !c.Backup && r.Attempts != c.Shards {
			t.Fatalf("%+v; at least %v s", r, least)
		}
		if c.Tail == 0 && c.Life == 0 && !near(r.Explain, least) {
			t.Fatalf("%+v; want %v s", r, least)
		}
	})
}

// A tree of two levels by hand; repeated attempts end what one slow worker would delay;
// failures cost time; workers that die too soon are an error.
func TestCases(t *testing.T) {
	cost := Costs{Merge: 1, TallyBytes: 0}
	c := Cluster{Workers: 9, Shards: 9, Bandwidth: 1, FanIn: 3}
	// At level 1 three groups add two each, at level 2 one adds two, the driver one.
	if got := cost.combine(c, []float64{10, 10, 10, 10, 10, 10, 10, 10, 10}); got != 15 {
		t.Errorf("the tree takes until %v", got)
	}
	if got := cost.combine(Cluster{Bandwidth: 1}, []float64{1, 1, 9, 0}); got != 10 { // the early ones are done by then
		t.Errorf("the driver takes until %v", got)
	}
	c = Cluster{Workers: 50, Shards: 200, Bandwidth: 1e9, Tail: 1.2, Seed: 3}
	slow := simulated(t, 1e9, plain, c)
	c.Backup = true
	quick := simulated(t, 1e9, plain, c)
	if quick.Explain > .8*slow.Explain || quick.Attempts <= slow.Attempts {
		t.Errorf("%+v with repeated attempts, %+v without", quick, slow)
	}
	c = Cluster{Workers: 50, Shards: 200, Bandwidth: 1e9, Seed: 3, Detect: 10, Restart: 60}
	well := simulated(t, 1e9, plain, c)
	c.Life = 300
	if ill := simulated(t, 1e9, plain, c); ill.Failures == 0 || ill.Explain <= well.Explain {
		t.Errorf("%+v with failures, %+v without", ill, well)
	}
	c.Life = .05
	if r, err := Simulate(1e9, plain, c); err == nil {
		t.Errorf("workers that live %v s do %v s of work: %+v", c.Life, 5, r)
	}
	for _, bad := range []Cluster{{}, {Workers: 1, Shards: 1}, {Workers: 1, Shards: 1, Bandwidth: 1, FanIn: 1}} {
		if _, err := Simulate(1, plain, bad); err == nil {
			t.Errorf("%+v is a cluster", bad)
		}
	}
}
