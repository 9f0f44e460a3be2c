// Command run measures one experiment and prints its table. Without a name it lists the
// experiments:
//
//	go run ./experiments/run
//
// The data are read from the folder in PATCHWORK_SHARED (default ../shared).
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/experiments/fewshot"
	"example.com/patchwork/experiments/letters"
	"example.com/patchwork/experiments/pairs"
	"example.com/patchwork/experiments/quadrants"
	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/experiments/scenes"
	"example.com/patchwork/experiments/sheets"
	"example.com/patchwork/experiments/tables"
	"example.com/patchwork/learn"
)

// job is an experiment under way: where it writes, and what follows its name.
type job struct {
	ctx context.Context
	w   io.Writer
	arguments
}

// experiment is a line of the list.
type experiment struct {
	name, args, help string
	run              func(j job) error
}

// experiments lists all. Those whose times are for one core run on one worker.
var experiments = []experiment{
	{"quadrants", "", "the recovery of the eight experts of section 5.1, N = 20 to 1000", runQuadrants},
	{"rivals", "[sets] [n=100,1000]", "the comparison models of section 5.1 on the same sets", runRivals},
	{"auto", "", "the search for the number of these experts, N = 100 to 1000",
		func(j job) error { return quadrants.ReportAuto(j.ctx, j.w, quadrants.AutoRows(1, 1)) }},
	{"scenes", "", "five digits in noise, by every likelihood and pursuit", onScenes(func(j job, o scenes.Options) error {
		o.Seed = 1
		return scenes.Report(j.ctx, j.w, o)
	})},
	{"odds", "[seeds]", "scenes whose noise is not told", onScenes(func(j job, o scenes.Options) error {
		return scenes.ReportSoft(j.ctx, j.w, j.number(3), o)
	})},
	{"letters", "", "parts of handwritten letters, held-out likelihood",
		onLetters(func(j job, l letterSet, o letters.Options) error { return letters.Report(j.ctx, j.w, l, o) })},
	{"strokes", "[method] [seeds]", "are parts of letters clean strokes?", runStrokes},
	{"bars", "", "the letter T as two bars", runBars},
	{"counts", "[sets] [letter...]", "how many strokes do capitals have?",
		onLetters(func(j job, l letterSet, o letters.Options) error {
			return letters.ReportCounts(j.ctx, j.w, l, j.number(3), strings.Join(j.words, ""), o)
		})},
	{"alphabet", "[seed...]", "one alphabet for all letters", onLetters(runAlphabet)},
	{"fewshot", "[rows] [seeds] [n=1,5] [set...] [picture=FILE]",
		"which class? learned from few examples, beside rivals; rows: of tables", runFewshot},
	{"sheets", "[seeds] [large|odds|opencv] [picture=FILE]",
		"symbols on large drawings, beside OpenCV, and whether odds are what they say", runSheets},
	{"deconvolution", "[draws]", "four features in images that hold several of them, anywhere", runDeconvolution},
	{"walks", "[draws]", "random walks that are never alone",
		func(j job) error { return pairs.ReportWalks(j.ctx, j.w, j.number(5)) }},
	{"alone", "[draws]", "ten digits that are never shown alone", onScenes(func(j job, o scenes.Options) error {
		return pairs.ReportAlone(j.ctx, j.w, j.number(3), o.Glyphs, o.Labels)
	})},
	{"roles", "", "roles of users and permissions, exactly; and Boolean products taken apart", runRoles},
	{"tables", "[set...] [rule...] [splits]", "hidden bits of tables by every rule, beside rivals", runTables},
	{"aims", "[set...] [rule] [draws]", "does learning with the aim to predict predict better?", func(j job) error {
		return tables.ReportAims(j.ctx, j.w, data(), j.words, j.rule(patchwork.RuleMax), j.number(5), oneWorker)
	}},
	{"sources", "[set...] [draws] [n=3000]", "sources of noisy-or networks: are all found, and no others?", runSources},
	{"rules", "[set...] [rule...] [seeds]", "what does each of the seven rules learn?", func(j job) error {
		o := oneWorker
		o.Rules = j.rules
		return tables.ReportRules(j.ctx, j.w, data("peers"), j.wordsOr(tables.RuleSetNames), j.number(3), o)
	}},
	{"planted", "[name...] [sets]", "groups of columns planted in tables: are they found, and how many?",
		func(j job) error { return tables.ReportPlanted(j.ctx, j.w, j.words, j.number(20), oneWorker) }},
	{"recover", "[name...] [sets] [from=SEED]", "tables whose parts are known: are they found, and how fast?",
		func(j job) error {
			o := oneWorker
			if from, ok := j.values["from"]; ok {
				var err error
				if o.Seed, err = strconv.ParseUint(from, 10, 64); err != nil {
					return err
				}
			}
			return tables.ReportRecovered(j.ctx, j.w, j.words, j.number(5), o)
		}},
	{"real", "[quadrants|rivals|bars|digits|parts|scenes] [...]",
		"grey pictures: recovery, likelihood beside the truth", runReal},
	{"mixed", "[planted|tables|numbers|wine|diabetes|breast_cancer|iris] [seeds] [from=SEED] [set=1,2]",
		"tables of every kind of column: planted parts, and hidden cells of real tables", runMixed},
}

