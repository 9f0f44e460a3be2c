package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// printParts says in words how many parts there are, what each says, what the columns
// are called and how the data were read.
func (r *modelReport) printParts(line func(string, string, ...any)) {
	if r.Height == 1 {
		line("parts", "%d of %s", r.Experts, words.Count(r.Width, "column"))
	} else {
		of := ""
		if r.Size != [2]int{r.Height, r.Width} {
			of = fmt.Sprintf(" anywhere in images of %d x %d", r.Size[0], r.Size[1])
		}
		line("parts", "%d of %d x %d pixels%s", r.Experts, r.Height, r.Width, of)
	}
	if shares := words.Shares(r.model); shares != "" && len(r.Parts) > 0 {
		line("", "(%s)", shares)
	}
	for k, p := range r.Parts {
		line("", "%s, %s", words.Full(r.model, k), p.Words)
	}
	if len(r.Columns) > 0 {
		line("columns", "%s", firstOf(r.Columns))
	}
	if flags := readingFlags(r.Reading); flags != "" {
		line("read with", "%s", flags)
	}
}

// mostListed is how many names of columns a line has.
const mostListed = 8

// firstOf lists the first of some names, and how many there are if these are not all.
func firstOf(names []string) string {
	var out []string
	for _, name := range names[:min(len(names), mostListed)] {
		out = append(out, words.Clean(name))
	}
	text := strings.Join(out, ", ")
	if len(names) > mostListed {
		text += fmt.Sprintf(", ... (%d in all)", len(names))
	}
	return text
}

// unflagged lists what no flag says of how data were read: what a file without names, and
// the cells of some columns, are like.
var unflagged = []string{"numbered", "marks", "signs", "letters"}

// readingFlags returns how the data of a model were read as the flags that say so.
func readingFlags(reading json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(reading))
	if _, err := d.Token(); err != nil { // the bracket, or nothing
		return ""
	}
	var flags []string
	for d.More() {
		name, err := d.Token()
		var value any
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			break // the model file has checked that it is JSON
		}
		if slices.Contains(unflagged, fmt.Sprint(name)) {
			continue
		}
		flags = append(flags, strings.TrimSpace(fmt.Sprintf("--%v %s", name, flagValue(value))))
	}
	return words.Clean(strings.Join(flags, " "))
}

// flagValue returns a value of JSON as that of a flag.
func flagValue(v any) string {
	switch v := v.(type) {
	case bool:
		return "" // true
	case string:
		if v == "" || strings.ContainsAny(v, " \"'$*{};|&<>") {
			return strconv.Quote(v)
		}
		return v
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, strings.Trim(flagValue(x), `"`))
		}
		if len(v) == 2 && fmt.Sprintf("%T", v[0]) == "float64" {
			return strings.Join(out, "x")
		}
		return flagValue(strings.Join(out[:min(len(out), mostListed)], ","))
	}
	return fmt.Sprint(v)
}
