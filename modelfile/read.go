package modelfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.com/patchwork"
	"example.com/patchwork/gauss"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/table/answers"
)

// Load reads the model in the file at path. Bad content yields a
// [*FormatError]; file-system errors are passed on.
func Load(path string) (*patchwork.Model, error) { return LoadWith(path, "model", Read) }

// LoadWith opens the regular file at path and reads it, given its size in bytes. A
// [*FormatError] of read gets the path; what says in messages what the file holds.
func LoadWith[T any](path, what string, read func(r io.ReaderAt, size int64) (T, error)) (T, error) {
	var none T
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for its writer
		return none, &FormatError{Path: path, Msg: "not a regular file", Hint: "save the " + what +
			" to a file on disk first"}
	}
	f, err := os.Open(path)
	if err != nil {
		return none, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return none, err
	}
	v, err := read(f, info.Size())
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.Path = path
	}
	return v, err
}

// Read reads a model of size bytes. It does not keep r. Bad content yields a
// [*FormatError]; errors of r are passed on.
func Read(r io.ReaderAt, size int64) (*patchwork.Model, error) {
	z, text, err := open(r, size, bitsNeed)
	if err != nil {
		return nil, err
	}
	return assemble(z, text)
}

// assemble reads the model of an opened archive.
func assemble(z *npy.Zip, text []byte) (*patchwork.Model, error) {
	h, err := parseHeader(text)
	if err != nil {
		return nil, err
	}
	if err := checkNames(z, arrayNames, ""); err != nil {
		return nil, err
	}
	return (&reader{zip: z, h: h}).model()
}

// needs are arrays that every model of a kind has.
type needs struct {
	why    string
	arrays []string
}

// bitsNeed are those of models of bits.
var bitsNeed = needs{"a model needs it: templates of shape (K, height, width)", []string{"experts"}}

// missing returns an error if an array that is needed is not there.
func (n *needs) missing(z *npy.Zip) error {
	for _, name := range n.arrays {
		if !z.Has(name) {
			return &FormatError{Member: name + npySuffix, Msg: "not in the file", Err: os.ErrNotExist, Hint: n.why}
		}
	}
	return nil
}

// open returns the archive of a model and its model.json, which is not read, for it may be long, where an array
// is missing.
func open(r io.ReaderAt, size int64, need needs) (*npy.Zip, []byte, error) {
	z, err := npy.ReadZip(r, size, maxArray)
	if err != nil {
		return nil, nil, notModel(in(err, ""))
	}
	if hasHeader(z) {
		if err := need.missing(z); err != nil {
			return nil, nil, err
		}
	}
	text, err := headerText(z)
	return z, text, err
}

// notModel adds a hint for a file that is something else altogether.
func notModel(err error) error {
	var fe *FormatError
	if errors.As(err, &fe) && fe.Hint == "" {
		fe.Hint = "give a file written by patchwork learn"
	}
	return err
}

// hasHeader reports whether there is a model.json, as headerText reads it.
func hasHeader(z *npy.Zip) bool { return z.HasFile(jsonName) || z.Has(jsonName) }

// headerText returns model.json, even if numpy.savez stored it as an array.
func headerText(z *npy.Zip) ([]byte, error) {
	z = z.Within(maxJSON) // text takes more memory than numbers
	text, err := z.File(jsonName)
	if z.Has(jsonName) {
		if !errors.Is(err, os.ErrNotExist) {
			return nil, &FormatError{Member: jsonName, Msg: "is there twice, as a member and as an array",
				Hint: "keep one of them"}
		}
		a, err := z.Array(jsonName)
		if err != nil {
			return nil, in(err, jsonName+npySuffix)
		}
		lines, ok := a.Data.([]string)
		if !ok || len(lines) != 1 {
			return nil, &FormatError{Member: jsonName + npySuffix, Msg: "not a single text",
				Hint: "store the result of json.dumps"}
		}
		return []byte(lines[0]), nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, &FormatError{Member: jsonName, Msg: "not in the file", Err: os.ErrNotExist,
			Hint: `a model needs it beside experts.npy, with at least {"rule":"max","height":H,"width":W}`}
	}
	return text, in(err, jsonName)
}

// checkNames rejects arrays with unknown names: a misspelt one would otherwise
// be lost. of says in which kind of model, if not in the usual one.
func checkNames(z *npy.Zip, known []string, of string) error {
	for _, name := range z.Arrays() {
		if name != jsonName && !slices.Contains(known, name) && !strings.HasPrefix(name, private) {
			return &FormatError{Member: name + npySuffix, Msg: fmt.Sprintf("unknown to version %d of the format%s", version, of),
				Hint: `remove it, or begin its name with "x-" if it is your own`}
		}
	}
	return nil
}

