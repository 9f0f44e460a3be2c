package answers

import (
	"context"
	"math/rand/v2"
	"testing"
)

// Wrong entries of a matrix are named, and no others.
func TestCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 44))
	p := planted(rng, "skills", 15)
	data := dataOf(drawn(rng, p, 500, 0.05).flipped())
	needs := make([][]bool, 15)
	for d := range needs {
		for k := range p.Votes {
			needs[d] = append(needs[d], p.Votes[k][d] > 0)
		}
	}
	right, err := Check(context.Background(), data, needs)
	if err != nil || len(right.Missing)+len(right.Unsupported) > 0 {
		t.Fatalf("of the right matrix: %v, %+v %+v", err, right.Missing, right.Unsupported)
	}
	needs[0][0], needs[4][0] = false, true // item 0 has skill 0, and item 4 needs skill 1 only
	needs[0][1] = true
	if p.Votes[1][0] > 0 || p.Votes[0][4] > 0 {
		t.Fatal("draw another matrix")
	}
	c, err := Check(context.Background(), data, needs)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Missing) != 1 || c.Missing[0].Item != 0 || c.Missing[0].Skill != 0 || len(c.Unsupported) != 2 ||
		c.Beside.Length >= c.Length {
		t.Errorf("missing %+v, not supported %+v; from %v to %v nats", c.Missing, c.Unsupported, c.Length, c.Beside.Length)
	}
	if _, err := Check(context.Background(), data, needs[:3]); err == nil {
		t.Error("a matrix of other items is checked")
	}
}

// Parts that the same profiles have are one, and a part that none has is none.
func TestMerged(t *testing.T) {
	p := randomPicture(rand.New(rand.NewPCG(1, 1)), 6, 3, false, false, false, false)
	p.Sets, p.Share = []uint64{0, 0b011}, []float64{0.5, 0.5}
	m := p.merged()
	if len(m.Votes) != 1 || len(m.Sets) != 2 || m.Share != nil {
		t.Fatalf("%d parts, sets %v", len(m.Votes), m.Sets)
	}
	for d, v := range m.Votes[0] {
		if v != max(p.Votes[0][d], p.Votes[1][d]) {
			t.Errorf("column %d: %v of %v and %v", d, v, p.Votes[0][d], p.Votes[1][d])
		}
	}
}
