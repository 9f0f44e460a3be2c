package figures

import (
	"bytes"
	_ "embed" // the page's template
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"image"
	_ "image/png" // to read the size of a picture
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/internal/atomicfile"
)

//go:embed report.html
var reportHTML string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"paragraphs": paragraphs,
	"class":      func(v Verdict) string { return strings.ReplaceAll(string(v), " ", "-") },
	"seconds":    func(s float64) string { return strconv.FormatFloat(s, 'f', 1, 64) },
}).Parse(reportHTML))

// page is the report under construction.
type page struct {
	Quick    bool
	Sections []section
}

// section is one figure on the page.
type section struct {
	Name, Folder, Title, Claim, Command string

	Result
	Verdict Verdict
	Seconds float64
	Figures []drawn
	Shown   []shownTable
}

// drawn is a picture of a stored figure.
type drawn struct {
	Picture
	Source        template.URL
	Width, Height int
	Wide          bool
	File          string // without extension
}

// shownTable is a table with rounded numbers.
type shownTable struct {
	Table
	File  string
	Cells [][]cell
}

type cell struct {
	Text    string
	Numeric bool
}

// add writes the files of a figure, and adds it to the page.
func (p *page) add(dir string, f Figure, o Options, r Result, seconds float64) error {
	if err := save(dir, f, r); err != nil {
		return err
	}
	s := section{Name: f.Name(), Folder: folder(f), Title: f.Title(), Claim: f.Claim(), Command: command(f, o), Result: r,
		Verdict: r.Verdict(), Seconds: seconds}
	for _, t := range r.Tables {
		if t.Title != "" {
			s.Shown = append(s.Shown, t.shown(s.Folder+"/"+t.Name+".csv"))
		}
	}
	p.Sections = append(p.Sections, s)
	return nil
}

// command returns the command that makes a figure.
func command(f Figure, o Options) string {
	o = o.of(f)
	c := "go run ./experiments/paper " + f.Name()
	if o.Quick {
		c += " --quick"
	}
	if o.Seed != DefaultSeed {
		c += fmt.Sprintf(" --seed %d", o.Seed)
	}
	if len(o.Digits) > 0 {
		c += " --mnist PATH"
	}
	if o.Tees != nil {
		c += " --ticc PATH"
	}
	if o.Letters != nil {
		c += " --letters PATH"
	}
	return c
}

// DefaultSeed is the seed of the ledger.
const DefaultSeed = 1

// save writes the page, the ledger and the times.
func (p *page) save(dir string) error {
	for i := range p.Sections {
		if err := p.Sections[i].embed(dir); err != nil {
			return err
		}
	}
	var buf bytes.Buffer
	if err := reportTemplate.Execute(&buf, p); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "ledger.md"), []byte(p.markdown()), 0o666); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, "ledger.csv"), p.ledger); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "index.html"), buf.Bytes(), 0o666)
}

// maxInlineSVG is the size in bytes up to which a picture is embedded as SVG,
// sharp at every size; a larger one is embedded as PNG.
const maxInlineSVG = 64 << 10

// wide is the width in pixels from which a picture scrolls on a phone.
const wide = 900

// embed reads the pictures of a figure from its folder.
func (s *section) embed(dir string) error {
	for _, p := range s.Pictures {
		file := filepath.Join(dir, s.Folder, p.Name)
		data, err := os.ReadFile(file + ".png")
		if err != nil {
			return err
		}
		size, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s.png: %w", file, err)
		}
		kind := "png"
		if svg, err := os.ReadFile(file + ".svg"); err != nil {
			return err
		} else if len(svg) <= maxInlineSVG {
			kind, data = "svg+xml", svg
		}
		if p.Alt == "" {
			p.Alt = p.Caption
		}
		s.Figures = append(s.Figures, drawn{p,
			// Safe as a URL: the kind is a constant and base64 has no special
			// characters.
			template.URL("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)),
			size.Width, size.Height, size.Width >= wide, s.Folder + "/" + p.Name})
	}
	return nil
}

// ledger writes the claims as CSV.
func (p *page) ledger(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"figure", "claim", "found", "spread", "verdict", "command"}}
	for _, s := range p.Sections {
		for _, t := range s.Statements {
			rows = append(rows, []string{s.Name, t.Claim, t.Found, t.Spread, string(t.Verdict), s.Command})
		}
	}
	return c.WriteAll(rows)
}

// markdown returns the ledger for the repository, with times.
func (p *page) markdown() string {
	var b strings.Builder
	b.WriteString("| figure | claim | found | spread | verdict | command | s |\n|---|---|---|---|---|---|---|\n")
	for _, s := range p.Sections {
		for _, t := range s.Statements {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | `%s` | %.0f |\n", s.Name, bars(t.Claim), bars(t.Found), bars(t.Spread),
				t.Verdict, s.Command, s.Seconds)
		}
	}
	return b.String()
}

// bars escapes the characters that would end a cell of a Markdown table.
func bars(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// shown rounds the numbers of a table.
func (t Table) shown(file string) shownTable {
	out := shownTable{Table: t, File: file}
	for _, row := range t.Rows {
		cells := make([]cell, len(row))
		for i, text := range row {
			cells[i].Text = text
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				continue
			}
			cells[i].Numeric = true
			if i < len(t.Decimals) && t.Decimals[i] >= 0 {
				text = strconv.FormatFloat(v, 'f', t.Decimals[i], 64)
				if strings.Trim(text, "-0.") == "" {
					text = strings.TrimPrefix(text, "-")
				}
			}
			cells[i].Text = minus(text)
		}
		out.Cells = append(out.Cells, cells)
	}
	return out
}

// paragraphs splits plain text at blank lines.
func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// Held counts the statements that hold.
func (s section) Held() int {
	n := 0
	for _, t := range s.Statements {
		if t.Verdict == Holds {
			n++
		}
	}
	return n
}

// NumericColumn reports whether a column holds a number.
func (t shownTable) NumericColumn(i int) bool {
	return slices.ContainsFunc(t.Cells, func(row []cell) bool { return i < len(row) && row[i].Numeric })
}
