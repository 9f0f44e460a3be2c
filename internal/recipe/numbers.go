package recipe

import "example.com/patchwork/learn/real"

// Numbers returns the options of the learner of numbers. The error, an *Error, names a setting that says nothing about
// them.
func (r *Recipe) Numbers(height, width int) (*real.Options, error) {
	if err := r.onlyBits("real values"); err != nil {
		return nil, err
	}
	o := &real.Options{Experts: r.Experts, Starts: r.Starts, Seed: r.Seed, Predict: r.Aim == "predict", Workers: r.Workers}
	var n names
	o.Rule = named(&n, "rule", r.Rule, real.ParseRule)
	if n.err != nil {
		return nil, n.err
	}
	var err error
	o.Poses, err = r.Grid(1, height, width)
	return o, err
}

// onlyBits returns an error if a setting is given that only learners of bits have, which says that it does not apply to
// what is learned.
func (r *Recipe) onlyBits(what string) error {
	for _, c := range []conflict{
		{"for", r.For != "", "it is for bits"},
		{"method", r.Method != "" && r.Method != "default", "there is one"},
		{"begin", r.Begin != "" || r.From != nil, "starts of numbers begin each in a way of its own"},
		{"straight", r.Straight != 0, "it is for strokes"},
		{"alphabet", r.Alphabet != 0, "it is for drawings"},
		{"experts", r.AtMost > 0 || r.Auto && r.Experts != 0, "give the largest number of parts, or leave it out"},
	} {
		if c.set {
			return bad(c.field, "{%s} does not apply to %s: %s", c.field, what, c.why)
		}
	}
	return nil
}

// FittingNumbers returns how many rows of numbers that are streamed parts are learned from at first: as many as take a
// quarter of Memory.
func (r *Recipe) FittingNumbers(height, width int) int {
	return max(1, min(mostSampled, int(r.Memory)/4/(16*height*width+64)))
}
