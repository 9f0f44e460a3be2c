package letters

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// Move is how far parts of drawings are shifted, as a share of the frame, and turned, in
// degrees, in steps of 6.
type Move struct{ Shift, Turn float64 }

// Moves lists what ReportMoves compares: parts that stay, shifts alone, and shifts with
// turns; the default of drawings is a quarter of the frame and 24 degrees.
var Moves = []Move{{0, 0}, {1. / 8, 0}, {1. / 4, 0}, {1. / 8, 12}, {1. / 4, 12}, {1. / 4, 24}, {3. / 8, 36}}

// grid returns the poses of a move in a frame.
func (m Move) grid(height, width int) pose.Grid {
	dy, dx := int(m.Shift*float64(height)), int(m.Shift*float64(width))
	g := pose.Grid{DY: pose.Symmetric(dy, 1), DX: pose.Symmetric(dx, 1)}
	if m.Turn > 0 {
		g.Angles = pose.Evenly(m.Turn, 6)
	}
	return g
}

// Class is images of one thing, and the number of parts to learn of it.
type Class struct {
	Name    string
	Images  *dataset.Set
	Experts int
}

const (
	moveTrainers = 10 // images to learn from
	moveTesters  = 20 // others, at most
)

// ReportMoves prints, for each class and move, the log-likelihood of images held out in
// nats per pixel, where every pick pays for its place: log of the number of poses. Each
// seed draws other images to learn from.
func ReportMoves(ctx context.Context, w io.Writer, classes []Class, seeds int, o Options) error {
	t := stat.NewTable(w, "class (parts)", stat.Cells(Moves, Move.String))
	for _, c := range classes {
		var cells []string
		for _, m := range Moves {
			all, err := stat.Seeds(seeds, func(s uint64) (float64, error) { return heldOutMoved(ctx, c, m, o.Seed+s, o) })
			if err != nil {
				return err
			}
			cells = append(cells, stat.Spread(all, 4))
		}
		t.Row("%s (%d) | %s", c.Name, c.Experts, strings.Join(cells, " | "))
	}
	return nil
}

// String returns the move for the head of a column.
func (m Move) String() string { return fmt.Sprintf("%g of the frame, %g°", m.Shift, m.Turn) }

// heldOutMoved learns a class from some images, and returns the log-likelihood of others
// per pixel, less the price of places.
func heldOutMoved(ctx context.Context, c Class, move Move, seed uint64, o Options) (float64, error) {
	h, w := c.Images.Size()
	order := rand.New(rand.NewPCG(seed, 11)).Perm(c.Images.Len())
	train := rows.Part(c.Images.Data, order[:moveTrainers])
	test := rows.Part(c.Images.Data, order[moveTrainers:min(len(order), moveTrainers+moveTesters)])
	cfg := patchwork.NewConfig(patchwork.RuleMax, h, w, move.grid(h, w))
	m, err := learn.Learn(ctx, train, cfg, learn.Options{Experts: c.Experts, Starts: o.Starts, Seed: seed,
		Workers: o.Workers})
	if err != nil {
		return 0, err
	}
	opt := patchwork.PursuitOptions{Refined: true, Rates: slices.Repeat([]float64{1}, m.K()), Scoring: patchwork.ScoringOriginal}
	price := math.Log(float64(cfg.Poses.Len()))
	sums := make([]float64, len(test.Images))
	_, err = patchwork.EStep(ctx, m, test, opt, o.Workers, func(i int, e *patchwork.Explanation) {
		sums[i] = e.LogLikModel - float64(len(e.Picks))*price
	})
	if err != nil {
		return 0, err
	}
	return stat.Mean(sums) / float64(h*w), nil
}
