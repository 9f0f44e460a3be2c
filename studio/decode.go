package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/strictjson"
)

// decoder reads JSON bodies of one type.
type decoder[T any] struct {
	early func(*T) error // rejects bodies that would be costly to validate
}

func newDecoder[T any](early func(*T) error) *decoder[T] { return &decoder[T]{early} }

// of returns the type of the bodies.
func (d *decoder[T]) of() reflect.Type { return reflect.TypeFor[T]() }

// decode reads a body strictly: unknown and missing fields, wrong types and
// values out of range yield problems that say where they are.
func (d *decoder[T]) decode(content []byte) (*T, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, problemf(statusBadRequest, "the body is empty; send JSON")
	}
	if !utf8.Valid(content) {
		return nil, problemf(statusBadRequest, "the body is not UTF-8")
	}
	// First what would take much memory, then by type, which takes little for any other
	// input, then by the schema, which has the bounds.
	if err := strictjson.Check(content, d.of()); err != nil && json.Valid(content) { // else Decode says why not
		if entry := new(strictjson.EntryError); errors.As(err, &entry) {
			err = fmt.Errorf("not a valid value: %w", err)
		}
		return nil, problemf(statusUnprocessableEntity, "%v", err)
	}
	out := new(T)
	strict := json.NewDecoder(bytes.NewReader(content))
	strict.DisallowUnknownFields()
	if err := strict.Decode(out); err != nil {
		return nil, jsonError(err)
	}
	if _, err := strict.Token(); err != io.EOF {
		return nil, problemf(statusBadRequest, "not JSON: more data follows the object, at byte %d", strict.InputOffset())
	}
	if d.early != nil {
		if err := d.early(out); err != nil {
			return nil, err
		}
	}
	var any any
	if err := json.Unmarshal(content, &any); err != nil {
		return nil, jsonError(err)
	}
	if err := checkJSON(d.of(), any, "body"); err != nil {
		return nil, err
	}
	return out, nil
}

func jsonError(err error) error {
	switch e := err.(type) {
	case *json.SyntaxError:
		return problemf(statusBadRequest, "not JSON at byte %d: %v", e.Offset, err)
	case *json.UnmarshalTypeError:
		return problemf(statusUnprocessableEntity, "byte %d: %.60s is not a valid value of %q", e.Offset, e.Value, e.Field)
	}
	switch text := strings.TrimPrefix(err.Error(), "json: "); {
	case err == io.ErrUnexpectedEOF:
		return problemf(statusBadRequest, "not JSON: it is cut off")
	case strings.HasPrefix(text, "unknown field"):
		return problemf(statusUnprocessableEntity, "%.100s; the valid fields are described in /openapi.json", text)
	default:
		return problemf(statusBadRequest, "not JSON: %.200s", text)
	}
}

// wantJSON rejects bodies of other types.
func wantJSON(b body) error {
	if b.kind != "" && b.kind != "application/json" {
		return problemf(statusUnsupportedMediaType, "the Content-Type %.100q is not accepted here; send application/json",
			b.kind)
	}
	return nil
}

// images reads images in JSON.
func (s *core) images(wire []wireImage) ([]*bitmap.Image, error) {
	if err := s.checkBatch(len(wire)); err != nil {
		return nil, err
	}
	out := make([]*bitmap.Image, len(wire))
	for i := range wire {
		var err error
		if out[i], err = wire[i].image(i, s.limits.Pixels); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *core) checkBatch(n int) error {
	switch {
	case n == 0:
		return problemAt(422, "body.images", nil, "no images")
	case n > s.limits.Batch:
		return problemAt(statusRequestEntityTooLarge, "body.images", nil,
			"%d images in one request are more than this server accepts (%d); send several requests", n, s.limits.Batch)
	}
	return nil
}

// fileImages reads the images of a PNG or npy body, for a model.
func (s *core) fileImages(ctx context.Context, b body, r *ReadOptions, m *patchwork.Model) ([]*bitmap.Image, error) {
	opt, _, err := r.options()
	if err != nil {
		return nil, err
	}
	if opt, _, err = opt.For(m); err != nil {
		return nil, contentError(err)
	}
	magic, name := "\x93NUMPY", "the npy body"
	if b.kind == "image/png" {
		magic, name = "\x89PNG\r\n\x1a\n", "the PNG body"
	}
	if !bytes.HasPrefix(b.bytes, []byte(magic)) {
		return nil, problemf(422, "the body does not match its Content-Type %s", b.kind)
	}
	opt.MaxMemory = s.limits.FlightBytes / 2
	set, err := s.decode(ctx, name, b.bytes, opt)
	if err != nil {
		return nil, err
	}
	if h, w := m.Height(), m.Width(); set.Table && h > 1 { // rows of h*w values
		opt.Height, opt.Width = h, w
		if set, err = s.decode(ctx, name, b.bytes, opt); err != nil {
			return nil, err
		}
	}
	return set.Images, s.checkBatch(set.Len())
}

// maxPhoto bounds the pixels of a picture that is decoded to be scaled: those of a
// phone's usual photos. One is decoded at a time.
const maxPhoto = 1 << 24

// checkPicture rejects a PNG larger than the limit for images, or for photos if it
// will be scaled, before it is decompressed.
func (s *core) checkPicture(content []byte, scaled bool) error {
	if !bytes.HasPrefix(content, []byte("\x89PNG")) {
		return nil
	}
	c, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return problemf(422, "damaged PNG picture: %v", err)
	}
	most, way := s.limits.Pixels, "bring pictures to a size, such as 56x56"
	if scaled {
		most, way = max(most, maxPhoto), "make it smaller"
	}
	if c.Height < 1 || c.Width < 1 || c.Height > most/c.Width {
		return problemf(statusRequestEntityTooLarge,
			"a picture of %d x %d pixels is larger than this server accepts (%d pixels); %s", c.Height, c.Width, most, way)
	}
	return nil
}

// parseNumber parses a finite number of a query.
func parseNumber(name, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, problemAt(422, "query."+name, text, "%s: %.40q is not a finite number", name, text)
	}
	return v, nil
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func validText(s string) bool { return utf8.ValidString(s) }

// enterJSON is like enter for a request with a JSON body, which it decodes.
func enterJSON[T any](ctx context.Context, s *core, requests *decoder[T]) (_ context.Context, req *T, leave func(),
	err error) {
	b := bodyOf(ctx)
	if err := wantJSON(b); err != nil {
		return nil, nil, nil, err
	}
	ctx, leave, err = s.enter(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if req, err = requests.decode(b.bytes); err != nil {
		leave()
		return nil, nil, nil, err
	}
	return ctx, req, leave, nil
}
