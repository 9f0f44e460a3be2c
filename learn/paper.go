package learn

import (
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/pose"
)

// This file implements sections 4 and 4.1 of the paper; "Beyond the paper" marks
// what the paper does not say. Its symbols: x is an image and d its pixel; mu_k is the
// template of expert k, mu the global template (Model.Compose); t is a rotation
// and a shift, Phi_t its effect; q is the abstaining opinion. The pseudo-count
// epsilon may differ for on and off: (x + epsilon)/(1 + 2 epsilon) is
// (x + On)/(1 + On + Off).

// pursuit returns the representation (k_1, t_1), ..., (k_J, t_J) of an image by a
// model: fastPursuit, or, in tests, the same picks by the formulas of section 3.
type pursuit func(*patchwork.Model, *bitmap.Image) ([]patchwork.Pick, error)

// likelihood returns P(x(d) | mu(d)). Beyond the paper: 1 for an unknown pixel.
func likelihood(x *bitmap.Image, d int, mu float64) float64 {
	switch row, col := d/x.Width(), d%x.Width(); {
	case !x.Known(row, col):
		return 1
	case x.At(row, col):
		return mu
	}
	return 1 - mu
}

// sums holds, per expert and pixel of its frame, the two sums of eq. (1): of the
// indicator 1{k = k*(d) or k = l*(d)}, and of the indicator times Phi_t^-1(x)(d).
// Beyond the paper: as in the file of a model, pixels that the expert loses,
// because the opposite opinion is as extreme, are counted separately.
type sums patchwork.Counts

func newSums(n int) *sums {
	return &sums{On: make([]int64, n), Seen: make([]int64, n), LostOn: make([]int64, n), LostSeen: make([]int64, n)}
}

// at returns the two sums at entry i: of the indicator (n), and times the image.
func (s *sums) at(i int) (n, x float64) {
	return float64(s.Seen[i] + s.LostSeen[i]), float64(s.On[i] + s.LostOn[i])
}

// of returns the first n entries: those of the experts so far.
func (s *sums) of(n int) patchwork.Counts {
	return patchwork.Counts{On: s.On[:n], Seen: s.Seen[:n], LostOn: s.LostOn[:n], LostSeen: s.LostSeen[:n]}
}

// add adds to the sums the image x with its representation, for experts below K.
// k*(d) and l*(d) are the Max and Min of a Composition; Phi_t^-1 pulls the image
// and the indicator back into the frame of the expert.
func (s *sums) add(m *patchwork.Model, x *bitmap.Image, picks []patchwork.Pick, K int) {
	cfg, star := m.Config(), m.Compose(x.Height(), x.Width(), picks)
	for j, pick := range picks {
		if pick.Expert >= K {
			continue
		}
		inverse := pose.TurnOf(cfg.Height, cfg.Width, pick.Pose).Back
		for i, mu := range m.Template(pick.Expert) {
			entry := pick.Expert*cfg.Height*cfg.Width + i
			row, col := i/cfg.Width+pick.Pose.DY, i%cfg.Width+pick.Pose.DX
			if inverse != nil {
				row, col = int(inverse[i].Y)+pick.Pose.DY, int(inverse[i].X)+pick.Pose.DX
			}
			if row < 0 || col < 0 || row >= x.Height() || col >= x.Width() {
				// Beyond the paper: what surrounds an image may be known to be off.
				if !cfg.UnknownOutside && (mu > cfg.Q || mu < cfg.Q && cfg.Rule == patchwork.RuleMaxMinusMin) {
					s.Seen[entry]++
				}
				continue
			}
			d := row*x.Width() + col
			isMax, isMin := int(star.Max[d]) == j, int(star.Min[d]) == j
			if !(isMax || isMin) || !x.Known(row, col) {
				continue
			}
			seen, on := s.Seen, s.On
			above, below := star.High[d]-m.Abstention(d), m.Abstention(d)-star.Low[d]
			if isMax && above <= below || isMin && below <= above {
				seen, on = s.LostSeen, s.LostOn
			}
			seen[entry]++
			on[entry] += int64(likelihood(x, d, 1)) // x(d)
		}
	}
}

// EquationOne makes the M-step, eq. (1), and returns the model that follows prev,
// given the counts t of prev's explanations:
// mu_k(d) = (sum of 1{...} Phi_t^-1(x) + epsilon) / (sum of 1{...} + 2 epsilon).
func EquationOne(prev *patchwork.Model, t *patchwork.Tally) *patchwork.Model {
	counts, epsilon, mu := sums(t.Counts()), rows.Resolved(prev.Config().Prior), prev.Templates()
	for k := range mu {
		for d := range mu[k] {
			n, x := counts.at(k*len(mu[k]) + d)
			mu[k][d] = (x + epsilon.On) / (n + epsilon.On + epsilon.Off)
		}
	}
	return prev.WithTemplates(mu, patchwork.Extras{Counts: t, Usage: t.Usage(), Names: prev.Extras().Names})
}

// em alternates the hard E-step and the M-step of section 4 for the given number
// of iterations, and returns the last model and the counts of its explanations.
// Beyond the paper: it ends early if an M-step changes nothing.
func em(m *patchwork.Model, iterations int, eStep func(*patchwork.Model) (*patchwork.Tally, error)) (*patchwork.Model,
	*patchwork.Tally, error) {
	for n := 0; ; n++ {
		t, err := eStep(m)
		if err != nil || n == iterations {
			return m, t, err
		}
		next := EquationOne(m, t)
		if n > 0 && slices.EqualFunc(m.Templates(), next.Templates(), slices.Equal) {
			return m, t, nil
		}
		m = next
	}
}

