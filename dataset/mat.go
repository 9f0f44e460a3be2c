package dataset

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"

	"example.com/patchwork/dataset/mat"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/npy"
)

// mat reads a MAT-file: the images and the variables that belong to them.
func (in *input) mat(ra io.ReaderAt, size int64) (decoder, error) {
	vars, err := mat.Open(ra, size, in.arrayLimits())
	if err != nil {
		return nil, err
	}
	v, err := in.chooseVariable(vars)
	if err != nil {
		return nil, err
	}
	r, err := in.stacked(v)
	if err != nil {
		return nil, err
	}
	images, err := in.images(r)
	if err != nil {
		return nil, inArray(err, v.Name)
	}
	images.name = v.Name
	for _, other := range vars {
		if other == v {
			continue
		}
		if err := images.joinVariable(other); err != nil {
			return nil, inArray(err, other.Name)
		}
	}
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	return images, images.checkWeight(names)
}

// matMember reads a MAT-file that is the only one in an archive.
func (in *input) matMember(f *zip.File) (decoder, error) {
	r, err := openMember(f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	br, k, err := sniffed(r)
	if err == nil && k != kindMAT {
		err = &FormatError{Msg: fmt.Sprintf("the member %q is not a MAT-file of Level 5", f.Name), Hint: "save it with -v7"}
	}
	if err != nil {
		return nil, err
	}
	data, err := in.slurp(br)
	if err != nil {
		return nil, err
	}
	return in.mat(bytes.NewReader(data), int64(len(data)))
}

// chooseVariable returns the variable that holds the images.
func (in *input) chooseVariable(vars []*mat.Variable) (*mat.Variable, error) {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.String()
	}
	find := func(name string) *mat.Variable {
		if i := slices.IndexFunc(vars, func(v *mat.Variable) bool { return v.Name == name }); i >= 0 {
			return vars[i]
		}
		return nil
	}
	switch {
	case len(vars) == 0:
		return nil, &FormatError{Msg: "a MAT-file without variables"}
	case in.opts.Array != "" && find(in.opts.Array) == nil:
		return nil, &FormatError{Msg: fmt.Sprintf("no variable %q; there is: %s%s", in.opts.Array, listShort(names),
			enum.DidYouMean(in.opts.Array, names))}
	case in.opts.Array != "":
		return find(in.opts.Array), nil
	case find(in.opts.like().Array) != nil:
		return find(in.opts.like().Array), nil
	case find("x") != nil:
		return find("x"), nil
	case find("X") != nil:
		return find("X"), nil
	case len(vars) == 1:
		return vars[0], nil
	}
	return nil, &FormatError{Msg: "no variable \"x\" or \"X\"; there is: " + listShort(names),
		Hint: "choose one with --array NAME"}
}

// stacked reads the variable of the images: a numeric array, or cells with one
// matrix per image.
func (in *input) stacked(v *mat.Variable) (*npy.Reader, error) {
	if v.Class != "cell" {
		return v.Reader()
	}
	a, err := v.Stack(in.budget.max / 8)
	if err != nil {
		return nil, err
	}
	return asRead(a)
}

// asRead returns an array as if it were read from a file.
func asRead(a *npy.Array) (*npy.Reader, error) {
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		return nil, err
	}
	return npy.NewReader(&b, npy.Limits{Bytes: int64(b.Len())})
}

// joinVariable adds another variable as metadata if it has one value per image:
// numbers, or text. It ignores others.
func (d *arrayImages) joinVariable(v *mat.Variable) error {
	n, asked := d.layout.n, d.in.asksFor(v.Name)
	weight := d.in.opts.Weight == v.Name || d.in.opts.Weight == "" && v.Name == "weight"
	perImage := len(v.Shape) == 2 && v.Len() == n && (v.Shape[0] == n || v.Shape[1] == n)
	rowsOfText := v.Class == "char" && len(v.Shape) == 2 && v.Shape[0] == n
	c := companion{name: v.Name, rows: &arrayRows{max: d.in.budget.max}}
	var err error
	switch {
	case v.Numeric() && perImage:
		if c.rows.d, err = v.Vector(); weight {
			c.role = weightRole
		}
	case weight && v.Numeric():
		return &FormatError{Msg: fmt.Sprintf("weights of shape %v for %d images", v.Shape, n),
			Hint: "give one integer per image"}
	case rowsOfText || perImage && (v.Class == "char" || v.Class == "cell"):
		if c.rows.d, err = texts(v, n, d.in.budget.max/8); err != nil && !asked {
			return nil // cells may hold anything
		}
	case asked:
		return &FormatError{Msg: fmt.Sprintf("a variable of shape %v and class %s for %d images", v.Shape, v.Class, n),
			Hint: "give one value per image"}
	default:
		return nil
	}
	if err == nil {
		d.others = append(d.others, c)
	}
	return err
}

// texts reads n texts: rows, cells, or the characters of one row.
func texts(v *mat.Variable, n int, most int64) (*npy.Reader, error) {
	text, err := v.Strings(most)
	if err != nil {
		return nil, err
	}
	if len(text) == 1 && n > 1 {
		text = slices.Collect(characters(text[0], n))
	}
	if len(text) != n {
		return nil, &FormatError{Msg: fmt.Sprintf("%d texts for %d images", len(text), n)}
	}
	return asRead(npy.New(text, n))
}

// characters yields the characters of a text, padded to n with the blanks that
// were dropped at its end.
func characters(text string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		at := 0
		for _, c := range text {
			if at++; !yield(string(c)) {
				return
			}
		}
		for ; at < n; at++ {
			if !yield("") {
				return
			}
		}
	}
}
