// Package table learns models of tables, whose experts stay where they are, by
// soft EM over the best explanations of every row.
package table

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/posterior"
)

// LearnTable learns still experts and a background from the rows of a table, and
// how many experts; see Table.
func LearnTable(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt TableOptions) (*patchwork.Model, error) {
	var last *patchwork.Model
	for s, err := range Table(ctx, data, cfg, opt) {
		if err != nil {
			return nil, err
		}
		last = s.Model
	}
	return last, nil
}

// Table learns a table's experts by soft EM (SoftEM), with a learned background:
// the abstention value of every bit (Config.QMap; what cfg says of it is
// ignored). Learning starts from grown experts, each made of what the others
// leave unexplained, and from the components of Bernoulli mixtures; start,
// number of experts and iteration are chosen by hidden bits, or by description
// length, which also deletes experts as long as it gets shorter (findings,
// section 6).
//
// It yields every model tried, and in the end the chosen one again, the only
// step with Chosen set, whose model has the curve in its record. The steps are
// the same for any number of workers. The error is the context's, or says what
// in the options or data does not fit.
func Table(ctx context.Context, data patchwork.Data, cfg patchwork.Config, opt TableOptions) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		err := opt.validate(data, cfg)
		if err == nil {
			t := &tableRun{cfg: cfg, opt: opt.withDefaults(), yield: yield, memory: data.Memory}
			err = t.run(ctx, data)
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(Step{}, err)
		}
	}
}

// tableRun is one run of Table.
type tableRun struct {
	data   patchwork.Data // equal rows as one
	cfg    patchwork.Config
	opt    TableOptions
	step   SoftStep
	judge  *HiddenBits // nil: description length
	yield  func(Step, error) bool
	memory patchwork.Memory // of all data; nil for none
	hidden patchwork.Memory // of the judge's
	curve  patchwork.Curve
	best   tried
}

// tried is a step and how it came about.
type tried struct {
	Step
	begin      TableStart
	grown      int // experts the start had
	iterations int // of soft EM from there
	pays       float64
	score      float64
}

func (t *tableRun) run(ctx context.Context, data patchwork.Data) error {
	t.judge = t.opt.Judge
	learn, again := data, false
	if t.judge == nil && t.opt.Aim == Predicting && rows.Counting(data) > 1 {
		rest, held := rows.Split(data, t.opt.HeldOut, t.opt.Seed)
		judge := HideBits(held, hiddenShare, hiddenTimes(held), t.opt.Seed)
		t.judge, learn, again = &judge, rest, true
	}
	if t.memory != nil && t.judge != nil {
		t.hidden = remember(patchwork.Data{Images: t.judge.Visible}, remember(t.judge.Data, t.memory).Memory).Memory
	}
	t.take(learn)
	if err := t.search(ctx); err != nil {
		return err
	}
	if t.judge == nil && t.opt.Experts == 0 {
		if err := t.prune(ctx); err != nil {
			return err
		}
	}
	if again {
		t.take(data)
		if err := t.learnAgain(ctx, t.best); err != nil {
			return err
		}
	}
	return t.choose()
}

// hiddenTimes is how often bits of the rows held out are hidden: more often where
// rows are few, for then it is much by chance which number of experts looks best.
func hiddenTimes(held patchwork.Data) int { return max(1, min(8, 1000/len(held.Images))) }

// take makes the data those to learn from.
func (t *tableRun) take(data patchwork.Data) {
	t.data = remember(rows.Distinct(data), t.memory)
	t.step = SoftStep{Marginal: Marginals(t.data), KeepQ: t.opt.FixedBackground}
	t.step.Pays = t.prices()[0]
}

// prices is what votes must pay, in nats. Who learns to predict tries both prices
// for grown experts: on small tables the higher one predicts better, too.
func (t *tableRun) prices() []float64 {
	if t.opt.Aim == Interpreting {
		return []float64{t.voteCost()}
	}
	return []float64{1, t.voteCost()}
}

