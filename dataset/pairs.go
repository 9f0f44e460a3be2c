package dataset

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// These constants say when a table of two columns of words is a list of pairs: by chance
// at least surePairs of its lines would repeat an earlier one, a tenth of these do at
// most, and at most a half of all combinations are there (else it is a plan in which
// everything meets everything).
const (
	surePairs     = 8
	repeatedPairs = 0.1
	mostPaired    = 0.5
)

// pairStats counts the lines of a text of two columns.
type pairStats struct {
	first          []string // line 1, which may have names
	lines, doubled int
	rows, items    map[string]int
	pairs          map[[2]string]bool
	texts          [2]int // cells of each column that are text beyond doubt: a may be a name, or mean absent
	numbers        int    // cells of the first column that are numbers beyond 0 and 1
}

// pairNames returns the two columns of a text that certainly lists pairs of a row and an
// item, though nobody said so: there are two columns, of words or numbers that recur and
// of words that recur, and next to no pair recurs. In a table of two columns of categories
// pairs recur as often as chance has it. If the text may list pairs, but is too short to
// tell, sure is false.
func (s *textSource) pairNames() (names []string, sure bool) {
	o := &s.in.opts
	if o.model != nil || s.in.plan != nil ||
		len(o.Meta)+len(o.Columns)+len(o.Categories)+len(o.Where)+len(o.FirstPer.Names) > 0 || o.Weight != "" {
		return nil, false
	}
	p := &pairStats{rows: map[string]int{}, items: map[string]int{}, pairs: map[[2]string]bool{}}
	r, _, _ := s.sample() // of a text it cannot fail
	for {
		cells, _, err := r.read()
		if err == io.EOF {
			break
		}
		if err != nil || len(cells) != 2 {
			return nil, false
		}
		row, item := strings.Clone(trim(cells[0])), strings.Clone(trim(cells[1]))
		if p.first == nil && o.Header != HeaderAbsent {
			p.first = []string{row, item}
		} else if !p.add(row, item) {
			return nil, false
		}
	}
	return p.judge(o.Header)
}

// add counts a line; false says that it is no pair.
func (p *pairStats) add(row, item string) bool {
	switch t, _ := tokenOf(row); t {
	case blankToken, unknownToken, commaToken:
		return false
	case numberToken:
		p.numbers++
	case textToken:
		p.texts[0]++
	}
	switch t, _ := tokenOf(item); t {
	case unknownToken, zeroToken, oneToken, numberToken, commaToken:
		return false
	case textToken:
		p.texts[1]++
	}
	p.lines++
	p.rows[row]++
	if item != "" {
		p.items[item]++
		p.doubled += btoi(p.pairs[[2]string{row, item}])
		p.pairs[[2]string{row, item}] = true
	}
	return true
}

// judge returns the names of the columns, or their numbers, if the lines may be pairs.
func (p *pairStats) judge(mode HeaderMode) (names []string, sure bool) {
	names = []string{"1", "2"}
	if p.first != nil {
		if mode == HeaderPresent || p.rows[p.first[0]] == 0 && p.items[p.first[1]] == 0 && p.first[0] != "" &&
			p.first[1] != "" && p.first[0] != p.first[1] {
			names = p.first
		} else if !p.add(p.first[0], p.first[1]) {
			return nil, false
		}
	}
	if p.numbers+p.texts[0] == 0 || p.texts[1] == 0 || p.lines < 2 {
		return nil, false
	}
	expected := twice(p.rows) * twice(p.items) / (2 * float64(p.lines) * float64(p.lines-1))
	dense := float64(len(p.pairs)) > mostPaired*float64(len(p.rows))*float64(len(p.items))
	sure = expected >= surePairs && float64(p.doubled) <= repeatedPairs*expected && !dense
	if !sure && (p.doubled > 0 || expected == 0) {
		return nil, false
	}
	return names, sure
}

// twice returns in how many ways two lines have the same value.
func twice(counts map[string]int) float64 {
	sum := 0.0
	for _, n := range counts {
		sum += float64(float64(n) * float64(n-1))
	}
	return sum
}

// pairNote says that lines were taken as pairs, and how to take them otherwise.
func pairNote(names []string) string {
	return fmt.Sprintf("each line was taken as a pair of a row (column %s) and one of its items (column %s), since both "+
		"recur and pairs do not; "+
		"--items=%s,%s swaps the two, and --categories %s,%s makes every line a row of its own", names[0], names[1], names[1],
		names[0], names[0], names[1])
}

// orPairs says of a table that may list pairs, with the given columns, how to read it so:
// in a note if its words became categories, or in the error.
func (in *input) orPairs(columns []string, err error) error {
	if columns == nil {
		return err
	}
	hint := fmt.Sprintf("if each line names a row and one of its items, say --items=%s,%s", columns[0], columns[1])
	var fe *FormatError
	switch {
	case errors.As(err, &fe) && fe.noData:
		fe.Hint += "; " + hint
	case err == nil && in.made != nil && len(in.made.categories) > 0:
		in.made.note("%s", hint)
	}
	return err
}
