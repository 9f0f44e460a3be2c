package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/pipes"
	pictures "example.com/patchwork/table/answers"
	"example.com/patchwork/workbench"
)

// picturesLearned is what learn --for answers --json reports; the names are a contract.
type picturesLearned struct {
	Output    string    `json:"output"`
	For       string    `json:"for"`
	Rows      int64     `json:"rows"`
	Columns   int       `json:"columns"`
	Pick      string    `json:"pick"`
	Undecided []string  `json:"undecided"` // kinds that describe the table as well, within 3 nats
	Pictures  []picture `json:"pictures"`
	Written   string    `json:"written"` // the kind of picture that the file holds
	Matrix    *matrix   `json:"q_matrix,omitempty"`
	// Indices are by kind those of the pick, of classes, of a level, and of the matrix.
	Indices           map[string]*pictures.Indices `json:"indices"`
	Experts           int                          `json:"experts"`
	LogLik            float64                      `json:"log_lik"`
	DescriptionLength float64                      `json:"description_length"`
	Notes             []string                     `json:"notes"`
	Seconds           float64                      `json:"seconds"`
}

// matrix is what the data say of a matrix of items and skills.
type matrix struct {
	Length      float64  `json:"description_length"` // of the table by the matrix as it is given
	Better      float64  `json:"description_length_changed"`
	Unsupported []needed `json:"unsupported"`
	Missing     []needed `json:"missing"`
}

// needed is an entry of a matrix.
type needed struct {
	Item  string  `json:"item"`
	Skill string  `json:"skill"`
	Nats  float64 `json:"nats"`
}

// readLines reads the lines of a .csv file, which is noted, lest it is replaced.
func readLines(note func(string) error, path string) ([][]string, error) {
	if err := note(path); err != nil {
		return nil, err
	}
	file, err := pipes.Open(path)
	if err != nil {
		return nil, &inputError{err}
	}
	defer func() { _ = file.Close() }() // read to its end
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", path, err)}
	}
	return lines, nil
}

// readKey reads the right answers of columns: a file of lines ITEM,ANSWER, of names above answers, or of answers in the
// order of the columns; or such a line itself. A column without an answer has no right one.
func readKey(note func(string) error, text string) (edits []dataset.Edit, err error) {
	lines := [][]string{strings.Split(text, ",")}
	if _, missing := os.Stat(text); missing == nil || len(lines[0]) < 2 {
		if lines, err = readLines(note, text); err != nil {
			return nil, err
		}
	}
	var names, answers []string
	switch n := len(lines); {
	case n > 0 && len(lines[0]) == 2 && n > 1:
		for i, line := range lines {
			if i > 0 || !slices.Contains(keyHeads, strings.ToLower(line[1])) {
				names, answers = append(names, line[0]), append(answers, line[1])
			}
		}
	case n == 2:
		names, answers = lines[0], lines[1]
	case n == 1:
		names, answers = valuesBy(len(lines[0]), func(i int) string { return fmt.Sprint(i + 1) }), lines[0]
	default:
		return nil, &inputError{fmt.Errorf("%s is no key: give lines ITEM,ANSWER, or a line of names and one of answers", text)}
	}
	for i, answer := range answers {
		if answer = strings.TrimSpace(answer); answer != "" {
			edits = append(edits, dataset.Edit{Column: strings.TrimSpace(names[i]), Want: "yes:" + answer})
		}
	}
	return edits, nil
}

// keyHeads are what the answers of a key may be called in its first line.
var keyHeads = []string{"answer", "answers", "key", "right", "correct", "solution"}

