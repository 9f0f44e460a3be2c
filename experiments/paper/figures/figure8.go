package figures

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"example.com/patchwork/learn"
	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/bitmap/synth"
	"example.com/patchwork/dataset"
	"example.com/patchwork/experiments/letters"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/render"
)

// figure8 shows the experts of every capital.
var figure8 = Figure{"8", "Figure 8: experts for every letter", `Up to four experts for each capital (X is missing from the TiCC data), learned from the first sample of the first 20 writers. Each expert is drawn at its mean location and orientation; for each pixel the colour (red, green, blue, magenta) is the maximum expert and the intensity its template value.

Most experts correspond to natural elements of the letters, though no motion information was used.`, runFigure8}

const (
	letterTrain = 20 // writers to learn from
	letterTest  = 25 // at most, of other writers
	letterSkip  = 5  // writers in between, if there are enough
	maxStrokes  = 4
)

// pieces is the number of pieces that a letter is usually made of: straight
// strokes, or arcs where it is round, at most four.
var pieces = map[string]int{"A": 3, "B": 3, "C": 2, "D": 2, "E": 4, "F": 3, "G": 3, "H": 3, "I": 3, "J": 2, "K": 3,
	"L": 2, "M": 4,
	"N": 3, "O": 2, "P": 2, "Q": 3, "R": 3, "S": 2, "T": 2, "U": 2, "V": 2, "W": 4, "X": 2, "Y": 3, "Z": 3}

// letterHue returns red, green, blue or magenta, in shades that colour-blind
// readers can tell apart.
func letterHue(k int) color.RGBA {
	return []color.RGBA{orderHues[0], orderHues[1], orderHues[2], orderHues[4]}[k%maxStrokes]
}

// letterTask is a letter of a set to learn.
type letterTask struct {
	letter      string
	train, test []*bitmap.Image
}

// letterResult is the result for a letter; log-likelihoods are of the test
// images, in nats per pixel.
type letterResult struct {
	letterTask
	model                  *patchwork.Model
	strokes, mean, mixture float64
	picks                  float64
	pure                   int // experts that are straight strokes
}

// Run learns the letters of each set.
func runFigure8(ctx context.Context, o Options) (Result, error) {
	var r Result
	own, err := penLetters(o)
	if err != nil {
		return r, err
	}
	r.Text = `The paper does not say how the number of experts was chosen. Here it is the number of pieces that the letter is usually made of: strokes where they are straight (T 2, H 3, E 4), and two or three arcs where it is round. (Chosen by the likelihood of held-out images it would be 4 for every letter, with strokes in halves.) Each letter is learned from several starts. It is judged on other writers' letters (log-likelihood per pixel, hybrid pursuit), beside one template with the same shifts and rotations, the mean of the aligned images, and a Bernoulli mixture of as many components as there are experts, which is not told where the letter is.`
	var all []letterResult
	type letterSet struct {
		name, title string
		tasks       []letterTask
	}
	sets := []letterSet{{"pen", "The project's own pen-stroke alphabet", own}}
	if o.Letters != nil {
		given, err := givenLetters(o.Letters)
		if err != nil {
			return r, err
		}
		sets = append(sets, letterSet{"given", "The letters of the given data", given})
	}
	for _, s := range sets {
		results := make([]letterResult, len(s.tasks))
		err := o.each(ctx, len(s.tasks), func(ctx context.Context, i int) (err error) {
			results[i], err = learnLetter(ctx, s.tasks[i], o)
			return err
		})
		if err != nil {
			return r, err
		}
		r.Pictures = append(r.Pictures,
			Picture{Name: s.name,
				Caption: s.title + fmt.Sprintf(": the experts of %d letters, each from at most %d writers, at their mean poses.",
					len(results), letterTrain),
				Alt: "Letters made of coloured strokes", Drawing: letterSheet(results)})
		r.Tables = append(r.Tables, letterTable(s.name, s.title, results))
		all = append(all, results...)
	}
	r.Statements = letterStatements(all)
	return r, nil
}