// online learns by section 4.1, one image at a time.
type online struct {
	cfg     patchwork.Config
	experts int // K at the end
	reading Reading
	explain pursuit
	model   *patchwork.Model // nil before the first image
	sums    *sums            // of all experts, K at the end
	rows    int64            // images seen
	picks   []patchwork.Pick // of the latest
}

func newOnline(cfg patchwork.Config, experts int, reading Reading, explain pursuit) *online {
	return &online{cfg: cfg, experts: experts, reading: reading, explain: explain,
		sums: newSums(experts * cfg.Height * cfg.Width)}
}

// learn learns the image x: models "try to explain new examples through the
// experts learned so far" and "are then corrected by appending additional
// templates". Beyond the paper: k* and l* include the new expert.
func (o *online) learn(x *bitmap.Image) (err error) {
	var picks []patchwork.Pick
	var templates [][]float64
	var mu []float64
	if o.model != nil {
		if picks, err = o.explain(o.model, x); err != nil {
			return err
		}
		templates, mu = o.model.Templates(), o.model.Compose(x.Height(), x.Width(), picks).P
	}
	K, m := len(templates), o.model
	if K < o.experts {
		template, made := newExpert(o.cfg, o.reading, x, mu)
		for d := range made {
			if made[d] {
				o.sums.Seen[K*len(made)+d]++
				o.sums.On[K*len(made)+d] += int64(likelihood(x, d, 1))
			}
		}
		templates, picks = append(templates, template), append(picks, patchwork.Pick{Expert: K})
		if m, err = patchwork.NewModel(o.cfg, templates); err != nil {
			return err
		}
	}
	o.sums.add(m, x, picks, K)
	o.rows, o.picks = o.rows+1, picks
	o.model, err = o.step(m)
	return err
}

// step makes "The M-step updates": mu_k(d) <- (N_k(d) mu_k(d) + x)/(N_k(d)
// + 1), with all images so far at once, from N_k(d) = 2 epsilon and mu_k(d) = 1/2.
// Beyond the paper: before its first image an entry is what newExpert made it.
func (o *online) step(m *patchwork.Model) (*patchwork.Model, error) {
	epsilon, mu := rows.Resolved(o.cfg.Prior), m.Templates()
	n0, mu0 := epsilon.On+epsilon.Off, epsilon.On/(epsilon.On+epsilon.Off)
	for k := range mu {
		for d := range mu[k] {
			if n, x := o.sums.at(k*len(mu[k]) + d); n > 0 {
				mu[k][d] = (float64(n0*mu0) + x) / (n0 + n)
			}
		}
	}
	t, err := patchwork.TallyOf(m, o.sums.of(len(mu)*len(mu[0])), o.rows)
	return m.WithTemplates(mu, patchwork.Extras{Counts: t}), err
}

// Reading says how sequential initialisation is read for the max rule, for which
// the printed formula and the text of section 4.1 disagree: the formula gives the
// background of a new expert 1/2, the text says that it is close to 0.
// For max-minus-min all readings are the paper's formula.
type Reading uint8

const (
	// ReadingTruncated abstains ("1/2") only on ink that truncated templates already
	// explain: P(x | truncated composition) > 1/2. The default.
	ReadingTruncated Reading = iota
	// ReadingText abstains at explained ink, P(x | composition) >= 1/2 at on
	// pixels, which leaves the background close to 0 as the text says.
	ReadingText
	// readingLiteral is the printed formula: P(x | composition) >= 1/2
	// anywhere, which makes the explained background 1/2.
	readingLiteral
)

// newExpert returns the template of section 4.1 for an additional expert: (x(d) +
// epsilon)/(1 + 2 epsilon), or 1/2 where mu, the composition of the experts so far
// (nil: none), explains x(d): as well, or with the max rule as the reading says. made
// reports where it is the former. Beyond the paper: with max-minus-min, and at an
// unknown pixel, a new expert abstains by q.
func newExpert(cfg patchwork.Config, reading Reading, x *bitmap.Image, mu []float64) (template []float64, made []bool) {
	template, made = make([]float64, x.Len()), make([]bool, x.Len())
	epsilon := rows.Resolved(cfg.Prior)
	for d := range template {
		if !x.Known(d/x.Width(), d%x.Width()) {
			template[d] = abstention(cfg, d)
			continue
		}
		template[d], made[d] = (likelihood(x, d, 1)+epsilon.On)/(1+epsilon.On+epsilon.Off), true
		if mu == nil {
			continue
		}
		p, silent, explained := likelihood(x, d, mu[d]), 0.5, false
		switch {
		case cfg.Rule == patchwork.RuleMaxMinusMin:
			explained, silent = p >= likelihood(x, d, template[d]), abstention(cfg, d)
		case reading == readingLiteral:
			explained = p >= 0.5
		case likelihood(x, d, 1) == 0: // with truncated templates, off pixels have P <= 1/2
		default:
			explained = p > 0.5 || reading == ReadingText && p == 0.5
		}
		if explained {
			template[d], made[d] = silent, false
		}
	}
	return template, made
}

// abstention returns the opinion that changes nothing at pixel d of a model to be.
func abstention(c patchwork.Config, d int) float64 {
	if c.QMap != nil {
		return c.QMap[d]
	}
	return c.Q
}
