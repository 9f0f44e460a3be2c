package dataset

import (
	"slices"
	"strings"
)

// shortWord is of how many letters words are that may differ in case only and be two: A and a of a gene, but m and M
// are one where f stands beside them.
const shortWord = 3

// folded returns the counts with words that differ only in case as one, the most frequent of them, and the others.
func (l *levelCounts) folded() (out levelCounts, others []string) {
	best := map[string]string{}
	for word, n := range l.all() {
		key := strings.ToLower(word)
		b, known := best[key]
		if n -= l.count(b); !known || n > 0 || n == 0 && word < b {
			best[key] = word
		}
	}
	if len(best) == l.n {
		return *l, nil
	}
	for word, n := range l.all() {
		to := best[strings.ToLower(word)]
		if len(best) == 1 && len(word) <= shortWord {
			to = word
		} else if to != word {
			others = append(others, word)
		}
		out.addMany(to, n, manyLevels)
	}
	return out, others
}

// foldCase makes one word of those of a column that differ only in case.
func (c *columnStats) foldCase() {
	if !c.many && c.levels.n > 1 {
		c.levels, c.spelled = c.levels.folded()
	}
	for k := 0; c.answer != nil && k < len(c.answer); k++ {
		c.answer[k].parts, _ = c.answer[k].parts.folded()
	}
}

// wordAt returns the index of a word in a list, also of one that differs in case only; -1 if there is none.
func wordAt(list []string, word string) int {
	if i := slices.Index(list, word); i >= 0 {
		return i
	}
	return slices.IndexFunc(list, func(w string) bool { return strings.EqualFold(w, word) })
}

// levelAt returns which level of a category a word is, as it is written or as one that differs in case only.
func (d *dataColumn) levelAt(word string) (k int, ok bool) {
	if k, ok = d.level[word]; ok || slices.Contains(d.Off, word) {
		return k, ok
	}
	k, ok = d.level[strings.ToLower(word)]
	return k, ok
}

// levelsOf returns the indices of words, and of these in small letters where no other has them.
func levelsOf(words []string) map[string]int {
	at := indexOf(words)
	for i, word := range words {
		if key := strings.ToLower(word); wordAt(words, key) == i {
			at[key] = i
		}
	}
	return at
}

// foldWords writes words as the first of those that differ from it in case only.
func foldWords(words []string) []string {
	var out []string
	for _, word := range words {
		if i := wordAt(out, word); i >= 0 {
			word = out[i]
		}
		out = append(out, word)
	}
	if len(out) > 0 && len(out[0]) <= shortWord && !slices.ContainsFunc(out, func(w string) bool { return w != out[0] }) {
		return words
	}
	return out
}

// noteSpelling says which words of the data are taken as others.
func (p *tablePlan) noteSpelling(s *survey) {
	for _, d := range p.pixels {
		var said []string
		for _, word := range s.columns[d.column].spelled {
			if all := slices.Concat(d.Levels, d.Off); d.Split == "" && wordAt(all, word) >= 0 {
				said = append(said, word+" is "+all[wordAt(all, word)])
			}
		}
		if len(said) > 0 {
			p.note("words of %s that differ in case only are one: %s", s.name(d.column), listShort(said))
		}
	}
}
