package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/enum"
	"example.com/patchwork/internal/npy"
)

// npy reads a single array.
func (in *input) npy(c *content) (parts, error) {
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	d, err := npy.NewReader(r, in.arrayLimit())
	if err != nil {
		return nil, err
	}
	images, err := in.images(d)
	if err == nil && c.at == nil { // the array may end before what is packed
		images.done = func() error { return drain(r) }
	}
	return images, err
}

// npz reads an archive of arrays: the images and the arrays that belong to
// them. Arrays of a type that is not supported, such as objects, may be anything: they are left
// out unless the options ask for them.
func (in *input) npz(ra io.ReaderAt, size int64) (parts, error) {
	z, err := npy.ReadZip(ra, size, in.arrayLimit())
	if err != nil {
		return nil, err
	}
	if isSparse(z) && in.opts.Array == "" {
		return in.sparseArrays(z)
	}
	name, err := in.chooseArray(z)
	if err != nil {
		return nil, err
	}
	d, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	images, err := in.images(d)
	if err != nil {
		return nil, inArray(err, name)
	}
	images.name = name
	for _, other := range z.Arrays() {
		if other == name {
			continue
		}
		r, err := z.Open(other)
		var ne *npy.FormatError
		if errors.As(err, &ne) && !in.asksFor(other) {
			continue
		}
		if err == nil && in.weighs(other) {
			images.unit, err = weightsUnit(z, other)
		}
		if err == nil {
			err = images.join(other, r)
		}
		if err != nil {
			return nil, inArray(err, other)
		}
	}
	return images, images.checkWeight(z.Arrays())
}

// checkWeight returns an error if the requested weights are not among the named
// arrays.
func (d *arrayImages) checkWeight(names []string) error {
	if w := d.in.opts.weight(); w != "" &&
		!slices.ContainsFunc(d.others, func(c companion) bool { return c.role == weightRole }) {
		return &FormatError{Msg: fmt.Sprintf("no array %q for the weights; there is: %s", w, listShort(names))}
	}
	return nil
}

func (in *input) chooseArray(z *npy.Zip) (string, error) {
	names := z.Arrays()
	if len(names) == 0 {
		return "", &FormatError{Msg: "a zip archive without NumPy arrays",
			Hint: "archives of arrays (.npz), of PNG and other pictures, or of one MAT-file are read"}
	}
	i, err := in.choose(names, names, "x")
	if err != nil {
		return "", err
	}
	return names[i], nil
}

// choose returns the place of the array that holds the images among those with these names: that which the options
// name, that of a model, or one that is usually called so. Messages show the arrays as given.
func (in *input) choose(names, shown []string, usual ...string) (int, error) {
	asked, wanted := in.opts.Array, append([]string{in.opts.like().Array}, usual...)
	if asked != "" {
		wanted = []string{asked}
	}
	for _, name := range wanted {
		if i := slices.Index(names, name); i >= 0 && name != "" {
			return i, nil
		}
	}
	switch {
	case asked != "":
		return 0, &FormatError{Msg: fmt.Sprintf("no array %q; there is: %s%s", asked, listShort(shown),
			enum.DidYouMean(asked, names))}
	case len(names) == 1:
		return 0, nil
	}
	return 0, &FormatError{Msg: "no array \"x\"; there is: " + listShort(shown), Hint: "choose one with --array NAME"}
}

// inArray adds the name of the array to an error about content.
func inArray(err error, name string) error {
	err = at(err, "")
	var fe *FormatError
	if errors.As(err, &fe) && fe.Array == "" {
		fe.Array = name
	}
	return err
}

// layout says what the sides of an array mean.
type layout struct {
	n, height, width int
	table            bool
}

// layoutOf accepts (N,D), (N,H,W), and (N,H,W) with a channel side of 1.
func layoutOf(shape []int) (layout, error) {
	bad := func(hint string) (layout, error) {
		return layout{}, &FormatError{Msg: fmt.Sprintf("an array of shape %v is neither (N,H,W) nor (N,D)", shape),
			Hint: hint}
	}
	if len(shape) == 4 {
		switch {
		case shape[3] == 1:
			shape = shape[:3]
		case shape[1] == 1:
			shape = []int{shape[0], shape[2], shape[3]}
		case shape[3] == 3 || shape[3] == 4:
			return bad("make one channel of the colours first, for example with x[..., :3].mean(axis=3), and give --threshold")
		case shape[1] == 3 || shape[1] == 4:
			return bad("make one channel of the colours first, for example with x[:, :3].mean(axis=1), and give --threshold")
		}
	}
	var l layout
	switch len(shape) {
	case 2:
		l = layout{n: shape[0], height: 1, width: shape[1], table: true}
	case 3:
		l = layout{n: shape[0], height: shape[1], width: shape[2]}
	case 0, 1:
		return bad("for a single row use x.reshape(1, -1), for a single image x.reshape(1, height, width)")
	default:
		return bad("reshape it, for example with x.reshape(-1, height, width)")
	}
	if l.n == 0 {
		return l, &FormatError{Msg: fmt.Sprintf("an array of shape %v holds no images", shape)}
	}
	return l, checkSize(l.height, l.width)
}