// reader assembles a model.
type reader struct {
	zip *npy.Zip
	h   *header
	k   int // experts
}

func (r *reader) model() (*patchwork.Model, error) {
	cfg, err := r.h.config()
	if err != nil {
		return nil, err
	}
	flat, err := r.experts(&cfg)
	if err != nil {
		return nil, err
	}
	if r.zip.Has("q") {
		if cfg.QMap, err = r.floats("q", cfg.Height, cfg.Width); err != nil {
			return nil, err
		}
	}
	m, err := patchwork.NewModel(cfg, slices.Collect(slices.Chunk(flat, cfg.Height*cfg.Width)))
	if err != nil {
		// Checking the configuration alone shows which member is at fault.
		if _, err := patchwork.NewModel(cfg, [][]float64{make([]float64, cfg.Height*cfg.Width)}); err != nil {
			return nil, misfit(err, jsonName)
		}
		return nil, misfit(err, "experts"+npySuffix)
	}
	extras := patchwork.Extras{Record: patchwork.Record(r.h.Record), Reading: r.h.Reading}
	if len(r.h.Columns) > 0 {
		extras.Columns = r.h.Columns
	}
	if len(r.h.Names) > 0 {
		extras.Names = r.h.Names
	}
	if err = checkTexts(&extras, cfg.Height*cfg.Width, r.k); err != nil {
		return nil, err
	}
	if extras.Reading, err = compact(extras.Reading); err != nil {
		return nil, err
	}
	if extras.Counts, err = r.counts(m); err != nil {
		return nil, err
	}
	if r.zip.Has("usage") {
		if extras.Usage, err = r.floats("usage", r.k); err != nil {
			return nil, err
		}
	}
	if r.zip.Has("means") {
		if extras.Means, err = r.floats("means", cfg.Height, cfg.Width); err != nil {
			return nil, err
		}
	}
	if extras.Geometry, err = r.geometry(); err != nil {
		return nil, err
	}
	if extras.SetPrior, err = r.h.SetPrior.model(); err != nil {
		return nil, err
	}
	if extras.Predictor, err = r.h.Predictor.read(r, cfg.Height*cfg.Width); err != nil {
		return nil, err
	}
	if extras.Counted, err = r.counted(); err != nil {
		return nil, err
	}
	if l := r.h.Answers; l != nil {
		if m, err = m.WithExtras(patchwork.Extras{SetPrior: extras.SetPrior}); err != nil {
			return nil, misfit(err, jsonName)
		}
		if r.zip.Has("level") {
			if l.Slope, err = r.floats("level", cfg.Width); err != nil {
				return nil, err
			}
		}
		if extras.Predictor, err = answers.ReaderOf(m, *l); err != nil {
			return nil, bad("answers", "", "%v", err)
		}
	}
	if m, err = m.WithExtras(extras); err != nil {
		// the only parts not checked so far
		return nil, misfit(err, "usage"+npySuffix+", means"+npySuffix)
	}
	return m, nil
}

// counted reads the counts of a table's rows as the bytes that they are; package table checks them.
func (r *reader) counted() ([]byte, error) {
	const name = "counts"
	if !r.zip.Has(name) {
		return nil, nil
	}
	d, err := r.zip.Open(name)
	if err != nil {
		return nil, in(err, name+npySuffix)
	}
	a, err := d.All()
	if err != nil {
		return nil, in(err, name+npySuffix)
	}
	data, ok := a.Data.([]uint8)
	if !ok {
		return nil, &FormatError{Member: name + npySuffix, Msg: "is no array of bytes", Hint: "leave it out"}
	}
	return data, nil
}

// experts reads the templates, after checking how many there are.
func (r *reader) experts(cfg *patchwork.Config) ([]float64, error) {
	const name = "experts"
	d, err := r.zip.Open(name)
	if err != nil {
		return nil, in(err, name+npySuffix)
	}
	shape := d.Header().Shape
	if len(shape) == 3 && shape[0] >= 1 && cfg.Height > 1 && shape[1] >= 1 && shape[2] >= 1 &&
		shape[1] <= cfg.Height && shape[2] <= cfg.Width && shape[1]*shape[2] < cfg.Height*cfg.Width {
		r.h.shrink(cfg, shape[1], shape[2])
	}
	if len(shape) != 3 || shape[0] < 1 || shape[1] != cfg.Height || shape[2] != cfg.Width {
		return nil, &FormatError{Member: name + npySuffix,
			Msg:  fmt.Sprintf("has shape %v; model.json says (K, %d, %d) with K at least 1", shape, cfg.Height, cfg.Width),
			Hint: "reshape the array, or correct height and width"}
	}
	r.k = shape[0]
	if err := checkWork(cfg, r.k); err != nil {
		return nil, err
	}
	return r.floats(name, shape...)
}

