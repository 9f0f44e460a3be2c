package dataset

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/patchwork/internal/enum"
)

// token says what the text of a table cell is by itself. What a column makes of
// it depends on the other cells of the column, see [marking].
type token uint8

const (
	blankToken   token = iota
	unknownToken       // a word for a value that is not known
	zeroToken          // 0, 0.0
	oneToken           // 1, 1.0
	noToken            // a word for 0
	yesToken           // a word for 1
	minusToken
	plusToken
	xToken
	aToken
	pToken
	numberToken // another number
	commaToken  // a number with a decimal comma
	textToken
	tokens // how many
)

// cellWords lists the words, in lower case, that mean more than their text. The
// package comment has the same list.
var cellWords = map[string]token{
	"": blankToken, "?": unknownToken, "na": unknownToken, "n/a": unknownToken, "nan": unknownToken, "null": unknownToken,
	"none": unknownToken, ".": unknownToken, "#n/a": unknownToken, `\n`: unknownToken, "<na>": unknownToken,
	"y": yesToken, "yes": yesToken, "t": yesToken, "true": yesToken, "present": yesToken,
	"n": noToken, "no": noToken, "f": noToken, "false": noToken, "absent": noToken,
	"positive": yesToken, "pos": yesToken, "detected": yesToken, "ja": yesToken, "oui": yesToken, "sí": yesToken,
	"sim": yesToken, "tak": yesToken, "evet": yesToken,
	"wahr": yesToken, "vrai": yesToken, "verdadero": yesToken, "vero": yesToken, "да": yesToken,
	"negative": noToken, "neg": noToken, "not detected": noToken, "undetected": noToken, "not present": noToken,
	"nein": noToken, "non": noToken, "não": noToken, "nee": noToken, "nej": noToken, "nie": noToken, "hayır": noToken,
	"falsch": noToken, "faux": noToken, "falso": noToken, "нет": noToken,
	"checked": yesToken, "selected": yesToken, "on": yesToken,
	"unchecked": noToken, "not selected": noToken, "unselected": noToken, "off": noToken,
	"✓": xToken, "✔": xToken, "✔️": xToken, "☑": xToken, "•": xToken, "●": xToken,
	"+": plusToken, "-": minusToken, "x": xToken, "p": pToken, "a": aToken,
}

// longestWord is the length of the longest of cellWords.
const longestWord = 12

// tokenOf returns what a cell is, without the blanks around it, and its value if
// it is a number.
func tokenOf(s string) (token, float64) {
	if len(s) == 1 && (s[0] == '0' || s[0] == '1') { // nearly all cells
		return zeroToken + token(s[0]-'0'), float64(s[0] - '0')
	}
	if len(s) <= longestWord {
		if t, ok := cellWords[strings.ToLower(s)]; ok {
			return t, 0
		}
	}
	switch v, err := parseFloat(s); {
	case isCode(s):
		return textToken, 0
	case err == nil && v == 0:
		return zeroToken, 0
	case err == nil && v == 1:
		return oneToken, 1
	case err == nil && !math.IsNaN(v) && !math.IsInf(v, 0):
		return numberToken, v
	}
	if v, ok := commaNumber(s); ok {
		return commaToken, v
	}
	if n := withoutSpaces(s); n != s {
		return tokenOf(n)
	}
	if inner, ok := inBrackets(s); ok {
		if t, v := tokenOf(inner); t == oneToken || t == numberToken {
			return numberToken, -v
		}
	}
	return textToken, 0
}

// inBrackets returns what stands in brackets, as accounts write what is below 0.
func inBrackets(s string) (string, bool) {
	if n := len(s); n > 2 && s[0] == '(' && s[n-1] == ')' && s[1] != '(' {
		return s[1 : n-1], true
	}
	return s, false
}

// commaNumber reads a number with a decimal comma.
func commaNumber(s string) (float64, bool) {
	if plain, ok := ungrouped(s, ".", ","); ok { // 1.234,5
		s = plain
	}
	i := strings.LastIndexByte(s, ',')
	if i < 0 || strings.ContainsAny(s, ".") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s[:i]+"."+s[i+1:], 64)
	return v, err == nil && !math.IsNaN(v)
}

// ungrouped returns a number without the marks before thousands, one of these; a mark of decimals may stand behind
// them. It returns any other text as it is.
func ungrouped(s, marks, decimals string) (plain string, ok bool) {
	rest := strings.TrimLeft(s, "+-")
	sign := s[:len(s)-len(rest)]
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if len(sign) > 1 || digits < 1 || digits > 3 || rest[0] == '0' {
		return s, false
	}
	plain, rest = sign+rest[:digits], rest[digits:]
	for groups := 0; ; groups++ {
		mark, n := utf8.DecodeRuneInString(rest)
		after := rest[n:]
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		switch {
		case rest == "":
			return plain, groups > 0
		case digits == 3 && strings.ContainsRune(marks, mark):
			plain, rest = plain+after[:3], after[3:]
		case groups > 0 && digits > 0 && digits == len(after) && strings.ContainsRune(decimals, mark):
			return plain + rest, true
		default:
			return s, false
		}
	}
}

