// Package tallyfile stores tallies in files, so that the E-steps of many
// machines can be added up on one.
//
// A file holds one or more records in a row, so files can be joined with cat. A
// record is a line of text, a header and a body:
//
//	patchwork-tally 3 HEADER BODY SHA256\n   version, lengths in bytes; the checksum of header and body
//	{"model":…,"options":…,"shards":[…]}\n    JSON, HEADER bytes with the newline; see Shard
//	…                                         BODY bytes: Tally.MarshalBinary, or that of table.Counts or of real.Tally
//
// or one line of the same in base64, for pipes that carry lines:
//
//	patchwork-tally-base64 …\n
//
// A shard may say which rows of a file it counts, so that shards that overlap are told. The
// same part gives the same bytes on every machine.
package tallyfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/strictjson"
	"example.com/patchwork/learn/mixed"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/table"
)

const (
	maxRows   = 1 << 31            // of a part, as the counts of a Tally bound them
	maxShards = 1 << 14            // of a part, far more than there are machines
	maxHeader = strictjson.MaxText // bytes of the header of a record: 256 for each of so many shards
)

// checkHeader returns an error for the header of a record that is larger than any honest one.
func checkHeader(size int64) error {
	if size > maxHeader {
		return fmt.Errorf("its header has %d bytes, more than %d; count the rows in fewer, larger pieces", size, maxHeader)
	}
	return nil
}

// Part is the tally of some rows, with the rows' names and the model and
// options that explained them. Parts may be merged in any order.
type Part struct {
	Model   string  // HashModel of the model that explained the rows
	Options string  // how it explained them, as the caller describes it
	Shards  []Shard // what was counted, by rising ID
	Tally   *patchwork.Tally

	// Soft, if not nil, holds the counts instead of Tally, which is then empty: those of
	// soft learning, under rules by which a pixel is nobody's own.
	Soft *table.Counts

	// Real, if not nil, holds those of real values, likewise.
	Real *real.Tally
	// Mixed, if not nil, holds those of tables of every kind of column.
	Mixed *mixed.Tally
}

// Rows returns how many rows the part counts, by weight.
func (p *Part) Rows() int64 { return p.counts().Rows() }

// LogLik returns the log-likelihood of the rows, in nats: by one explanation of each, or
// of soft counts by all that were found.
func (p *Part) LogLik() float64 { return p.counts().LogLik() }

// Picks returns how many parts the rows have together; of soft counts, as expected.
func (p *Part) Picks() int64 { return p.counts().picks() }

// Shard is one piece of a data set, counted completely.
type Shard struct {
	ID     string `json:"id"`               // identifies the piece, wherever it was counted
	Source string `json:"source,omitempty"` // where it came from, for people
	Rows   int64  `json:"rows"`             // images, weights counted

	// File, if not "", identifies the selected rows of a file, of which these are From to
	// To-1, counted from 0; To is 0 for all from there.
	File string `json:"file,omitempty"`
	From int64  `json:"from,omitempty"`
	To   int64  `json:"to,omitempty"`
}

// end returns the row after the last.
func (s Shard) end() int64 {
	if s.To == 0 {
		return math.MaxInt64
	}
	return s.To
}

// rowRange names the rows as --rows takes them: from 1, the last one included.
func (s Shard) rowRange() string {
	if s.To == 0 {
		return fmt.Sprintf("%d:", s.From+1)
	}
	return fmt.Sprintf("%d:%d", s.From+1, s.To)
}

// overlap returns an error if two shards of p and other say that they count a row of the
// same file.
func (p *Part) overlap(other *Part) error {
	theirs := map[string][]Shard{}
	for _, s := range other.Shards {
		if s.File != "" {
			theirs[s.File] = append(theirs[s.File], s)
		}
	}
	for _, s := range p.Shards {
		for _, o := range theirs[s.File] {
			if s.From < o.end() && o.From < s.end() {
				return mismatch("rows of one file would be counted twice: one part counts rows %s (of %s), another rows %s "+
					"(of %s); "+
					"give each its own rows with count --rows A:B", s.rowRange(),
					sourceOf(s), o.rowRange(), sourceOf(o))
			}
		}
	}
	return nil
}