// oneWorker are the options of tables whose times are for one core.
var oneWorker = tables.Options{Seed: 1, Workers: 1}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
	fmt.Printf("\n%.0f s, %d workers\n", time.Since(start).Seconds(), runtime.NumCPU())
}

// run measures what a command line says.
func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) == 0 {
		for _, e := range experiments {
			fmt.Fprintf(w, "%s %s\n      %s\n", e.name, e.args, e.help)
		}
		return nil
	}
	i := slices.IndexFunc(experiments, func(e experiment) bool { return e.name == args[0] })
	if i < 0 {
		return fmt.Errorf("there is no experiment %q; go run ./experiments/run lists them", args[0])
	}
	e := experiments[i]
	a, err := parse(args[1:])
	if err == nil && len(args) > 1 && e.args == "" {
		err = fmt.Errorf("it takes no arguments")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	return e.run(job{ctx, w, a})
}

// arguments are what follows the name of an experiment.
type arguments struct {
	words   []string
	numbers []int
	rules   []patchwork.Rule
	values  map[string]string // of KEY=VALUE
}

func parse(args []string) (arguments, error) {
	a := arguments{values: map[string]string{}}
	for _, arg := range args {
		var rule patchwork.Rule
		if n, err := strconv.Atoi(arg); err == nil {
			if n < 0 {
				return a, fmt.Errorf("%d: numbers are not negative", n)
			}
			a.numbers = append(a.numbers, n)
		} else if rule.UnmarshalText([]byte(arg)) == nil {
			a.rules = append(a.rules, rule)
		} else if key, value, ok := strings.Cut(arg, "="); ok {
			a.values[key] = value
		} else {
			a.words = append(a.words, arg)
		}
	}
	return a, nil
}

// number returns the last number, or another if there is none.
func (a arguments) number(otherwise int) int {
	if len(a.numbers) == 0 {
		return otherwise
	}
	return a.numbers[len(a.numbers)-1]
}

// rule returns the last rule, or another if there is none.
func (a arguments) rule(otherwise patchwork.Rule) patchwork.Rule {
	if len(a.rules) == 0 {
		return otherwise
	}
	return a.rules[len(a.rules)-1]
}

// wordsOr returns the words, or others if there are none.
func (a arguments) wordsOr(otherwise []string) []string {
	if a.words == nil {
		return otherwise
	}
	return a.words
}

