// Command run repeats the experiments of the ledger (experiments/README.md).
//
//	go run ./experiments/run scenes           the scene table of section 3
//	go run ./experiments/run pursuit          the refined pursuit against the paper's, on letters, digits and scenes
//	go run ./experiments/run letters          held-out likelihood of nine letters
//	go run ./experiments/run odds [seeds]     scenes whose noise is not told, and soft templates
//	go run ./experiments/run ceiling [seeds]  why soft scenes are not found, and what any search could reach
//	go run ./experiments/run strokes [method] [seeds] how clean are the parts of straight letters and bows, over five seeds? (strokes, both)
//	go run ./experiments/run bars             the letter T as two bars
//	go run ./experiments/run fewshot [rows] [seeds] [n=1,5] [set...] [picture=FILE] which class? learned from 1, 5, 10 and 20 examples, beside rivals; rows: of tables
//	go run ./experiments/run quadrants        the recovery of the eight experts of section 5.1, N = 20 to 1000
//	go run ./experiments/run rivals           the comparison models of section 5.1 on the same sets
//	go run ./experiments/run auto             the search for the number of these experts, N = 100 to 1000
//	go run ./experiments/run tables [set...] [rule...] [splits]  hidden bits of tables by every rule, beside rivals, and the bars test (votes, spect, brca, debd_nltcs, debd_plants, bars5, bars16)
//	go run ./experiments/run aims [set...] [rule] [draws]  does learning with the aim to predict predict better? on eight tables
//	go run ./experiments/run counts [seeds]   how many strokes do straight letters have? found out by the learner
//	go run ./experiments/run alphabet [seed...] one alphabet for all letters, over five seeds
//	go run ./experiments/run begun [seeds]    three letters of 3 and 10 examples, begun from an alphabet of other letters
//	go run ./experiments/run moves            how far should parts of drawings be shifted and turned? over five seeds
//	go run ./experiments/run roles            roles of users and permissions, exactly; and Boolean products taken apart
//	go run ./experiments/run sources [set...] [draws] sources of noisy-or networks, by number of rows: are all found, and no others?
//	go run ./experiments/run rules [set...] [seeds] what does each of the seven rules learn? priced, and from random votes without a price
//	go run ./experiments/run planted [name...] [sets] groups of columns planted in tables: are they found, and how many? (names of package tables)
//	go run ./experiments/run deconvolution [draws] four features in images that hold several of them, anywhere (package pairs)
//	go run ./experiments/run walks [draws]    random walks that are never alone: flips, quarter turns, and noise without parts
//	go run ./experiments/run alone [draws]    ten digits that are never shown alone
//	go run ./experiments/run sheets [seeds] [large|odds|opencv] [picture=FILE]   symbols on drawings of 7,200 x 10,800 pixels, beside OpenCV, and whether odds are what they say
//	go run ./experiments/run real [quadrants|rivals|bars|digits|tables|parts|scenes|speed|growth|gap] real values: recovery, number of parts, likelihood beside the truth, hidden values beside rivals, speed
//
// The data are read from the folder in PATCHWORK_SHARED (default ../shared).
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/letters"
	"example.com/patchwork/experiments/pairs"
	"example.com/patchwork/experiments/pursuit"
	"example.com/patchwork/experiments/quadrants"
	"example.com/patchwork/experiments/rivals"
	"example.com/patchwork/experiments/scenes"
	"example.com/patchwork/experiments/sheets"
	"example.com/patchwork/experiments/tables"
	"example.com/patchwork/learn"
)

const usage = "scenes|odds [seeds]|ceiling [seeds]|pursuit|letters|strokes [method] [seeds]|bars|fewshot [rows] [seeds] [n=1,5] [set...] [picture=FILE]|quadrants|rivals|auto|counts [seeds]|moves|alphabet [seed...]|begun [seeds]|roles|deconvolution [draws]|walks [draws]|alone [draws]|sheets [seeds] [large|odds|opencv] [picture=FILE]|planted [name...] [sets]|rules [set...] [rule...] [seeds]|sources [set...] [draws] [n=3000]|tables [set...] [rule...] [splits]|aims [set...] [rule] [draws]|activations [set...] [rule] [draws]|real [quadrants|rivals|bars|digits|tables|parts|scenes|speed|growth|gap]"

