package recipe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/learn"
)

// The profiles: what kind of data a recipe is for.
const (
	ForTable    = "table"    // rows of columns
	ForDrawings = "drawings" // images of one thing each, whose parts are shifted and turned
	ForScenes   = "scenes"   // images larger than their parts, which may lie anywhere, several times over
	ForPaper    = "paper"    // the paper to the letter
	ForAnswers  = "answers"  // rows of a table, of which several pictures are compared
)

// ParseFor returns the profile of a name.
func ParseFor(name string) (string, error) {
	if name == "real" {
		return "", fmt.Errorf("numbers are learned by patchwork learn --column '*=number'")
	}
	if slices.Contains(Choices("For"), name) {
		return name, nil
	}
	return "", fmt.Errorf("choose table, drawings, scenes, paper or answers")
}

// CheckAnswers returns an *Error for data and settings of which no pictures are compared.
func (r *Recipe) CheckAnswers(d Facts) error {
	switch {
	case !d.Table:
		return bad("for", "{for} answers is for tables: rows of columns")
	case d.Streamed:
		return bad("for", "{for} answers takes rows that are held in memory; allow more, or take some of the rows")
	case r.AtMost != 0 || r.Experts == 1 || r.Experts > 64:
		return bad("experts", "{for} answers finds out how many parts there are; {experts} 2 to 64 says how many classes")
	}
	return nil
}

// Facts is what of the data decides how to learn from them.
type Facts struct {
	Rows, Height, Width int
	Table               bool // rows of a table
	Streamed            bool // read again in every pass, not held in memory

	// Layout is what images were found to hold; see Recipe.Look.
	Layout learn.Layout
}

const (
	// smallestDrawing is the least side of images whose parts are shifted and
	// turned by default: those of smaller ones are as coarse as a shift.
	smallestDrawing = 20
	// mostDrawings is up to how many images that is the default: a search over
	// thousands of poses takes minutes for more.
	mostDrawings = 500
	// drawingShift is the share of the frame by which parts of drawings are
	// shifted, and drawingTurn how they are turned.
	drawingShift = 4
	drawingTurn  = "24:6"
	// sceneReuse is how often a part may be used in a scene.
	sceneReuse = 3
)

// Resolve returns the recipe with what the data and For say about the settings
// that are not given, and in one line what was recognised and how to change it;
// the line is empty where everything was given. A setting that is given is kept:
// one that the table learner does not know makes rows learned as images are.
func (r Recipe) Resolve(d Facts) (Recipe, string) {
	if r.Method == "default" {
		r.Method = ""
	}
	if r.Alphabet != 0 {
		return r.asAlphabet(d)
	}
	if r.pairs() && r.For != ForTable && !r.Paper() {
		return r.asPairs(), ""
	}
	switch r.For {
	case ForPaper:
		return r, ""
	case ForTable, ForAnswers:
		return r.asTable(), ""
	case ForScenes:
		return r.asScenes(d), ""
	case ForDrawings:
		r, _ = r.asDrawings(d)
		return r, ""
	}
	return r.recognise(d)
}

// Everywhere reports whether a recipe learns by the same method and poses wherever the data are: in memory, or
// streamed, where what images hold is not looked at.
func (r Recipe) Everywhere(d Facts) bool {
	d.Streamed = false
	here, _ := r.Resolve(d)
	open := r.open(d)
	d.Streamed = true
	there, _ := r.Resolve(d)
	return !open && reflect.DeepEqual(here, there)
}

