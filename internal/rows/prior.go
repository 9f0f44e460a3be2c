package rows

import "example.com/patchwork"

// BatchInk and OnlineInk are the recommended priors under Max. They let the
// background be white; under a symmetric prior, entries that no image counts would
// return to 1/2 and become the maximum. Online, an entry rests on few images, and
// a weaker prior works better.
var BatchInk, OnlineInk = patchwork.Prior{On: 0.05, Off: 1}, patchwork.Prior{On: 0.1, Off: 1}

// Resolved returns p, or Beta(1, 1) for the zero Prior.
func Resolved(p patchwork.Prior) patchwork.Prior {
	if p == (patchwork.Prior{}) {
		return patchwork.Prior{On: 1, Off: 1}
	}
	return p
}

// Priors returns the Beta priors of batch EM and of online learning: the
// configuration's own, or the recommended ones if it has none.
func Priors(c patchwork.Config, paper bool) (batch, online patchwork.Prior) {
	switch {
	case c.Prior != (patchwork.Prior{}):
		return c.Prior, c.Prior
	case c.Rule == patchwork.RuleMax && !paper:
		return BatchInk, OnlineInk
	}
	return patchwork.Prior{On: 1, Off: 1}, patchwork.Prior{On: 1, Off: 1}
}
