package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/strictjson"
)

// batch is a body that says how many images or rows are in it, so that too many are refused before they are looked at.
type batch interface{ size() int }

// decodeJSON reads a body strictly: unknown and missing fields, wrong types and
// values out of range yield problems that say where they are.
func decodeJSON[T any](s *core, content []byte) (*T, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, problemf(statusBadRequest, "the body is empty; send JSON")
	}
	if !utf8.Valid(content) {
		return nil, problemf(statusBadRequest, "the body is not UTF-8")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(content, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, problemf(statusBadRequest, "not JSON at byte %d: %v", syntax.Offset, err)
	}
	out := new(T)
	if err := strictjson.Decode(content, out, ""); err != nil {
		return nil, jsonError(err)
	}
	if of, ok := any(out).(batch); ok {
		if err := s.checkBatch(of.size()); err != nil {
			return nil, err
		}
	}
	var fields any // which of them are there, and zero
	if err := json.Unmarshal(content, &fields); err != nil {
		return nil, jsonError(err)
	}
	return out, checkJSON(reflect.TypeFor[T](), fields, "body")
}

// jsonError returns the answer to JSON that is not what it should be.
func jsonError(err error) error {
	kind := new(json.UnmarshalTypeError)
	switch text := err.Error(); {
	case errors.As(err, &kind):
		return problemf(statusUnprocessableEntity, "byte %d: %.60s is not a valid value of %q", kind.Offset, kind.Value,
			kind.Field)
	case strings.Contains(text, "unknown field"):
		return problemf(statusUnprocessableEntity, "%.100s; the valid fields are described in /openapi.json", text)
	default:
		return problemf(statusUnprocessableEntity, "%.200s", text)
	}
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
	set, err := s.decodeBits(ctx, name, b.bytes, opt)
	if err != nil {
		return nil, err
	}
	if h, w := m.Height(), m.Width(); set.Table && h > 1 { // rows of h*w values
		opt.Height, opt.Width = h, w
		if set, err = s.decodeBits(ctx, name, b.bytes, opt); err != nil {
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
