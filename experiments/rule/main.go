// Command rule composes opinions, probabilities from 0 to 1, by the rules of the paper.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"example.com/patchwork/rule"
)

const help = `Compose opinions, probabilities from 0 to 1, by a rule; without a name, by all rules side
by side. The abstention value of max and max-minus-min may follow a colon: max:0.5.
Figure 1 of the paper (go run ./experiments/paper 1) draws the curves.

  go run ./experiments/rule 0.7 0.2
  go run ./experiments/rule max-minus-min 0.7 0.2

usage: go run ./experiments/rule [NAME] OPINION...
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
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return help, nil
	}
	rules, opinions, err := parse(args)
	switch {
	case err != nil:
		return "", err
	case len(opinions) == 0:
		return "", fmt.Errorf("no opinions: give probabilities from 0 to 1, such as 0.7 0.2")
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
