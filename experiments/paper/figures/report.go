package figures

import (
	"bytes"
	_ "embed" // the page's template
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/render"
)

//go:embed report.html
var reportHTML string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"paragraphs": func(text string) []string { return strings.Split(text, "\n\n") },
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
	Figure
	Result
	Folder, Command string
	Seconds         float64
	Figures         []drawn
	Shown           []shownTable
}

// drawn is a picture of a stored figure.
type drawn struct {
	Picture
	Source        template.URL
	Width, Height int
	Wide          bool
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

// add writes the files of a figure to its folder, and adds it to the page.
func (p *page) add(dir string, f Figure, o Options, r Result, seconds float64) error {
	s := section{Figure: f, Result: r, Folder: f.Name, Command: command(f, o), Seconds: seconds}
	if f.Name[0] >= '0' && f.Name[0] <= '9' {
		s.Folder = "figure-" + f.Name
	}
	at := filepath.Join(dir, s.Folder)
	if err := os.MkdirAll(at, 0o777); err != nil {
		return fmt.Errorf("create the folder %s: %w; choose another with -o", at, err)
	}
	for _, p := range r.Pictures {
		d, err := p.save(at)
		if err != nil {
			return err
		}
		s.Figures = append(s.Figures, d)
	}
	for _, t := range r.Tables {
		if err := atomicfile.Write(filepath.Join(at, t.Name+".csv"), t.csv); err != nil {
			return err
		}
		if t.Title != "" {
			s.Shown = append(s.Shown, t.shown(s.Folder+"/"+t.Name+".csv"))
		}
	}
	p.Sections = append(p.Sections, s)
	return nil
}

// DefaultSeed is the seed of the ledger.
const DefaultSeed = 1

// command returns the command that makes a figure, with the data that it uses.
func command(f Figure, o Options) string {
	c := "go run ./experiments/paper " + f.Name
	if o.Quick {
		c += " --quick"
	}
	if o.Seed != DefaultSeed {
		c += fmt.Sprintf(" --seed %d", o.Seed)
	}
	switch {
	case f.Name == "3" && len(o.Digits) > 0:
		c += " --mnist PATH"
	case f.Name == "7" && o.Tees != nil:
		c += " --ticc PATH"
	case f.Name == "8" && o.Letters != nil:
		c += " --letters PATH"
	}
	return c
}

// save writes the page and the ledger.
func (p *page) save(dir string) error {
	for name, write := range map[string]func(io.Writer) error{"ledger.md": p.markdown, "ledger.csv": p.ledger,
		"index.html": func(w io.Writer) error { return reportTemplate.Execute(w, p) }} {
		if err := atomicfile.Write(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// maxInlineSVG is the size in bytes up to which a picture is embedded as SVG,
// sharp at every size; a larger one is embedded as PNG.
const maxInlineSVG = 64 << 10

// wide is the width in pixels from which a picture scrolls on a phone.
const wide = 900

// save writes a picture to a folder, as PNG and as SVG, and returns it for the page.
func (p Picture) save(dir string) (drawn, error) {
	if p.Alt == "" {
		p.Alt = p.Caption
	}
	width, height := p.Drawing.Size()
	d := drawn{p, "", width, height, width >= wide}
	for _, as := range []struct {
		suffix, kind string
		most         int
		write        func(io.Writer, render.Picture) error
	}{{".png", "png", 1 << 30, render.WritePNG}, {".svg", "svg+xml", maxInlineSVG, render.WriteSVG}} {
		var b bytes.Buffer
		if err := as.write(&b, p.Drawing); err != nil {
			return d, err
		}
		if err := os.WriteFile(filepath.Join(dir, p.Name+as.suffix), b.Bytes(), 0o666); err != nil {
			return d, err
		}
		if b.Len() <= as.most {
			// Safe as a URL: the kind is a constant and base64 has no special characters.
			d.Source = template.URL("data:image/" + as.kind + ";base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
		}
	}
	return d, nil
}

// ledger writes the claims as CSV.
func (p *page) ledger(w io.Writer) error {
	rows := [][]string{{"figure", "claim", "found", "spread", "verdict", "command"}}
	for _, s := range p.Sections {
		for _, t := range s.Statements {
			rows = append(rows, []string{s.Name, t.Claim, t.Found, t.Spread, string(t.Verdict), s.Command})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// markdown writes the ledger for the repository, with times.
func (p *page) markdown(w io.Writer) error {
	table := stat.NewTable(w, "figure", "claim", "found", "spread", "verdict", "command", "s")
	bars := strings.NewReplacer("|", `\|`) // they would end a cell
	for _, s := range p.Sections {
		for _, t := range s.Statements {
			table.Row("%s | %s | %s | %s | %s | `%s` | %.0f", s.Name, bars.Replace(t.Claim), bars.Replace(t.Found),
				bars.Replace(t.Spread), t.Verdict, s.Command, s.Seconds)
		}
	}
	return nil
}

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
			if decimals := t.Columns[i].Decimals; decimals >= 0 {
				text = strconv.FormatFloat(v, 'f', decimals, 64)
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

// Held counts the statements that hold.
func (s section) Held() int {
	return stat.Count(s.Statements, func(t Statement) bool { return t.Verdict == Holds })
}

// NumericColumn reports whether a column holds a number.
func (t shownTable) NumericColumn(i int) bool {
	return slices.ContainsFunc(t.Cells, func(row []cell) bool { return row[i].Numeric })
}
