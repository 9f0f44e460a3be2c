package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/workbench"
)

// planWide plans to learn from a file of a wide table that is read as lists; nil for other files, and if more is asked
// for than such a table has.
func (a *app) planWide(cmd *cobra.Command, f *learnFlags, paths []string) (*source, *learning, error) {
	opt, err := f.data.options(cmd)
	if err != nil || len(paths) != 1 || f.by != "" || f.data.takeGiven || f.data.skip > 0 ||
		f.engine.name != "goroutines" || cmd.Flags().Changed("checkpoint") {
		return nil, nil, err
	}
	t, err := dataset.ReadWide(paths[0], opt)
	if err != nil {
		return nil, nil, &inputError{err}
	}
	if t == nil || !workbench.FewOn(t.Lists) {
		return nil, nil, nil
	}
	s := &source{set: &dataset.Frame{Table: true, Columns: t.Columns, Source: paths[0]}, lists: t.Lists}
	asked := f.Recipe
	l, err := a.plan(cmd, f, s, nil)
	if err != nil || l.Lists == nil {
		f.Recipe = asked
		return nil, nil, nil // what is wrong shows again
	}
	if t.Note != "" {
		sayNotes(cmd, dataset.Note{Text: t.Note})
	}
	return s, l, nil
}

// mostPartsSaid is how many parts of a wide table are said in words.
const mostPartsSaid = 20

// listsLearned returns what was learned of a wide table, as one JSON object and in lines.
func listsLearned(f *learnFlags, m workbench.Lists, l *learning, took time.Duration) (any, []string) {
	r := m.Record
	used := sum(m.Usage)
	lines := []string{
		fmt.Sprintf("learned %s from %s in %.2f s", words.Count(m.K(), "part"),
			workbench.RowsText(r.Rows, 1, len(m.Q), true), took.Seconds()),
		fmt.Sprintf("log-likelihood %.3f per row by all explanations, with what their parts cost; description length %.1f "+
			"(nats), without parts %.1f", r.LogLik/float64(r.Rows), r.Length, r.Background),
		fmt.Sprintf("%.2f parts used per row", used)}
	if said := m.LevelSaid(); said != "" {
		lines = append(lines, said)
	}
	for k := range min(m.K(), mostPartsSaid) {
		lines = append(lines, workbench.Full(m, k)+", "+m.Part(k).Words)
	}
	if more := m.K() - mostPartsSaid; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more: patchwork show %s", words.Count(more, "part"), f.output))
	}
	return learnReport{Experts: m.K(), LogLik: r.LogLik, Length: r.Length, Seconds: took.Seconds(), Method: "soft",
		Mode: "lists", For: "table", Profile: l.Profile, Rows: int64(r.Rows), Height: 1, Width: len(m.Q), Seed: r.Seed,
		PerPixel: r.LogLik / l.Pixels, Used: used, Usage: m.Usage, Notes: []string{}, Warnings: []workbench.Finding{},
		Output: f.output}, lines
}