// HashModel returns 64 hexadecimal digits that identify a model by its
// configuration and templates, regardless of how it was learned: the SHA-256 of
// a model file with only these. The error is that of modelfile.Write.
func HashModel(m *patchwork.Model) (string, error) {
	bare, err := m.WithExtras(patchwork.Extras{})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if err := modelfile.Write(h, bare); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// MismatchError reports parts that do not belong together, or that would be
// counted twice.
type MismatchError struct{ Problem string }

// Error implements the error interface.
func (e *MismatchError) Error() string { return e.Problem }

// Merge adds other to p. If they differ in model or options, share a shard or, as far as
// both say which rows they count, a row, or have too many rows together, it returns a
// *[MismatchError] and p is unchanged.
func (p *Part) Merge(other *Part) error {
	switch {
	case p.Model != other.Model:
		return mismatch("%s was explained by model %.12s…, %s by model %.12s…; only parts made with the same model "+
			"can be added", other.name(), other.Model, p.name(), p.Model)
	case p.Options != other.Options:
		return mismatch("%s was explained with %q, %s with %q; only parts made with the same options can be added",
			other.name(), other.Options, p.name(), p.Options)
	}
	for _, s := range other.Shards {
		if i, found := slices.BinarySearchFunc(p.Shards, s, byID); found {
			return mismatch("shard %.24s is in %s and in %s: it would be counted twice; leave one out",
				s.ID, sourceOf(p.Shards[i]), sourceOf(s))
		}
	}
	if err := p.overlap(other); err != nil {
		return err
	}
	if err := p.sameSize(other); err != nil {
		return err
	}
	if p.Rows()+other.Rows() > maxRows {
		return mismatch("%d and %d rows are more than %d", p.Rows(), other.Rows(), int64(maxRows))
	}
	if err := p.counts().add(other.counts()); err != nil {
		return &MismatchError{Problem: err.Error()}
	}
	p.Shards = append(p.Shards, other.Shards...)
	slices.SortFunc(p.Shards, byID)
	return nil
}

// sameSize returns an error if the counts of two parts are not of as many experts of the
// same size: whatever they say of their model, one of them is not of it.
func (p *Part) sameSize(other *Part) error {
	a, b := p.counts(), other.counts()
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return mismatch("%s and %s are counted in different ways; one of them is not of model %.12s…", other.name(), p.name(),
			p.Model)
	}
	if a.size() != b.size() {
		return mismatch("%s counts %s, %s counts %s; one of them is not of model %.12s…", other.name(), b.size(), p.name(),
			a.size(), p.Model)
	}
	return nil
}

func byID(a, b Shard) int { return cmp.Compare(a.ID, b.ID) }

func mismatch(format string, args ...any) error { return &MismatchError{fmt.Sprintf(format, args...)} }

// name describes the part in an error message.
func (p *Part) name() string {
	if len(p.Shards) == 0 {
		return "an empty part"
	}
	name := "the part of " + sourceOf(p.Shards[0])
	if n := len(p.Shards) - 1; n > 0 {
		name += fmt.Sprintf(" and %d more", n)
	}
	return name
}

func sourceOf(s Shard) string {
	if s.Source == "" {
		return fmt.Sprintf("shard %.24s", s.ID)
	}
	return s.Source
}

// Identity computes the ID of a shard without a name: the SHA-256 of its rows
// (known and unknown pixels, weights), so that the same rows are the same
// shard, whatever file they come from. Their order is part of it: two pieces of a table of
// few columns may well have as many rows of each kind, and both are data.
type Identity struct {
	hash interface {
		io.Writer
		Sum([]byte) []byte
	}
}

// NewIdentity returns the identity of no rows.
func NewIdentity() *Identity { return &Identity{sha256.New()} }

// Add appends rows in order; blocks of any size give the same identity.
func (id *Identity) Add(rows patchwork.Data) {
	var line []byte
	for i, img := range rows.Images {
		line = fmt.Appendf(line[:0], "%dx%d %d ", img.Height(), img.Width(), rows.Weight(i))
		line = img.AppendBytes(line)
		line = img.AppendKnown(line)
		id.hash.Write(line)
	}
}

// String returns the identity so far: "sha256:" and 64 hexadecimal digits.
func (id *Identity) String() string { return "sha256:" + hex.EncodeToString(id.hash.Sum(nil)) }

// header is the JSON header of a record.
type header struct {
	Model   string  `json:"model"`
	Options string  `json:"options"`
	Shards  []Shard `json:"shards"`
}

// check returns an error that says what is wrong with the list of shards.
func (p *Part) check() error {
	rows := int64(0)
	if n := len(p.Shards); n > maxShards {
		return fmt.Errorf("%d shards, more than %d; count the rows in fewer, larger pieces", n, maxShards)
	}
	for i, s := range p.Shards {
		if s.Rows < 0 || s.ID == "" || s.Rows > maxRows {
			return fmt.Errorf("shard %d (%q) of %d rows", i, s.ID, s.Rows)
		}
		if i > 0 && byID(p.Shards[i-1], s) >= 0 {
			return fmt.Errorf("shard %q comes after %q, or twice", s.ID, p.Shards[i-1].ID)
		}
		if s.From < 0 || s.To < 0 || s.To != 0 && s.From >= s.To || s.File == "" && s.From|s.To != 0 {
			return fmt.Errorf("shard %q has rows %s of file %q", s.ID, s.rowRange(), s.File)
		}
		if rows += s.Rows; rows > maxRows {
			return fmt.Errorf("the shards have more than %d rows", int64(maxRows))
		}
	}
	if rows != p.Rows() {
		return fmt.Errorf("the shards have %d rows, but the tally has %d", rows, p.Rows())
	}
	return nil
}

// encode returns a record as bytes.
func (p *Part) encode() ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, &FormatError{Problem: err.Error()}
	}
	head, err := encodeHeader(header{p.Model, p.Options, p.Shards})
	if err == nil {
		err = checkHeader(int64(len(head)))
	}
	if err != nil {
		return nil, &FormatError{Problem: err.Error()}
	}
	body, err := p.counts().MarshalBinary()
	if err != nil {
		return nil, err
	}
	content := slices.Concat(head, body)
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s %d %d %x\n", recordMagic, version, len(head), len(body), sha256.Sum256(content))
	out.Write(content)
	return out.Bytes(), nil
}
