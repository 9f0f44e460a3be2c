package table

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
)

const (
	complementCost   = 5 // nats by which the description may grow for a part that says what is there
	complementRounds = 6 // iterations of soft EM

	// complementUse: what fewer rows lack is worth saying.
	complementUse = 1. / 3
)

// complemented replaces parts that only say what is absent, in many rows, by parts of the
// other rows that say what is present, where the description hardly gets longer. Under
// max-minus-min both may describe the rows equally well (complement), and then chance
// decides which of them soft EM comes to. It is for parts to be looked at.
func (l *learner) complemented(ctx context.Context) error {
	if l.cfg.Rule != patchwork.RuleMaxMinusMin ||
		rows.Counting(l.data) > finalRows {
		return nil
	}
	c, s := l.best, l.stepOf(l.best.StartFrom)
	s.Stage = StageFinal
	for k := 0; k < c.Model.K(); k++ {
		if !absent(c.Model, k) {
			continue
		}
		m, err := complement(c.Model, k)
		if err != nil {
			return err
		}
		next, _, err := l.considered(ctx, m, complementRounds, s)
		if err != nil {
			return err
		}
		if next.Model.K() == c.Model.K() && absences(next.Model) < absences(c.Model) &&
			next.DescriptionLength <= c.DescriptionLength+complementCost {
			c = next
		}
	}
	if c.Model == l.best.Model {
		return nil
	}
	c.Candidate = true
	l.best = c
	l.curve = append(l.curve, c.CurvePoint)
	var err error
	if l.kept, err = l.recorded(c); err != nil {
		return err
	}
	return l.emit(c.Step)
}

// absent reports whether expert k, active in many rows, votes for off only, on bits that
// no other votes on for: nobody says what is there.
func absent(m *patchwork.Model, k int) bool {
	against := false
	for i, p := range m.Template(k) {
		q := m.Abstention(i)
		if p > q {
			return false
		}
		if p < q {
			against = true
			for j := range m.K() {
				if m.Template(j)[i] > q {
					return false
				}
			}
		}
	}
	return against && m.Extras().Usage[k] > complementUse
}

// absences counts the experts of which absent is true.
func absences(m *patchwork.Model) int {
	n := 0
	for k := range m.K() {
		if absent(m, k) {
			n++
		}
	}
	return n
}

// complement returns the model in which expert k, which votes for off only, is active
// where it was not: the background is what it said, and it says what the background was.
// Rows in which nobody else votes on its bits have the probability that they had.
func complement(m *patchwork.Model, k int) (*patchwork.Model, error) {
	cfg, was, templates, extras := m.Config(), rows.Background(m), m.Templates(), m.Extras()
	cfg.QMap = rows.Background(m)
	for i, p := range m.Template(k) {
		if p < was[i] {
			cfg.QMap[i] = clipQ(p)
		}
	}
	for j, template := range templates {
		for i, p := range template {
			switch {
			case j == k && p < was[i]:
				template[i] = was[i]
			case p == was[i]:
				template[i] = cfg.QMap[i]
			}
		}
	}
	usage := append([]float64(nil), extras.Usage...)
	usage[k] = max(0, 1-usage[k])
	next, err := m.WithConfig(cfg)
	if err != nil {
		return nil, err
	}
	return next.WithTemplates(templates, patchwork.Extras{Usage: usage, Record: extras.Record, Names: extras.Names}), nil
}