// arrayImages packs the rows of an array as they are read.
type arrayImages struct {
	in      *input
	layout  layout
	name    string // in an archive
	shape   []int
	rows    *arrayRows
	columns []string
	others  []companion
	unit    int64        // the weight of an image
	at      int          // images so far
	done    func() error // checks that follow the last image, may be nil
}

// images prepares the reading of an array of images.
func (in *input) images(d *npy.Reader) (*arrayImages, error) {
	h := d.Header()
	l, err := layoutOf(h.Shape)
	if err != nil {
		return nil, err
	}
	if h.DType.Text() {
		return nil, &FormatError{Msg: "the array holds text, not numbers", Hint: "choose another with --array NAME"}
	}
	if in.opts.AutoThreshold && h.DType.Kind != 'b' {
		if l.table && in.opts.Height == 0 {
			return nil, &FormatError{Msg: "rows of a table, which have no threshold of their own",
				Hint: "give --threshold N instead of auto, or --size HxW if the rows are images"}
		}
		in.seen.arrays = true
	}
	if !in.stream { // before reading any of them
		if err := in.budget.spend(l.n, l.height, l.width); err != nil {
			return nil, err
		}
	}
	return &arrayImages{in: in, layout: l, shape: h.Shape, rows: &arrayRows{d: d, max: in.budget.max}}, nil
}

func (d *arrayImages) count() int { return d.layout.n }

// skip skips images if no other array must be read in step.
func (d *arrayImages) skip(n int) (int, error) {
	n = min(n, d.layout.n-d.at)
	if n == 0 || len(d.others) > 0 || d.done != nil || d.rows.whole() {
		return 0, nil
	}
	n, err := d.rows.d.Skip(n)
	d.at += n
	if err != nil {
		return 0, d.inArray(err, d.name)
	}
	return n, nil
}

func (d *arrayImages) partRows() int {
	l := d.layout
	return d.in.partRows(int64(l.height)*int64(l.width)*int64(d.rows.d.Header().DType.Size), l.height, l.width)
}

func (d *arrayImages) next() (*Set, error) {
	n := min(d.partRows(), d.layout.n-d.at)
	if d.in.most > 0 {
		n = min(n, d.in.most)
	}
	if n == 0 {
		return nil, io.EOF
	}
	s := &Set{Table: d.layout.table, Columns: d.columns}
	if err := d.pack(s, n); err != nil {
		return nil, d.inArray(err, d.name)
	}
	for _, c := range d.others {
		if err := d.companion(s, c); err != nil {
			return nil, inArray(err, c.name)
		}
	}
	d.at += n
	if d.at == d.layout.n && d.done != nil {
		return s, d.done()
	}
	return s, nil
}

// inArray adds the name of the array to an error, if there is more than one.
func (d *arrayImages) inArray(err error, name string) error {
	if name == "" {
		return err
	}
	return inArray(err, name)
}

// pack makes images of the next n rows.
func (d *arrayImages) pack(s *Set, n int) error {
	l, t, r := d.layout, d.rows.d.Header().DType, d.in.rule
	if d.in.real {
		return d.numbers(s, n)
	}
	if t.Kind == 'b' { // bits already: no threshold applies
		r = rule{invert: r.invert}
	}
	s.Images = bitmap.NewBlock(n, l.height, l.width)
	var flat []float64
	if t.Size == 1 && t.Kind != 'i' && !d.rows.whole() && !r.auto && r.missing == nil &&
		(r.threshold != nil || !r.invert || t.Kind == 'b') {
		b, err := d.rows.d.NextBytes(n)
		if err != nil || packBytes(s, b, t.Kind == 'b', r) {
			return err
		}
		flat = make([]float64, len(b))
		for i, v := range b {
			flat[i] = float64(v)
		}
	} else {
		a, err := d.rows.next(n)
		if err != nil {
			return err
		}
		if flat, err = a.Float64s(); err != nil {
			return err
		}
	}
	err := packRows(s, l, flat, r, d.at)
	if !d.either(err) {
		return err
	}
	return d.switched(s, flat, err)
}

// either reports whether the error says that an array is none of bits, which may be one of numbers.
func (d *arrayImages) either(err error) bool {
	return d.in.either && err != nil && !d.in.rule.invert &&
		!slices.ContainsFunc(d.others, func(c companion) bool { return c.role == weightRole })
}

