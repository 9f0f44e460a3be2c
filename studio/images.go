package studio

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/pose"
)

// nats is a number that is null in JSON if it is infinite or unknown.
type nats float64

// MarshalJSON returns the number, or null.
func (f nats) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(f), 0) || math.IsNaN(float64(f)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON sets the number; null is NaN, which is what is unknown.
func (f *nats) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = nats(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// f32 is base64 of little-endian float32 numbers, row-major.
type f32 string

func newF32(values []float64) f32 {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return f32(base64.StdEncoding.EncodeToString(b))
}

// wireImage is an image in JSON.
type wireImage struct {
	Height int    `json:"height" minimum:"1" doc:"1 for a row of a table"`
	Width  int    `json:"width" minimum:"1"`
	Bits   string `json:"bits" doc:"row-major, one character per pixel: 0, 1, or ? for unknown"`
}

// image returns the image, or an error that says what is wrong with it. index
// is its index in the request.
func (w *wireImage) image(index, pixels int) (*bitmap.Image, error) {
	where := fmt.Sprintf("body.images[%d]", index)
	if w.Height < 1 || w.Width < 1 || w.Height > pixels/w.Width {
		return nil, problemAt(422, where, nil,
			"image %d: %d x %d pixels are outside the limits of this server (1 to %d pixels)", index, w.Height, w.Width, pixels)
	}
	if len(w.Bits) != w.Height*w.Width {
		return nil, problemAt(422, where+".bits", nil, "image %d: %d characters in bits for %d x %d pixels", index,
			len(w.Bits), w.Height, w.Width)
	}
	img := bitmap.New(w.Height, w.Width)
	for i := range len(w.Bits) {
		switch w.Bits[i] {
		case '0':
		case '1':
			img.Set(i/w.Width, i%w.Width, true)
		case '?':
			img.SetUnknown(i/w.Width, i%w.Width)
		default:
			return nil, problemAt(422, where+".bits", nil, "image %d: character %d of bits is %q, not 0, 1 or ?", index, i,
				w.Bits[i])
		}
	}
	return img, nil
}

// newImage converts an image to its JSON form.
func newImage(img *bitmap.Image) wireImage {
	bits := img.AppendValues(nil)
	for i, v := range bits {
		bits[i] = "01?"[v]
	}
	return wireImage{img.Height(), img.Width(), string(bits)}
}

// place is an expert with its pose.
type place struct {
	Expert int     `json:"expert"`
	DY     int     `json:"dy" doc:"pixels down"`
	DX     int     `json:"dx" doc:"pixels to the right"`
	Angle  float64 `json:"angle" doc:"degrees, clockwise"`
	stretch
}

// stretch is how a part is stretched before it is turned.
type stretch struct {
	Down   float64 `json:"stretch,omitempty" doc:"factor along the part's own axis, the rows of its frame; absent for 1"`
	Across float64 `json:"stretch_across,omitempty" doc:"factor across it; absent for 1"`
}

// pick is a place chosen by the pursuit.
type pick struct {
	place
	Gain nats `json:"gain" doc:"nats"`
}

func newPlace(expert int, p pose.Pose) place {
	return place{expert, p.DY, p.DX, p.Angle, stretch{p.Stretch.Y, p.Stretch.X}}
}

func newPicks(picks []patchwork.Pick) []pick {
	out := make([]pick, len(picks)) // [] for none, never null
	for i, p := range picks {
		out[i] = pick{newPlace(p.Expert, p.Pose), nats(p.Gain)}
	}
	return out
}

func newPlaces(picks []patchwork.Pick) []place {
	out := make([]place, len(picks))
	for i, p := range picks {
		out[i] = newPlace(p.Expert, p.Pose)
	}
	return out
}
