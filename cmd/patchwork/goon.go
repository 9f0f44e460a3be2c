package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/table"
	"example.com/patchwork/workbench"
)

// goneOn is what learn --update reports; the names are a contract.
type goneOn struct {
	Output  string        `json:"output"`
	Experts int           `json:"experts"`
	Rows    int64         `json:"rows"`     // old and new
	NewRows int           `json:"new_rows"` // read
	LogLik  float64       `json:"log_lik"`  // of all rows, nats
	Length  float64       `json:"description_length"`
	New     []partChanged `json:"new"`
	Died    []partChanged `json:"died"`
}

// partChanged is a part that is new or died.
type partChanged struct {
	Part     int     `json:"part"` // from 1
	Name     string  `json:"name,omitempty"`
	Says     string  `json:"says"`
	Rows     int64   `json:"rows"`            // new ones that have it
	First    string  `json:"first,omitempty"` // of these, by its name
	Expected float64 `json:"expected"`
}

// goOn lets a model go on with new rows, and writes what it comes to.
func (a *app) goOn(cmd *cobra.Command, f *learnFlags, paths []string) error {
	_, err := checkOutput("learn", f.output)
	if err := cmp.Or(meantFor(cmd, updated), jsonFlag(f.json).check(f.output), err); err != nil {
		return err
	}
	m, err := loadModel(f.update)
	if err != nil {
		return err
	}
	f.data.model = workbench.Bits{Model: m}
	s, err := f.data.open(cmd, paths)
	if err != nil {
		return err
	}
	if err := fits(m, s.head()); err != nil {
		return err
	}
	if s.stream != nil {
		return errWhole(errors.New("--update goes on with rows in memory"))
	}
	u, err := table.GoOn(cmd.Context(), m, s.set.Data, table.Options{Seed: f.Seed, Workers: f.Workers})
	if err != nil {
		return request(err)
	}
	next := workbench.Bits{Model: u.Model}
	if err := a.saveModel(f.output, next); err != nil {
		return err
	}
	r := u.Model.Extras().Record
	out := goneOn{f.output, next.K(), r.Rows, s.set.Len(), r.LogLik, r.DescriptionLength, []partChanged{}, []partChanged{}}
	lines := []string{fmt.Sprintf("went on with %s, after %d; log-likelihood %.3f per row by all explanations (nats)",
		words.Count(out.NewRows, "row"), m.Extras().Record.Rows, r.LogLik/float64(r.Rows))}
	called := s.head().Called()
	say := func(c table.Change) partChanged {
		p := partChanged{Part: c.Part + 1, Name: workbench.Given(next, c.Part), Says: next.Part(c.Part).Says, Rows: c.Rows,
			Expected: c.Expected}
		if c.First >= 0 {
			p.First = called(c.First)
		}
		return p
	}
	for _, c := range u.New {
		p := say(c)
		out.New = append(out.New, p)
		brought := words.Count(int(c.Rows), "row")
		if p.First != "" {
			brought += ", the first is " + p.First
		}
		lines = append(lines, fmt.Sprintf("%s is new: %s: %s", workbench.Full(next, c.Part), brought, p.Says))
	}
	for _, c := range u.Died {
		out.Died = append(out.Died, say(c))
		lines = append(lines, fmt.Sprintf("%s died: no new row has it, and before %.0f of as many had it; "+
			"it stays in the model", workbench.Full(next, c.Part), c.Expected))
	}
	if f.json {
		return a.printObject(out, f.output)
	}
	if err := a.sayAll(a.notTo(f.output), lines); err != nil {
		return err
	}
	return a.wrote(f.output, "%s", next.Size())
}
