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
	"geometry_cov", "compounds", "compounds_usage", "alone", "predictor_shares", "predictor_components",
	"predictor_means", "predictor_covariance", "level", "counts"}

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
	templates, h, w := slices.Concat(m.Templates()...), cfg.Height, cfg.Width
	var counts patchwork.Counts
	if extras.Counts != nil {
		counts = extras.Counts.Counts()
	}
	if !slices.ContainsFunc(counts.LostSeen, func(n int64) bool { return n != 0 }) {
		counts.LostOn, counts.LostSeen = nil, nil
	}
	var mean, cov []float64
	if g := extras.Geometry; g != nil {
		mean, cov = g.Normal.Mean(), g.Normal.Cov()
	}
	sure, share, alone := compoundArrays(extras.SetPrior)
	arrays := []stored{numbersOf("experts", &templates, k, h, w)}
	for _, one := range []stored{wholeOf("on", &counts.On, k, h, w), wholeOf("seen", &counts.Seen, k, h, w),
		wholeOf("lost_on", &counts.LostOn, k, h, w), wholeOf("lost_seen", &counts.LostSeen, k, h, w),
		numbersOf("q", &cfg.QMap, h, w), numbersOf("usage", &extras.Usage, k), numbersOf("means", &extras.Means, h, w),
		numbersOf("geometry_mean", &mean, len(mean)), numbersOf("geometry_cov", &cov, len(mean), len(mean)),
		numbersOf("compounds", &sure, len(share), k), numbersOf("compounds_usage", &share, len(share)),
		numbersOf("alone", &alone, k)} {
		arrays = append(arrays, one.optional())
	}
	if l := layersOf(extras.Predictor); l != nil {
		arrays = append(arrays, numbersOf("level", &l.Slope, w).optional())
	}
	arrays = append(arrays, arraysOf(extras.Predictor)...)
	counted := stored{name: "counts", shape: []int{len(extras.Counted)}, data: func() any { return extras.Counted }}
	return membersOf(text, append(arrays, counted.optional())), nil
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
	text := []string{r.Method, r.Mode}
	for _, s := range r.Starts {
		text = append(text, s.Method)
	}
	for _, p := range r.Curve {
		text = append(text, p.Stage)
	}
	for _, s := range text {
		if !utf8.ValidString(s) {
			return bad("record", "", "%q is not UTF-8", s)
		}
	}
	likely, long := (*record)(r).nats()
	for i, v := range append(likely, long...) {
		sign := map[bool]float64{true: 1, false: -1}[i < len(likely)]
		if x := sign * *v; math.IsNaN(x) || math.IsInf(x, 1) {
			return bad("record", "", "a log-likelihood (or a negated description length) is %v", x)
		}
	}
	return nil
}

// encodeHeader returns model.json: one line, fields in fixed order.
func encodeHeader(cfg *patchwork.Config, extras *patchwork.Extras) ([]byte, error) {
	h := header{Format: format, Version: version, Kind: KindBits, Rule: cfg.Rule.String(), Q: &cfg.Q, Height: cfg.Height,
		Width: cfg.Width,
		Scene: cfg.Scene, Overhang: cfg.Overhang, Truncate: cfg.Truncate, Outside: outside(cfg.UnknownOutside),
		Record: record(extras.Record), SetPrior: newSetPrior(extras.SetPrior),
		CompoundsKind: extras.SetPrior.Kind(), Predictor: newPredictor(extras.Predictor),
		Answers: layersOf(extras.Predictor), Columns: extras.Columns, Names: extras.Names}
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
