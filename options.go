package patchwork

import (
	"fmt"
	"math"

	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/score"
)

// Scoring is the likelihood that a pursuit maximises.
type Scoring uint8

const (
	// The zero Scoring is the model's own: ScoringTruncated if Config.Truncate, else ScoringOriginal.
	_ Scoring = iota
	// ScoringTruncated replaces a template mu by max(1/2, mu), so that an expert is
	// judged only by the pixels in its support (section 3 of the paper). It requires
	// the max rule.
	ScoringTruncated
	// ScoringOriginal uses the templates unchanged.
	ScoringOriginal
	// ScoringMixed replaces mu by alpha mu + (1-alpha)/2 (Williams and Titsias 2004).
	ScoringMixed
)

// String returns the name used in flags: "default", "truncated", "original" or
// "mixed".
func (s Scoring) String() string { return enum.Name("Scoring", scoringNames, uint8(s)) }

var scoringNames = []string{"default", "truncated", "original", "mixed"}

// PursuitOptions are the settings of likelihood matching pursuit. The zero
// value is the recommended default for explaining new images.
type PursuitOptions struct {
	// Paper selects the paper's greedy pursuit (section 3): it adds the best
	// candidate while one gains enough, and removes nothing. Refined continues with
	// sweeps over the picks, under the likelihood RefineScoring: each pick is
	// replaced by the best candidate given the others, or removed if that candidate
	// gains no more than RefineThreshold; then candidates that gain more are added.
	// It ends when nothing changes, or after RefineSweeps. On unseen letters, digits
	// and scenes it explains better than the greedy pursuit, in two to eleven times
	// the time.
	//
	// If neither is set, the recommended default, the pursuit is Refined if experts
	// can move and Scoring is 0, else Paper: rows of tables are explained greedily,
	// which is much faster. Setting both is an error.
	Paper, Refined bool

	// Calibrated explains an image by the templates as they look under its noise: ink
	// is lost with one probability and paper inked with another, and both are learned
	// from the image, by explaining it two to five times. Templates learned from clean
	// images otherwise find many things in the noise of a page. AsLearned takes the
	// templates as they are. If neither is set, the recommended default, the images of
	// Scene models are calibrated if Scoring, Forced, Costs, Rates and RefineThreshold
	// are not set and the pursuit is Refined. Setting both is an error, and Calibrated
	// needs experts that can move.
	Calibrated, AsLearned bool

	Scoring Scoring
	Alpha   float64 // of ScoringMixed, 0 < Alpha <= 1; 0 means 0.9

	// Forced picks the best first expert even if it lowers the likelihood, as
	// described in the paper and as learning does. Otherwise the pursuit starts
	// without any expert, and may find none.
	Forced bool

	// MinGain is the gain, in nats, that a pick must exceed (by 1e-9); otherwise
	// the pursuit stops. Costs, if not nil, holds a further cost for a pick of each
	// expert, in nats, such as log((1-pi)/pi).
	MinGain float64
	Costs   []float64

	// Rates, if not nil, makes every pick pay for saying that it is there: a pick of
	// expert k, of which Rates[k] > 0 are expected in an image, costs
	// log(poses / Rates[k]) nats, at least 1, where poses is the number of poses that
	// an expert has in the image (GridFor). Without this price learning ends with many
	// dots. It comes on top of Costs, and RefineThreshold 0 then means 0. Gains under
	// truncated templates cannot be compared with it: a search by them does not charge
	// it, but the sweeps after the search do; without sweeps it is an error.
	Rates []float64

	MaxPicks int // 0: no limit but Reuse and 32,767
	Reuse    int // picks an expert may have in one image; 0: the model's

	// Settings of Refined. RefineThreshold is the gain, in nats, that a pick must
	// exceed in the sweeps; 0 means log(number of candidates), or 0 if there are
	// Rates; in a scene more sweeps follow at posterior odds of 1: log(poses / share of
	// the experts found so far), times what neighbouring pixels err together, and picks are
	// exchanged at that price, for another expert's or two at a time. A negative value means
	// 0, and MinGain applies if it is larger. RefineSweeps bounds the number
	// of sweeps; 0 means 8. RefineScoring is the likelihood of the sweeps; 0 means
	// ScoringOriginal even if the model searches with truncated templates, because
	// gains under truncated templates cannot be compared with one threshold.
	RefineThreshold float64
	RefineSweeps    int
	RefineScoring   Scoring
}