// voteCost is log(rows)/2, as in Tally.
func (t *tableRun) voteCost() float64 { return math.Log(float64(rows.Total(t.data))) / 2 }

// search tries the starts, as many experts and iterations as there are to
// choose from. Where the number is open, and where nothing else comes of it, the
// background alone is tried, too.
func (t *tableRun) search(ctx context.Context) error {
	if err := t.starts(ctx); err != nil || t.best.Model != nil && t.opt.Experts > 0 {
		return err
	}
	m, err := t.silent()
	if err != nil {
		return err
	}
	tally, err := SoftExplain(ctx, m, t.data, t.opt.Best, t.opt.Workers, nil)
	if err != nil {
		return err
	}
	_, err = t.consider(ctx, m, tally, tried{begin: TableGrow}, StageGrow)
	return err
}

// silent is a model of the background alone: one expert that never votes.
func (t *tableRun) silent() (*patchwork.Model, error) {
	cfg := t.cfg
	cfg.QMap = t.marginals()
	m, err := patchwork.NewModel(cfg, [][]float64{cfg.QMap})
	if err != nil {
		return nil, err
	}
	return m.WithExtras(patchwork.Extras{Usage: []float64{0}, Record: patchwork.Record{Rows: rows.Total(t.data)}})
}

// starts tries grown experts and mixtures.
func (t *tableRun) starts(ctx context.Context) error {
	if t.opt.Start != TableMixture {
		for _, pays := range t.prices() {
			t.step.Pays = pays
			if err := t.grow(ctx); err != nil {
				return err
			}
		}
		t.step.Pays = t.prices()[0]
	}
	if t.opt.Start == TableGrow {
		return nil
	}
	for _, k := range t.mixtureSizes() {
		m, err := t.mixture(ctx, k)
		if err != nil {
			return err
		}
		if err := t.sweep(ctx, m, TableMixture); err != nil {
			return err
		}
	}
	return nil
}

// mixtureSizes are the numbers of components to try.
func (t *tableRun) mixtureSizes() []int {
	if t.opt.Experts > 0 {
		return []int{t.opt.Experts}
	}
	var out []int
	for k := 4; k <= min(t.opt.MaxExperts, len(t.data.Images)); k *= 2 {
		out = append(out, k)
	}
	if out == nil {
		out = []int{min(t.opt.MaxExperts, len(t.data.Images))}
	}
	return out
}

func (t *tableRun) mixture(ctx context.Context, k int) (*patchwork.Model, error) {
	x, err := mixtureRecalled(ctx, t.data, k, t.opt.Seed)
	if err != nil {
		return nil, err
	}
	cfg := t.cfg
	if cfg.QMap = nil; cfg.Rule == patchwork.MaxMinusMin || t.opt.FixedBackground {
		cfg.QMap = t.marginals()
	}
	return x.Model(cfg, rows.Total(t.data))
}

// marginals is the background that nobody votes against.
func (t *tableRun) marginals() []float64 {
	q := slices.Clone(t.step.Marginal)
	for i := range q {
		q[i] = clipQ(q[i])
	}
	return q
}

// soft is soft EM from m.
func (t *tableRun) soft(ctx context.Context, m *patchwork.Model, iterations int) iter.Seq2[SoftIteration, error] {
	return SoftEM(ctx, m, t.data, SoftOptions{Iterations: iterations, Step: t.step, Best: t.opt.Best, Workers: t.opt.Workers})
}

// sweep runs soft EM from a start and considers the model after a third, two
// thirds and all of the iterations.
func (t *tableRun) sweep(ctx context.Context, m *patchwork.Model, begin TableStart) error {
	stage := StageGrow
	if begin == TableMixture {
		stage = StageMixture
	}
	n := t.opt.Iterations
	for it, err := range t.soft(ctx, m, n) {
		if err != nil {
			return err
		}
		if i := it.Number; i > 0 && (i == n || i == n/3 || i == 2*n/3) {
			if _, err := t.consider(ctx, it.Model, it.Tally, tried{begin: begin, grown: m.K(), iterations: i}, stage); err != nil {
				return err
			}
		}
	}
	return nil
}

