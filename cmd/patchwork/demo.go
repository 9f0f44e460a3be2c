package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/render"
)

// The demo's letters and what it learns from them: the setting of the paper's
// Figure 7, with letters that the program draws itself.
const (
	demoLetter  = "T"
	demoLearn   = 10 // letters to learn from, each by a different writer
	demoExplain = 5  // letters of further writers to explain
	demoSide    = 56
	demoExperts = 2
	demoShift   = 14
	demoSamples = 9
	demoSeed    = 15
)

// demo is one run of the demo: what it made, and where it writes it.
type demo struct {
	dir     string
	letters *synthSet
	learning
	swept   map[int][]*patchwork.Model // by start: after each iteration of EM
	test    *dataset.Set
	explain []patchwork.Explanation // of the test letters
	took    time.Duration           // to learn
}

func (a *app) demoCommand() *cobra.Command {
	var (
		dir     string
		seed    uint64
		workers int
		asJSON  jsonFlag
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Learn the letter T from ten drawings, and explain five more",
		Long: `Draw ten T's by ten invented writers, learn two parts from them, and explain
five T's by other writers with them. The learner is that of patchwork learn, and
the parts become the two strokes of the letter; --seed draws other letters.

The strokes and the explanations are shown in the terminal. The folder of -o
gets the letters, the model, the explanations, the pictures, and index.html, a
page with all of them that needs nothing else.`,
		Example: `  patchwork demo
  patchwork demo -o other-letters --seed 4`,
		Args: flagsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demo{dir: dir, swept: make(map[int][]*patchwork.Model)}
			if err := d.prepare(seed, workers); err != nil {
				return err
			}
			if err := a.files.folder(dir); err != nil {
				return fmt.Errorf("make the folder %s: %w; choose another with -o", dir, underlying(err))
			}
			if err := a.demoLearn(cmd.Context(), d); err != nil {
				return err
			}
			if err := a.files.together(func() error { return a.saveDemo(d, d.sheets()) }); err != nil {
				return err
			}
			if asJSON {
				return a.printObject(d.summary(), dir)
			}
			return a.demoReport(d)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&dir, "output", "o", "demo", "folder to write to")
	fs.Uint64Var(&seed, "seed", demoSeed, "seed of the letters and of learning")
	asJSON.add(cmd)
	workersFlag(cmd, &workers)
	return cmd
}

// prepare draws the letters and sets up learning.
func (d *demo) prepare(seed uint64, workers int) error {
	set, err := synth.Letters(synth.LettersOptions{Letters: demoLetter, N: demoLearn + demoExplain, Side: demoSide,
		Seed: seed})
	if err != nil {
		return err
	}
	d.letters = &synthSet{set.Images, set.Arrays()}
	d.data.Images = set.Images[:demoLearn]
	// The learner that learn is by default.
	r := recipe.Recipe{Count: recipe.Count{Experts: demoExperts}, Poses: recipe.Poses{Shift: demoShift, Rotate: "24:6"},
		Seed: seed, Workers: workers}
	d.see = d.keep
	if d.Plan, err = r.Plan(demoSide, demoSide); err != nil {
		return err
	}
	d.test = &dataset.Set{Data: patchwork.Data{Images: set.Images[demoLearn:]}, Source: "the demo's letters"}
	for i := range demoExplain {
		d.test.Rows = append(d.test.Rows, demoLearn+i)
	}
	d.test.Meta = []dataset.Column{{Name: "y", Values: slices.Repeat([]string{demoLetter}, demoExplain)}}
	return nil
}

// demoLearn learns the model and explains the test letters.
func (a *app) demoLearn(ctx context.Context, d *demo) error {
	began := time.Now()
	if err := a.run(ctx, &d.learning, d.data); err != nil {
		return err
	}
	d.took = time.Since(began)
	d.explain = make([]patchwork.Explanation, d.test.Len())
	_, err := patchwork.EStep(ctx, d.model, d.test.Data, patchwork.PursuitOptions{}, d.Learn.Workers,
		func(i int, e *patchwork.Explanation) { d.explain[i] = *e })
	return err
}

