package letters

import (
	"testing"

	"example.com/patchwork/dataset"
)

// Writers to learn from and writers to test are others.
func TestTaskData(t *testing.T) {
	set := pen(t, "LT", 50)
	train, test, err := Task{Letter: "T", Experts: 2, LastTrainer: 10}.Data(set)
	if err != nil || len(train.Images) != 10 || len(test.Images) != 25 {
		t.Fatalf("%d and %d images, %v", len(train.Images), len(test.Images), err)
	}
	all, err := Choose(set, "L", 1, 50)
	if err != nil || len(all.Images) != 50 {
		t.Errorf("%d letters L, %v", len(all.Images), err)
	}
	if _, err := Choose(&dataset.Set{Data: set.Data}, "L", 1, 50); err == nil {
		t.Error("letters without names were found")
	}
	some, err := capitals(set, 49, 50)
	if err != nil || some.Len() != 4 {
		t.Errorf("%v, %v", some, err)
	}
	if cfg := Config(set); cfg.Poses.Len() != 7569 || cfg.Height != 56 {
		t.Errorf("%d poses", cfg.Poses.Len())
	}
}

// Votes far from the main piece are stray, those beside it are not, and what hardly votes is none.
func TestStrayVotes(t *testing.T) {
	p := lines(90)
	for i := range p {
		p[i] = max(p[i], .01)
	}
	if away, all := strayVotes(p, 56); away != 0 || all == 0 {
		t.Errorf("%d of %d votes of a line are stray", away, all)
	}
	_, before := strayVotes(p, 56)
	p[0], p[55] = .4, .9
	if away, all := strayVotes(p, 56); away != 2 || all != before+2 {
		t.Errorf("%d of %d votes are stray, want 2 of %d", away, all, before+2)
	}
}
