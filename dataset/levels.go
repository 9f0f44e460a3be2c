package dataset

import (
	"iter"
	"strings"
)

// levelCounts counts values. Most columns have few, which are looked up one after the other.
type levelCounts struct {
	n     int // how many values there are
	bytes int // of these
	list  []levelCount
	at    map[string]int // where a value is in the list, if there are more than fewLevels
}

type levelCount struct {
	level string
	n     int
}

// fewLevels is how many values are looked up one after the other.
const fewLevels = 8

// find returns where a value is, or -1.
func (l *levelCounts) find(level string) int {
	if l.at != nil {
		if at, known := l.at[level]; known {
			return at
		}
		return -1
	}
	for i := range l.list {
		if l.list[i].level == level {
			return i
		}
	}
	return -1
}

// count returns how often a value occurred.
func (l *levelCounts) count(level string) int {
	if at := l.find(level); at >= 0 {
		return l.list[at].n
	}
	return 0
}

// levelLimit bounds the values that are counted of a column.
type levelLimit struct{ n, bytes int }

// mostLevels bounds the values counted of a column, and the others those of all columns of a
// table, so that one of hundreds of thousands of columns of text stays small.
const (
	mostLevels  = 256
	leastLevels = 8
	allLevels   = 1 << 20
	levelBytes  = 1 << 24
)

// manyLevels is the limit of values that were counted within another.
var manyLevels = levelLimit{mostLevels, levelBytes}

// levelLimitOf returns the limit for each column of a table of so many.
func levelLimitOf(columns int) levelLimit {
	columns = max(columns, 1)
	return levelLimit{max(leastLevels, min(mostLevels, allLevels/columns)), levelBytes / columns}
}

// add counts a value; false says that it would be beyond the limit.
func (l *levelCounts) add(level string, limit levelLimit) bool { return l.addMany(level, 1, limit) }

// addMany counts a value so many times.
func (l *levelCounts) addMany(level string, n int, limit levelLimit) bool {
	if at := l.find(level); at >= 0 {
		l.list[at].n += n
		return true
	}
	if l.n == limit.n || l.n > 0 && l.bytes+len(level) > limit.bytes {
		return false
	}
	level = strings.Clone(level) // it shares the memory of its line
	l.list, l.n, l.bytes = append(l.list, levelCount{level, n}), l.n+1, l.bytes+len(level)
	if l.at == nil && l.n > fewLevels {
		l.at = map[string]int{}
		for i, c := range l.list {
			l.at[c.level] = i
		}
	} else if l.at != nil {
		l.at[level] = l.n - 1
	}
	return true
}

// all yields the values and how often each occurred.
func (l *levelCounts) all() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, c := range l.list {
			if !yield(c.level, c.n) {
				return
			}
		}
	}
}
