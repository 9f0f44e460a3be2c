package modelfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/table/lists"
)

// listsHeader is model.json of a model of a wide table.
type listsHeader struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	Kind    string          `json:"kind"`
	Rule    string          `json:"rule"`
	Height  int             `json:"height"` // 1
	Width   int             `json:"width"`
	Columns []string        `json:"columns,omitempty"`
	Names   []string        `json:"names,omitempty"`
	Steps   []float64       `json:"steps,omitempty"` // of the level
	Weights []float64       `json:"weights,omitempty"`
	Reading json.RawMessage `json:"reading,omitempty"`
	Record  *lists.Record   `json:"record,omitempty"`
}

// listsNeed are the arrays that every such model has.
var listsNeed = needs{
	"a model of a wide table needs it: vote_part, vote_column and vote of one length, usage (K), q (D)",
	[]string{"vote_part", "vote_column", "vote", "usage", "q"}}

// WriteLists writes a model of a wide table: a zip that numpy.load opens, with its votes as lists: `vote_part` and
// `vote_column` (from 0) and what they say, `vote`, in the order of parts and columns; `usage` (K) is how often each
// part is there, and `q` (D) what is said of a column where no part votes. The bytes are the same for the same model
// on every machine, and [ReadLists] restores it. Where rows have a level, `level` (1) is by how much one step of it
// raises the log odds of all columns beside `q`; model.json holds its steps, each with a weight.
func WriteLists(w io.Writer, m *lists.Model) error {
	if err := cmp.Or(m.Check(), checkList("columns", m.Columns, len(m.Q), "name every column, or none"),
		checkList("names", m.Names, len(m.Parts), "")); err != nil {
		return err
	}
	h := listsHeader{Format: format, Version: version, Kind: KindLists, Rule: "max", Height: 1, Width: len(m.Q),
		Columns: m.Columns, Names: m.Names, Reading: m.Reading}
	if m.Record.Rows > 0 {
		h.Record = &m.Record
	}
	if m.Level != nil {
		h.Steps, h.Weights = m.Level.Steps, m.Level.Weights
	}
	text, err := encodeJSON(h)
	if err != nil {
		return err
	}
	var part, column []int32
	var vote []float32
	for k, p := range m.Parts {
		for i, d := range p.Columns {
			part, column, vote = append(part, int32(k)), append(column, d), append(vote, float32(p.P[i]))
		}
	}
	members := []npy.Member{{Name: jsonName, Raw: text},
		{Name: "vote_part", Array: npy.New(part, len(part))},
		{Name: "vote_column", Array: npy.New(column, len(column))},
		{Name: "vote", Array: npy.New(vote, len(vote))},
		{Name: "usage", Array: npy.New(m.Usage, len(m.Usage))},
		{Name: "q", Array: npy.New(m.Q, len(m.Q))}}
	if m.Level != nil {
		members = append(members, npy.Member{Name: "level", Array: npy.New([]float64{m.Level.Slope}, 1)})
	}
	return npy.WriteZip(w, npy.Store, members...)
}

// ReadLists reads a model of a wide table of size bytes. Bad content yields a [*FormatError]; errors of r are passed
// on.
func ReadLists(r io.ReaderAt, size int64) (*lists.Model, error) {
	z, text, err := open(r, size, listsNeed)
	if err != nil {
		return nil, err
	}
	h := listsHeader{Format: format, Version: version, Kind: KindLists, Rule: "max", Height: 1}
	if err := decodeHeader(text, KindLists, &h); err != nil {
		return nil, err
	}
	if h.Rule != "max" || h.Height != 1 {
		return nil, bad("rule, height", "", "are %s and %d; a model of a wide table has max and 1", h.Rule, h.Height)
	}
	if err := cmp.Or(checkFrame(1, h.Width), checkNames(z, append(listsNeed.arrays, "level"), ", in a model of a wide table")); err != nil {
		return nil, err
	}
	m := &lists.Model{Columns: h.Columns, Names: h.Names, Reading: h.Reading}
	if h.Record != nil {
		m.Record = *h.Record
	}
	read := &reader{zip: z}
	if m.Q, err = read.floats("q", h.Width); err != nil {
		return nil, err
	}
	if err := readVotes(read, m); err != nil {
		return nil, err
	}
	if z.Has("level") || h.Steps != nil || h.Weights != nil {
		slope, err := read.floats("level", 1)
		if err != nil {
			return nil, err
		}
		m.Level = &lists.Level{Slope: slope[0], Steps: h.Steps, Weights: h.Weights}
	}
	err = cmp.Or(checkList("columns", m.Columns, len(m.Q), ""), checkList("names", m.Names, len(m.Parts), ""))
	if err != nil {
		return nil, err
	}
	if err := m.Check(); err != nil {
		return nil, misfit(err, "")
	}
	return m, nil
}

// readVotes reads the parts, whose numbers are those of the arrays.
func readVotes(r *reader, m *lists.Model) error {
	k, err := r.length("usage")
	if err != nil {
		return err
	}
	n, err := r.length("vote")
	if err != nil {
		return err
	}
	part, err := r.ints("vote_part", n)
	if err != nil {
		return err
	}
	column, err := r.ints("vote_column", n)
	if err != nil {
		return err
	}
	vote, err := r.floats("vote", n)
	if err != nil {
		return err
	}
	m.Parts = make([]lists.Part, k)
	for i, at := range part {
		if at < 0 || at >= int64(k) || column[i] < 0 || column[i] >= int64(len(m.Q)) || i > 0 && at < part[i-1] {
			return &FormatError{Member: "vote_part" + npySuffix,
				Msg: fmt.Sprintf("vote %d is of part %d on column %d; there are %d parts, in order, and %d columns", i+1, at,
					column[i], k, len(m.Q))}
		}
		p := &m.Parts[at]
		p.Columns, p.P = append(p.Columns, int32(column[i])), append(p.P, vote[i])
	}
	m.Usage, err = r.floats("usage", k)
	return err
}

// length returns the length of an array of one dimension.
func (r *reader) length(name string) (int, error) {
	d, err := r.zip.Open(name)
	if err != nil {
		return 0, in(err, name+npySuffix)
	}
	shape := d.Header().Shape
	if len(shape) != 1 || shape[0] > maxArray/8 {
		return 0, &FormatError{Member: name + npySuffix, Msg: fmt.Sprintf("has shape %v; it has one dimension", shape)}
	}
	return shape[0], nil
}