// demoSheets holds the pictures of the demo.
type demoSheets struct{ strokes, coloured, learning, explanations, samples render.Sheet }

func (d *demo) sheets() *demoSheets {
	return &demoSheets{
		strokes:      render.Experts(d.model),
		coloured:     colouredSheet(d.model),
		learning:     d.progress(),
		explanations: render.Explanations(d.model, d.cases()),
		samples:      samplesSheet(sampleTiles(d.model, demoSamples, d.Learn.Seed)),
	}
}

// keep keeps the parts after an iteration of EM.
func (d *demo) keep(s learn.Step) {
	if s.Stage == learn.StageEM {
		d.swept[s.Start] = append(d.swept[s.Start], s.Model)
	}
}

// progress shows the chosen start, which began with the pieces of one letter: the letters,
// below them the pieces and the parts after each iteration, and samples of the model.
func (d *demo) progress() render.Sheet {
	swept := d.swept[d.model.Extras().Record.Chosen]
	sheet := render.Progress(d.data.Images, swept, sampleTiles(d.model, demoSamples, d.Learn.Seed))
	for i := range swept {
		sheet.ColumnLabels[i] = fmt.Sprint(i)
	}
	sheet.ColumnLabels[0] = "pieces"
	return sheet
}

// colouredSheet draws the parts of a model at their mean places, in colours.
func colouredSheet(m *patchwork.Model) render.Sheet {
	sheet := render.Sheet{Tiles: []render.Tile{{Image: colouredTile(m)}}}
	for k := range m.K() {
		sheet.Legend = append(sheet.Legend, render.Swatch{Colour: render.Hue(k), Text: words.Name(m, k)})
	}
	return sheet
}

func colouredTile(m *patchwork.Model) image.Image {
	h, w := imageSize(m)
	return render.Coloured(m, h, w, m.SamplePicks(nil))
}

func (d *demo) cases() []render.Case {
	var cases []render.Case
	for i, e := range d.explain {
		cases = append(cases, render.Case{Name: fmt.Sprintf("letter %d", row(d.test, i)+1), Image: d.test.Images[i],
			Explanation: e})
	}
	return cases
}