// recognise resolves a recipe without a profile.
func (r Recipe) recognise(d Facts) (Recipe, string) {
	what := fmt.Sprintf("%s of %d x %d", words.Count(d.Rows, "image"), d.Height, d.Width)
	if d.Table {
		what = fmt.Sprintf("%s of %s", words.Count(d.Rows, "row"), words.Count(d.Width, "column"))
	}
	if d.Rows == 0 { // of a stream that was not read to its end
		_, what, _ = strings.Cut(what, " ")
	}
	switch {
	case r.Soft():
		return r, ""
	case d.Table && r.Method == "" && r.fitsTable():
		if d.Streamed {
			return r.asTable(), what + ": learning as a table, from a sample that fits in --memory (--for drawings to change)"
		}
		return r.asTable(), what + ": learning as a table (--for drawings to change)"
	case d.Table:
		return r, ""
	}
	out, poses := r.asDrawings(d)
	kind := "drawings"
	if poses == "" {
		kind = "parts in their places"
	}
	why := compared(d.Layout, kind)
	if d.Layout.Several && r.open(d) {
		each := map[bool]string{false: "several parts", true: "one thing"}[d.Layout.One]
		return r.asPairs(), what + ": " + each + " in each, anywhere (" + why +
			"): learning as scenes (--for drawings to change)"
	}
	if why != "" {
		what += " (" + why + ")"
	}
	if poses == "" && (!out.Open() || out.Soft() == r.Soft()) {
		return out, ""
	}
	if poses == "" {
		return out, what + ": learning parts that stay in their places, as in a table (give --experts K, or --shift S, " +
			"to change)"
	}
	return out, what + ": learning as drawings, parts " + poses +
		" (--shift 0 to keep them in their places, --for table or scenes to change)"
}

// asTable resolves a recipe for a table.
func (r Recipe) asTable() Recipe {
	if r.Method == "" {
		r.Method = "soft"
	}
	return r.counted()
}

// fitsTable reports whether the table learner knows all settings that are given.
func (r Recipe) fitsTable() bool {
	r = r.asTable()
	return r.Check() == nil
}

// asDrawings resolves a recipe for drawings, and says how parts are moved by
// default.
func (r Recipe) asDrawings(d Facts) (out Recipe, poses string) {
	r = r.counted()
	if r.still() && r.Method == "" {
		r.Method = "soft"
	}
	if r.movesByDefault(d) {
		dx := d.Width / drawingShift
		r.Poses = Poses{Shift: d.Height / drawingShift, ShiftStep: r.ShiftStep, Rotate: drawingTurn, Given: true}
		if dx != r.Shift {
			r.ShiftX = &dx
		}
		return r, fmt.Sprintf("shifted by up to %s pixels and turned by up to %s degrees",
			strings.ReplaceAll(r.shiftText(), ",", " or "), strings.TrimSuffix(drawingTurn, ":6"))
	}
	if (r.Open() || r.For == "" && r.Rule == "max-minus-min") && !r.move() && r.Method == "" {
		// Only the table learner finds the number of parts that stay; under max-minus-min it is better for a known one, too.
		soft := r
		soft.Method = "soft"
		if soft.Check() == nil {
			return soft, ""
		}
	}
	return r, ""
}

// movesByDefault reports whether the parts are shifted and turned although the
// recipe does not say so.
func (r Recipe) movesByDefault(d Facts) bool {
	return !r.Given && !r.move() && r.Rule != "max-minus-min" && !r.still() && !r.Paper() && !d.Streamed && !d.Table &&
		min(d.Height, d.Width) >= smallestDrawing && d.Rows <= mostDrawings
}

// asScenes resolves a recipe for scenes.
func (r Recipe) asScenes(d Facts) Recipe {
	if !r.Given && r.Shift == 0 && r.ShiftX == nil && r.Begin == "" && r.Rule != "max-minus-min" &&
		(r.Method == "" || r.Method == "both") {
		return r.asPairs()
	}
	r = r.counted()
	if !r.Given && !r.move() {
		dx := d.Width / 2
		r.Poses = Poses{Shift: d.Height / 2, ShiftX: &dx, ShiftStep: r.ShiftStep, Given: true}
	}
	if r.Reuse == 0 {
		r.Reuse = sceneReuse
	}
	return r
}

// counted leaves the number of parts to be found out if it is not given.
func (r Recipe) counted() Recipe {
	if r.Count == (Count{}) {
		r.Auto = true
	}
	return r
}

// Literally returns the recipe as one whose poses are given, for requests that say
// all of them: a shift of 0 keeps parts in their places.
func (r Recipe) Literally(d Facts) Recipe {
	r.Given = r.Given || r.movesByDefault(d)
	return r
}
