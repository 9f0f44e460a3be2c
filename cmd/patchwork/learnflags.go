package main

import (
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/internal/recipe"
)

// learnFlags are the flags of learn.
type learnFlags struct {
	data       dataFlags
	checkpoint checkpoint
	engine     engineFlags

	recipe.Recipe
	q        float64 // for Q, if it is given
	truncate bool    // for Truncate, if it is given

	output                          string
	json                            bool
	real                            bool   // --for real: real values, by another learner
	plainly                         string // why data are plainly real values, where nothing says so
	picture, progressPicture, curve picturePath
}

const learnLong = `Learn K parts (the paper calls them experts) from images of one size, or from the
rows of a table.

Learning runs from several starts (other orders of the images, pieces of other
images, or other random templates) and keeps the best. If parts move (--shift,
--rotate) and only write (--rule max), and for max-minus-min without poses, learned
in batches, that is the start with the shortest description of the images; for other
parts that move the one that best explains images left out of its counts, one at a
time; otherwise the one with the largest log-likelihood of the training images. The
model records the scores of every start.
The same request gives the same model file, byte for byte, for any number of
workers. Ctrl-C ends learning with the best so far; a second one ends it at once.

What the data are is recognised and said in one line; --for changes it:
  table     rows of columns. Every column has a learned background, parts stay
            in their places, and each explanation counts by its probability.
            --aim interpret, the default, chooses by description length; --aim
            predict by hidden bits of a held-out fifth of the rows.
  drawings  images of one thing each. Parts of up to 500 images of at least
            20 x 20 pixels are shifted by up to a quarter of the frame and
            turned by up to 24 degrees, unless --shift or --rotate is given.
            --method strokes, the default, makes clean parts, each in one piece
            and without ink of another; --straight 60 prefers straight ones.
  scenes    images of several parts each, anywhere: --start-from pairs, unless
            --shift or another start is given. Where the ink of images is in
            several pieces and nothing else is said, a sample is described as
            scenes and as drawings, and the shorter description decides if parts
            lie all over the images and not in chains, as pieces of strokes do.
  real      real values: grey images, columns of measurements. Parts say a
            mean, or a mean and a variance, where they differ from the
            background; nothing is scaled. Assumed of arrays of real numbers and
            of tables of which most columns hold numbers, some of them decimals.
  paper     --mode paper.

--alphabet K learns parts that drawings of many kinds share, such as the strokes of all
letters: each anywhere, turned by any angle, 0.75 or 1.33 times as long (--stretch), up
to three times in an image. Starts race on 40 images, and the best is learned from up to
150, all drawn at random. --start-from alphabet.npz then learns drawings of one kind from
the parts that the alphabet has in them.

How many parts there are is found out unless -k says it; a table of what was tried is
printed. Where parts move, one more must bring 34 nats per image of 56 x 56 pixels, in
proportion to the side, after paying for the choice of its place; -k 2..12 tries these
numbers only, and a line says where it stopped. Where they stay, the shortest
description decides; for -k 2..12 under max with --method both or online, the
log-likelihood of a held-out fifth of the images.

--start-from pairs finds parts that are never shown alone. What two images have in
common at some shift is a part and a little chance: from such patterns parts are
grown, split, joined and deleted as long as the description of the images gets
shorter, and learned further by EM. Number, size and places of the parts and the
background are found; -k K is the most there may be, --rotate 180:90 also turns them.

Files that need more than --memory are read again in every pass: starts are
learned from --sample images drawn at random, then the best is improved on all
images, one pass per iteration. A note says so, and the model records it. A table is
learned from as many rows, drawn at random, as a quarter of the memory takes (or
--sample), and how well all rows are explained is said.

--engine beam lets Apache Beam explain the images, in pieces, on this machine or on
many: starts are learned here from --sample images, then the best is improved on
all images. The model is that of images beyond --memory, byte for byte. This needs
the program patchwork-beam (folder cmd/engine/beam).

--mode paper follows the paper to the letter: epsilon = 1, eq. (1), the printed
initialisation, one start. It finds fewer of the parts; "go run ./experiments/paper 5"
shows how many.`