// withoutSpaces returns a number with blanks or apostrophes before thousands, 7 398 and 1'234.50, without them, and any
// other text as it is.
func withoutSpaces(s string) string {
	s, _ = ungrouped(s, " \u00a0\u202f\u2009'’", ".,")
	return s
}

// thousands reads a number with commas before thousands, such as 5,613 and 1,234.5.
func thousands(s string) (float64, bool) {
	if strings.IndexByte(s, ',') < 0 {
		return 0, false
	}
	s, below := inBrackets(s)
	plain, ok := ungrouped(s, ",", ".")
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(plain, 64)
	if below {
		v = -v
	}
	return v, err == nil
}

// isDecimalComma reports whether a cell is a number with a comma that cannot stand before thousands.
func isDecimalComma(s string) bool {
	s = withoutSpaces(s)
	_, decimal := commaNumber(s)
	_, group := thousands(s)
	return decimal && !group
}

// parseFloat is strconv.ParseFloat, but quick where s begins as no number does, or has a sign
// where no number has one, as dates have: the error of that holds a copy of s.
func parseFloat(s string) (float64, error) {
	if s == "" || !strings.ContainsRune("+-.0123456789iInN", rune(s[0])) {
		return 0, strconv.ErrSyntax
	}
	if i := strings.LastIndexAny(s, "+-"); i > 0 && !strings.ContainsRune("eEpP", rune(s[i-1])) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// isCode reports whether a number is written with zeros in front, as codes are:
// 007.
func isCode(s string) bool { return len(s) > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9' }

// cellState says what the text of a value is that stands by itself.
type cellState int

const (
	cellBad     cellState = iota // not a value
	cellBit                      // a word for 0 or 1
	cellNumber                   // a number, maybe beyond 0 and 1
	cellUnknown                  // nothing known
)

// parseCell reads the text of a value that stands by itself. Unknown values give
// NaN.
func parseCell(s string) (float64, cellState) {
	switch t, v := tokenOf(trim(s)); t {
	case blankToken, unknownToken:
		return math.NaN(), cellUnknown
	case yesToken:
		return 1, cellBit
	case noToken:
		return 0, cellBit
	case zeroToken, oneToken, numberToken:
		return v, cellNumber
	}
	return 0, cellBad
}

// marking says what the cells of a column mean.
type marking uint8

const (
	bitCoding    marking = iota // 0 and 1, or words for them; "-" is unknown
	markCoding                  // a mark (X, ✓, + or P, or 1 where no cell of the table is 0) is on, a blank cell is off
	signCoding                  // + is on, - is off
	letterCoding                // P is on, A is off, and so are 1 and 0 and words for them
)

var markingNames = []string{"", "mark", "sign", "letter"}

// MarshalText writes the name.
func (c marking) MarshalText() ([]byte, error) { return []byte(markingNames[c]), nil }

// UnmarshalText reads a name.
func (c *marking) UnmarshalText(text []byte) (err error) {
	*c, err = enum.Parse[marking]("what marks bits", markingNames, string(text))
	return err
}

// takes are the tokens that a marking takes for bits, blank cells aside.
var takes = [...][]token{
	markCoding:   {xToken, plusToken, pToken, oneToken, yesToken},
	signCoding:   {plusToken, minusToken},
	letterCoding: {pToken, aToken, zeroToken, oneToken, noToken, yesToken},
}

// of returns the pixel state of a cell in a column of this marking.
func (c marking) of(cell string, r rule) uint8 {
	t, v := tokenOf(trim(cell))
	switch {
	case t == unknownToken, t == blankToken && c != markCoding:
		return unknown
	case t == blankToken:
		return r.bit(off)
	case c == bitCoding:
		switch t {
		case zeroToken, oneToken, numberToken:
			return r.of(v)
		case commaToken:
			if r.threshold != nil {
				return r.of(v)
			}
		case yesToken:
			return r.bit(on)
		case noToken:
			return r.bit(off)
		case minusToken:
			return unknown
		}
		return notBinary
	case !slices.Contains(takes[c], t):
		return notBinary
	case t == minusToken, t == aToken, t == zeroToken, t == noToken:
		return r.bit(off)
	}
	return r.bit(on)
}
