package dataset

import (
	"strings"
)

// Missing reports whether there is no value i: the text is empty, or the number is NaN.
func (c Labels) Missing(i int) bool { return c.Text(i) == "" }

// Numbers reports whether all values are numbers, or text that people write for them,
// such as 1.234,50 and 12 €; unknown values, of which NA is one, do not count, and codes
// with zeros in front are no numbers. Such a column measures rows and does not name them.
func (c Labels) Numbers() bool {
	if _, text := c.Values.([]string); !text {
		return true
	}
	found := false
	for i := range c.Len() {
		cell := strings.TrimSpace(strings.ReplaceAll(c.Text(i), "\u00a0", " "))
		if t, _ := tokenOf(cell); t == blankToken || t == unknownToken {
			continue
		}
		_, number := numberIn(cell)
		if _, groups := thousands(cell); !number && !groups {
			return false
		}
		found = true
	}
	return found
}
