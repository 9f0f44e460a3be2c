package report

import (
	"fmt"

	"example.com/patchwork/diagnose/words"
)

// plural returns a number with its noun, in words for people: 12,345 rows.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands returns a number with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent returns a share in per cent; the templates and sentences say it often.
func percent(share float64) string { return words.PercentFine(share) }
