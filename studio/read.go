package studio

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// ReadOptions holds, as query parameters, how to read a data file.
type ReadOptions struct {
	Threshold string   `query:"threshold" maxLength:"40" doc:"converts numbers to bits: greater is on (pictures: darker, out of 255); auto: by Otsu's method, each image for itself"`
	Array     string   `query:"array" maxLength:"200" doc:"array of an .npz file that holds the images"`
	Invert    bool     `query:"invert" doc:"swaps on and off: for light strokes on a dark ground"`
	Items     bool     `query:"items" doc:"each line of a text is a list of items, such as a basket"`
	Pairs     string   `query:"pairs" maxLength:"400" doc:"two columns of a text, separated by a comma: each line says that the row named in the first has the item named in the second"`
	Size      string   `query:"size" maxLength:"20" doc:"HEIGHTxWIDTH: brings pictures to one size, or turns rows into images; columns: the rows of a table are columns in the file"`
	Column    []string `query:"column,explode" maxItems:"1000" doc:"what a column is, such as age=number: number, count, category, ordinal, bit, bit>40, bands, label, weight, split or unknown; all columns, greys of pictures and numbers of arrays are *"`
	Missing   string   `query:"missing" maxLength:"4000" doc:"cells that say that nothing is known, separated by commas: 99, or price=9.99e8 in one column"`
	Names     string   `query:"names" maxLength:"200" doc:"form of the names of several pictures, such as {y}/{writer}_{sample}.png"`
}

// columnsAreRows is the size of a table whose rows are columns in the file.
const columnsAreRows = "columns"

// options returns the parameters in the form of package dataset.
func (r *ReadOptions) options() (opt dataset.Options, err error) {
	opt = dataset.Options{Array: r.Array, Invert: r.Invert, Items: r.Items, Names: r.Names,
		AutoThreshold: r.Threshold == "auto"}
	if r.Pairs != "" {
		if opt.Pairs = strings.Split(r.Pairs, ","); slices.Contains(opt.Pairs, "") || strings.ContainsAny(r.Pairs, "\"\r\n") {
			return opt, problemAt(422, "query.pairs", r.Pairs, "pairs must be two names separated by a comma, without quotes")
		}
	}
	for _, text := range r.Column {
		e, err := dataset.ParseEdit(text)
		if err == nil {
			opt, err = opt.With(e)
		}
		if err != nil {
			return opt, problemAt(422, "query.column", text, "column: %v", err)
		}
	}
	if r.Missing != "" {
		opt.Missing = strings.Split(r.Missing, ",")
	}
	if opt.Transpose = r.Size == columnsAreRows; r.Size != "" && !opt.Transpose {
		if opt.Height, opt.Width, err = dataset.ParseSize(r.Size); err != nil {
			return opt, problemAt(422, "query.size", r.Size, "size must be HEIGHTxWIDTH in pixels, such as 56x56")
		}
	}
	if r.Threshold != "" && !opt.AutoThreshold {
		t, err := strconv.ParseFloat(r.Threshold, 64)
		if err != nil || math.IsNaN(t) || math.IsInf(t, 0) {
			return opt, problemAt(422, "query.threshold", r.Threshold, "threshold: %.40q is not a finite number", r.Threshold)
		}
		opt.Threshold = &t
	}
	return opt, nil
}

// flags returns the parameters as flags of a command line.
func (r *ReadOptions) flags() (args []string) {
	say := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag, value)
		}
	}
	say("array", r.Array)
	for _, edit := range r.Column {
		say("column", edit)
	}
	switch {
	case r.Pairs != "":
		args = append(args, "--items="+r.Pairs)
	case r.Items:
		args = append(args, "--items")
	}
	if r.Invert {
		args = append(args, "--invert")
	}
	say("missing", r.Missing)
	say("names", r.Names)
	say("size", r.Size)
	say("threshold", r.Threshold)
	return args
}

