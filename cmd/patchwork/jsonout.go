package main

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"example.com/patchwork/internal/strictjson"
)

// jsonFlag is --json: one JSON object on standard output, in the place of a summary.
// The names of its fields are a contract; no number in it is infinite or missing.
type jsonFlag bool

func (f *jsonFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar((*bool)(f), "json", false, "print one JSON object")
}

// check returns an error if the output of a command goes where the object goes.
func (f jsonFlag) check(output string) error {
	if f && output == "-" {
		return usagef("--json and -o - both write to standard output; name a file for -o")
	}
	return nil
}

// printObject prints the object that --json asks for. It speaks of some outputs.
func (a *app) printObject(object any, outputs ...string) error {
	a.written, a.carried = append(a.written, outputs...), true
	return encodeJSON(a.out, object)
}

// printLong prints an object that people read too, over many lines.
func (a *app) printLong(object any) error {
	return a.output("-", func(w io.Writer) error { return encodeJSON(w, object, jsontext.WithIndent("  ")) })
}

// encodeJSON writes an object on a line, as the standard library does but for numbers that JSON does not have.
func encodeJSON(w io.Writer, object any, more ...json.Options) error {
	if err := strictjson.Write(w, object, more...); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// countReport is what count --json reports.
type countReport struct {
	Output string  `json:"output"`
	Shard  string  `json:"shard"` // what identifies the rows
	Rows   int64   `json:"rows"`  // weights counted
	Picks  int64   `json:"picks"`
	LogLik float64 `json:"log_lik"` // of all rows, in nats
}

// mergeReport is what merge --json reports.
type mergeReport struct {
	Output  string  `json:"output"`
	Experts int     `json:"experts"`
	Shards  int     `json:"shards"`
	Rows    int64   `json:"rows"`
	LogLik  float64 `json:"log_lik"` // of all rows under the model before this step, in nats
}

// synthReport is what synth --json reports.
type synthReport struct {
	Output  string   `json:"output,omitempty"`
	Picture string   `json:"picture,omitempty"`
	Images  int      `json:"images"`
	Height  int      `json:"height"`
	Width   int      `json:"width"`
	Seed    uint64   `json:"seed"`
	Arrays  []string `json:"arrays"` // of the file, x first
}
