package main

import (
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

const compareLong = `Say how groups of rows differ, by the parts that explain them: the values of --by, or
the rows of file A and those of file B. One model explains all rows: that of -m, or one
that is learned from all of them in at most 30 seconds; --by is not learned.

Of each part it compares how many rows of a group have it with the other groups, by
Fisher's exact test; of each column what the parts leave. All tests are one family, by
Benjamini and Hochberg: of the findings, chance makes at most 2 % on average. With more
than two groups each is compared with all others together.

Values of fewer than 5 rows are left out.

-o groups.csv writes all comparisons: the part or column, the group, its share or mean
with the interval of 95 %, that of the others, p, q, and whether it is a finding.`

const compareExample = `  patchwork compare sites.csv --by habitat
  patchwork compare sites.csv --by habitat -o differences.csv`

// compareFlags are the flags of compare.
type compareFlags struct {
	answerFlags
	by, table, format string
	asJSON            jsonFlag
}

func (a *app) compareCommand() *cobra.Command {
	f := new(compareFlags)
	cmd := &cobra.Command{
		Use:     "compare FILE --by COLUMN, or compare A B",
		Short:   "Say how groups of rows, or two files, differ",
		Long:    compareLong,
		Example: compareExample,
		Args:    oneOrMoreData,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.compare(cmd, f, args) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.model, "model", "m", "", "model file (default one that is learned from all rows)")
	fs.StringVar(&f.by, "by", "", "compare the rows by their values in this column")
	fs.StringVarP(&f.table, "output", "o", "", "also write all comparisons (.csv, .npz, .parquet, .jsonl)")
	f.asJSON.add(cmd)
	countFlag(cmd, &f.Count)
	f.data.add(cmd)
	f.data.addWholeMemory(cmd)
	everyday(cmd, "model by output json column where")
	return cmd
}

// compare says how groups of rows differ.
func (a *app) compare(cmd *cobra.Command, f *compareFlags, paths []string) (err error) {
	if f.format, err = checkOutput("compare", f.table); err != nil {
		return err
	}
	if f.by == "" && len(paths) != 2 {
		return usagef("name two files to compare, or one and --by COLUMN")
	}
	if f.by == "" && cmd.Flags().Changed("rows") {
		return usagef("--rows takes rows of one file; compare one file with --by")
	}
	f.json, f.Workers = true, runtime.GOMAXPROCS(0)
	if f.by != "" {
		if err := (&editsFlag{&f.data.edits}).Set(f.by + "=label"); err != nil {
			return err
		}
	}
	j, err := a.answerModel(cmd, &f.answerFlags, paths)
	if err != nil {
		return err
	}
	frames, group, names, err := f.groups(cmd, j, paths)
	if err != nil {
		return err
	}
	c, err := workbench.Compare(cmd.Context(), j.model, frames, group, names, f.Workers)
	if err != nil {
		return request(err)
	}
	if f.table != "" {
		t := answersOf(c.All)
		if err := a.outputAnswers(f.table, f.format, t, t.once()); err != nil {
			return err
		}
	}
	if f.asJSON {
		return a.printObject(c, f.table)
	}
	return a.print(c.Lines())
}

// groups returns the data to compare, and of which group each row is.
func (f *compareFlags) groups(cmd *cobra.Command, j *job, paths []string) (frames []*dataset.Frame,
	group func(frame, i int) int, names []string, err error) {
	if j.set == nil {
		return nil, nil, nil, usagef("all rows must be in memory; take some with --where, or allow more with --memory")
	}
	if f.by == "" {
		f.data.model = j.model
		for _, path := range paths {
			s, err := f.data.open(cmd, []string{path})
			if err != nil {
				return nil, nil, nil, err
			}
			frames = append(frames, s.head())
		}
		return frames, func(frame, _ int) int { return frame }, paths, nil
	}
	at := slices.IndexFunc(j.set.Meta, func(c dataset.Labels) bool { return c.Name == f.by })
	if at < 0 {
		return nil, nil, nil, usagef("--by %s: there is no such column among those that are not learned", f.by)
	}
	c, of := j.set.Meta[at], map[string]int{}
	for i := range c.Len() {
		if !c.Missing(i) {
			of[c.Text(i)]++
		}
	}
	for name, rows := range of {
		if of[name] = -1; rows >= workbench.FewestCompared {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		of[name] = i
		names[i] = f.by + "=" + name
	}
	return []*dataset.Frame{j.set}, func(_, i int) int {
		if c.Missing(i) {
			return -1
		}
		return of[c.Text(i)]
	}, names, nil
}
