package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
)

// learnFlags are the flags of learn.
type learnFlags struct {
	data       dataFlags
	checkpoint checkpoint
	engine     engineFlags

	recipe.Recipe

	output string
	by     string // the label whose values are classes; "" to learn parts
	q      string // a file of items and skills, for answers
	key    string // the right answers: a file or a row
	update string // a model file that goes on with new rows; "" to learn anew
	json   bool
}

const learnLong = `Learn K parts (the paper calls them experts) from images of one size, or from the
rows of a table.

Learning runs from several starts and keeps the best, which the model records. The same
request gives the same model file, byte for byte, for any number of workers. Ctrl-C ends
learning with the best so far; a second one ends it at once.

What the data are is recognised and said in one line; --for changes it:
  table     rows of columns. Every column has a learned background, parts stay
            in their places, and each explanation counts by its probability.
            --aim predict adds what predicts unknown bits better than parts.
  drawings  images of one thing each. Parts of up to 500 images of at least
            20 x 20 pixels are shifted by up to a quarter of the frame and
            turned by up to 24 degrees, unless --shift or --rotate is given.
            --method strokes, the default, makes clean parts, each in one piece
            and without ink of another; strokes:60 prefers straight ones.
  scenes    images of several parts each, anywhere: --start-from pairs, unless
            --shift or another start is given.
  answers   people who answered questions or took a test: which of several
            pictures describes them most briefly: classes, a level, parts,
            skills (parts of what is lacking), alone or together.
  paper     the paper to the letter: epsilon = 1, eq. (1), the printed
            initialisation, one start. It finds fewer of the parts.
Numbers are learned as they are: of arrays of real numbers, of tables most of whose columns
hold numbers, and where --column says so (--column '*=number' for grey images). Parts say a
mean, or a mean and a variance, where they differ from the background.

--alphabet K learns parts that drawings of many kinds share, such as the strokes of all
letters: each anywhere, turned by any angle, 0.75 or 1.33 times as long, up to three
times in an image. --start-from alphabet.npz then learns drawings of one kind from
the parts that the alphabet has in them.

How many parts there are is found out unless -k says it, and a table of what was tried is
printed: where parts move, one more must shorten the description of every image; where they
stay, the shortest description decides. -k 2..12 tries these numbers only.

--start-from pairs finds parts that are never shown alone, by what two images have in
common. Number, size and places of the parts and the background are found; -k K is the
most there may be, --rotate 180:90 also turns them.

Files that need more than --memory are read again in every pass: starts are
learned from images drawn at random, then the best is improved on all images, one pass per
iteration. A table is learned from as many rows, drawn at random, as a quarter of
the memory takes, and how well all rows are explained is said.

--by COLUMN learns what each class looks like, a class for every value of that column;
patchwork explain then says of which class others are, and patchwork score how many are
named rightly. Of tables, numbers are cut in three bands. Examples are left out and named by
the others, which says how sure of a name to be; with one example of a class that is a guess.

--update MODEL goes on from a model of a table of bits with new rows, without
the old ones: parts keep their numbers and names. It says which parts are new and how many
rows brought them, and which no new row has. The file then holds what its rows say.

--engine beam lets Apache Beam explain the images, in pieces, on this machine or on
many; the model is that of images beyond --memory, byte for byte. This needs
the program patchwork-beam (folder cmd/engine/beam).`

const learnExample = `  patchwork synth letters --letters T --writers 20 --seed 1 -o t.npz
  patchwork learn t.npz -o model.npz -k 2 --shift 14 --rotate 24:6 --rows :10
  patchwork learn t.npz -o model.npz -k 2 --shift 14 --rotate 24:6 \
    --where 'writer<=10'
  patchwork synth quadrants --n 60 --seed 1 -o q.npz
  patchwork learn q.npz -o rule.npz --rule max-minus-min -k auto
  patchwork learn sites.csv -o sites-model.npz
  patchwork learn letters.npz --by y --where 'writer<=5' -o classes.npz`

func (a *app) learnCommand() *cobra.Command {
	f := new(learnFlags)
	cmd := &cobra.Command{
		Use:     "learn DATA... -o MODEL [-k PARTS]",
		Short:   "Learn parts from images or the rows of a table",
		Long:    learnLong,
		Example: learnExample,
		Args:    dataThenOutput,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.learn(cmd, f, args) },
	}
	f.add(cmd)
	return cmd
}

func (f *learnFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "model file to write (- for standard output)")
	fs.StringVar(&f.by, "by", "", "learn classes: one for each value of this label (several: with commas)")
	fs.StringVar(&f.q, "q", "", "with --for answers: check this .csv matrix, a row for each item, a column for each "+
		"skill, 1 where the item needs it")
	fs.StringVar(&f.key, "key", "", "with --for answers: the right answers, by which others are wrong: a .csv file of lines "+
		"ITEM,ANSWER, or of names above answers; or a row C,A,B,...")
	fs.StringVar(&f.update, "update", "", "go on from this model of a table with new rows: its parts keep their numbers "+
		"and names, and which are new, or died, is said")
	mayReplace(cmd, "update")
	f.addRecipe(cmd)
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	f.checkpoint.add(cmd)
	f.engine.add(cmd)
	f.data.add(cmd)
	f.data.addMemory(cmd)
	everyday(cmd, "output by experts for shift rotate rows where seed json")
}

