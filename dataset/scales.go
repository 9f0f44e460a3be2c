package dataset

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scales are words that are steps of a scale, from least to most; words of one step stand together.
var scales = [][]string{
	{"strongly disagree|completely disagree|totally disagree", "disagree",
		"somewhat disagree|slightly disagree|rather disagree",
		"neutral|neither agree nor disagree|neither|undecided|not sure", "somewhat agree|slightly agree|rather agree",
		"agree",
		"strongly agree|completely agree|totally agree"},
	{"very dissatisfied|extremely dissatisfied", "dissatisfied|unsatisfied", "somewhat dissatisfied",
		"neutral|neither satisfied nor dissatisfied|neither", "somewhat satisfied", "satisfied",
		"very satisfied|extremely satisfied"},
	{"very unlikely|extremely unlikely", "unlikely", "somewhat unlikely", "neutral|neither", "somewhat likely", "likely",
		"very likely|extremely likely"},
	{"very unimportant|not at all important|not important", "unimportant|slightly important",
		"neutral|moderately important",
		"important", "very important", "extremely important"},
	{"very poor|very bad", "poor|bad", "fair|neutral|average|ok", "good", "very good", "excellent"},
	{"never", "almost never|rarely|seldom", "occasionally|sometimes", "often|frequently",
		"very often|usually|almost always",
		"always"},
	{"not at all", "a little|slightly|several days", "somewhat|moderately", "quite a bit|more than half the days",
		"very much|a lot|extremely|nearly every day"},
	{"none", "very mild", "mild", "moderate", "severe", "very severe"},
	{"very low", "low", "medium|moderate|normal|average", "high", "very high"},
	{"very small", "small", "medium", "large|big", "very large"},
	{"none|no schooling", "primary|elementary", "secondary|high school", "some college|vocational",
		"bachelor|bachelor's|bachelors|undergraduate|college", "master|master's|masters|graduate", "phd|doctorate|doctoral"},
	{"xs", "s", "m", "l", "xl", "xxl"},
	{"never", "yearly|once a year|annually", "monthly|once a month", "weekly|once a week", "daily|every day"},
	{"stimme gar nicht zu|stimme überhaupt nicht zu", "stimme nicht zu", "stimme eher nicht zu",
		"teils/teils|teils teils|weder noch|neutral|unentschieden", "stimme eher zu", "stimme zu",
		"stimme voll zu|stimme völlig zu|stimme voll und ganz zu"},
	{"nie", "selten", "manchmal|gelegentlich", "oft|häufig", "sehr oft", "immer"},
	{"pas du tout d'accord", "pas d'accord|plutôt pas d'accord", "neutre|ni d'accord ni pas d'accord",
		"d'accord|plutôt d'accord", "tout à fait d'accord"},
	{"jamais", "rarement", "parfois|quelquefois", "souvent", "toujours"},
	{"muy en desacuerdo|totalmente en desacuerdo", "en desacuerdo", "neutral|ni de acuerdo ni en desacuerdo", "de acuerdo",
		"muy de acuerdo|totalmente de acuerdo"},
	{"nunca", "rara vez|casi nunca", "a veces", "a menudo|frecuentemente", "casi siempre", "siempre"},
}

// step returns which step of a scale a word is, -1 for none.
func step(scale []string, word string) int {
	return slices.IndexFunc(scale, func(step string) bool {
		return slices.Contains(strings.Split(step, "|"), strings.ToLower(word))
	})
}

// band is a word for numbers from one on, such as 18-24, 55+ and <18, or behind its code, such as 2: secondary.
var band = regexp.MustCompile(`^(?:(<|<=|≤|under |up to )|>|>=|≥|over )? ?[$€£]?([0-9]+(?:\.[0-9]+)?)k? ?` +
	`(?:(?:-|–|—|to) ?[$€£]?[0-9]+(?:\.[0-9]+)?k?|\+|and over|or more|(?:[.:)=]|-) ?\pL.*)?$`)

// bands returns words that all stand for bands of numbers, as a scale; nil if some do not, or two begin alike.
func bands(words []string) (scale []string) {
	from := map[string]float64{}
	for _, word := range words {
		word = strings.ToLower(word)
		m := band.FindStringSubmatch(word)
		if m == nil || m[0] == m[2] {
			return nil
		}
		if from[word], _ = strconv.ParseFloat(m[2], 64); m[1] != "" {
			from[word] -= .5 // what is below 18 is before what begins with it
		}
		scale = append(scale, word)
	}
	slices.SortFunc(scale, func(a, b string) int { return cmp.Compare(from[a], from[b]) })
	for i := range scale[1:] {
		if from[scale[i]] == from[scale[i+1]] {
			return nil
		}
	}
	return scale
}

// scaleOf returns the scale of which at least three words are steps, or two and a neutral one, all others too; nil for
// none.
func scaleOf(words []string) []string {
	if len(words) >= 3 {
		if scale := bands(words); scale != nil {
			return scale
		}
	}
	for _, scale := range scales {
		if len(words) >= 3 && !slices.ContainsFunc(words, func(w string) bool { return step(scale, w) < 0 }) {
			return scale
		}
	}
	return nil
}

// inScale sorts words by the scale whose steps they are, if there is one.
func inScale(words []string) {
	if scale := scaleOf(words); scale != nil {
		slices.SortStableFunc(words, func(a, b string) int { return step(scale, a) - step(scale, b) })
	}
}

// mostSteps is how many different numbers a scale has, with codes for what is not known.
const mostSteps = 14

// markScales finds the columns of whole numbers that are steps of one scale, as several answers from 1 to 5 are; from 0
// on the names of the columns must be alike, too, as those of the questions of a form.
func markScales(columns []Column) {
	var found []*Column
	high, from := 0.0, 1.0
	for i := range columns {
		c := &columns[i]
		if c.Kind != Count && c.Kind != Number || len(c.steps) > mostSteps {
			continue
		}
		steps := slices.DeleteFunc(slices.Clone(c.steps), isCodeNumber)
		n := len(steps)
		if n < 3 || steps[0] < 0 || steps[0] > 2 || steps[n-1] > 10 || !c.Range.Whole ||
			2*n < int(steps[n-1]-steps[0])+1 {
			continue
		}
		if c.steps = steps; steps[0] == 0 {
			from = 0
		}
		found, high = append(found, c), max(high, steps[n-1])
	}
	full, alike := 0, true
	for _, c := range found {
		full += btoi(c.steps[len(c.steps)-1] == high)
		alike = alike && unnumbered(c.Name) == unnumbered(found[0].Name)
		alike = alike && (from == 1 || c.Range.Mean >= high/4)
	}
	if len(found) < 2 || 3*full < 2*len(found) || !alike && (from == 0 || len(found) < 3) {
		return
	}
	for _, c := range found {
		c.Kind = Ordinal
	}
}

// unnumbered returns a name without the number at its end.
func unnumbered(name string) string { return strings.TrimRight(name, "0123456789") }
