// Command rule composes opinions, probabilities from 0 to 1, by the rules of the paper.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	flag "github.com/spf13/pflag"

	"example.com/patchwork/experiments/chart"
	"example.com/patchwork/render"
	"example.com/patchwork/rule"
)

const help = `Compose opinions, probabilities from 0 to 1, by a rule; without a name, by all rules side
by side. The abstention value of max and max-minus-min may follow a colon: max:0.5.
With --curve, show the composition of the opinions with one more opinion p, for p from
0 to 1, as in the paper's Figure 1: as a picture with -o, else as a table.

  go run ./experiments/rule 0.7 0.2
  go run ./experiments/rule max-minus-min 0.7 0.2
  go run ./experiments/rule --curve 0.7 -o curve.png

usage: go run ./experiments/rule [NAME] OPINION... [--curve [-o OUT]]
`

func main() {
	text, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "rule:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// run returns what a command line prints.
func run(args []string) (string, error) {
	fs := flag.NewFlagSet("rule", flag.ContinueOnError)
	fs.Usage = func() { fmt.Fprint(os.Stderr, help, fs.FlagUsages()) }
	curve := fs.Bool("curve", false, "vary one more opinion from 0 to 1")
	output := fs.StringP("output", "o", "", "picture of the curves (.png, .svg)")
	if err := fs.Parse(args); err != nil {
		return "", err
	}
	rules, opinions, err := parse(fs.Args())
	switch {
	case err != nil:
		return "", err
	case len(opinions) == 0 && !*curve:
		return "", fmt.Errorf("no opinions: give probabilities from 0 to 1, such as 0.7 0.2")
	case *output != "" && !*curve:
		return "", fmt.Errorf("-o is for --curve; a table goes to standard output")
	case *output != "":
		return "", render.Save(*output, curves(rules, opinions))
	case *curve:
		return curveTable(rules, opinions), nil
	}
	return table(rules, opinions), nil
}

// parse splits the arguments into rules and opinions.
func parse(args []string) (rules []rule.Rule, opinions []float64, err error) {
	rules = rule.All()
	if len(args) > 0 {
		if _, err := strconv.ParseFloat(args[0], 64); err != nil {
			r, err := rule.Parse(args[0])
			if err != nil {
				return nil, nil, err
			}
			rules, args = []rule.Rule{r}, args[1:]
		}
	}
	for _, arg := range args {
		p, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return nil, nil, fmt.Errorf("%q is not an opinion: give probabilities from 0 to 1", arg)
		}
		opinions = append(opinions, p)
	}
	return rules, opinions, nil
}

func table(rules []rule.Rule, opinions []float64) string {
	if len(rules) == 1 {
		return fmt.Sprintf("%.12g\n", rules[0].Compose(opinions...))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-18s%-12s%-11s%s\n", "rule", "abstention", "symmetric", "composed")
	for _, r := range rules {
		abstain, symmetric := "none", "no"
		if q, ok := r.Abstain(); ok {
			abstain = fmt.Sprint(q)
		}
		if r.Symmetric() {
			symmetric = "yes"
		}
		fmt.Fprintf(&b, "%-18s%-12s%-11s%.6f\n", r, abstain, symmetric, r.Compose(opinions...))
	}
	return b.String()
}

// curveOf returns n values of p from 0 to 1, and the opinions composed with each.
func curveOf(r rule.Rule, opinions []float64, n int) (x, y []float64) {
	all := append(append([]float64(nil), opinions...), 0)
	for i := range n {
		p := float64(i) / float64(n-1)
		all[len(opinions)] = p
		x, y = append(x, p), append(y, r.Compose(all...))
	}
	return x, y
}

func curveTable(rules []rule.Rule, opinions []float64) string {
	var b strings.Builder
	b.WriteString("p")
	columns := make([][]float64, len(rules))
	var x []float64
	for i, r := range rules {
		fmt.Fprintf(&b, "\t%v", r)
		x, columns[i] = curveOf(r, opinions, 21)
	}
	for j := range x {
		fmt.Fprintf(&b, "\n%.2f", x[j])
		for _, y := range columns {
			fmt.Fprintf(&b, "\t%.6f", y[j])
		}
	}
	return b.String() + "\n"
}

// curves returns the curves as a picture.
func curves(rules []rule.Rule, opinions []float64) chart.Chart {
	var series []chart.Series
	for _, r := range rules {
		x, y := curveOf(r, opinions, 401)
		series = append(series, chart.Series{Name: r.String(), X: x, Y: y})
	}
	title := "One opinion p"
	if len(opinions) > 0 {
		var given []string
		for _, p := range opinions {
			given = append(given, fmt.Sprint(p))
		}
		title = "Opinions " + strings.Join(given, ", ") + " and p"
	}
	return chart.Curves(title, "p", "composed", series)
}
