package mixed

// Graded are parts that are in every row to some degree, and add up.
type Graded struct{}