// withArguments lists the experiments that take arguments.
var withArguments = []string{"sources", "rules", "tables", "aims", "activations", "planted", "strokes", "fewshot", "sheets", "real", "alphabet", "begun", "odds", "ceiling", "counts", "deconvolution", "walks", "alone"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 || len(os.Args) > 2 && !slices.Contains(withArguments, os.Args[1]) {
		fmt.Fprintln(os.Stderr, "usage: run "+usage)
		os.Exit(2)
	}
	start := time.Now()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
	fmt.Printf("\n%.0f s, %d workers\n", time.Since(start).Seconds(), runtime.NumCPU())
}

// data returns a path in the shared folder.
func data(name ...string) string {
	dir := os.Getenv("PATCHWORK_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "shared")
	}
	return filepath.Join(append([]string{dir, "data"}, name...)...)
}

func run(ctx context.Context, name string) error {
	switch name {
	case "scenes":
		return runScenes(ctx)
	case "odds":
		return runOdds(ctx, scenes.ReportSoft, 3)
	case "ceiling":
		return runOdds(ctx, scenes.ReportCeiling, 5)
	case "pursuit":
		return runPursuit(ctx)
	case "letters":
		set, err := readLetters()
		if err != nil {
			return err
		}
		return letters.Report(ctx, os.Stdout, set, letters.Options{Seed: 1, Workers: runtime.NumCPU()})
	case "strokes":
		return runStrokes(ctx, os.Args[2:])
	case "fewshot":
		return runFewshot(ctx, os.Args[2:])
	case "bars":
		set, err := dataset.Read([]string{data("ticc_sample", "ticc_report_tsne_654.npz"), data("ticc_sample", "ticc_report_fig1_100.npz")},
			dataset.Options{Where: []dataset.Condition{{Name: "y", Op: "=", Values: []string{"T"}}}})
		if err != nil {
			return err
		}
		for seed := uint64(1); seed <= 3; seed++ {
			if err := letters.ReportBars(ctx, os.Stdout, set, letters.Options{Seed: seed, Workers: runtime.NumCPU()}); err != nil {
				return err
			}
		}
		return nil
	case "quadrants": // on one worker, so that times are for one core
		if err := quadrants.Report(ctx, os.Stdout, quadrants.Rows(1, 1)); err != nil {
			return err
		}
		fmt.Println()
		return quadrants.ReportVotes(ctx, os.Stdout, 1)
	case "rivals":
		return rivals.Report(ctx, os.Stdout, rivals.Options{Seed: 1, Workers: runtime.NumCPU()})
	case "tables":
		return runTables(ctx, os.Args[2:])
	case "aims":
		return runAims(ctx, os.Args[2:])
	case "activations":
		return runActivations(ctx, os.Args[2:])
	case "real": // on one worker, so that times are for one core
		return runReal(ctx, os.Args[2:])
	case "counts":
		set, err := readLetters()
		if err != nil {
			return err
		}
		seeds, err := howMany(os.Args[1:], 5)
		if err != nil {
			return err
		}
		return letters.ReportCounts(ctx, os.Stdout, set, seeds, letters.Options{Seed: 1, Workers: runtime.NumCPU()})
	case "moves":
		return runMoves(ctx)
	case "alphabet": // on one worker, so that times are for one core
		return runAlphabet(ctx, os.Args[2:])
	case "begun": // on one worker, so that times are for one core
		set, err := readLetters()
		if err != nil {
			return err
		}
		seeds, err := howMany(os.Args[1:], 5)
		if err != nil {
			return err
		}
		return letters.ReportBegun(ctx, os.Stdout, set, seeds, letters.Options{Seed: 1, Workers: 1})
	case "roles": // on one worker, so that times are for one core
		if err := tables.ReportRoles(ctx, os.Stdout, data("peers"), 5); err != nil {
			return err
		}
		fmt.Println()
		return tables.ReportFactors(ctx, os.Stdout, 50)
	case "sources":
		return runSources(ctx, os.Args[2:])
	case "rules": // on one worker, in processor time
		return runRules(ctx, os.Args[2:])
	case "planted": // on one worker, so that times are for one core
		names, sets := namesAndNumber(os.Args[2:], 20)
		return tables.ReportPlanted(ctx, os.Stdout, names, sets, tables.Options{Workers: 1})
	case "deconvolution": // these on one worker, in processor time
		images, features, err := readDeconvolution()
		if err != nil {
			return err
		}
		draws, err := howMany(os.Args[1:], 30)
		if err != nil {
			return err
		}
		return pairs.ReportDeconvolution(ctx, os.Stdout, draws, images, features)
	case "walks":
		draws, err := howMany(os.Args[1:], 5)
		if err != nil {
			return err
		}
		return pairs.ReportWalks(ctx, os.Stdout, draws)
	case "alone":
		digits, labels, err := readDigits()
		if err != nil {
			return err
		}
		draws, err := howMany(os.Args[1:], 3)
		if err != nil {
			return err
		}
		return pairs.ReportAlone(ctx, os.Stdout, draws, digits, labels)
	case "sheets":
		return runSheets(ctx, os.Args[2:])
	case "auto":
		return quadrants.ReportAuto(ctx, os.Stdout, quadrants.AutoRows(1, 1))
	}
	return fmt.Errorf("no experiment %q; there are %s", name, usage)
}

