package enum

import "strings"

// Nearest returns the name that a mistyped one most likely means: the one that the
// fewest slips of a finger lead to (a letter more, less, another, or two swapped), or
// else the shortest that it begins. It returns "" if there is none. Upper and lower
// case are alike.
func Nearest(name string, names []string) string {
	word := strings.ToLower(name)
	letters := len([]rune(word))
	if letters < 2 {
		return ""
	}
	most := 1 // slips
	if letters > 3 {
		most = max(2, letters/3)
	}
	best, fewest := "", most+1
	for _, n := range names {
		if d := slips(word, strings.ToLower(n)); d < fewest {
			best, fewest = n, d
		}
	}
	if best != "" {
		return best
	}
	for _, n := range names {
		if strings.HasPrefix(strings.ToLower(n), word) && (best == "" || len(n) < len(best)) {
			best = n
		}
	}
	return best
}

// DidYouMean returns the end of a message about a name that does not exist: "; did
// you mean x?", or "" if no name is near.
func DidYouMean(name string, names []string) string {
	if n := Nearest(name, names); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// slips returns the number of letters inserted, deleted, replaced or swapped with
// their neighbours that lead from a to b, each place touched once (the restricted
// Damerau-Levenshtein distance).
func slips(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
