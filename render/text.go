package render

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
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

var (
	regular = sync.OnceValue(func() *opentype.Font { return parse(goregular.TTF) })
	bold    = sync.OnceValue(func() *opentype.Font { return parse(gobold.TTF) })
)

// parse parses a font. It cannot fail: the fonts are compiled in.
func parse(ttf []byte) *opentype.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("render: " + err.Error())
	}
	return f
}

// face returns a new face for each picture: faces are not safe for concurrent
// use.
func (s style) face() font.Face {
	source := regular()
	if s.bold {
		source = bold()
	}
	f, err := opentype.NewFace(source, &opentype.FaceOptions{Size: float64(s.size), DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("render: " + err.Error()) // as for parse
	}
	return f
}

func (s style) lineHeight() int { return s.size + s.size/3 }

// width returns the width in pixels of the widest line.
func (s style) width(lines []string) int {
	face, widest := s.face(), 0
	for _, l := range lines {
		widest = max(widest, font.MeasureString(face, l).Ceil())
	}
	return widest
}

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
	if utf8.RuneCountInString(line) > maxRunes {
		line = string([]rune(line)[:maxRunes-1]) + "…"
	}
	return line
}

// drawText draws a line with its baseline at y, starting at x.
func drawText(dst draw.Image, face font.Face, c color.RGBA, x, y int, line string) {
	d := font.Drawer{Dst: dst, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(line)
}
