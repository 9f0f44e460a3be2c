package patchwork

// Tally is the integer counts of an explained data set.
type Tally struct {
	k, pixels int
}