const learnExample = `  patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
  patchwork learn t.npz -o model.npz -k 2 --shift 14 --rotate 24:6 --rows :10
  patchwork learn t.npz -o model.npz -k 2 --shift 14 --rotate 24:6 \
    --where 'writer<=10' --picture parts.png --progress-picture figure7.png
  patchwork synth quadrants --n 60 --seed 1 -o q.npz
  patchwork learn q.npz -o rule.npz --rule max-minus-min -k auto --curve curve.png
  patchwork learn sites.csv -o sites-model.npz`

func (a *app) learnCommand() *cobra.Command {
	f := new(learnFlags)
	cmd := &cobra.Command{
		Use:     "learn DATA... -o MODEL [-k PARTS]",
		Short:   "Learn parts from images or the rows of a table",
		Long:    learnLong,
		Example: learnExample,
		Args:    dataThenOutput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.real {
				return a.learnReal(cmd, f, args)
			}
			return a.learn(cmd, f, args)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *learnFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "model file to write (- for standard output)")
	f.addRecipe(cmd)
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	f.picture.add(cmd, "picture", "write a picture of the parts (.png, .svg)")
	f.progressPicture.add(cmd, "progress-picture", "write a picture of learning step by step, with samples, as in the paper's Figure 7")
	f.curve.add(cmd, "curve", "write a plot of the numbers of parts tried, with --experts auto or a range (.png, .svg)")
	f.checkpoint.add(cmd)
	f.engine.add(cmd)
	f.data.add(cmd)
	f.data.addMemory(cmd)
	positiveFlag(cmd, &f.Sample, "sample", "for data beyond --memory: how many images, drawn at random, starts are learned from, or the rows of a table (default 20000, of rows no limit, or as many as take a quarter of the memory)")
}

// addRecipe adds the flags that say how to learn.
func (f *learnFlags) addRecipe(cmd *cobra.Command) {
	fs := cmd.Flags()
	countFlag(cmd, &f.Count)
	fs.Var(&textFlag{kind: "K|auto", read: func(text string) (err error) {
		f.Alphabet, err = recipe.ParseAlphabet(text)
		return err
	}}, "alphabet", "learn an alphabet of so many parts that drawings of many kinds share, such as the strokes of all letters (auto: 6)")
	fs.Var(&textFlag{kind: strings.Join(recipe.Choices("For"), "|") + "|real", read: func(text string) (err error) {
		if f.real = text == "real"; f.real {
			return nil
		}
		f.For, err = recipe.ParseFor(text)
		return err
	}}, "for", "what the data are (default by the data)")
	choose := func(to *string, field, name, value, usage string) {
		(&choice{to: to}).add(cmd, name, value, usage, recipe.Choices(field)...)
	}
	(&choice{to: &f.Rule}).add(cmd, "rule", "max", "composition rule; of real values pool, soft or max (default pool)", append(recipe.Choices("Rule"), "pool", "soft")...)
	poseFlags(cmd, &f.Poses)
	choose(&f.Mode, "Mode", "mode", "default", "settings to start from")
	choose(&f.Method, "Method", "method", "default", "one pass over the images, batch EM, batch EM after one pass, clean strokes for drawings whose parts move, or soft EM for tables (default by the data)")
	begins := &choice{to: &f.Begin, file: &f.FromName}
	begins.add(cmd, "start-from", "both", "start from orders of the images, from splits of one image, or from an order and three splits in turn; pairs: what images have in common, for parts that are never shown alone; an alphabet, a model file: its parts where it has them in an image; both means orders if parts do not move, and for --progress-picture; with --method soft: grown parts, a mixture, or the better of the two", recipe.Choices("Begin")...)
	choose(&f.Aim, "Aim", "aim", "interpret", "what the parts of a table are for: interpret gives few votes, chosen by description length; predict goes by hidden bits, and adds models that predict together with these parts")
	positiveFlag(cmd, &f.Starts, "starts", "number of starts (default 8, 14 with --straight, 5 random ones, or 1 in the paper's mode)")
	positiveFlag(cmd, &f.Iterations, "iterations", "iterations of batch EM (default 5 after online learning, 9 for strokes, else 25)")
	fs.Float64Var(&f.Straight, "straight", 0, "prefer straight parts of drawings: a bent one must bring so many nats in every image (try 60, for strokes as they are taught)")
	fs.Uint64Var(&f.Seed, "seed", 0, "seed of all randomness")
	workersFlag(cmd, &f.Workers)
	choose(&f.Init, "Init", "init", "c", "reading of the initialisation under the max rule; the paper's mode takes literal")
	fs.Float64Var(&f.UntilInk, "until-ink", 0, "add a part only for images with more than this fraction of the ink unexplained (default: for every image until there are K)")
	fs.Float64Var(&f.q, "background", 0, "abstention value: what is predicted where no part votes (default by rule and mode)")
	fs.Var(&textFlag{kind: "ON:OFF", read: func(text string) (err error) {
		f.Prior, err = recipe.ParsePrior(text)
		return err
	}}, "prior", "Beta prior of the probabilities in pseudo-counts (default by rule and mode)")
	choose(&f.Outside, "Outside", "outside", "", "what is beyond the image's border (default by rule)")
	fs.BoolVar(&f.Refine, "refine", false, "refine the explanations of batch EM by sweeps of replace, prune and add")
	fs.BoolVar(&f.truncate, "truncate", false, "search with truncated templates (default for the max rule with poses)")
	positiveFlag(cmd, &f.Reuse, "reuse", "how often a part may be used in one image (default 1)")
}