// readMatrix reads which of the columns, the items, need which skills. Items are named in the first column, in any
// order, or are in the order of the columns.
func readMatrix(note func(string) error, path string, columns []string) (needs [][]bool, skills []string, err error) {
	lines, err := readLines(note, path)
	if err != nil {
		return nil, nil, err
	}
	if len(lines) != len(columns)+1 {
		return nil, nil, &inputError{fmt.Errorf("%s has %d rows of items; the table has %d columns", path, len(lines)-1,
			len(columns))}
	}
	from := 0
	if first := lines[1][0]; first != "0" && first != "1" {
		from = 1
	}
	needs, skills = make([][]bool, len(columns)), lines[0][from:]
	for i, line := range lines[1:] {
		if from == 1 {
			if i = slices.IndexFunc(columns, func(c string) bool {
				return c == line[0] || strings.HasPrefix(c, line[0]+"=") // and the word for yes
			}); i < 0 {
				return nil, nil, &inputError{fmt.Errorf("%s: there is no column %s", path, line[0])}
			}
		}
		for _, cell := range line[from:] {
			if cell != "0" && cell != "1" {
				return nil, nil, &inputError{fmt.Errorf("%s: %q is neither 0 nor 1", path, cell)}
			}
			needs[i] = append(needs[i], cell == "1")
		}
	}
	for i, row := range needs {
		if row == nil {
			return nil, nil, &inputError{fmt.Errorf("%s does not say what %s needs", path, columns[i])}
		}
	}
	return needs, skills, nil
}

// matrixOf returns what was found of a matrix, and says it.
func matrixOf(l *learning, columns []string) (*matrix, []string) {
	c := l.Answers.Checked
	name := func(entries []pictures.Entry) []needed {
		out := []needed{}
		for _, e := range entries {
			out = append(out, needed{columns[e.Item], l.Answers.Skills[e.Skill], e.Nats})
		}
		return out
	}
	m := &matrix{c.Length, c.Beside.Length, name(c.Unsupported), name(c.Missing)}
	var lines []string
	if pick := l.Answers.Pictures[0]; pick.Length < c.Length {
		lines = append(lines, fmt.Sprintf("the skills of the matrix are in doubt: %s is %.1f nats shorter", pick.Kind,
			c.Length-pick.Length))
	}
	lines = append(lines, fmt.Sprintf("the matrix as it is given: %.1f nats; with the changes below %.1f", m.Length,
		m.Better))
	for _, e := range m.Unsupported {
		lines = append(lines, fmt.Sprintf("not supported: %s needs %s; without that %.1f nats less", e.Item, e.Skill, e.Nats))
	}
	for _, e := range m.Missing {
		lines = append(lines, fmt.Sprintf("missing: %s needs %s; with that %.1f nats less", e.Item, e.Skill, e.Nats))
	}
	return m, lines
}

// picture is one of those that were compared.
type picture struct {
	Kind        string  `json:"kind"`
	Length      float64 `json:"description_length"`
	Numbers     int     `json:"numbers"`
	HeldOut     float64 `json:"held_out"` // nats a row
	HeldOutSE   float64 `json:"held_out_se"`
	LogLik      float64 `json:"log_lik"`
	Parts       int     `json:"parts"` // or classes
	OwnSlopes   bool    `json:"own_slopes,omitempty"`
	LearnedStep bool    `json:"learned_weights,omitempty"` // of the level
}

// columnNames returns what the columns of data are called, if only by their number.
func columnNames(head *dataset.Set) []string {
	_, width := head.Size()
	return valuesBy(width, head.ColumnName)
}

// picturesSaid returns what was learned of a table of answers, as one JSON object and in lines.
func picturesSaid(f *learnFlags, l *learning, m *patchwork.Model, took time.Duration) (any, []string) {
	r, written := l.Answers.Result, l.Answers.Written
	out := picturesLearned{Output: f.output, For: f.For, Rows: m.Extras().Record.Rows, Columns: m.Width(),
		Pick: r.Pictures[0].Kind, Undecided: []string{}, Written: written.Kind, Indices: l.Answers.Indices,
		Experts: len(written.Votes), LogLik: written.LogP, DescriptionLength: written.Length, Notes: pictureNotes(l, m), Seconds: took.Seconds()}
	columns := columnNames(l.source.head())
	if l.Answers.Checked != nil {
		var said []string
		out.Matrix, said = matrixOf(l, columns)
		out.Notes = append(said, out.Notes...)
	}
	for _, p := range r.Undecided() {
		out.Undecided = append(out.Undecided, p.Kind)
	}
	var cells [][]string
	for _, p := range r.Pictures {
		out.Pictures = append(out.Pictures, picture{p.Kind, p.Length, p.Numbers, p.HeldOut, p.Error, p.LogP, len(p.Votes),
			p.OwnSlopes, p.OwnWeights})
		cells = append(cells, []string{p.Kind, fmt.Sprintf("%.1f", p.Length), fmt.Sprint(p.Numbers),
			fmt.Sprintf("%.3f", p.HeldOut), fmt.Sprintf("%.3f", p.Error)})
	}
	lines := []string{fmt.Sprintf("compared %s of %s in %.1f s", words.Count(len(r.Pictures), "picture"),
		workbench.RowsText(int(out.Rows), 1, out.Columns, true), took.Seconds())}
	lines = append(lines, workbench.Columns([]string{"picture", "description length", "numbers", "held out, a row",
		"standard error"}, cells)...)
	lines[1] += "  (nats)"
	return out, append(append(lines, out.Notes...), indexLines(l, columns)...)
}