// addRecipe adds the flags that say how to learn.
func (f *learnFlags) addRecipe(cmd *cobra.Command) {
	fs := cmd.Flags()
	countFlag(cmd, &f.Count)
	textVar(cmd, "alphabet", "K|auto", func(text string) (err error) {
		f.Alphabet, err = recipe.ParseAlphabet(text)
		return err
	}, "learn an alphabet of so many parts that drawings of many kinds share, such as the strokes of all letters "+
		"(auto: 6)")
	textVar(cmd, "for", strings.Join(recipe.Choices("For"), "|"), func(text string) (err error) {
		f.For, err = recipe.ParseFor(text)
		return err
	}, "what the data are (default by the data)")
	choiceFlag(cmd, &f.Rule, "rule", "max", "composition rule; of real values pool, soft or max (default pool)",
		append(recipe.Choices("Rule"), "pool", "soft")...)
	poseFlags(cmd, &f.Poses)
	textVar(cmd, "method", strings.Join(recipe.Choices("Method"), "|"), f.SetMethod,
		"one pass over the images, batch EM, batch EM after one pass, clean strokes for drawings whose parts move "+
			"(strokes:60 "+
			"prefers straight ones: a bent part must bring so many nats in every image), or soft EM for tables (default by "+
			"the data)")
	begins := recipe.Choices("Begin")
	fs.Var(&textFlag{kind: strings.Join(begins, "|"), text: "both", read: func(text string) error {
		if strings.HasSuffix(text, ".npz") {
			f.FromName = text
			return nil
		}
		f.Begin = text
		return oneOf(begins, text)
	}}, "start-from",
		"start from orders of the images, from splits of one image, or from an order and three "+
			"splits in turn; pairs: what images have in common, for parts that are never shown alone; an alphabet, a model "+
			"file: its "+
			"parts where it has them in an image; both means orders if parts do not move; with --method soft: grown parts, a "+
			"mixture, "+
			"or the better of the two")
	choiceFlag(cmd, &f.Aim, "aim", "interpret",
		"what the model of a table is for: to interpret, or to predict unknown bits as well, by mixtures and Gaussians "+
			"beside the parts, which are the same",
		recipe.Choices("Aim")...)
	boundedFlag(cmd, &f.Starts, learn.MaxStarts, "starts",
		"number of starts (default 8, 14 for straight strokes, 5 random ones, or 1 in the paper's mode)")
	fs.Uint64Var(&f.Seed, "seed", 0, "seed of all randomness")
	workersFlag(cmd, &f.Workers)
	groupFlags(fs, howLearned, "experts", "alphabet", "for", "rule", "method", "start-from", "aim", "starts",
		"seed")
}

// check completes the recipe and returns an error if something is wrong that shows
// before any data are read.
func (f *learnFlags) check(cmd *cobra.Command) error {
	numbers := f.data.asNumbers()
	f.Memory = int64(f.data.memory)
	switch {
	case f.by != "" && numbers:
		return usagef("--column NAME=number does not apply to %s, which are learned of bits; leave it out", classKind)
	case f.by != "" || numbers:
		kind := classKind
		if numbers {
			kind = realValues
		}
		if err := cmp.Or(meantFor(cmd, kind), jsonFlag(f.json).check(f.output)); err != nil {
			return err
		}
	}
	if !numbers && (f.Rule == "pool" || f.Rule == "soft") {
		return usagef("--rule %s joins votes on numbers: give --column '*=number'", f.Rule)
	}
	if f.q+f.key != "" && f.For != recipe.ForAnswers {
		return usagef("--q and --key are for --for answers")
	}
	if f.For == recipe.ForAnswers && !numbers {
		f.data.edits = append(f.data.edits, dataset.Edit{Column: "*", Want: "half"})
	}
	if f.key != "" {
		key, err := readKey(opened(cmd), f.key)
		if err != nil {
			return err
		}
		f.data.edits = append(f.data.edits, key...)
	}
	if _, err := checkOutput("learn", f.output); err != nil {
		return err
	}
	if !numbers {
		if err := f.Check(); err != nil {
			return inFlags(err)
		}
	}
	if f.FromName != "" {
		var err error
		if f.From, err = loadModel(f.FromName); err != nil {
			return err
		}
	}
	return f.engine.check(f)
}

// kind returns what data are: what they show, unless a flag holds for bits only.
func (f *learnFlags) kind(cmd *cobra.Command) dataset.Kind {
	switch {
	case f.data.asNumbers():
		return dataset.Number
	case meantFor(cmd, realValues) != nil || cmd.Flags().Changed("for") || cmd.Flags().Changed("rule"):
		return dataset.Bit
	}
	return dataset.Unknown
}

// readClasses reads all data to learn classes of; the columns of --by are labels, and those of numbers are cut in
// bands.
func (f *learnFlags) readClasses(cmd *cobra.Command, paths []string) (*dataset.Frame, error) {
	if !f.data.items { // whose words are no columns yet
		for name := range strings.SplitSeq(f.by, ",") {
			f.data.edits = append(f.data.edits, dataset.Edit{Column: name, Want: "label"})
		}
	}
	for bands := false; ; bands = true {
		opt, err := f.data.options(cmd)
		if err != nil {
			return nil, err
		}
		data, err := f.data.inMemory(cmd, paths, opt, false)
		switch {
		case err != nil:
			return nil, err
		case data.Values == nil:
			sayNotes(cmd, data.Notes...)
			return data, nil
		case bands || !data.Table:
			return nil, usagef("classes are learned of bits, and %s holds numbers; --threshold T makes bits of them",
				data.Source)
		}
		for _, c := range data.Plan(&opt).Columns {
			if !c.Aside && (c.Kind == dataset.Number || c.Kind == dataset.Count || c.Kind == dataset.Ordinal) {
				f.data.edits = append(f.data.edits, dataset.Edit{Column: c.Name, Want: "bands"})
			}
		}
	}
}
