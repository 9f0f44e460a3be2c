package recipe

// pairs reports whether parts are grown of what pairs of images have in common.
func (r *Recipe) pairs() bool { return r.Begin == "pairs" }

// asPairs resolves a recipe for parts that are never shown alone: how many there are
// is found.
func (r Recipe) asPairs() Recipe {
	r.Begin = "pairs"
	return r.counted()
}

// checkPairs rejects settings that a start from pairs finds itself.
func (r *Recipe) checkPairs() error {
	return clash("{begin} pairs", []conflict{
		{"shift", r.Shift != 0 || r.ShiftX != nil || r.ShiftStep != 0, "parts lie anywhere"},
		{"rule", r.Rule == "max-minus-min", "parts are ink under {rule} max"},
		{"for", r.Paper(), "it is not in the paper"},
		{"method", r.Method != "" && r.Method != "default" && r.Method != "both", "EM goes on from it"},
	})
}
