//go:build !js

package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's template
	"encoding/base64"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/markup"
)

// Page is a report as one self-contained HTML file, for phones and large
// screens, light and dark.
type Page struct {
	Title    string
	Intro    string // plain text; a blank line starts a paragraph
	Sections []Section

	// Lead is markup below the intro. Style and Script are added to the page's own.
	Lead   markup.HTML
	Style  markup.HTML
	Script markup.HTML
}

// Section is a part of a Page.
type Section struct {
	Heading string
	Text    string // plain text; a blank line starts a paragraph
	Figures []Figure

	ID   string      // to link to, may be empty
	Body markup.HTML // markup below the text
}

// Figure is a picture with its caption.
type Figure struct {
	Caption string
	// Alt describes the picture for those who cannot see it; empty: the
	// caption.
	Alt     string
	Picture Picture
}

//go:embed page.html
var pageHTML string

var pageTemplate = markup.New("page", markup.Funcs{
	"paragraphs": paragraphs,
	"picture":    embedded,
	"beside":     beside,
	"policy":     policyOf,
}, nil, pageHTML)

// Write writes the page as HTML. Texts are escaped, and what cannot be seen of them, which may be marks of direction
// in names from files, is replaced. The error is the
// writer's, or names the figure that is too large to draw.
func (p Page) Write(w io.Writer) error {
	// Into memory first: a template that fails midway would leave half a page.
	var buf bytes.Buffer
	if err := pageTemplate.Execute(&buf, "page", p); err != nil {
		return err
	}
	_, err := io.WriteString(w, words.Visible(buf.String()))
	return err
}

// policyOf returns what a browser lets a page do: it loads nothing, and runs no script but this one, whatever
// the texts on it.
func policyOf(script markup.HTML) markup.HTML {
	runs := "'none'"
	if script != "" {
		hash := sha256.Sum256([]byte(script))
		runs = "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	}
	return markup.HTML("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src " + runs +
		"; base-uri 'none'; form-action 'none'")
}

// paragraphs splits plain text at blank lines.
func paragraphs(text string) []string {
	var out []string
	for _, p := range bytes.Split([]byte(text), []byte("\n\n")) {
		if p = bytes.TrimSpace(p); len(p) > 0 {
			out = append(out, string(p))
		}
	}
	return out
}

// inlinePicture holds the attributes of an image element.
type inlinePicture struct {
	Source        markup.HTML
	Alt           string
	Width, Height int
	Wide          bool
}

// wideFigure is the width in pixels from which a figure counts as wide and
// scrolls on a phone.
const wideFigure = 900

// besideText is the width in pixels up to which figures stand beside the text of their
// section where the screen is wide.
const besideText = 720

// beside reports whether the figures of a section stand beside its text.
func beside(s Section) bool {
	return len(s.Figures) > 0 && !slices.ContainsFunc(s.Figures, func(f Figure) bool {
		if f.Picture == nil {
			return true // an error where it is drawn
		}
		width, _ := f.Picture.Size()
		return width > besideText
	})
}

// maxInlineSVG is the size in bytes up to which a figure is embedded as SVG,
// sharp at every size; a larger one is embedded as PNG.
const maxInlineSVG = 96 << 10

func embedded(f Figure) (inlinePicture, error) {
	out := inlinePicture{Alt: f.Alt}
	if out.Alt == "" {
		out.Alt = f.Caption
	}
	if f.Picture == nil {
		return out, fmt.Errorf("render: figure %q has no picture", f.Caption)
	}
	out.Width, out.Height = f.Picture.Size()
	out.Wide = out.Width >= wideFigure
	var buf bytes.Buffer
	kind := "svg+xml"
	if err := f.Picture.SVG(&buf); err != nil {
		return out, err
	}
	if buf.Len() > maxInlineSVG {
		kind = "png"
		buf.Reset()
		if err := WritePNG(&buf, f.Picture); err != nil {
			return out, fmt.Errorf("figure %q: %w", f.Caption, err)
		}
	}
	// Safe as a URL: the kind is a constant and base64 has no special
	// characters.
	out.Source = markup.HTML("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(buf.Bytes()))
	return out, nil
}
