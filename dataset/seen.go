package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// seenPicture is what was found in a picture and done to it.
type seenPicture struct {
	name           string
	height, width  int
	fitted         bool // cropped, scaled and padded
	grey           bool // made binary by Otsu's method, at threshold
	threshold      int
	ink            float64 // the share of its pixels
	evened         bool    // the light was uneven
	inverted, pale bool    // light strokes on a dark ground; of nearly one grey
	parts          int     // frames or pages in the file
	partName       string
}

// seen sums up what was done to the pictures of an input, for its notes.
type seen struct {
	pictures, fitted  int
	sizes             map[string]int
	thresholds        levels // of grey pictures
	grey              int
	ink               []inkShare // of grey pictures
	inverted, pale    example
	evened            example
	several           map[string]*example // files with several frames, pages
	leftOut           map[string]*example // pictures of formats that are not read, by suffix
	folders           map[string]int      // classes from the names of folders
	latin             bool                // text was not UTF-8
	first             []*firstLines       // of tables of text
	headers           []int               // lines that repeat the header of a table
	group             string              // a number with commas before thousands
	short, firstShort int                 // lines with fewer cells than the header, and where the first stands
	blanks, blank     int                 // lines without a value at the end of tables, and where the first stands
	strange           []*strangeCells     // words that a model does not know, by column
	arrays            bool                // images of arrays were made binary by Otsu's method
}

// example counts things and keeps the first.
type example struct {
	n     int
	first string
}

func (e *example) add(name string) {
	if e.n++; e.n == 1 {
		e.first = name
	}
}

// countIn adds to one of several examples.
func countIn(m *map[string]*example, key, name string) {
	if *m == nil {
		*m = map[string]*example{}
	}
	if (*m)[key] == nil {
		(*m)[key] = new(example)
	}
	(*m)[key].add(name)
}

func (s *seen) add(p seenPicture) {
	s.pictures++
	if p.fitted {
		s.fitted++
		if s.sizes == nil {
			s.sizes = map[string]int{}
		}
		s.sizes[sizeText(p.height, p.width)]++
	}
	if p.grey && !p.pale {
		s.grey++
		s.ink = append(s.ink, inkShare{p.name, p.ink})
		s.thresholds[p.threshold]++
	}
	if p.evened && !p.pale {
		s.evened.add(p.name)
	}
	if p.inverted {
		s.inverted.add(p.name)
	}
	if p.pale {
		s.pale.add(p.name)
	}
	if p.parts > 1 {
		countIn(&s.several, p.partName, fmt.Sprintf("%s has %d", p.name, p.parts))
	}
}

// inkShare is how much of a picture is ink.
type inkShare struct {
	name  string
	share float64
}

// slabs returns the pictures with far more ink than the others, if they are few: a shadow was taken for ink, perhaps.
func (s *seen) slabs() (names []string) {
	const (
		fewest = 5   // pictures that tell what is usual
		least  = 0.2 // of a picture
		times  = 4   // the median
	)
	shares := slices.SortedFunc(slices.Values(s.ink), func(a, b inkShare) int { return cmp.Compare(a.share, b.share) })
	for i, p := range shares {
		if len(shares) >= fewest && p.share >= max(least, times*shares[len(shares)/2].share) && 2*i > len(shares) {
			names = append(names, p.name)
		}
	}
	slices.SortFunc(names, naturally)
	return names
}

// folder notes that a picture has the name of its folder as its label.
func (s *seen) folder(name string) {
	if s.folders == nil {
		s.folders = map[string]int{}
	}
	s.folders[name]++
}

func sizeText(height, width int) string { return fmt.Sprintf("%d x %d", height, width) }

// notes says in sentences what was done, unless it is what anybody expects.
func (s *seen) notes(o *Options) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(s.folders) > 0 {
		var classes []string
		for _, name := range slices.SortedFunc(maps.Keys(s.folders), naturally) {
			classes = append(classes, fmt.Sprintf("%s (%d)", name, s.folders[name]))
		}
		say("the label y of a picture is the name of its folder: %s", list(classes))
	}
	s.noteText(say)
	s.noteInk(say)
	if s.fitted > 0 {
		of := ""
		if len(s.sizes) > 1 {
			of = fmt.Sprintf(" of %d sizes", len(s.sizes))
		}
		say("%s cropped to the ink, scaled and padded to %s", strings.Replace(were(s.fitted, s.pictures, "picture"), " w",
			of+" w", 1), sizeText(o.Height, o.Width))
	}
	for _, what := range slices.Sorted(maps.Keys(s.several)) {
		e := s.several[what]
		say("of %s with several %s the first was taken (%s)", words.Count(e.n, "picture"), what, e.first)
	}
	return append(out, s.commonNotes()...)
}

