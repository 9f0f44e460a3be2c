package render

import (
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/patchwork/diagnose/words"
)

// fontFamily is the font list in SVG and HTML; the Go fonts are metrically
// close to Helvetica, so layouts measured with them remain valid.
const fontFamily = "Go,Helvetica,Arial,sans-serif"

// maxRunes is the length at which a line of text is truncated, so that one
// absurd caption cannot blow up a picture.
const maxRunes = 80

// factRunes is the length at which the text of a fact is continued on the next
// line.
const factRunes = 110

// style is one of the few text styles of pictures.
type style struct {
	size   int // pixels per em
	bold   bool
	colour color.RGBA
}

var (
	titleStyle   = style{17, true, color.RGBA{0x1a, 0x1a, 0x1a, 0xff}}
	labelStyle   = style{13, false, color.RGBA{0x33, 0x33, 0x33, 0xff}}
	factStyle    = style{13, false, color.RGBA{0x88, 0x88, 0x88, 0xff}}
	smallStyle   = style{9, false, color.RGBA{0x77, 0x77, 0x77, 0xff}}
	captionStyle = style{12, false, color.RGBA{0x55, 0x55, 0x55, 0xff}}
)

func (s style) lineHeight() int { return s.size + s.size/3 }

// lines splits text at line breaks, drops characters that cannot be shown, and
// truncates overlong lines. Empty text has no lines.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	out := strings.Split(text, "\n")
	for i, l := range out {
		out[i] = clean(l)
	}
	return out
}

// wrapped breaks text at blanks into lines that are not truncated.
func wrapped(text string) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		word = clean(word)
		last := len(out) - 1
		if last >= 0 && utf8.RuneCountInString(out[last])+1+utf8.RuneCountInString(word) <= factRunes {
			out[last] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

func clean(line string) string {
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
	return words.Clip(line, maxRunes)
}
