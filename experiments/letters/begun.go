package letters

import (
	"context"
	"fmt"
	"io"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
)

// BegunTasks lists the letters that are begun from an alphabet, which is learned of
// other letters.
var BegunTasks = []Task{{Letter: "T", Experts: 2}, {Letter: "E", Experts: 4}, {Letter: "A", Experts: 3}}

// BegunExamples are how many examples of a letter there are to learn from.
var BegunExamples = []int{3, 10}

// Begun is one letter learned from a few examples, from one kind of start.
type Begun struct {
	Natural bool    // whether the parts are the letter's strokes
	Test    float64 // nats per pixel of unseen writers' letters
	Seconds float64 // of learning, of the processor
}

// LearnBegun learns a letter from n examples, drawn by the seed from those of writers 1
// to 20: by the default starts, or by those made of an alphabet if there is one.
func LearnBegun(ctx context.Context, set *dataset.Set, task Task, n int, alphabet *patchwork.Model, o Options) (Begun, error) {
	var b Begun
	all, err := Choose(set, task.Letter, 1, strokeTrainers)
	if err != nil {
		return b, err
	}
	test, err := Choose(set, task.Letter, 26, 50)
	if err != nil {
		return b, err
	}
	h, w := set.Size()
	train := rows.Part(all, Shuffled(len(all.Images), o.Seed, 0)[:min(n, len(all.Images))])
	began := stat.ProcessorTime()
	m, err := learn.Learn(ctx, train, patchwork.NewConfig(patchwork.RuleMax, h, w, Poses),
		learn.Options{Experts: task.Experts, Seed: o.Seed, Starts: o.Starts, Workers: o.Workers, From: alphabet})
	if err != nil {
		return b, err
	}
	b.Seconds, b.Natural = (stat.ProcessorTime() - began).Seconds(), natural(m, task.Letter)
	b.Test, _, err = heldOut(ctx, m, test, patchwork.PursuitOptions{Refined: true}, o.Workers)
	return b, err
}

// AlphabetOfOthers learns an alphabet of the capital letters of writers 1 to 20 that
// are none of BegunTasks.
func AlphabetOfOthers(ctx context.Context, set *dataset.Set, o Options) (*patchwork.Model, error) {
	var except []string
	for _, t := range BegunTasks {
		except = append(except, t.Letter)
	}
	train, err := capitals(set, 1, strokeTrainers, except...)
	if err != nil {
		return nil, err
	}
	h, w := set.Size()
	return learn.Learn(ctx, train, learn.Alphabet(h, w), learn.Options{Alphabet: true, Experts: AlphabetParts, Seed: o.Seed, Workers: o.Workers})
}

// begunCell collects the results of some letters with some numbers of examples, by seed:
// those of the default starts first, then those begun from an alphabet.
type begunCell struct{ natural, tests, seconds [2][]float64 }

func (c *begunCell) add(kind int, b Begun) {
	is := 0.0
	if b.Natural {
		is = 1
	}
	c.natural[kind], c.tests[kind], c.seconds[kind] = append(c.natural[kind], is), append(c.tests[kind], b.Test), append(c.seconds[kind], b.Seconds)
}

// row returns the figures of a cell as those of a table.
func (c *begunCell) row() string {
	var gains []float64
	ahead := 0
	for i, v := range c.tests[1] {
		gains = append(gains, v-c.tests[0][i])
		if v > c.tests[0][i] {
			ahead++
		}
	}
	n := len(gains)
	return fmt.Sprintf("%.0f of %d | %.0f of %d | %.4f | %.4f | %+.4f ± %.4f | %d of %d |", stat.Mean(c.natural[0])*float64(n), n, stat.Mean(c.natural[1])*float64(n), n,
		stat.Mean(c.tests[0]), stat.Mean(c.tests[1]), stat.Mean(gains), stat.SD(gains), ahead, n)
}

// ReportBegun compares the two kinds of starts with some seeds, letter by letter; the
// alphabet is that of the first seed. Seconds are those of the processor.
func ReportBegun(ctx context.Context, w io.Writer, set *dataset.Set, seeds int, o Options) error {
	cells, all := make([]begunCell, len(BegunTasks)*len(BegunExamples)), begunCell{}
	alphabet, err := AlphabetOfOthers(ctx, set, o)
	if err != nil {
		return err
	}
	for range seeds {
		for i := range cells {
			task, n := BegunTasks[i%len(BegunTasks)], BegunExamples[i/len(BegunTasks)]
			for kind, from := range []*patchwork.Model{nil, alphabet} {
				b, err := LearnBegun(ctx, set, task, n, from, o)
				if err != nil {
					return err
				}
				cells[i].add(kind, b)
				all.add(kind, b)
			}
		}
		o.Seed++
	}
	fmt.Fprintln(w, "| letter (parts) | examples | natural, default | begun from an alphabet | test, default | begun from an alphabet | gain | ahead |\n|---|---|---|---|---|---|---|---|")
	for i := range cells {
		task := BegunTasks[i%len(BegunTasks)]
		fmt.Fprintf(w, "| %s (%d) | %d | %s\n", task.Letter, task.Experts, BegunExamples[i/len(BegunTasks)], cells[i].row())
	}
	_, err = fmt.Fprintf(w, "| all | | %s\n\n%.1f s to learn a letter by default, %.1f s from an alphabet\n", all.row(), stat.Mean(all.seconds[0]), stat.Mean(all.seconds[1]))
	return err
}
