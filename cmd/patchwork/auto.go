package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/learn"
	"example.com/patchwork/render"
)

// maxGrown is how many experts --experts auto grows at most.
const maxGrown = 64

// expertCount is --experts K, --experts A..B or --experts auto.
type expertCount struct {
	from, to int  // equal for a given number
	auto     bool // then both are 0
}

func (e *expertCount) String() string {
	switch {
	case e.auto:
		return "auto"
	case e.from != e.to:
		return fmt.Sprintf("%d..%d", e.from, e.to)
	case e.from == 0:
		return ""
	}
	return strconv.Itoa(e.from)
}

func (e *expertCount) Type() string { return "K|A..B|auto" }

func (e *expertCount) Set(text string) error {
	if text == "auto" {
		*e = expertCount{auto: true}
		return nil
	}
	first, last, isRange := strings.Cut(text, "..")
	if !isRange {
		last = first
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	switch {
	case errFrom != nil || errTo != nil:
		return fmt.Errorf("give a number such as 8, a range to try such as 2..12, or auto")
	case from < 1 || to < 1:
		return fmt.Errorf("a model needs at least one expert")
	case to < from:
		return fmt.Errorf("a range goes upwards: %d..%d", to, from)
	}
	*e = expertCount{from: from, to: to}
	return nil
}

// add puts the flag on a command.
func (e *expertCount) add(cmd *cobra.Command) {
	cmd.Flags().VarP(e, "experts", "k", "number of experts, a range to try such as 2..12, or auto to grow them (only for --rule max-minus-min without poses, and --method soft)")
	err := cmd.RegisterFlagCompletionFunc("experts", cobra.FixedCompletions([]string{"auto"}, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // only for a flag that does not exist
	}
}

// open reports whether the number is to be found out.
func (e *expertCount) open() bool { return e.auto || e.from != e.to }

// most is the largest number that may come up.
func (e *expertCount) most() int {
	if e.auto {
		return maxGrown
	}
	return e.to
}

// move reports whether experts may be anywhere but where they were learned.
func (f *poseFlags) move() bool { return f.shift != (shiftReach{}) || len(f.rotate.angles) > 1 }

// checkCount refuses flags that do not go with the number of experts.
func (f *learnFlags) checkCount() error {
	switch {
	case f.experts.open() && f.progressPicture != "":
		return usagef("--progress-picture shows the learning of a given number of experts, not --experts %v", &f.experts)
	case !f.experts.open() && f.curve != "":
		return usagef("--curve shows the numbers of experts tried; give --experts auto or a range such as 2..12")
	case f.soft():
		return nil
	case f.experts.auto && (f.rule.value != "max-minus-min" || f.poses.move() || f.mode.value == "paper" ||
		f.method.value == "online" || f.method.value == "both"):
		return usagef("--experts auto goes by description length, which is for --rule max-minus-min without --shift and --rotate, " +
			"in batches, not for --mode paper; give a range to try, such as --experts 2..12")
	}
	return nil
}

// sayCurve prints the numbers of experts tried as a table.
func (a *app) sayCurve(w io.Writer, curve []patchwork.CurvePoint) error {
	if len(curve) == 0 {
		return nil
	}
	hidden := slices.ContainsFunc(curve, func(p patchwork.CurvePoint) bool { return p.HiddenBits > 0 })
	judged := "held out, per image"
	if hidden {
		judged = "held out, hidden bit"
	}
	if err := a.say(w, "experts  description length  log-likelihood per image  %s  (nats)", judged); err != nil {
		return err
	}
	for _, p := range learn.ByExperts(curve) {
		length, heldOut, chosen := "-", "-", ""
		if p.DescriptionLength != 0 {
			length = fmt.Sprintf("%.1f", p.DescriptionLength)
		}
		switch {
		case hidden && p.HiddenBits > 0:
			heldOut = fmt.Sprintf("%.4f", p.HiddenLoss)
		case p.HeldOutRows > 0:
			heldOut = fmt.Sprintf("%.3f", p.HeldOut)
		}
		if p.Chosen {
			chosen = "  chosen"
		}
		if err := a.say(w, "%7d  %18s  %24.3f  %*s%s", p.Experts, length, p.LogLik/float64(p.Rows), len(judged), heldOut, chosen); err != nil {
			return err
		}
	}
	return nil
}

// curveChart draws the numbers of experts tried, in nats an image: the lower
// the better.
func curveChart(curve []patchwork.CurvePoint) render.Chart {
	length, loss := render.Series{Name: "description length"}, render.Series{Name: "training images"}
	heldOut, chosen := render.Series{Name: "held-out images"}, render.Series{Name: "chosen", Dashed: true}
	add := func(s *render.Series, k int, v float64) { s.X, s.Y = append(s.X, float64(k)), append(s.Y, v) }
	at := 0
	for _, p := range learn.ByExperts(curve) {
		add(&loss, p.Experts, -p.LogLik/float64(p.Rows))
		if p.DescriptionLength != 0 {
			add(&length, p.Experts, p.DescriptionLength/float64(p.Rows))
		}
		if p.HeldOutRows > 0 {
			add(&heldOut, p.Experts, -p.HeldOut)
		}
		if p.Chosen {
			at = p.Experts
		}
	}
	all := slices.Concat(length.Y, loss.Y, heldOut.Y)
	add(&chosen, at, slices.Min(all))
	add(&chosen, at, slices.Max(all))
	series := []render.Series{length, loss, heldOut, chosen}
	return render.Curves("How many experts?", "experts", "nats per image",
		slices.DeleteFunc(series, func(s render.Series) bool { return len(s.X) == 0 }))
}