// pictureNotes says in sentences which picture is picked, what cannot be told apart, and what the file holds.
func pictureNotes(l *learning, m *patchwork.Model) []string {
	r := l.Answers.Result
	pick := r.Pictures[0]
	lines := []string{fmt.Sprintf("the shortest description: %s", inWords(&pick))}
	if others := r.Undecided(); len(others) > 0 {
		var kinds []string
		for _, p := range others {
			kinds = append(kinds, p.Kind)
		}
		lines = append(lines, "undecided: within 3 nats of it is "+words.Or(kinds))
	}
	if classes := r.Of("classes"); classes != nil && classes.Ordered() && strings.Contains("classes level", pick.Kind) {
		lines = append(lines, "the classes are ordered, each above the one before in every column: they say what a level says, "+
			"in steps")
	}
	if l.Answers.Checked != nil {
		lines = append(lines, "the file holds the skills of the matrix as it is given")
	}
	for i, group := range l.source.head().Exclusive() {
		if i == 0 && len(group) > 1 {
			lines = append(lines, "answers of more than two kinds were compared as one yes or no for each: no picture knows that "+
				"just one of them is given")
		}
	}
	return lines
}

// indexLines says what the field reports of the pick.
func indexLines(l *learning, columns []string) []string {
	x := l.Answers.Indices[l.Answers.Pictures[0].Kind]
	line := fmt.Sprintf("log-likelihood %.3f with %d free numbers; AIC %.3f, BIC %.3f, aBIC %.3f", x.LogLik, x.Numbers, x.AIC,
		x.BIC, x.ABIC)
	if x.G2 > 0 {
		line += fmt.Sprintf(", G2 %.3f, X2 %.3f", x.G2, x.X2)
	}
	lines := []string{line}
	if x.Sizes != nil {
		lines = append(lines, fmt.Sprintf("sizes of the classes %.3f; entropy R2 %.3f", x.Sizes, x.Entropy))
	}
	if x.Slope != nil {
		lines = append(lines, fmt.Sprintf("reliability of the level %.3f", x.Reliability))
	}
	for _, r := range x.Residuals[:min(2, len(x.Residuals))] {
		lines = append(lines, fmt.Sprintf("%s and %s go together beyond it most: bivariate residual %.1f", columns[r.Columns[0]],
			columns[r.Columns[1]], r.Value))
	}
	return lines
}

// inWords says what a picture is.
func inWords(p *pictures.Compared) string {
	base, layers, _ := strings.Cut(p.Kind, "+")
	said := map[string]string{"independent": "columns that have nothing to do with each other",
		"level":   "a level for each row: the higher, the more is answered with yes",
		"classes": fmt.Sprintf("%d classes", len(p.Votes)), "parts": words.Count(len(p.Votes), "part"),
		"skills": words.Count(len(p.Votes), "skill") + ", without which some is answered with no"}[base]
	if base == "level" && p.OwnSlopes {
		said += ", more so in some columns than in others"
	}
	for layer := range strings.SplitSeq(layers, "+") {
		said += map[string]string{"level": ", over a level for each row", "usage": ", the likelier together",
			"profiles": fmt.Sprintf(", in %d profiles", len(p.Sets))}[layer]
	}
	return p.Kind + ": " + said
}
