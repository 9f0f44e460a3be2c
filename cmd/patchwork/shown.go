package main

import (
	"strings"
	"unicode"
)

// shown returns text as it may go to a terminal: names and messages may come from files,
// whose control characters could move the cursor or change the title, and whose marks of
// direction could hide what was said. Line ends and tabs stay.
func shown(text string) string {
	bad := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
	}
	if strings.IndexFunc(text, bad) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
