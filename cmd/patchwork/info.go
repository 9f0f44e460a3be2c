package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/diagnose"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/learn"
	"example.com/patchwork/pose"
)

// modelReport is what info reports of a model; the JSON names are a contract.
type modelReport struct {
	Rule      string          `json:"rule"`
	Experts   int             `json:"experts"`
	Height    int             `json:"height"`
	Width     int             `json:"width"`
	Q         float64         `json:"q"`
	QPerPixel bool            `json:"q_per_pixel"`
	Truncate  bool            `json:"truncate"`
	Scene     bool            `json:"scene"`
	Size      [2]int          `json:"images"` // height and width of the images that the model samples
	Outside   string          `json:"outside"`
	Prior     [2]float64      `json:"prior"` // on, off
	Poses     posesReport     `json:"poses"`
	Images    int64           `json:"images_counted"` // behind the counts; 0 if there are none
	Usage     []float64       `json:"usage,omitempty"`
	Committee int             `json:"committee,omitempty"` // other models that the file predicts with
	Geometry  *geometryReport `json:"geometry,omitempty"`
	Learned   *learnedReport  `json:"learned,omitempty"`

	Parts   []namedPart     `json:"parts"`
	Columns []string        `json:"columns,omitempty"` // names
	Reading json.RawMessage `json:"reading,omitempty"` // how the data were read

	Examined string          `json:"examined,omitempty"` // the data of the findings; if empty, they are of the model alone
	Findings []findingReport `json:"findings"`

	tried []patchwork.CurvePoint // to print: one point for each number of experts
	model *patchwork.Model
}

type posesReport struct {
	Count     int       `json:"count"`
	DY        [3]int    `json:"dy"` // least, largest, step
	DX        [3]int    `json:"dx"`
	Rotations []float64 `json:"rotations"`

	Stretches [][2]float64 `json:"stretches,omitempty"` // down and across, before turning
}

type geometryReport struct {
	Rank int         `json:"rank"`
	Mean [][]float64 `json:"mean"` // dy, dx, degrees of each expert
	SD   []float64   `json:"sd"`   // along the principal directions
}

type learnedReport struct {
	Method string                 `json:"method"`
	Mode   string                 `json:"mode"`
	Seed   uint64                 `json:"seed"`
	Rows   int64                  `json:"rows"`
	Sample int64                  `json:"sample,omitempty"`
	LogLik float64                `json:"log_lik"`
	Length float64                `json:"description_length,omitempty"`
	Chosen int                    `json:"chosen"`
	Ended  bool                   `json:"interrupted,omitempty"` // before learning was done
	Starts []startReport          `json:"starts"`
	Curve  []patchwork.CurvePoint `json:"curve,omitempty"`
}

type startReport struct {
	Score             float64 `json:"score"`
	LeaveOneOut       float64 `json:"leave_one_out,omitempty"`
	DescriptionLength float64 `json:"description_length,omitempty"`
	Method            string  `json:"method"`
}

const infoLong = `Describe a model: its rule, size, parts and their poses, how often each part is
used and where it is placed, and how the model was learned, with the score of every
start.

At the end come findings about what may be wrong, and what to do: parts that are
never used, that duplicate another or say the same everywhere; votes more certain
than the data can teach. With data (after the model), info explains these images
and reports what they show too: images that no part explains or that are
impossible, and parts that are often at the end of their range.`

