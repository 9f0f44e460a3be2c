package modelfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"example.com/patchwork"
	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/internal/npy"
)

// arrayNames lists the arrays in the order of the file.
var arrayNames = []string{"experts", "on", "seen", "lost_on", "lost_seen", "q", "usage", "means", "geometry_mean",
	"geometry_cov"}

// Save writes a model to the file at path. Whatever fails, the file holds
// either the complete model or its previous content. Errors are those of
// [Write] and of the file system.
func Save(path string, m *patchwork.Model) error {
	return atomicfile.Write(path, func(w io.Writer) error { return Write(w, m) })
}

// Write writes a model: the same bytes for the same model on every machine.
// [Read] restores it exactly, except for what a tally holds besides its counts
// and the number of images (log-likelihood, picks, active). For a model too
// large for a file, and for a record with NaN or text that is not UTF-8, it
// returns a [*FormatError] and writes nothing.
func Write(w io.Writer, m *patchwork.Model) error {
	members, err := members(m)
	if err != nil {
		return err
	}
	return npy.WriteZip(w, npy.Store, members...)
}

// members returns the members of the file.
func members(m *patchwork.Model) ([]npy.Member, error) {
	cfg, extras, k := m.Config(), m.Extras(), m.K()
	if err := check(&cfg, &extras, k); err != nil {
		return nil, err
	}
	text, err := encodeHeader(&cfg, &extras)
	if err != nil {
		return nil, err
	}
	out := []npy.Member{{Name: jsonName, Raw: text}}
	add := func(name string, a *npy.Array) { out = append(out, npy.Member{Name: name, Array: a}) }
	h, w := cfg.Height, cfg.Width
	add("experts", npy.New(slices.Concat(m.Templates()...), k, h, w))
	if extras.Counts != nil {
		c := extras.Counts.Counts()
		add("on", npy.New(c.On, k, h, w))
		add("seen", npy.New(c.Seen, k, h, w))
		if slices.ContainsFunc(c.LostSeen, func(n int64) bool { return n != 0 }) {
			add("lost_on", npy.New(c.LostOn, k, h, w))
			add("lost_seen", npy.New(c.LostSeen, k, h, w))
		}
	}
	if cfg.QMap != nil {
		add("q", npy.New(cfg.QMap, h, w))
	}
	if extras.Usage != nil {
		add("usage", npy.New(extras.Usage, k))
	}
	if extras.Means != nil {
		add("means", npy.New(extras.Means, h, w))
	}
	if g := extras.Geometry; g != nil {
		d := g.Normal.Dim()
		add("geometry_mean", npy.New(g.Normal.Mean(), d))
		add("geometry_cov", npy.New(g.Normal.Cov(), d, d))
	}
	members, err := committeeMembers(extras.Committee, bitsNeed, Write)
	return append(out, members...), err
}

// check rejects what Read would reject.
func check(cfg *patchwork.Config, extras *patchwork.Extras, k int) error {
	if err := checkFrame(cfg.Height, cfg.Width); err != nil {
		return err
	}
	if err := checkPoses(cfg.Poses); err != nil {
		return err
	}
	if err := checkWork(cfg, k); err != nil {
		return err
	}
	if t := extras.Counts; t != nil {
		if t.Rows() > maxCount {
			return bad("rows", "", "%d images, beyond 2^53", t.Rows())
		}
		c := t.Counts()
		if err := cmp.Or(checkCounts(c.Seen, "seen.npy"), checkCounts(c.LostSeen, "lost_seen.npy")); err != nil {
			return err
		}
	}
	if g := extras.Geometry; g != nil {
		if err := checkPresence(g.Presence, k); err != nil {
			return err
		}
	}
	return cmp.Or(checkTexts(extras, cfg.Height*cfg.Width, k), checkRecord(&extras.Record))
}

// checkRecord rejects what JSON cannot represent.
func checkRecord(r *patchwork.Record) error {
	text, numbers := []string{r.Method, r.Mode}, []float64{r.LogLik, -r.DescriptionLength}
	for _, s := range r.Starts {
		text, numbers = append(text, s.Method), append(numbers, s.Score, s.LeaveOneOut, -s.DescriptionLength)
	}
	for _, p := range r.Curve {
		text, numbers = append(text, p.Stage), append(numbers, p.LogLik, -p.DescriptionLength, p.HeldOut)
	}
	for _, s := range text {
		if !utf8.ValidString(s) {
			return bad("record", "", "%q is not UTF-8", s)
		}
	}
	for _, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return bad("record", "", "a log-likelihood (or a negated description length) is %v", v)
		}
	}
	return nil
}

// encodeHeader returns model.json: one line, fields in fixed order.
func encodeHeader(cfg *patchwork.Config, extras *patchwork.Extras) ([]byte, error) {
	h := header{Format: format, Version: version, Kind: KindBits, Rule: cfg.Rule.String(), Q: &cfg.Q, Height: cfg.Height,
		Width: cfg.Width,
		Scene: cfg.Scene, Overhang: cfg.Overhang, Truncate: cfg.Truncate, Outside: outside(cfg.UnknownOutside),
		Record:  newRecord(extras.Record),
		Columns: extras.Columns, Names: extras.Names}
	var err error
	if h.Reading, err = compact(extras.Reading); err != nil {
		return nil, err
	}
	if cfg.ImageHeight != cfg.Height || cfg.ImageWidth != cfg.Width {
		h.Images = []int{cfg.ImageHeight, cfg.ImageWidth}
	}
	h.setPoses(cfg.Poses)
	if cfg.Reuse != 0 {
		h.Reuse = &cfg.Reuse
	}
	if cfg.Prior != (patchwork.Prior{}) {
		h.Prior = &prior{&cfg.Prior.On, &cfg.Prior.Off}
	}
	if extras.Counts != nil {
		rows := extras.Counts.Rows()
		h.Rows = &rows
	}
	if extras.Geometry != nil {
		h.setPresence(extras.Geometry.Presence)
	}
	return encodeJSON(h)
}

// encodeJSON returns model.json, and rejects one that no reader takes.
func encodeJSON(h any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		return nil, fmt.Errorf("modelfile: %w", err)
	}
	if text.Len() > maxJSON {
		return nil, &FormatError{Member: jsonName, Msg: fmt.Sprintf("%d bytes, more than %d", text.Len(), maxJSON),
			Hint: "shorten the names of columns, or leave them out"}
	}
	_, err := fieldsOf(text.Bytes(), reflect.TypeOf(h))
	return text.Bytes(), err
}
