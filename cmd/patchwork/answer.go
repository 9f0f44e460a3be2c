package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/render/report"
	"example.com/patchwork/workbench"
)

// answerName is the name of the hidden command that a command line without a command means.
const answerName = "answer"

// withCommand returns arguments with a command: where the first that is no flag names a file and no command, the
// answer to that file is meant.
func withCommand(root *cobra.Command, args []string) []string {
	at := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if at < 0 {
		return args
	}
	root.InitDefaultHelpCmd()
	if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == args[at] }) {
		return args
	}
	if _, err := os.Stat(args[at]); err != nil {
		return args
	}
	return append([]string{answerName}, args...)
}

const answerLong = `Say in a few lines what files hold: what each column is, which parts make up the rows or
images, how common they are and whether they come back when they are learned again, and
which rows are strange. It learns for at most 30 seconds, and writes beside the first file
NAME.parts.npz, the model, and NAME.parts.html, a page to read and send.

A model is shown; a model and data: the data are explained by that model.`

const answerExample = `  patchwork survey.csv
  patchwork survey.csv --column age=number
  patchwork survey.parts.npz`

// answerFlags are the flags of a command line without a command.
type answerFlags struct {
	learnFlags
	model, page string
	learned     bool // the model was
}

func (a *app) answerCommand() *cobra.Command {
	f := new(answerFlags)
	cmd := &cobra.Command{
		Use:     answerName + " [FILE...]",
		Short:   "Say what files hold",
		Long:    answerLong,
		Example: answerExample,
		Hidden:  true,
		Args:    oneOrMoreData,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.answer(cmd, f, args) },
	}
	countFlag(cmd, &f.Count)
	cmd.Flags().StringVarP(&f.output, "output", "o", "",
		"model file to write (default NAME.parts.npz beside the first file)")
	f.data.add(cmd)
	f.data.addMemory(cmd)
	everyday(cmd, "output experts column missing where rows")
	return cmd
}

// answer says what files hold: of data by a model learned from them, unless one is named with them.
func (a *app) answer(cmd *cobra.Command, f *answerFlags, paths []string) error {
	f.json, f.Workers = true, runtime.GOMAXPROCS(0)
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		if f.model != "" || !isModel(path) {
			return false
		}
		f.model = path
		return true
	})
	if len(paths) == 0 {
		return a.showModel(cmd, &showFlags{model: f.model})
	}
	if f.model == "" && len(paths) == 1 && slices.Contains([]string{kindPicture, kindPDF}, kindOfFile(paths[0])) {
		return a.answerPicture(paths[0])
	}
	if err := a.nameAnswer(f, paths[0]); err != nil {
		return err
	}
	j, err := a.answerModel(cmd, f, paths)
	if err != nil {
		return err
	}
	if err := a.sayParts(cmd, f, j); err != nil {
		return err
	}
	switch {
	case silentParts(j.model):
		return a.say(a.out, "next: patchwork show %s, which says what each column is", recipe.CommandLine(paths))
	case j.set == nil:
		a.note("%s needs more than --memory %v: there is no page, which holds all rows; take some with --rows A:B",
			j.head().Source, &f.data.memory)
	default:
		if err := a.answerPage(cmd.Context(), f, j); err != nil {
			return err
		}
	}
	return a.say(a.out, "next: patchwork explain -m %s -o rows.csv",
		recipe.CommandLine(append([]string{f.model}, paths...)))
}

// nameAnswer names the files of an answer: beside the data, or where nothing can be written there, in the working
// folder. It replaces earlier answers, and nothing else.
func (a *app) nameAnswer(f *answerFlags, path string) error {
	path = filepath.Clean(path)
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".parts"
	beside := filepath.Join(filepath.Dir(path), stem)
	if checkOutputs(beside+".html", beside+".npz") != nil {
		beside = stem
	}
	model := cmp.Or(f.output, beside+".npz")
	f.page = strings.TrimSuffix(model, filepath.Ext(model)) + ".html"
	outputs := []string{f.page}
	if f.model == "" {
		outputs = append(outputs, model)
	}
	for _, out := range outputs {
		if out == f.output {
			continue // it is planned as every output is
		}
		if _, err := os.Stat(out); err == nil && !slices.Contains([]string{kindPage, kindModel}, kindOfFile(out)) {
			return usagef("%s is there, and no answer of patchwork; name another model file by -o", out)
		}
		if err := a.files.plan(named{out, out}); err != nil {
			return err
		}
	}
	f.output = model
	return checkOutputs(outputs...)
}