// consider judges a model, hands it out, and keeps it if it is the best.
func (t *tableRun) consider(ctx context.Context, m *patchwork.Model, tally *SoftTally, c tried, stage string) (float64, error) {
	c.Step = Step{CurvePoint: patchwork.CurvePoint{Experts: m.K(), Stage: stage, Rows: tally.Rows(), LogLik: tally.Evidence(),
		DescriptionLength: t.descriptionLength(m, tally)}, Model: m}
	c.pays, c.score = t.step.Pays, c.DescriptionLength
	if t.judge != nil {
		var err error
		if c.HiddenBits, c.HiddenLoss, err = t.predicts(ctx, m); err != nil {
			return 0, err
		}
		c.score = c.HiddenLoss
	}
	if t.best.Model == nil || c.score < t.best.score {
		t.best = c
	}
	t.curve = append(t.curve, c.CurvePoint)
	if !t.yield(c.Step, nil) {
		return 0, errLeft
	}
	return c.score, nil
}

// predicts is how many hidden bits the judge has, and what the model loses on
// each, through the memory of the data.
func (t *tableRun) predicts(ctx context.Context, m *patchwork.Model) (bits int64, loss float64, err error) {
	work := func() ([]byte, error) {
		s, err := posterior.ScoreHidden(ctx, m, t.judge.Data, t.judge.Visible, t.opt.Best, t.opt.Workers)
		if err != nil {
			return nil, err
		}
		bits, loss = s.Averaged.Bits, s.Averaged.LogLoss
		return binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(bits)), math.Float64bits(loss)), nil
	}
	if t.memory == nil {
		_, err = work()
		return bits, loss, err
	}
	err = remembering(t.hidden, softKey("hidden", m, t.opt.Best), func(value []byte) bool {
		n, size := binary.Uvarint(value)
		if size <= 0 || len(value) != size+8 {
			return false
		}
		bits, loss = int64(n), math.Float64frombits(binary.LittleEndian.Uint64(value[size:]))
		return true
	}, work)
	return bits, loss, err
}

// descriptionLength is minus the evidence, which has paid for the activations,
// and log(rows)/2 nats for every number told: the votes, and how often each
// expert is active.
func (t *tableRun) descriptionLength(m *patchwork.Model, tally *SoftTally) float64 {
	numbers := m.K()
	for k := range m.K() {
		numbers += m.Votes(k, 0)
	}
	return t.voteCost()*float64(numbers) - tally.Evidence()
}

// choose hands the best step out again, with the curve.
func (t *tableRun) choose() error {
	s := t.best.Step
	for i := range t.curve {
		if t.curve[i] == s.CurvePoint {
			t.curve[i].Chosen = true
			break
		}
	}
	s.Chosen = true
	extras := s.Model.Extras()
	extras.Record = patchwork.Record{Method: "soft", Mode: t.opt.Aim.String(), Seed: t.opt.Seed, Rows: s.Rows, LogLik: s.LogLik,
		DescriptionLength: s.DescriptionLength, Curve: t.curve,
		Starts: []patchwork.Start{{Seed: t.opt.Seed, Score: s.LogLik, DescriptionLength: s.DescriptionLength, Method: t.best.begin.String()}}}
	var err error
	if s.Model, err = s.Model.WithExtras(extras); err != nil {
		return err
	}
	t.yield(s, nil)
	return nil
}

// errLeft says that the consumer of a sequence wants no more.
var errLeft = errors.New("stopped")

// Step is one model that was tried.
type Step struct {
	patchwork.CurvePoint
	Model *patchwork.Model
}

// The stages: what made the model of a step.
const (
	StageGrow    = "grow"    // an expert was appended
	StageShrink  = "shrink"  // an expert was deleted
	StageFinal   = "final"   // the choice, learned again from all rows
	StageMixture = "mixture" // the components of a mixture as experts
)
