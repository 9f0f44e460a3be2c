package dataset

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.com/patchwork/internal/npy"
)

// mat reads a MAT-file: the images and the variables that belong to them.
func (in *input) mat(ra io.ReaderAt, size int64) (decoder, error) {
	vars, err := matVariables(ra, size)
	if err != nil {
		return nil, at(err, "")
	}
	names, shown := make([]string, len(vars)), make([]string, len(vars))
	for i, v := range vars {
		sides := strings.ReplaceAll(strings.Trim(fmt.Sprint(v.shape), "[]"), " ", "x")
		names[i], shown[i] = v.name, v.name+": "+sides+" "+v.class
	}
	chosen, err := in.choose(names, shown, "x", "X")
	if err != nil {
		return nil, err
	}
	v := vars[chosen]
	images, err := in.variableImages(v)
	if err != nil {
		return nil, inArray(err, v.name)
	}
	images.name = v.name
	for _, other := range vars {
		if other == v {
			continue
		}
		if err := images.joinVariable(other); err != nil {
			return nil, inArray(err, other.name)
		}
	}
	return images, images.checkWeight(names)
}

// variableImages prepares the reading of images from a numeric array, or from cells with a matrix each.
func (in *input) variableImages(v *matVariable) (*arrayImages, error) {
	a, err := v.open()
	var r *npy.Reader
	switch {
	case err != nil:
	case v.class == "cell":
		r, err = a.stack(in.budget.max / 8)
	default:
		r, err = a.numbers(v.shape, in.arrayLimits())
	}
	if err != nil {
		return nil, err
	}
	return in.images(r)
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
func (d *arrayImages) joinVariable(v *matVariable) error {
	n, asked := d.layout.n, d.in.asksFor(v.name)
	perImage := len(v.shape) == 2 && v.n == n && (v.shape[0] == n || v.shape[1] == n)
	rowsOfText := v.class == "char" && len(v.shape) == 2 && v.shape[0] == n
	a, err := v.open()
	var r *npy.Reader
	switch {
	case err != nil:
	case v.numeric && perImage:
		r, err = a.numbers([]int{n}, d.in.arrayLimits())
	case v.numeric && d.in.weighs(v.name):
		r, err = a.numbers(v.shape, d.in.arrayLimits()) // join refuses it
	case rowsOfText || perImage && (v.class == "char" || v.class == "cell"):
		if r, err = a.labels(n, d.in.budget.max/8); err != nil && !asked {
			return nil // cells may hold anything
		}
	case asked:
		return &FormatError{Msg: fmt.Sprintf("a variable of shape %v and class %s for %d images", v.shape, v.class, n),
			Hint: "give one value per image"}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return d.join(v.name, r)
}

// labels reads n texts: rows, cells, or the characters of one row.
func (a *matArray) labels(n int, most int64) (*npy.Reader, error) {
	text, err := a.texts(most)
	if err != nil {
		return nil, err
	}
	if len(text) == 1 && n > 1 {
		row := []rune(text[0])
		text = make([]string, n) // blanks were dropped at its end
		for i := range min(n, len(row)) {
			text[i] = string(row[i])
		}
	}
	if len(text) != n {
		return nil, &FormatError{Msg: fmt.Sprintf("%d texts for %d images", len(text), n)}
	}
	return asRead(npy.New(text, n))
}