// complete sets what of the recipe depends on whether flags were given.
func (f *learnFlags) complete(cmd *cobra.Command) {
	if cmd.Flags().Changed("background") {
		f.Q = &f.q
	}
	if cmd.Flags().Changed("truncate") {
		f.Truncate = &f.truncate
	}
	f.Memory = int64(f.data.memory)
}

// check completes the recipe and returns an error if something is wrong that shows
// before any data are read.
func (f *learnFlags) check(cmd *cobra.Command) error {
	f.complete(cmd)
	if f.Rule == "pool" || f.Rule == "soft" {
		return usagef("--rule %s joins votes on real values: give --for real", f.Rule)
	}
	if _, err := checkOutput("learn", f.output); err != nil {
		return err
	}
	if err := f.Check(); err != nil {
		return inFlags(err)
	}
	if f.FromName != "" {
		from, err := loadModel(f.FromName)
		if err != nil {
			return err
		}
		f.From = from
	}
	switch {
	case f.output == "":
		return usagef("-o MODEL is required: name the model file to write")
	case f.Experts > 0 && f.curve != "":
		return usagef("--curve shows the numbers of parts tried; give --experts auto or a range such as 2..12")
	}
	if err := f.checkProgressPicture(); err != nil {
		return err
	}
	if err := f.engine.check(f); err != nil {
		return err
	}
	if err := f.checkpoint.check(); err != nil {
		return err
	}
	return checkOutputs(string(f.picture), string(f.progressPicture), string(f.curve))
}

// checkProgressPicture returns an error if there would be nothing for the progress
// picture to show.
func (f *learnFlags) checkProgressPicture() error {
	switch {
	case f.progressPicture == "":
		return nil
	case f.Soft(), f.Method == "batch":
		return usagef("--progress-picture shows online learning, which --method %s leaves out", f.Method)
	case f.Begin != "" && f.Begin != "orders":
		return usagef("--progress-picture shows learning from an order of the images; give --start-from orders")
	case f.Open():
		return usagef("--progress-picture shows the learning of a given number of parts, not --experts %s", f.Count.Text())
	case f.Count == recipe.Count{}:
		return usagef("--progress-picture shows the learning of a given number of parts; give --experts K")
	}
	f.Begin = "orders"
	return nil
}