// penLetters returns the project's own letters; a few of them in a quick run.
func penLetters(o Options) ([]letterTask, error) {
	alphabet := pick(o, "HOT", synth.Capitals)
	if o.least {
		alphabet = "T"
	}
	set, err := synth.Letters(synth.LettersOptions{Letters: alphabet, Writers: letterTrain + letterTest, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	tasks := make([]letterTask, len(alphabet))
	for i, img := range set.Images {
		t := &tasks[i%len(alphabet)]
		t.letter = string(alphabet[i%len(alphabet)])
		if set.Truth.Items[i].Writer <= letterTrain {
			t.train = append(t.train, img)
		} else {
			t.test = append(t.test, img)
		}
	}
	return tasks, nil
}

// givenLetters returns the capitals of a set that have enough images: the first
// of each writer.
func givenLetters(set *dataset.Set) ([]letterTask, error) {
	names, err := capitals(set)
	if err != nil {
		return nil, err
	}
	var tasks []letterTask
	for _, name := range names {
		images, err := byWriter(set, name)
		if err != nil {
			return nil, err
		}
		const least = 6
		if len(images) < least {
			continue
		}
		n := min(letterTrain, (2*len(images)+2)/3)
		rest := images[n:]
		if len(rest) >= letterSkip+letterTest {
			rest = rest[letterSkip:]
		}
		tasks = append(tasks, letterTask{name, images[:n], rest[:min(len(rest), letterTest)]})
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("the data of Figure 8 have no capital with 6 images or more")
	}
	return tasks, nil
}

// learnLetter learns a letter, and tests it beside the rivals.
func learnLetter(ctx context.Context, task letterTask, o Options) (letterResult, error) {
	l := letterResult{letterTask: task}
	train, test := patchwork.Data{Images: task.train}, patchwork.Data{Images: task.test}
	h, w := task.train[0].Height(), task.train[0].Width()
	cfg := patchwork.NewConfig(patchwork.RuleMax, h, w, letters.Poses)
	var err error
	l.model, err = learn.Learn(ctx, train, cfg, learn.Options{Experts: pieces[task.letter], Seed: o.Seed,
		Starts: o.atLeast(2, pick(o, 4, 0))})
	if err != nil {
		return l, err
	}
	for k := range l.model.K() {
		if straight(l.model.Template(k), w) {
			l.pure++
		}
	}
	l.strokes, l.picks, err = letters.HeldOut(ctx, l.model, test, patchwork.PursuitOptions{Refined: true}, 1)
	if err != nil {
		return l, err
	}
	l.mean, err = letters.Mean(ctx, cfg, train, test, letters.Options{Seed: o.Seed, Starts: pick(o, 2, 8)})
	if err != nil {
		return l, err
	}
	l.mixture, err = mixtureLogLik(ctx, train, test, l.model.K(), o.Seed)
	return l, err
}

// mixtureLogLik returns the held-out log-likelihood per pixel of a Bernoulli
// mixture.
func mixtureLogLik(ctx context.Context, train, test patchwork.Data, k int, seed uint64) (float64, error) {
	x, err := table.FitMixture(ctx, train, k, seed)
	if err != nil {
		return 0, err
	}
	sum, pixels := 0.0, 0
	for _, img := range test.Images {
		top, rest := math.Inf(-1), 0.0
		for c, p := range x.Components {
			l := math.Log(x.Share[c]) + patchwork.LogLik(img, p)
			if l > top {
				top, rest = l, rest*math.Exp(top-l)+1
			} else {
				rest += math.Exp(l - top)
			}
		}
		sum, pixels = sum+top+math.Log(rest), pixels+img.Len()
	}
	return sum / float64(pixels), nil
}

// straight reports whether a template is one straight stroke: at least 25
// pixels above 1/2, elongated by 2.5 or more, and 93 % of them in one straight
// band. Unlike [letters.Stroke.Pure] it does not require one connected piece.
func straight(template []float64, width int) bool {
	s := letters.StrokeOf(template, width)
	return s.Pixels >= 25 && s.Elongation >= 2.5 && s.Inside >= .93
}

// letterSheet returns the figure.
func letterSheet(results []letterResult) render.Sheet {
	s := render.Sheet{Columns: min(len(results), 7), Scale: 2}
	for k := range maxStrokes {
		s.Legend = append(s.Legend, render.Swatch{Colour: letterHue(k), Text: fmt.Sprintf("expert %d", k)})
	}
	for _, l := range results {
		var tile image.Image = render.ColouredIn(l.model, l.model.Height(), l.model.Width(), l.model.SamplePicks(nil),
			letterHue)
		s.Tiles = append(s.Tiles, render.Tile{Image: tile, Caption: fmt.Sprintf("%s, %d", l.letter, l.model.K())})
	}
	return s
}

func letterTable(name, title string, results []letterResult) Table {
	t := Table{Name: name, Title: title + ": log-likelihood per pixel of other writers' letters",
		Columns: []Column{{"letter", -1}, {"experts", 0}, {"learned from", 0}, {"tested on", 0}, {"strokes", 4},
			{"mean + shift + rotation", 4}, {"mixture", 4}, {"picks per letter", 1}, {"straight experts", 0}}}
	for _, l := range results {
		t.add(l.letter, l.model.K(), len(l.train), len(l.test), l.strokes, l.mean, l.mixture, l.picks, l.pure)
	}
	return t
}

// straightLetters holds the letters that people write with straight strokes
// only.
const straightLetters = "AEFHIKLMNTVWXYZ"

func letterStatements(all []letterResult) []Statement {
	better, pure, experts := 0, 0, 0
	var margins []float64
	for _, l := range all {
		rival := max(l.mean, l.mixture)
		if margins = append(margins, l.strokes-rival); l.strokes > rival {
			better++
		}
		if strings.Contains(straightLetters, l.letter) {
			pure, experts = pure+l.pure, experts+l.model.K()
		}
	}
	share := float64(pure) / float64(max(experts, 1))
	return []Statement{
		{"Experts learned from 20 letters describe the class, including other writers' letters.",
			minus(fmt.Sprintf("better than the better of mean + shift + rotation and mixture in %d of %d letters, by %+.3f "+
				"nats per pixel on average", better, len(all), stat.Mean(margins))),
			"letters: " + between(margins, 3), judge(better == len(all), float64(better) > .5*float64(len(all)))},
		{"Most experts correspond to natural elements of the letter.",
			fmt.Sprintf("in letters of straight strokes %d of %d experts (%s) are one straight stroke (2.5 times as long as "+
				"wide, 93 %% in a band 7.2 pixels wide)", pure, experts, percent(share)),
			"letters " + straightLetters, judge(share > .75, share > .5)},
	}
}