// runMoves measures how far parts are moved, on letters, digits and characters.
func runMoves(ctx context.Context) error {
	threshold := 127.
	digits, err := dataset.Read([]string{data("mnist_t10k", "t10k-images-idx3-ubyte.gz")},
		dataset.Options{Threshold: &threshold, Labels: []string{data("mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
	if err != nil {
		return err
	}
	set, err := readLetters()
	if err != nil {
		return err
	}
	korean, err := dataset.Read([]string{data("omniglot_small1", "omniglot_small1.npz")},
		dataset.Options{Where: []dataset.Condition{{Name: "alphabet", Op: "=", Values: []string{"Korean"}}}})
	if err != nil {
		return err
	}
	var classes []letters.Class
	for _, c := range []struct {
		name    string
		of      *dataset.Set
		y       string
		experts int
	}{{"digit 4", digits, "4", 3}, {"digit 7", digits, "7", 2}, {"letter T", set, "T", 2}, {"letter H", set, "H", 3}, {"Korean 1", korean, "1", 3}} {
		images, err := c.of.Where(dataset.Condition{Name: "y", Op: "=", Values: []string{c.y}})
		if err != nil {
			return err
		}
		classes = append(classes, letters.Class{Name: c.name, Images: images, Experts: c.experts})
	}
	return letters.ReportMoves(ctx, os.Stdout, classes, 5, letters.Options{Seed: 1, Workers: runtime.NumCPU()})
}

// howMany returns the number that follows the name of an experiment, of seeds or draws.
func howMany(args []string, unless int) (int, error) {
	if len(args) < 2 {
		return unless, nil
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 || len(args) > 2 {
		return 0, fmt.Errorf("%s: give one number from 1, of seeds or draws", strings.Join(args, " "))
	}
	return n, nil
}

// runStrokes measures a method on letters, or the default, with five seeds unless told.
func runStrokes(ctx context.Context, args []string) error {
	method, seeds := learn.MethodAuto, 5
	for _, arg := range args {
		var err error
		if n, wrong := strconv.Atoi(arg); wrong == nil && n > 0 {
			seeds = n
		} else if method, err = learn.ParseMethod(arg); err != nil {
			return err
		}
	}
	set, err := readLetters()
	if err != nil {
		return err
	}
	return letters.ReportStrokes(ctx, os.Stdout, set, seeds, method, letters.Options{Seed: 1, Workers: runtime.NumCPU()})
}

// runAlphabet measures alphabets of some seeds, one to five unless told.
func runAlphabet(ctx context.Context, args []string) error {
	seeds := []uint64{1, 2, 3, 4, 5}
	if len(args) > 0 {
		seeds = nil
	}
	for _, a := range args {
		seed, err := strconv.ParseUint(a, 10, 64)
		if err != nil {
			return fmt.Errorf("alphabet %s: give seeds, which are whole numbers", a)
		}
		seeds = append(seeds, seed)
	}
	set, err := readLetters()
	if err != nil {
		return err
	}
	return letters.ReportAlphabet(ctx, os.Stdout, set, seeds)
}

// readLetters reads the handwritten letters of Chars74K.
func readLetters() (*dataset.Set, error) {
	return dataset.Read([]string{data("chars74k_hnd", "chars74k_hnd_56.npz")}, dataset.Options{})
}

// readDigits reads the test digits of MNIST and their labels.
func readDigits() ([]*bitmap.Image, []int, error) {
	threshold := 127.0
	set, err := dataset.Read([]string{data("mnist_t10k", "t10k-images-idx3-ubyte.gz")},
		dataset.Options{Threshold: &threshold, Labels: []string{data("mnist_t10k", "t10k-labels-idx1-ubyte.gz")}})
	if err != nil {
		return nil, nil, err
	}
	column, err := set.Column("y")
	if err != nil {
		return nil, nil, err
	}
	digits, ok := column.Values.([]int64)
	if !ok {
		return nil, nil, fmt.Errorf("labels are %T, not whole numbers", column.Values)
	}
	labels := make([]int, len(digits))
	for i, d := range digits {
		labels[i] = int(d)
	}
	return set.Images, labels, nil
}

// readDeconvolution reads the images of a deconvolution problem and its features.
func readDeconvolution() (images, features []*bitmap.Image, err error) {
	for name, to := range map[string]*[]*bitmap.Image{"x": &images, "features": &features} {
		set, err := dataset.Read([]string{data("peers", "conv_problem.npz")}, dataset.Options{Array: name})
		if err != nil {
			return nil, nil, err
		}
		*to = set.Images
	}
	return images, features, nil
}

func runPursuit(ctx context.Context) error {
	set, err := readLetters()
	if err != nil {
		return err
	}
	digits, labels, err := readDigits()
	if err != nil {
		return err
	}
	return pursuit.Report(ctx, os.Stdout, pursuit.Options{Letters: set, Digits: digits, Labels: labels, Workers: runtime.NumCPU()})
}

// runOdds writes a report on scenes whose noise is not told, with so many seeds unless told.
func runOdds(ctx context.Context, report func(context.Context, io.Writer, int, scenes.Options) error, seeds int) error {
	digits, labels, err := readDigits()
	if err != nil {
		return err
	}
	if seeds, err = howMany(os.Args[1:], seeds); err != nil {
		return err
	}
	return report(ctx, os.Stdout, seeds, scenes.Options{Scenes: 100, Glyphs: digits, Labels: labels})
}

func runScenes(ctx context.Context) error {
	digits, labels, err := readDigits()
	if err != nil {
		return err
	}
	return scenes.Report(ctx, os.Stdout, scenes.Options{Scenes: 100, Seed: 1, Glyphs: digits, Labels: labels})
}

// runSheets measures large drawings with some seeds, five unless told, the odds of finds and
// OpenCV beside it, or those of the three that are named. With picture=FILE, the odds are
// drawn.
func runSheets(ctx context.Context, args []string) error {
	seeds := 5
	var only []string
	picture := ""
	for _, arg := range args {
		if file, ok := strings.CutPrefix(arg, "picture="); ok {
			picture = file
		} else if n, err := strconv.Atoi(arg); err == nil && n > 0 {
			seeds = n
		} else if slices.Contains([]string{"large", "odds", "opencv"}, arg) {
			only = append(only, arg)
		} else {
			return fmt.Errorf("sheets %s: give a number of seeds from 1, or large, odds or opencv", arg)
		}
	}
	odds := func(ctx context.Context, w io.Writer, seeds int) error {
		return sheets.ReportOdds(ctx, w, seeds, picture)
	}
	for _, report := range []struct {
		name  string
		write func(context.Context, io.Writer, int) error
		seeds int
	}{{"large", sheets.Report, seeds}, {"odds", odds, seeds}, {"opencv", sheets.ReportRival, seeds}} {
		if only != nil && !slices.Contains(only, report.name) {
			continue
		}
		if err := report.write(ctx, os.Stdout, report.seeds); err != nil {
			return err
		}
		fmt.Println()
	}
	return nil
}
