package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/patchwork/render"
	"example.com/patchwork/rule"
)

func (a *app) ruleCommand() *cobra.Command {
	var (
		curve  bool
		output string
		asJSON jsonFlag
	)
	cmd := &cobra.Command{
		Use:   "rule [NAME] OPINION... [--curve [-o OUT]]",
		Short: "Compose opinions by any rule: a number, a table or a curve",
		Long: `Compose opinions, probabilities from 0 to 1, by a rule: ` + strings.Join(ruleNames(), ", ") + `.
The abstention value of max and max-minus-min may follow a colon: max:0.5.
Without a name, show all rules side by side.

With --curve, show the composition of the opinions with one more opinion p, for p
from 0 to 1, as in the paper's Figure 1: as a picture with -o, else as a table.`,
		Example: `  patchwork rule 0.7 0.2
  patchwork rule max-minus-min 0.7 0.2
  patchwork rule --curve 0.7 -o curve.png`,
		ValidArgs: ruleNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "" && !curve {
				return usagef("-o is for --curve; a table goes to standard output")
			}
			if output != "" && bool(asJSON) {
				return usagef("--json prints what -o would draw; leave one of them out")
			}
			if _, err := checkOutput("rule", output); err != nil {
				return err
			}
			rules, opinions, err := parseOpinions(args, curve)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printObject(reportRules(rules, opinions, curve))
			}
			switch {
			case output != "":
				return render.Save(output, ruleChart(rules, opinions))
			case curve:
				return a.output("-", func(w io.Writer) error { return printCurve(w, rules, opinions) })
			}
			return a.output("-", func(w io.Writer) error { return printTable(w, rules, opinions) })
		},
	}
	cmd.Flags().BoolVar(&curve, "curve", false, "vary one more opinion from 0 to 1")
	cmd.Flags().StringVarP(&output, "output", "o", "", "picture of the curves (.png, .svg)")
	asJSON.add(cmd)
	return cmd
}

func ruleNames() []string {
	var names []string
	for _, r := range rule.All() {
		names = append(names, r.Name())
	}
	return names
}

// parseOpinions splits the arguments into rules and opinions.
func parseOpinions(args []string, curve bool) (rules []rule.Rule, opinions []float64, err error) {
	rules = rule.All()
	if len(args) > 0 {
		if _, err := strconv.ParseFloat(args[0], 64); err != nil {
			r, err := rule.Parse(args[0])
			if err != nil {
				return nil, nil, request(err)
			}
			rules, args = []rule.Rule{r}, args[1:]
		}
	}
	for _, arg := range args {
		p, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return nil, nil, usagef("%q is not an opinion: give probabilities from 0 to 1", arg)
		}
		opinions = append(opinions, p)
	}
	if len(opinions) == 0 && !curve {
		return nil, nil, usagef("no opinions: give probabilities from 0 to 1, such as 0.7 0.2")
	}
	return rules, opinions, nil
}

// reportRules returns the table, or with curve the curves, for programs.
func reportRules(rules []rule.Rule, opinions []float64, curve bool) ruleReport {
	out := ruleReport{Opinions: append([]float64{}, opinions...)}
	for _, r := range rules {
		c := composedBy{Rule: r.String(), Symmetric: r.Symmetric()}
		if q, ok := r.Abstain(); ok {
			c.Abstain = &q
		}
		if curve {
			var y []float64
			out.P, y = curveOf(r, opinions, curvePoints)
			for _, v := range y {
				c.Curve = append(c.Curve, jsonFloat(v))
			}
		} else {
			p := jsonFloat(r.Compose(opinions...))
			c.Composed = &p
		}
		out.Rules = append(out.Rules, c)
	}
	return out
}

func printTable(w io.Writer, rules []rule.Rule, opinions []float64) error {
	if len(rules) == 1 {
		_, err := fmt.Fprintf(w, "%.12g\n", rules[0].Compose(opinions...))
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%-18s%-12s%-11s%s\n", "rule", "abstention", "symmetric", "composed")
	for _, r := range rules {
		abstain := "none"
		if q, ok := r.Abstain(); ok {
			abstain = fmt.Sprint(q)
		}
		fmt.Fprintf(b, "%-18s%-12s%-11s%.6f\n", r, abstain, map[bool]string{true: "yes", false: "no"}[r.Symmetric()], r.Compose(opinions...))
	}
	return b.Flush()
}

// The numbers of points of a curve in a picture and in a table.
const (
	curvePoints = 401
	tablePoints = 21
)

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

func printCurve(w io.Writer, rules []rule.Rule, opinions []float64) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "p")
	columns := make([][]float64, len(rules))
	var x []float64
	for i, r := range rules {
		fmt.Fprintf(b, "\t%v", r)
		x, columns[i] = curveOf(r, opinions, tablePoints)
	}
	for j := range x {
		fmt.Fprintf(b, "\n%.2f", x[j])
		for _, y := range columns {
			fmt.Fprintf(b, "\t%.6f", y[j])
		}
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// ruleChart returns the curves as a picture.
func ruleChart(rules []rule.Rule, opinions []float64) render.Chart {
	var series []render.Series
	for _, r := range rules {
		x, y := curveOf(r, opinions, curvePoints)
		series = append(series, render.Series{Name: r.String(), X: x, Y: y})
	}
	title := "One opinion p"
	if len(opinions) > 0 {
		var given []string
		for _, p := range opinions {
			given = append(given, fmt.Sprint(p))
		}
		title = "Opinions " + strings.Join(given, ", ") + " and p"
	}
	return render.Curves(title, "p", "composed", series)
}