// read reads the files of a request: as what they show, or like the data that a model was learned from.
func (s *core) read(ctx context.Context, name string, how *ReadOptions, like *model) (*data, error) {
	opt, err := how.options()
	if err != nil {
		return nil, err
	}
	name, content, arguments, err := uploadOf(bodyOf(ctx), name)
	if err != nil {
		return nil, err
	}
	if _, err := workbench.Read(bytes.NewReader(content), int64(len(content))); err == nil {
		return nil, problemf(422, "this is a model, not data; upload it as a model")
	}
	opt.MaxMemory, opt.MaxPicture = s.limits.DataBytes/2, max(maxPhoto, s.limits.Pixels)
	if like != nil {
		if opt.Model, err = like.of.Plan(); err != nil {
			return nil, contentError(err)
		}
	}
	source, err := dataset.OpenFiles(ctx, []dataset.File{{Name: name, Content: content}}, opt)
	var f *dataset.Frame
	if err == nil {
		f, err = source.Read(ctx)
	}
	if err != nil {
		return nil, s.workError(contentError(err))
	}
	d := &data{rows: rows{f}, files: arguments, args: how.flags(), how: opt,
		noCommand: like != nil || len(arguments) > maxArguments}
	var notes []string
	if f.Why != "" {
		notes = append(notes, "these are real values, since "+f.Why+"; a threshold makes bits of them")
	}
	if like != nil {
		notes = append([]string{"read as the data that “" + like.name + "” was learned from"}, notes...)
		if d.rows, err = d.rows.as(like); err != nil {
			return nil, err
		}
	}
	for _, text := range notes {
		d.notes = append(d.notes, dataset.Note{Text: text})
	}
	d.notes = append(d.notes, source.Plan().Notes...)
	return d, s.checkSize(name, d)
}

// maxArguments is how many files a command line names.
const maxArguments = 100

// checkSize rejects data without rows, or with rows beyond the limits.
func (s *core) checkSize(name string, d *data) error {
	if d.set.Len() == 0 {
		return problemf(422, "%s holds no images or rows", name)
	}
	if h, w := d.set.Size(); h < 1 || w < 1 || h > s.limits.Pixels/w {
		return problemf(422,
			"images of %d x %d pixels are outside the limits of this server (1 to %d pixels); give a size such as 56x56 to "+
				"scale pictures", h, w, s.limits.Pixels)
	}
	return nil
}

// maxPhoto bounds the pixels of a picture that is decoded to be scaled: those of a
// phone's usual photos.
const maxPhoto = 1 << 24

// maxFiles bounds the files of one form.
const maxFiles = 20_000

// uploadOf returns the file of a request's body, and its names on a command line. A form of one file is that file;
// several are an archive in memory, which package dataset reads like a folder.
func uploadOf(b body, called string) (name string, content []byte, arguments []string, err error) {
	if b.form == nil {
		name = plainName(called)
		return name, b.bytes, []string{name}, nil
	}
	files, err := formFiles(b)
	if err != nil {
		return "", nil, nil, err
	}
	if len(files) == 1 {
		name = plainName(files[0].Path)
		return name, files[0].Content, []string{name}, nil
	}
	folder := commonFolder(files)
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(f.Path, folder), Method: zip.Store})
		if err == nil {
			_, err = w.Write(f.Content)
		}
		if err != nil {
			return "", nil, nil, err
		}
		arguments = append(arguments, f.Path)
	}
	if folder != "" {
		arguments = []string{strings.TrimSuffix(folder, "/")}
	}
	err = archive.Close()
	return plainName(called), out.Bytes(), arguments, err
}

// commonFolder returns the first folder of all paths, with its slash, or "".
func commonFolder(files []File) string {
	folder := files[0].Path[:strings.Index(files[0].Path, "/")+1]
	for _, f := range files {
		if !strings.HasPrefix(f.Path, folder) {
			return ""
		}
	}
	return folder
}

// formFiles returns the files of a form. It rejects those without a file, or with two of one name or whose names lead
// out of their folder.
func formFiles(b body) ([]File, error) {
	files, err := b.form()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range files {
		if !fs.ValidPath(f.Path) || f.Path == "." || len(f.Path) > 1000 || !validText(f.Path) ||
			strings.ContainsFunc(f.Path, unicode.IsControl) {
			return nil, problemf(422, "the file name %.100q of the form is not a plain path", f.Path)
		}
		if seen[f.Path] {
			return nil, problemf(422, "two files of the form are called %.100q", f.Path)
		}
		seen[f.Path] = true
	}
	if len(files) == 0 {
		return nil, problemf(statusBadRequest, "the form holds no file")
	}
	return files, nil
}

func validText(s string) bool { return utf8.ValidString(s) }