// withDefaults returns the options with every zero value replaced by its meaning.
func (o PursuitOptions) withDefaults(c *Config) PursuitOptions {
	o.Refined = o.Refined || !o.Paper && c.moves() && o.Scoring == 0
	o.Calibrated = o.Calibrated || !o.AsLearned && c.Scene && o.Refined && o.Scoring == 0 && !o.Forced && o.Costs == nil &&
		o.Rates == nil && o.RefineThreshold == 0
	if o.Scoring == 0 {
		o.Scoring = ScoringOriginal
		if c.Truncate {
			o.Scoring = ScoringTruncated
		}
	}
	if o.Alpha == 0 {
		o.Alpha = 0.9
	}
	if o.Reuse == 0 {
		o.Reuse = c.reuse()
	}
	if o.MaxPicks == 0 {
		o.MaxPicks = math.MaxInt16
	}
	if o.RefineScoring == 0 {
		o.RefineScoring = ScoringOriginal
	}
	if o.RefineSweeps == 0 {
		o.RefineSweeps = 8
	}
	return o
}

// validate returns an error that names the first option that does not fit the
// model. The options must have their defaults.
func (o PursuitOptions) validate(c *Config, experts int) error {
	switch {
	case !c.Rule.fold() && (o.Refined || o.Scoring != ScoringOriginal || o.Reuse > 1 || o.Rates != nil):
		return fmt.Errorf("patchwork: under the rule %v parts stay where they are: rows are explained greedily, by the "+
			"original templates", c.Rule)
	case o.Paper && o.Refined:
		return fmt.Errorf("patchwork: a pursuit is the paper's or refined, not both")
	case o.Calibrated && o.AsLearned:
		return fmt.Errorf("patchwork: templates are calibrated or taken as learned, not both")
	case o.Calibrated && !c.moves():
		return fmt.Errorf("patchwork: the noise of an image is learned where parts can move; these stay where they are")
	case int(o.Scoring) >= len(scoringNames) || int(o.RefineScoring) >= len(scoringNames):
		return fmt.Errorf("patchwork: unknown scoring %v or %v", o.Scoring, o.RefineScoring)
	case (o.Scoring == ScoringTruncated || o.RefineScoring == ScoringTruncated) && c.Rule != RuleMax:
		return fmt.Errorf("patchwork: truncated templates belong to the max rule; score a %v model by original or mixed",
			c.Rule)
	case !(o.Alpha > 0 && o.Alpha <= 1):
		return fmt.Errorf("patchwork: mixing weight alpha = %v is not in (0, 1]", o.Alpha)
	case math.IsNaN(o.MinGain) || math.IsNaN(o.RefineThreshold):
		return fmt.Errorf("patchwork: a threshold of the pursuit is NaN")
	case o.MaxPicks < 0 || o.MaxPicks > math.MaxInt16 || o.Reuse < 1 || o.RefineSweeps < 0:
		return fmt.Errorf("patchwork: limits of the pursuit must not be negative (picks %d, reuse %d, sweeps %d)",
			o.MaxPicks, o.Reuse, o.RefineSweeps)
	case o.Costs != nil && len(o.Costs) != experts:
		return fmt.Errorf("patchwork: %d costs for %d parts", len(o.Costs), experts)
	case o.Rates != nil && len(o.Rates) != experts:
		return fmt.Errorf("patchwork: %d rates for %d parts", len(o.Rates), experts)
	case o.Rates != nil && o.lastScoring() == ScoringTruncated:
		return fmt.Errorf("patchwork: gains under truncated templates cannot be compared with the price of a place; " +
			"refine, or score by original")
	}
	for k, r := range o.Rates {
		if !(r > 0) || math.IsInf(r, 0) {
			return fmt.Errorf("patchwork: rate of part %d is %v, not a number of picks above 0", k+1, r)
		}
	}
	for k, c := range o.Costs {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return fmt.Errorf("patchwork: cost of part %d is %v", k+1, c)
		}
	}
	return nil
}

// lastScoring returns the scoring of the last stage: RefineScoring after sweeps, else
// Scoring.
func (o PursuitOptions) lastScoring() Scoring {
	if o.Refined {
		return o.RefineScoring
	}
	return o.Scoring
}

// prices returns the costs of a pick of each expert in a stage of the search by the
// given scoring, in an image with so many poses; nil if all are 0. The result is in
// buf, where that is large enough.
func (o PursuitOptions) prices(s Scoring, poses int, buf []float64) []float64 {
	if o.Rates == nil || s == ScoringTruncated {
		return o.Costs
	}
	buf = buf[:0]
	for k, rate := range o.Rates {
		buf = append(buf, score.CostOf(o.Costs, k)+max(1, elem.Log(float64(poses)/rate)))
	}
	return buf
}
