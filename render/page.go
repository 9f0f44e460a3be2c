package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's template
	"encoding/base64"
	"io"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/markup"
)

// Page is a report as one self-contained HTML file, for phones and large
// screens, light and dark.
type Page struct {
	Title    string
	Sections []Section

	// Lead is markup below the title. Style and Script are added to the page's own.
	Lead   markup.HTML
	Style  markup.HTML
	Script markup.HTML
}

// Section is a part of a Page.
type Section struct {
	Heading string
	ID      string // to link to, may be empty
	Body    markup.HTML
}

//go:embed page.html
var pageHTML string

var pageTemplate = markup.New("page", markup.Funcs{"policy": policyOf}, pageHTML)

// Write writes the page as HTML. Texts are escaped, and what cannot be seen of them, which may be marks of direction
// in names from files, is replaced. The error is the writer's.
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
