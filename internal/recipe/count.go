package recipe

import (
	"fmt"
	"strconv"
	"strings"
)

// Count says how many experts there are: Experts, a number from AtLeast to
// AtMost, or any number.
type Count struct {
	Experts int  `json:"experts,omitempty" minimum:"1" maximum:"1000" doc:"number of parts; required unless auto"`
	Auto    bool `json:"auto,omitempty" doc:"finds the number of parts (of parts that stay, by method soft)"`
	AtLeast int  `json:"-"`
	AtMost  int  `json:"-"`
}

// ParseCount reads the text form of a number of experts: K, A..B or auto.
func ParseCount(text string) (Count, error) {
	if text == "auto" {
		return Count{Auto: true}, nil
	}
	first, last, isRange := strings.Cut(text, "..")
	if !isRange {
		last = first
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	switch {
	case errFrom != nil || errTo != nil:
		return Count{}, fmt.Errorf("give a number such as 8, a range to try such as 2..12, or auto")
	case from < 1 || to < 1:
		return Count{}, fmt.Errorf("a model needs at least one part")
	case to < from:
		return Count{}, fmt.Errorf("a range goes upwards: %d..%d", to, from)
	case to == from:
		return Count{Experts: to}, nil
	}
	return Count{AtLeast: from, AtMost: to}, nil
}

// Text returns the text that ParseCount reads.
func (c Count) Text() string {
	switch {
	case c.Auto:
		return "auto"
	case c.AtMost > 0:
		return fmt.Sprintf("%d..%d", c.AtLeast, c.AtMost)
	}
	return strconv.Itoa(c.Experts)
}

// mostFound is how many parts are found at most where their number is open.
const mostFound = 64

// Open reports whether the number is to be determined.
func (c Count) Open() bool { return c.Auto || c.AtMost > 0 }

// Most returns the largest number that may come up.
func (c Count) Most() int {
	if c.Auto {
		return mostFound
	}
	return max(c.Experts, c.AtMost)
}