// answerPicture says what to do with one picture, in which symbols may be.
func (a *app) answerPicture(path string) error {
	return a.print([]string{
		path + " is one page or picture. To count symbols on it, name one by its place on the page or by a picture of it:",
		"  patchwork find " + recipe.CommandLine([]string{path}) +
			" --symbol X,Y,WIDTH,HEIGHT --picture finds.png -o finds.csv",
		"Parts are learned from several pictures of one size: name them all, or their folder",
	})
}

// answerTime is how long an answer learns; the command learn goes on until the end.
const answerTime = 30 * time.Second

// answerModel reads the data for the model that is named, or learns one from them, and writes that.
func (a *app) answerModel(cmd *cobra.Command, f *answerFlags, paths []string) (*job, error) {
	f.data.silent = true // the notes are part of the answer
	if f.model != "" {
		return (&inputFlags{data: f.data, model: f.model, workers: f.Workers}).open(cmd, paths, false)
	}
	f.model, f.learned = f.output, true
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	s, err := a.answerData(cmd, f, paths)
	if err != nil {
		return nil, err
	}
	l, err := a.plan(cmd, &f.learnFlags, s, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), answerTime, learn.Enough)
	defer cancel()
	last, err := a.watch(ctx, &f.learnFlags, l)
	switch {
	case err != nil:
		return nil, request(err)
	case last.Model == nil:
		return nil, fmt.Errorf("nothing was learned in %v; patchwork learn takes its time", answerTime)
	}
	if f.output != "" && !silentParts(last.Model) {
		last.Model = keepNames(cmd, f.output, last.Model)
		if err := a.saveModel(f.output, last.Model); err != nil {
			return nil, err
		}
	}
	if interrupted(cmd.Context()) {
		return nil, f.keptSoFar("the best so far, with "+words.Count(last.Model.K(), "part"), nil)
	}
	if last.Interrupted {
		a.note("stopped after %v with the best so far; patchwork learn goes on to the end", answerTime)
	}
	return &job{*s, last.Model, f.Workers}, nil
}

// answerSide is the larger side of pictures in pixels that are too large to be learned from in answerTime.
const answerSide = 56

// answerData reads data. Pictures that are large, or of several sizes, are brought to one that is not.
func (a *app) answerData(cmd *cobra.Command, f *answerFlags, paths []string) (*source, error) {
	s, _, err := f.openFor(cmd, nil, paths)
	if err != nil {
		return nil, err
	}
	h, w := s.head().Size()
	pictures := slices.Contains([]string{"", kindPicture, kindPictures}, kindOfFile(paths[0])) // "" is a folder
	most := max(h, w)
	if !pictures || s.head().Table || f.data.height != 0 || h*w <= 2*answerSide*answerSide {
		return s, nil
	}
	if err := f.data.scale(fmt.Sprintf("pictures of %d x %d", h, w),
		fmt.Sprintf("%dx%d", max(h*answerSide/most, 1), max(w*answerSide/most, 1))); err != nil {
		return nil, err
	}
	s, _, err = f.openFor(cmd, nil, paths)
	return s, err
}

// These constants bound what an answer says: it fits on a screen.
const (
	answerNotes   = 2
	answerParts   = 6
	answerStrange = 3
	answerWide    = 120
)