// sizes returns the numbers of the key n, as in n=1,5; nil if it is not there.
func (a arguments) sizes() (out []int, err error) {
	text, ok := a.values["n"]
	if !ok {
		return nil, nil
	}
	for _, t := range strings.Split(text, ",") {
		n, err := strconv.Atoi(t)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("n=%s: give numbers from 1, such as n=1,5", text)
		}
		out = append(out, n)
	}
	return out, nil
}

func runQuadrants(j job) error {
	if err := quadrants.Report(j.ctx, j.w, quadrants.Rows(1, 1)); err != nil {
		return err
	}
	fmt.Fprintln(j.w)
	return quadrants.ReportVotes(j.ctx, j.w, 1)
}

func runRivals(j job) error {
	sizes, err := j.sizes()
	if err != nil {
		return err
	}
	return rivals.Report(j.ctx, j.w, rivals.Options{Seed: 1, Sets: j.number(0), Sizes: sizes, Workers: runtime.NumCPU()})
}

func runStrokes(j job) (err error) {
	method := learn.MethodAuto
	for _, word := range j.words {
		if method, err = learn.ParseMethod(word); err != nil {
			return err
		}
	}
	return onLetters(func(j job, l letterSet, o letters.Options) error {
		return letters.ReportStrokes(j.ctx, j.w, l, j.number(5), method, o)
	})(j)
}

func runAlphabet(j job, l letterSet, _ letters.Options) error {
	seeds := []uint64{1, 2, 3, 4, 5}
	if len(j.numbers) > 0 {
		seeds = nil
	}
	for _, n := range j.numbers {
		seeds = append(seeds, uint64(n))
	}
	return letters.ReportAlphabet(j.ctx, j.w, l, seeds)
}

func runFewshot(j job) error {
	sizes, err := j.sizes()
	if err != nil {
		return err
	}
	o := fewshot.Options{Data: data(), Workers: runtime.GOMAXPROCS(0), Numbers: sizes, Seeds: j.number(0),
		Picture: j.values["picture"], Tasks: j.words}
	if len(o.Tasks) > 0 && o.Tasks[0] == "rows" {
		o.Tasks = o.Tasks[1:]
		return fewshot.ReportRows(j.ctx, j.w, o)
	}
	return fewshot.Report(j.ctx, j.w, o)
}

func runSheets(j job) error {
	reports := map[string]func() error{
		"large":  func() error { return sheets.Report(j.ctx, j.w, j.number(5)) },
		"odds":   func() error { return sheets.ReportOdds(j.ctx, j.w, j.number(5), j.values["picture"]) },
		"opencv": func() error { return sheets.ReportRival(j.ctx, j.w, j.number(5)) },
	}
	for _, name := range j.wordsOr([]string{"large", "odds", "opencv"}) {
		if reports[name] == nil {
			return fmt.Errorf("sheets %s: give large, odds or opencv", name)
		}
		if err := reports[name](); err != nil {
			return err
		}
		fmt.Fprintln(j.w)
	}
	return nil
}

func runRoles(j job) error {
	if err := tables.ReportRoles(j.ctx, j.w, data("peers"), 5); err != nil {
		return err
	}
	fmt.Fprintln(j.w)
	return tables.ReportFactors(j.ctx, j.w, 50)
}

func runTables(j job) error {
	for _, name := range j.wordsOr(tables.Names) {
		o := oneWorker
		if o.Rules, o.Splits = j.rules, j.number(0); name == "debd_plants" {
			o.MaxExperts = 32
		}
		if err := tables.Report(j.ctx, j.w, data(), name, o); err != nil {
			return err
		}
	}
	return nil
}

func runSources(j job) error {
	sizes, err := j.sizes()
	if err != nil {
		return err
	}
	if sizes == nil {
		sizes = tables.SourcesSizes
	}
	return tables.ReportSources(j.ctx, j.w, data("peers"), j.wordsOr(tables.NetworkNames), sizes, j.number(10), oneWorker)
}