// switched goes on to read an array as one of numbers, which the error says it is not as bits.
func (d *arrayImages) switched(s *Set, flat []float64, err error) error {
	d.in.undecided = d.inArray(err, d.name)
	d.in.setNumbers()
	if err := d.in.budget.spend(d.layout.n, d.layout.height, d.layout.width); err != nil {
		return err
	}
	s.Images = nil
	return d.take(s, flat)
}

// numbers takes the next n rows as real values.
func (d *arrayImages) numbers(s *Set, n int) error {
	a, err := d.rows.next(n)
	if err != nil {
		return err
	}
	flat, err := a.Float64s()
	if err != nil {
		return err
	}
	return d.take(s, flat)
}

// take makes rows of real values.
func (d *arrayImages) take(s *Set, flat []float64) error {
	s.Height, s.Width, s.floats = d.layout.height, d.layout.width, d.rows.d.Header().DType.Kind == 'f'
	size := s.Height * s.Width
	for i, x := range flat {
		if math.IsInf(x, 0) {
			return &FormatError{Row: d.at + i/size + 1, Msg: fmt.Sprintf("value %d is infinite", i%size+1),
				Hint: "use NaN for what is not known"}
		}
	}
	for row := range slices.Chunk(flat, size) {
		s.Values = append(s.Values, row)
	}
	return nil
}

// packBytes packs bytes, which is quicker, and reports whether all of them are 0 or 1, or there is a threshold; of truth
// values all but 0 are.
func packBytes(s *Set, b []byte, truth bool, r rule) bool {
	var to [256]byte
	for v := range to {
		if to[v] = r.of(float64(v)); truth {
			to[v] = r.bit(byte(min(v, 1)))
		}
	}
	for i := 0; (truth || r.threshold != nil) && i < len(b); i++ {
		b[i] = to[b[i]]
	}
	for _, m := range s.Images {
		if m.SetBytes(b[:m.Len()]) >= 0 {
			return false
		}
		b = b[m.Len():]
	}
	return true
}

// packRows packs numbers; the first image is number at of the array.
func packRows(s *Set, l layout, v []float64, r rule, at int) error {
	auto := r.auto
	for k, m := range s.Images {
		if auto {
			r.threshold = otsuOf(v[:m.Len()])
		}
		if i := fill(m, v[:m.Len()], r); i >= 0 {
			return badPixel(l, v[i], i, at+k)
		}
		v = v[m.Len():]
	}
	return nil
}

// badPixel returns the error for pixel i of an image, whose number v is not a
// bit.
func badPixel(l layout, v float64, i, image int) error {
	where := fmt.Sprintf("image row %d, column %d", i/l.width+1, i%l.width+1)
	if l.table {
		where = fmt.Sprintf("column %d", i+1)
	}
	text := fmt.Sprint(v)
	if float64(float32(v)) == v { // as short as it was written
		text = fmt.Sprint(float32(v))
	}
	msg, hint := needThreshold(text, where)
	if !l.table {
		hint += "; auto chooses it for each image"
	}
	return &FormatError{Row: image + 1, Msg: msg, Hint: hint, fix: []string{allNumbers, "--threshold auto"}}
}

// arrayRows reads rows of an array in any order; one in Fortran order is held
// in memory as a whole.
type arrayRows struct {
	d   *npy.Reader
	max int64 // bytes that may be held
	all *npy.Array
	at  int
}

// whole reports whether rows cannot be read one by one.
func (r *arrayRows) whole() bool { return r.d.Header().Fortran && len(r.d.Header().Shape) > 1 }

// next reads exactly n rows.
func (r *arrayRows) next(n int) (*npy.Array, error) {
	if !r.whole() {
		return r.d.Next(n)
	}
	h := r.d.Header()
	if r.all == nil {
		size := int64(h.DType.Size)
		for _, side := range h.Shape { // no overflow: the reader has checked
			size *= int64(side)
		}
		if size > r.max {
			return nil, &FormatError{Msg: fmt.Sprintf("an array in Fortran order of %d bytes does not fit in %d bytes of memory",
				size, r.max),
				Hint: "save it with numpy.ascontiguousarray, or allow more memory", memory: true}
		}
		var err error
		if r.all, err = r.d.All(); err != nil {
			return nil, err
		}
	}
	row := r.all.Len() / h.Shape[0]
	shape := slices.Clone(h.Shape)
	shape[0] = n
	data := reflect.ValueOf(r.all.Data).Slice(r.at*row, (r.at+n)*row).Interface()
	r.at += n
	return &npy.Array{Shape: shape, Data: data}, nil
}