// array reads an array that must have the given shape.
func (r *reader) array(name string, shape []int) (*npy.Array, error) {
	d, err := r.zip.Open(name)
	if err != nil {
		return nil, in(err, name+npySuffix)
	}
	if got := d.Header().Shape; !slices.Equal(got, shape) {
		return nil, &FormatError{Member: name + npySuffix, Msg: fmt.Sprintf("has shape %v; this model needs %v", got, shape)}
	}
	a, err := d.All()
	return a, in(err, name+npySuffix)
}

func (r *reader) floats(name string, shape ...int) ([]float64, error) {
	return arrayAs(r, name, shape, (*npy.Array).Float64s)
}

func (r *reader) ints(name string, shape ...int) ([]int64, error) {
	return arrayAs(r, name, shape, (*npy.Array).Int64s)
}

func arrayAs[T any](r *reader, name string, shape []int, as func(*npy.Array) ([]T, error)) ([]T, error) {
	a, err := r.array(name, shape)
	if err != nil {
		return nil, err
	}
	v, err := as(a)
	return v, in(err, name+npySuffix)
}

// pair reports whether two arrays are present; one without the other is an
// error.
func (r *reader) pair(a, b string) (bool, error) {
	if r.zip.Has(a) != r.zip.Has(b) {
		return false, &FormatError{Member: a + npySuffix + ", " + b + npySuffix, Msg: "one is there without the other",
			Hint: "keep both or none"}
	}
	return r.zip.Has(a), nil
}

// counts returns the tally that gave the templates, or nil if there is none.
func (r *reader) counts(m *patchwork.Model) (*patchwork.Tally, error) {
	won, err := r.pair("on", "seen")
	if err != nil {
		return nil, err
	}
	lost, err := r.pair("lost_on", "lost_seen")
	if err != nil {
		return nil, err
	}
	if !won {
		if lost || r.h.Rows != nil {
			return nil, &FormatError{Member: "on.npy, seen.npy",
				Msg: "not in the file, although lost counts or the field rows are", Hint: "keep all counts or none"}
		}
		return nil, nil
	}
	var c patchwork.Counts
	for _, a := range []struct {
		name string
		here bool
		dst  *[]int64
	}{{"on", won, &c.On}, {"seen", won, &c.Seen}, {"lost_on", lost, &c.LostOn}, {"lost_seen", lost, &c.LostSeen}} {
		if !a.here {
			continue
		}
		if *a.dst, err = r.ints(a.name, r.k, m.Height(), m.Width()); err != nil {
			return nil, err
		}
		if err := checkCounts(*a.dst, a.name+npySuffix); err != nil {
			return nil, err
		}
	}
	var rows int64
	if r.h.Rows != nil {
		rows = *r.h.Rows
	}
	if rows > maxCount {
		return nil, bad("rows", "", "%d images, beyond 2^53", rows)
	}
	t, err := patchwork.TallyOf(m, c, rows)
	if err != nil {
		return nil, misfit(err, "on.npy, seen.npy")
	}
	return t, nil
}

// geometry returns the geometry of the experts, or nil if the file has none.
func (r *reader) geometry() (*patchwork.Geometry, error) {
	here, err := r.pair("geometry_mean", "geometry_cov")
	if err != nil {
		return nil, err
	}
	if !here {
		if r.h.Presence != nil {
			return nil, bad("presence", "keep both or none", "needs geometry_mean.npy and geometry_cov.npy")
		}
		return nil, nil
	}
	if r.k > gauss.MaxExperts {
		return nil, &FormatError{Member: "geometry_mean.npy",
			Msg: fmt.Sprintf("a geometry is for at most %d parts; the model has %d", gauss.MaxExperts, r.k)}
	}
	d := gauss.PerExpert * r.k
	mean, err := r.floats("geometry_mean", d)
	if err != nil {
		return nil, err
	}
	cov, err := r.floats("geometry_cov", d, d)
	if err != nil {
		return nil, err
	}
	normal, err := gauss.New(mean, cov)
	if err != nil {
		return nil, misfit(err, "geometry_mean.npy, geometry_cov.npy")
	}
	presence, err := r.h.presence(r.k)
	if err != nil {
		return nil, err
	}
	return &patchwork.Geometry{Normal: normal, Presence: presence}, nil
}