func (a *app) infoCommand() *cobra.Command {
	var (
		model   string
		data    dataFlags
		workers int
		asJSON  jsonFlag
	)
	cmd := &cobra.Command{
		Use:   "info MODEL [DATA...]",
		Short: "Describe a model, and say what may be wrong with it",
		Long:  infoLong,
		Example: `  patchwork info model.npz
  patchwork info model.npz t.npz --rows 11:
  patchwork info model.npz --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if model == "" && len(args) > 0 {
				model, args = args[0], args[1:]
			}
			if isReal(model) {
				return a.infoReal(cmd, model, bool(asJSON), args)
			}
			r, err := a.info(cmd, model, &data, args, workers)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printLong(r)
			}
			return a.output("-", r.print)
		},
	}
	modelFlag(cmd, &model)
	asJSON.add(cmd)
	workersFlag(cmd, &workers)
	data.add(cmd)
	everyday(cmd, "model rows where json")
	data.addWholeMemory(cmd)
	return cmd
}

// info reports on a model and diagnoses it, with the data if there are any.
func (a *app) info(cmd *cobra.Command, model string, data *dataFlags, paths []string, workers int) (*modelReport,
	error) {
	if model == "" {
		return nil, misused(cmd, "no model: name its file")
	}
	m, err := loadModel(model)
	if err != nil {
		return nil, err
	}
	r := reportModel(m)
	if len(paths) == 0 {
		r.Findings = newFindings(diagnose.Model(m, diagnose.Evidence{}))
		return r, nil
	}
	data.model = m
	set, err := data.read(cmd, paths)
	if err != nil {
		return nil, err
	}
	if m, err = fitted(cmd, m, set); err != nil {
		return nil, err
	}
	findings, err := a.examine(cmd.Context(), m, set, workers)
	if err != nil {
		return nil, err
	}
	r.Examined, r.Findings = examined(set), newFindings(findings)
	return r, nil
}

func reportModel(m *patchwork.Model) *modelReport {
	c, x := m.Config(), m.Extras()
	r := &modelReport{Rule: c.Rule.String(), Experts: m.K(), Height: c.Height, Width: c.Width, Q: c.Q,
		QPerPixel: c.QMap != nil, Truncate: c.Truncate, Scene: c.Scene, Size: [2]int{c.ImageHeight, c.ImageWidth},
		Outside: recipe.OutsideName(c.UnknownOutside),
		Prior:   [2]float64{c.Prior.On, c.Prior.Off}, Usage: x.Usage, Committee: len(x.Committee),
		Parts: partsInWords(namedBits{m}), Columns: x.Columns, Reading: x.Reading, model: m}
	if c.Prior == (patchwork.Prior{}) {
		r.Prior = [2]float64{1, 1}
	}
	r.tried = learn.ByExperts(x.Record.Curve)
	r.Poses = reportPoses(c.Poses)
	if x.Counts != nil {
		r.Images = x.Counts.Rows()
	}
	if x.Geometry != nil {
		r.Geometry = reportGeometry(x.Geometry, m.K())
	}
	if rec := x.Record; len(rec.Starts) > 0 || rec.Method != "" || rec.Interrupted {
		r.Learned = &learnedReport{Method: rec.Method, Mode: rec.Mode, Seed: rec.Seed, Rows: rec.Rows, Sample: rec.Sample,
			LogLik: rec.LogLik, Length: rec.DescriptionLength, Chosen: rec.Chosen, Ended: rec.Interrupted,
			Starts: []startReport{}}
		for _, s := range rec.Starts {
			r.Learned.Starts = append(r.Learned.Starts, startReport{s.Score, s.LeaveOneOut,
				s.DescriptionLength, s.Method})
		}
		r.Learned.Curve = rec.Curve
	}
	return r
}

func reportPoses(g pose.Grid) posesReport {
	r := posesReport{Count: g.Len(), DY: [3]int{g.DY.Min, g.DY.Max, max(g.DY.Step, 1)},
		DX: [3]int{g.DX.Min, g.DX.Max, max(g.DX.Step, 1)}}
	for i := range g.Rotations() {
		r.Rotations = append(r.Rotations, g.Angle(i))
	}
	for _, s := range g.Stretches {
		y, x := s.Factors()
		r.Stretches = append(r.Stretches, [2]float64{y, x})
	}
	return r
}

func reportGeometry(g *patchwork.Geometry, experts int) *geometryReport {
	r := &geometryReport{Rank: g.Normal.Rank(), SD: []float64{}}
	mean := g.Normal.Mean()
	for k := range experts {
		r.Mean = append(r.Mean, mean[3*k:3*k+3])
	}
	for i := range g.Normal.Rank() {
		_, sd := g.Normal.Principal(i)
		r.SD = append(r.SD, sd)
	}
	return r
}

// print writes the report as text.
func (r *modelReport) print(out io.Writer) error {
	w := bufio.NewWriter(out)
	line := func(name, format string, args ...any) {
		fmt.Fprint(w, words.Visible(fmt.Sprintf("%-11s"+format+"\n", append([]any{name}, args...)...)))
	}
	line("rule", "%s, abstention value %s", r.Rule, r.abstention())
	image := words.NounsOf(r.Height == 1).Image
	r.printParts(line)
	line("poses", "%s", r.Poses.text(r.Scene))
	line("outside", "%s", r.Outside)
	line("prior", "Beta(%v, %v)", r.Prior[0], r.Prior[1])
	line("search", "%s", map[bool]string{true: "truncated templates", false: "original templates"}[r.Truncate])
	if r.Images > 0 {
		line("counts", "of %s", words.Count(int(r.Images), image))
	}
	if r.Committee > 0 {
		line("predicts", "by the average with %d more of the models tried, which the file holds", r.Committee)
	}
	r.printGeometry(line)
	r.printLearned(line)
	if r.Examined != "" {
		line("examined", "%s", r.Examined)
	}
	printFindings(line, r.Findings, r.nothingFound())
	return w.Flush()
}

// nothingFound says that there are no findings, and what may be wrong all the same where
// patchwork report can tell.
func (r *modelReport) nothingFound() string {
	if l := r.Learned; l == nil || l.Method == "" || r.Scene ||
		len(l.Starts) > 0 && l.Starts[0].Method == learn.FromPieces {
		return "none"
	}
	return "none here; patchwork report says whether the same parts come back when learned again"
}

func (r *modelReport) abstention() string {
	if r.QPerPixel {
		return "per pixel"
	}
	return fmt.Sprint(r.Q)
}

func (p *posesReport) text(scene bool) string {
	shifts := fmt.Sprintf("dy %d..%d step %d, dx %d..%d step %d", p.DY[0], p.DY[1], p.DY[2], p.DX[0], p.DX[1], p.DX[2])
	if scene {
		shifts = "anywhere in the image"
	}
	first, last := slices.Min(p.Rotations), slices.Max(p.Rotations)
	turns := "no rotations"
	if len(p.Rotations) > 1 {
		turns = fmt.Sprintf("%d rotations from %v to %v degrees", len(p.Rotations), first, last)
	}
	if n := len(p.Stretches); n > 0 {
		turns += fmt.Sprintf(", %d stretches", n)
	}
	if !scene && p.Count == 1 {
		return "1: parts do not move"
	}
	if scene {
		return shifts + ", " + turns
	}
	return fmt.Sprintf("%d: %s, %s", p.Count, shifts, turns)
}

func (r *modelReport) printGeometry(line func(string, string, ...any)) {
	if r.Geometry == nil {
		return
	}
	for k, m := range r.Geometry.Mean {
		line(map[bool]string{true: "geometry"}[k == 0], "%s at dy %.1f, dx %.1f, angle %.1f on average",
			words.Full(r.model, k), m[0], m[1], m[2])
	}
	line("", "rank %d, standard deviations %.3g", r.Geometry.Rank, r.Geometry.SD)
}

func (r *modelReport) printLearned(line func(string, string, ...any)) {
	if r.Learned == nil {
		return
	}
	l := r.Learned
	image := words.NounsOf(r.Height == 1).Image
	from := words.Count(int(l.Rows), image)
	if l.Sample > 0 {
		from += fmt.Sprintf(" (starts from a uniform sample of %d)", l.Sample)
	}
	head := "learned"
	if l.Method != "" || len(l.Starts) > 0 { // else the run was interrupted before it chose anything
		line(head, "method %s, mode %s, seed %d, from %s; log-likelihood %.3f nats", l.Method, l.Mode, l.Seed, from,
			float64(l.LogLik))
		head = ""
	}
	if l.Ended {
		line(head, "%s", words.Interrupted)
	}
	for i, s := range l.Starts {
		mark := ""
		if i == l.Chosen {
			mark = "  chosen"
		}
		// Only the score that judges: the others are found in other ways.
		score := fmt.Sprintf("log-likelihood %.3f", float64(s.Score))
		if s.LeaveOneOut != 0 {
			score = fmt.Sprintf("log-likelihood of images left out %.3f", float64(s.LeaveOneOut))
		}
		if s.DescriptionLength != 0 {
			score = fmt.Sprintf("description length %.3f", float64(s.DescriptionLength))
		}
		line(map[bool]string{true: "starts"}[i == 0], "%2d: %s  %s%s", i+1, s.Method, score, mark)
	}
	for i, text := range triedLines(r.tried, image, r.Poses.Count > 1 || r.Scene) {
		line(map[bool]string{true: "tried"}[i == 0], "%s", text)
	}
}
