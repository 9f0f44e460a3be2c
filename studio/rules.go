package studio

import (
	"cmp"
	"context"
	"slices"

	"example.com/patchwork/rule"
)

// formulas holds the titles and definitions of the rules of package rule.
var formulas = map[string]struct{ title, formula string }{
	"noisy-or":        {"Noisy-or", "1 - prod (1 - p)"},
	"sum-of-odds":     {"Sum of odds", "the odds p/(1-p) add up"},
	"max":             {"Maximum", "max(q, p...)"},
	"mean":            {"Mean", "sum p / K"},
	"sum-of-log-odds": {"Sum of log-odds", "the log-odds log(p/(1-p)) add up"},
	"normalized-sum": {"Normalized sum",
		"(sum (p - 1/2) / sum |p - 1/2| + 1) / 2 for p in {0, 1/2, 1}, interpolated between"},
	"max-minus-min": {"Maximum minus minimum", "q + (max - q)+ - (q - min)+"},
}

type ruleInfo struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Formula    string   `json:"formula"`
	Symmetric  bool     `json:"symmetric" doc:"treats on and off alike"`
	Abstention *float64 `json:"abstention" nullable:"true" doc:"the opinion that changes nothing; null: there is none"`
	Idempotent bool     `json:"idempotent" doc:"an opinion given twice counts once"`
}

type ruleList struct {
	Rules []ruleInfo `json:"rules"`
}

type opinionsQuery struct {
	P []float64 `query:"p,explode" required:"true" minItems:"1" maxItems:"32" doc:"opinions"`
	Q []float64 `query:"q,explode" maxItems:"1" doc:"abstention value of max and max-minus-min; default: the rule's own"`
}

type curvesQuery struct {
	P1     []float64 `query:"p1,explode" maxItems:"32" doc:"opinions besides the one that varies; default 0.7"`
	Q      []float64 `query:"q,explode" maxItems:"8" doc:"abstention values of max and max-minus-min; default: the rule's own"`
	Points int       `query:"points" minimum:"2" maximum:"1001" default:"101"`
}

type ruleCurve struct {
	Rule string    `json:"rule"`
	Q    *float64  `json:"q" nullable:"true"`
	P    []float64 `json:"p"`
}

type curveList struct {
	P2     []float64   `json:"p2"`
	Curves []ruleCurve `json:"curves"`
}

type composed struct {
	Rule string  `json:"rule"`
	P    float64 `json:"p"`
}

type composedList struct {
	Rules []composed `json:"rules"`
}

func (s *core) ruleRoutes() {
	add(s, operation("GET", "/v1/rules", "rules", "The composition rules of the paper", 200),
		func(context.Context, *struct{}) (*ruleList, error) {
			out := new(ruleList)
			for _, r := range rule.All() {
				f := formulas[r.Name()]
				info := ruleInfo{Name: r.Name(), Title: f.title, Formula: f.formula, Symmetric: r.Symmetric(),
					Idempotent: r.Name() == "max" || r.Name() == "max-minus-min"}
				if q, ok := r.Abstain(); ok {
					info.Abstention = &q
				}
				out.Rules = append(out.Rules, info)
			}
			return out, nil
		})
	add(s, operation("GET", "/v1/rules/compose", "compose", "Compose opinions by every rule", 200),
		func(_ context.Context, in *opinionsQuery) (*composedList, error) {
			if err := cmp.Or(checkOpinions("p", in.P), checkOpinions("q", in.Q)); err != nil {
				return nil, err
			}
			out := new(composedList)
			for _, r := range rule.All() {
				if len(in.Q) > 0 {
					r = withQ(r, in.Q[0])
				}
				out.Rules = append(out.Rules, composed{r.Name(), r.Compose(in.P...)})
			}
			return out, nil
		})
	add(s, operation("GET", "/v1/rules/curves", "curves",
		"The composition of opinions with one more that varies from 0 to 1", 200), ruleCurves)
}

// withQ returns a rule with another abstention value, if it has a choice.
func withQ(r rule.Rule, q float64) rule.Rule {
	switch r.(type) {
	case rule.Max:
		return rule.Max{Q: q}
	case rule.MaxMinusMin:
		return rule.MaxMinusMin{Q: q}
	}
	return r
}

func checkOpinions(name string, values []float64) error {
	for _, p := range values {
		if !(p >= 0 && p <= 1) {
			return problemAt(422, "query."+name, nil, "%s: %v is not a probability", name, p)
		}
	}
	return nil
}

func ruleCurves(_ context.Context, in *curvesQuery) (*curveList, error) {
	if in.P1 == nil {
		in.P1 = []float64{0.7}
	}
	if err := cmp.Or(checkOpinions("p1", in.P1), checkOpinions("q", in.Q)); err != nil {
		return nil, err
	}
	out := new(curveList)
	for i := range in.Points {
		out.P2 = append(out.P2, float64(i)/float64(in.Points-1))
	}
	add := func(r rule.Rule) {
		c := ruleCurve{Rule: r.Name(), P: []float64{}}
		if q, ok := r.Abstain(); ok {
			c.Q = &q
		}
		for _, p := range out.P2 {
			c.P = append(c.P, r.Compose(append(slices.Clone(in.P1), p)...))
		}
		out.Curves = append(out.Curves, c)
	}
	for _, r := range rule.All() {
		add(r)
	}
	for _, q := range in.Q {
		add(rule.Max{Q: q})
		add(rule.MaxMinusMin{Q: q})
	}
	return out, nil
}
