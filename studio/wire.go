package studio

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"example.com/patchwork"
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

func newNats(values []float64) []nats {
	out := make([]nats, len(values))
	for i, x := range values {
		out[i] = nats(x)
	}
	return out
}

// place is a part with its pose.
type place struct {
	Part  int     `json:"part" doc:"from 0"`
	DY    int     `json:"dy" doc:"pixels down"`
	DX    int     `json:"dx" doc:"pixels to the right"`
	Angle float64 `json:"angle" doc:"degrees, clockwise"`
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

func newPlace(part int, p pose.Pose) place {
	return place{part, p.DY, p.DX, p.Angle, stretch{p.Stretch.Y, p.Stretch.X}}
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
