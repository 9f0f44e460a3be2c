package recipe

import "example.com/patchwork/learn/mixed"

// Mixed returns the options of the learner of tables of numbers and words. The error, an *Error, names a setting that
// says nothing about them.
func (r *Recipe) Mixed() (*mixed.Options, error) {
	if err := r.onlyBits("tables of numbers and words"); err != nil {
		return nil, err
	}
	if r.Rule != "" && r.Rule != "pool" {
		return nil, bad("rule", "{rule} does not apply to tables of numbers and words: the rule is pool")
	}
	if r.Poses.Given || r.Shift != 0 || r.ShiftX != nil {
		return nil, bad("shift", "{shift} does not apply to tables: columns do not move")
	}
	return &mixed.Options{Parts: r.Experts, Starts: r.Starts, Seed: r.Seed, Workers: r.Workers}, nil
}
