package report

import (
	"fmt"
	"strings"
)

// The kinds of findings that say not to rely on the parts. They stand before all others.
const (
	kindNoBetter = "no-better-than-means" // hidden cells are predicted no better than by the means
	kindUnstable = "not-stable"           // parts do not come back when the model is learned again
	kindSampled  = "not-stable-in-sample" // they do not when it is learned from a sample: all rows may tell otherwise
)

const doNotRely = "Do not rely on these parts: "

// distrust puts before all other findings what speaks against relying on the parts, and
// before the summary, too, unless it concerns half of them or fewer. Then no finding
// advises more parts.
func (b *builder) distrust() {
	r, advice := b.r, b.betterParts()
	var found []Finding
	var reasons []string
	because := func(kind, reason string) {
		found = append(found, Finding{kind, doNotRely + reason + ".", advice})
		reasons = append(reasons, reason)
	}
	if reason := r.noBetter(); reason != "" {
		because(kindNoBetter, reason)
	}
	lost := r.lost()
	switch {
	case len(lost) == 0:
	case r.sampled():
		found = append(found, Finding{kindSampled, capital(r.sayBack()) + ".", r.askAll()})
	case 2*len(lost) > len(r.Parts):
		because(kindUnstable, r.sayBack())
	default:
		found = append(found, r.fewLost(lost))
	}
	if reasons != nil {
		r.warning = doNotRely + strings.Join(reasons, "; and ") + ". " + advice
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Kind == "unexplained" { // it may advise more parts
				f.Advice = "More parts are no help while these are not to be relied on."
			}
		}
	}
	r.Findings = append(found, r.Findings...)
}

// noBetter says that the parts predict hidden cells no better than the means; "" if they
// are better by 2 % or more, or, by however little, in every fold.
func (r *Report) noBetter() string {
	if r.Quality == nil {
		return ""
	}
	parts, means := r.Quality.By[0], r.Quality.By[1]
	every := true
	for i, loss := range parts.Folds {
		every = every && loss < means.Folds[i]
	}
	if every || !(float64(parts.Bits) >= 0.98*float64(means.Bits)) { // or nothing was hidden
		return ""
	}
	return fmt.Sprintf("they predict hidden %ss no better than the %s (%.3f bits per %s, the %s %.3f)",
		r.cell(), r.means(), float64(parts.Bits), r.cell(), r.means(), float64(means.Bits))
}

// lost returns the parts that do not come back when the model is learned again: of tables from other starts or from
// rows drawn anew, of images from neither, since a stroke that lies a little differently is the same to people.
func (r *Report) lost() []Returning {
	if r.Stability == nil {
		return nil
	}
	var out []Returning
	for _, p := range r.Stability.Parts {
		starts, rows := Mean(p.Restarts) < same, Mean(p.Bootstrap) < same
		if starts && rows || r.Table && (starts || rows) {
			out = append(out, p)
		}
	}
	return out
}

// sayBack says how many parts come back.
func (r *Report) sayBack() string {
	back, all := len(r.Parts)-len(r.lost()), len(r.Parts)
	from := ""
	if r.sampled() {
		from = fmt.Sprintf(" from %s of the %s %ss", thousands(int64(r.Stability.Rows)), thousands(int64(r.Rows)), r.Noun())
	}
	return fmt.Sprintf("learned again%s, by other starts and from %ss drawn anew, %d of %s %s back", from, r.Noun(), back,
		plural(int64(all), "part"), verb(all, "comes", "come"))
}

// fewLost names the parts that do not come back, where most do.
func (r *Report) fewLost(lost []Returning) Finding {
	var names []string
	for _, p := range lost {
		names = append(names, fmt.Sprintf("%s (mean similarity %.2f from other starts, %.2f from %ss drawn anew)",
			within(r.Parts[p.Part].Name), Mean(p.Restarts), Mean(p.Bootstrap), r.Noun()))
	}
	it := map[bool]string{true: "it does", false: "they do"}[len(lost) == 1]
	return Finding{kindUnstable, fmt.Sprintf("Do not rely on %s: %s not come back when learned again, which takes %.1f.",
		strings.Join(names, ", "), it, same),
		fmt.Sprintf("The others come back. More %ss or fewer parts (-k N) may make all come back.", r.Noun())}
}

// sampled reports whether the model was learned again from a sample, whose rows are too
// few for some parts: that these do not come back is no reason to distrust them.
func (r *Report) sampled() bool { return r.Stability != nil && r.Stability.Rows < r.Rows }

// askAll says how parts that a sample does not bring back are judged by all rows.
func (r *Report) askAll() string {
	return fmt.Sprintf("So few %ss may be the reason, so the other parts are not judged. report --sample %d judges them "+
		"by all %ss, and takes longer.", r.Noun(), r.Rows, r.Noun())
}

// betterParts says what may give parts to rely on.
func (b *builder) betterParts() string {
	ways := []string{"more " + b.r.Noun() + "s"}
	if b.m.K() > 1 {
		ways = append(ways, "fewer parts (-k N)")
	}
	last := "parts that may move (--shift, --rotate)"
	switch {
	case b.r.Table:
		last = "other columns"
	case b.m.Moves():
		last = "another range of poses (--shift, --rotate)"
	}
	text := fmt.Sprintf("%s or %s may give better ones", strings.Join(ways, ", "), last)
	if b.r.Table {
		text += "; columns that have nothing to do with each other have no parts"
	}
	return strings.ToUpper(text[:1]) + text[1:] + "." + b.r.fromSample()
}

// fromSample says that learning again took a sample only, and how it takes more.
func (r *Report) fromSample() string {
	n := r.Rows
	switch {
	case r.Stability != nil:
		n = r.Stability.Rows
	case r.Quality != nil:
		n = r.Quality.Rows
	}
	if n >= r.Rows {
		return ""
	}
	return fmt.Sprintf(" This is what a sample of %s of the %s %ss says; report --sample %d asks them all, and "+
		"takes longer.",
		thousands(int64(n)), thousands(int64(r.Rows)), r.Noun(), r.Rows)
}