// saveDemo writes the files of the demo.
func (a *app) saveDemo(d *demo, s *demoSheets) error {
	if err := a.output(d.path("letters.npz"), func(w io.Writer) error {
		return npy.WriteZip(w, npy.Deflate, d.letters.members()...)
	}); err != nil {
		return err
	}
	if err := a.saveModel(d.path("model.npz"), d.model); err != nil {
		return err
	}
	if err := a.output(d.path("explanations.jsonl"), func(w io.Writer) error {
		form := newLines(d.model, d.test)
		for i := range d.explain {
			if _, err := w.Write(form.line(nil, d.test, i, &d.explain[i], nil)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for _, p := range []struct {
		name  string
		sheet render.Sheet
	}{
		{"strokes.png", s.strokes}, {"coloured.png", s.coloured}, {"learning.png", s.learning},
		{"explanations.png", s.explanations}, {"samples.png", s.samples},
	} {
		if err := a.savePicture(d.path(p.name), p.sheet); err != nil {
			return err
		}
	}
	return a.output(d.path("index.html"), d.page(s).Write)
}

func (d *demo) path(name string) string { return filepath.Join(d.dir, name) }

// page returns the report of the demo in HTML.
func (d *demo) page(s *demoSheets) render.Page {
	figure := func(p render.Picture, caption, alt string) []render.Figure {
		return []render.Figure{{Caption: caption, Alt: alt, Picture: p}}
	}
	return render.Page{
		Title: "Patchwork: the letter T from ten drawings",
		Intro: fmt.Sprintf("Ten invented writers drew a T each. Two parts, which may be shifted by up to %d pixels and "+
			"turned by up to 24 degrees, were learned from them in %.1f seconds, without being told that a T has two "+
			"strokes.\n\nThis page was made by: patchwork demo --seed %d",
			demoShift, d.took.Seconds(), d.Learn.Seed),
		Sections: []render.Section{
			{Heading: "The two parts",
				Text: "Each part votes on some pixels, black for ink, and does not vote elsewhere. The strongest vote decides.",
				Figures: append(figure(s.strokes, "The parts, and in how many of the letters they are used.", "The two parts"),
					figure(s.coloured, "The parts at their mean places, each in its colour.",
						"Two coloured strokes that form a T")...)},
			{Heading: "How they were learned", Text: d.how(),
				Figures: figure(s.learning,
					"The letters (top row). Below them the two pieces of one letter, the parts after each time through all letters, "+
						"and nine samples.", "A table of letters and parts")},
			{Heading: "Explaining new letters",
				Text: "Letters by writers that were not seen in learning. The pursuit adds one part at a time, rotated and " +
					"shifted, as long as the likelihood rises, and then replaces or drops those that the others do better without.",
				Figures: figure(s.explanations, "Each letter, which part explains which ink, and what the parts compose.",
					"Letters with their strokes in colours")},
			{Heading: "Drawing new letters",
				Text:    "The places of the strokes in the training letters follow a joint Gaussian; samples from it are new letters.",
				Figures: figure(s.samples, "Nine samples.", "Nine sampled letters")},
		},
	}
}

// how says how the parts were learned.
func (d *demo) how() string {
	r := d.model.Extras().Record
	return fmt.Sprintf("Learning began %d times, each time with a single letter cut into two pieces. "+
		"From each beginning it went through all letters a few times: explain each letter by the parts, then make the "+
		"parts anew from what they explained. "+
		"The start with the shortest description of the letters was chosen: number %d.", len(r.Starts), r.Chosen+1)
}

// demoReport prints what was done and, on a terminal, shows it.
func (a *app) demoReport(d *demo) error {
	a.written = append(a.written, d.dir)
	if a.quiet {
		return nil
	}
	if a.outTerminal {
		for _, s := range []render.Sheet{render.Experts(d.model), render.Explanations(d.model, d.cases())} {
			if err := a.show(s); err != nil {
				return err
			}
			fmt.Fprintln(a.out)
		}
	}
	return a.output("-", func(w io.Writer) error {
		_, err := io.WriteString(w, d.text())
		return err
	})
}

// summary returns the report of the demo, for programs.
func (d *demo) summary() demoSummary {
	out := demoSummary{Output: d.dir, Page: d.path("index.html"), Model: d.path("model.npz"),
		Letters: d.path("letters.npz"), Experts: d.model.K(),
		Images: demoLearn, Seconds: d.took.Seconds(), LogLik: jsonFloat(d.model.Extras().Record.LogLik)}
	for i, e := range d.explain {
		l := demoLetters{Index: row(d.test, i), LogLikModel: jsonFloat(e.LogLikModel), Experts: []int{}}
		for _, p := range e.Picks {
			l.Experts = append(l.Experts, p.Expert)
		}
		out.Explanations = append(out.Explanations, l)
	}
	return out
}

// text returns the report of the demo, for terminals and pipes.
func (d *demo) text() string {
	var b strings.Builder
	r := d.model.Extras().Record
	fmt.Fprintf(&b, "learned %d strokes of the letter %s from %d drawings in %.2f s (start %d of %d)\n",
		d.model.K(), demoLetter, demoLearn, d.took.Seconds(), r.Chosen+1, len(r.Starts))
	for i, e := range d.explain {
		fmt.Fprintf(&b, "letter %d:", row(d.test, i)+1)
		for _, p := range e.Picks {
			fmt.Fprintf(&b, " part %d at (%+d,%+d) turned %+v,", p.Expert+1, p.Pose.DY, p.Pose.DX, p.Pose.Angle)
		}
		fmt.Fprintf(&b, " log-likelihood %.3f per pixel\n", e.LogLikModel/float64(d.test.Images[i].Len()))
	}
	fmt.Fprintf(&b, "wrote %s, a page with pictures, and %s\n", d.path("index.html"), d.path("model.npz"))
	fmt.Fprintf(&b, "next:  patchwork sample -m %s -n 9\n", d.path("model.npz"))
	fmt.Fprintf(&b, "       patchwork explain -m %s %s\n", d.path("model.npz"), d.path("letters.npz"))
	return b.String()
}