// shorter notes a line with fewer cells than the header.
func (s *seen) shorter(line int) {
	if s.short++; s.short == 1 {
		s.firstShort = line
	}
}

// grouped notes a number with commas before thousands.
func (s *seen) grouped(cell string) {
	if s.group == "" {
		s.group = strings.Clone(trim(cell))
	}
}

// commonNotes are those of bits and of real values: how numbers with commas were read, and which lines at the end of
// tables, and which files of a folder or an archive, were left out.
func (s *seen) commonNotes() (out []string) {
	for _, f := range s.first {
		for _, note := range f.notes() {
			if !slices.Contains(out, note) {
				out = append(out, note)
			}
		}
	}
	if v, ok := thousands(s.group); ok {
		out = append(out, fmt.Sprintf("%q is %s: where commas divide columns, a comma in a number stands before thousands",
			s.group, strconv.FormatFloat(v, 'f', -1, 64)))
	}
	if s.short > 0 {
		out = append(out, fmt.Sprintf("%s than the header, the first is line %d: the missing ones are taken as empty",
			people(s.short, "line has fewer cells", "lines have fewer cells"), s.firstShort))
	}
	if s.blanks > 0 {
		out = append(out, fmt.Sprintf("%s left out at the end, of which no cell has a value, the first in line %d",
			were(s.blanks, 0, "line"), s.blank))
	}
	for _, suffix := range slices.Sorted(maps.Keys(s.leftOut)) {
		e := s.leftOut[suffix]
		out = append(out, fmt.Sprintf("%s left out (%s): %s", were(e.n, 0, suffix+" file"), e.first, unread(suffix)))
	}
	return out
}

// noteText says what was strange about text.
func (s *seen) noteText(say func(format string, args ...any)) {
	if s.latin {
		say("text that is not UTF-8 was read as Latin-1 (Windows-1252)")
	}
	if n := len(s.headers); n > 0 {
		say("%s the header again and %s left out, the first in line %d", people(n, "line has", "lines have"),
			map[bool]string{true: "was", false: "were"}[n == 1], s.headers[0])
	}
}

// noteInk says how ink was told from paper.
func (s *seen) noteInk(say func(format string, args ...any)) {
	if s.grey > 0 {
		say("%s made binary at %s of 255 (Otsu); --threshold N sets it", were(s.grey, s.pictures, "grey picture"), s.bounds())
	}
	if s.evened.n > 0 {
		say("%s in uneven light, which was evened out first%s", were(s.evened.n, s.pictures, "picture"), s.such(s.evened))
	}
	if slabs := s.slabs(); len(slabs) > 0 {
		say("%d of %s look like slabs: %s; look at them, or give --threshold N", len(slabs),
			words.Count(s.pictures, "picture"), list(slabs))
	}
	if s.arrays {
		say("each image was made binary at a threshold of its own (Otsu); what is greater is on")
	}
	if s.inverted.n > 0 {
		say("%s light on dark and inverted%s; --threshold N leaves light as paper", were(s.inverted.n, s.pictures, "picture"),
			s.such(s.inverted))
	}
	if s.pale.n > 0 {
		say("%s of nearly one grey and taken as blank%s; --threshold N decides otherwise",
			were(s.pale.n, s.pictures, "picture"), s.such(s.pale))
	}
}

// bounds returns the thresholds of the grey pictures: one, or the least and
// the greatest.
func (s *seen) bounds() string {
	low, high := -1, 0
	for t, n := range s.thresholds {
		if n > 0 {
			if low < 0 {
				low = t
			}
			high = t
		}
	}
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// such returns an example among several pictures.
func (s *seen) such(e example) string {
	if s.pictures == 1 {
		return ""
	}
	return fmt.Sprintf(" (such as %s)", e.first)
}

// were returns a number of things with their verb; all, or both, if there are no others.
func were(n, of int, noun string) string {
	verb := "were"
	if n == 1 {
		verb = "was"
	}
	if n == 2 && of == 2 {
		return "both " + noun + "s were"
	}
	if n > 1 && n == of {
		return fmt.Sprintf("all %d %ss %s", n, noun, verb)
	}
	return words.Count(n, noun) + " " + verb
}
