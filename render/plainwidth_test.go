package render

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPlainWidthIsTheFonts(t *testing.T) {
	letters := ""
	for r := ' '; r <= '~'; r++ {
		letters += string(r)
	}
	styles := []style{labelStyle, factStyle, smallStyle, captionStyle}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(styles).Draw(t, "style")
		line := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune(letters)), rapid.Just('·'), rapid.Just('…'))).Draw(t, "line")
		if got, want := s.plainWidth(line), s.width([]string{line}); got != want {
			t.Fatalf("%q is %d pixels wide, in the font %d", line, got, want)
		}
	})
	for _, line := range []string{"Bold titles", "größer", "−12.5"} {
		got, want := titleStyle.plainWidth(line), titleStyle.width([]string{line})
		if got < want*9/10 || got > want*12/10 {
			t.Errorf("%q is %d pixels wide, in the bold font %d", line, got, want)
		}
	}
}