// sayParts says what the data are, and which parts they have.
func (a *app) sayParts(cmd *cobra.Command, f *answerFlags, j *job) error {
	opt, err := f.data.options(cmd)
	if err != nil {
		return err
	}
	plan := j.head().Plan(&opt)
	lines := []string{plan.Line()}
	if f.data.scaled != "" {
		lines = append(lines, "  "+f.data.scaled)
	}
	for _, n := range plan.Notes[:min(len(plan.Notes), answerNotes)] {
		lines = append(lines, "  "+words.Clip(n.Text, answerWide))
		join := "; otherwise "
		if strings.HasSuffix(n.Text, "?") {
			join = " Then "
		}
		if len(n.Fix) > 0 {
			lines[len(lines)-1] += join + strings.Join(n.Fix, " or ") + compareBy(n, plan.Source)
		}
	}
	if more := len(plan.Notes) - answerNotes; more > 0 {
		lines = append(lines, fmt.Sprintf("  %s more: patchwork show %s", words.Count(more, "note"), j.head().Source))
	}
	k := j.model.K()
	if silentParts(j.model) {
		why := "the columns go together no more than chance would have it"
		if plan.Rows == 1 {
			why = "one row has no patterns"
		}
		lines = append(lines, "no parts: "+why)
		return a.sayAll(a.out, lines)
	}
	lines = append(lines, words.Count(k, "part")+":")
	for p := range min(k, answerParts) {
		lines = append(lines, "  "+workbench.Full(j.model, p)+", "+j.model.Part(p).Words)
	}
	if k > answerParts {
		lines = append(lines, fmt.Sprintf("  and %d more: patchwork show %s", k-answerParts, f.model))
	}
	return a.sayAll(a.out, lines)
}

// compareBy adds to a note about a column of two words, such as a class, how groups are compared by it.
func compareBy(n dataset.Note, source string) string {
	column, ok := strings.CutPrefix(n.Fix[0], "--column ")
	if !ok || !strings.HasPrefix(n.Text, "yes is ") || !strings.Contains(column, "=label") {
		return ""
	}
	which := "it"
	if len(n.Fix) > 1 {
		which = "one of them"
	}
	return fmt.Sprintf(", or compare by %s: patchwork compare %s --by %s", which, recipe.CommandLine([]string{source}),
		strings.Replace(column, "=label", "", 1))
}

// silentParts reports whether no part of a model of a table says anything.
func silentParts(m workbench.Model) bool {
	for k := range m.K() {
		if !m.Table() || len(m.Part(k).Votes) > 0 {
			return false
		}
	}
	return true
}

// answerPage says which rows are strange and whether the parts come back, and writes the page.
func (a *app) answerPage(ctx context.Context, f *answerFlags, j *job) error {
	lines, err := a.strange(ctx, j)
	if err != nil {
		return err
	}
	if err := a.sayAll(a.out, lines); err != nil {
		return err
	}
	bar := a.progress("step", 0)
	r, err := report.Build(ctx, j.model, j.set, report.Options{Brief: true, Workers: f.Workers,
		Progress: reportProgress(bar)})
	bar.stop()
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		return request(err)
	}
	if err := a.sayAll(a.out, r.Verdict()); err != nil {
		return err
	}
	err = a.output(f.page, func(w io.Writer) error { return r.WriteHTML(w, "Patchwork report: "+r.Title()) })
	if err != nil {
		return err
	}
	wrote := f.page
	if f.learned {
		wrote += " and " + f.model
	}
	a.written = append(a.written, f.output)
	return a.say(a.out, "wrote %s", wrote)
}

// strange says which rows the parts explain least, and which of their cells are to blame.
func (a *app) strange(ctx context.Context, j *job) ([]string, error) {
	rows := make([]workbench.Oddity, 0, j.set.Len())
	without := 0
	called := j.set.Called()
	_, err := j.model.Score(ctx, j.frames(ctx), workbench.Scoring{Explaining: workbench.Explaining{Workers: j.workers},
		Each: func(s *workbench.RowScores) error {
			for i, l := range s.LogLik {
				rows = append(rows, workbench.Oddity{Name: called(s.From + i), Surprise: -l})
				if s.Picks[i] == 0 {
					without++
				}
			}
			return nil
		}})
	if err != nil {
		return nil, request(err)
	}
	if j.set.Table {
		if rows, err = workbench.Oddities(ctx, j.model, j.frames(ctx), j.workers); err != nil {
			return nil, request(err)
		}
	}
	var out []string
	if without > 0 {
		share := words.Percent(float64(without) / float64(len(rows)))
		out = append(out, fmt.Sprintf("  %s of the %ss have none of them", share, words.NounsOf(j.set.Table).Image))
	}
	return append(append(out, "least like the others:"), workbench.SayOdd(rows, answerStrange)...), nil
}
