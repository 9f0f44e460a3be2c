package dataset

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// levelCounts counts values. They are packed: of each the number of its bytes, the bytes, and how
// often it occurred, in four bytes, at most all ones. So a column of a few values has one piece of
// memory, of less than half the size of a map.
type levelCounts struct {
	n      int // how many values there are
	packed []byte
	at     map[string]int // where the count of a value is, if there are more than fewLevels
}

const countBytes = 4 // of a packed count

// fewLevels is how many values are looked up one after the other.
const fewLevels = 8

// find returns where the count of a value is, or -1.
func (l *levelCounts) find(level string) int {
	if l.at != nil {
		if at, known := l.at[level]; known {
			return at
		}
		return -1
	}
	for rest := l.packed; len(rest) > 0; {
		length, head := binary.Uvarint(rest)
		end := head + int(length)
		if string(rest[head:end]) == level {
			return len(l.packed) - len(rest) + end
		}
		rest = rest[end+countBytes:]
	}
	return -1
}

// count returns how often a value occurred.
func (l *levelCounts) count(level string) int {
	if at := l.find(level); at >= 0 {
		return int(binary.LittleEndian.Uint32(l.packed[at:]))
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

// levelLimitOf returns the limit for each column of a table of so many.
func levelLimitOf(columns int) levelLimit {
	columns = max(columns, 1)
	return levelLimit{max(leastLevels, min(mostLevels, allLevels/columns)), levelBytes / columns}
}

// add counts a value; false says that it would be beyond the limit.
func (l *levelCounts) add(level string, limit levelLimit) bool {
	if at := l.find(level); at >= 0 {
		if n := binary.LittleEndian.Uint32(l.packed[at:]); n < math.MaxUint32 {
			binary.LittleEndian.PutUint32(l.packed[at:], n+1)
		}
		return true
	}
	entry := binary.AppendUvarint(make([]byte, 0, 64), uint64(len(level)))
	at := len(l.packed) + len(entry) + len(level)
	if l.n == limit.n || l.n > 0 && at-countBytes*l.n > limit.bytes {
		return false
	}
	entry = binary.LittleEndian.AppendUint32(append(entry, level...), 1)
	if l.n < fewLevels {
		l.packed = slices.Concat(l.packed, entry) // no larger than it must be
	} else {
		l.packed = append(l.packed, entry...)
	}
	if l.n++; l.at != nil {
		l.at[string([]byte(level))] = at
	} else if l.n > fewLevels {
		l.at = map[string]int{}
		for level, at := range l.all() {
			l.at[level] = at
		}
	}
	return true
}

// addMany counts a value so many times, of a column of few.
func (l *levelCounts) addMany(level string, n int) {
	if n == 0 || !l.add(level, levelLimit{mostLevels, levelBytes}) {
		return
	}
	at := l.packed[l.find(level):]
	binary.LittleEndian.PutUint32(at, uint32(min(int64(binary.LittleEndian.Uint32(at))+int64(n)-1, math.MaxUint32)))
}

// all yields the values, and where their counts are.
func (l *levelCounts) all() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at := 0; at < len(l.packed); {
			length, head := binary.Uvarint(l.packed[at:])
			end := at + head + int(length)
			if !yield(string(l.packed[at+head:end]), end) {
				return
			}
			at = end + countBytes
		}
	}
}
