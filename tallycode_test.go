package patchwork_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"

	"pgregory.net/rapid"
)

// drawTally is the tally of some explained images of a drawn model.
func drawTally(t *rapid.T) (*patchwork.Model, *patchwork.Tally) {
	m := testkit.DrawModel(t, testkit.DrawConfig(t, testkit.AnyLevel), testkit.AnyLevel)
	tally := patchwork.NewTally(m)
	for _, x := range testkit.DrawExplained(t, m, rapid.IntRange(0, 4).Draw(t, "images")) {
		tally.Add(m, x.Img, x.E, rapid.Int64Range(1, 300).Draw(t, "weight"))
	}
	return m, tally
}

// Reading gives back what was written, and writing that the same bytes; what
// was merged before writing is what is merged after reading.
func TestTallyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, tally := drawTally(t)
		data, _ := tally.MarshalBinary()
		var read patchwork.Tally
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		again, _ := read.MarshalBinary()
		if !bytes.Equal(data, again) {
			t.Fatal("the tally read back has other bytes")
		}
		if read.LogLik() != tally.LogLik() || read.Rows() != tally.Rows() || read.Picks() != tally.Picks() {
			t.Fatalf("read %v nats, %d rows, %d picks; written %v, %d, %d", read.LogLik(), read.Rows(), read.Picks(), tally.LogLik(), tally.Rows(), tally.Picks())
		}
		if !testkit.SameModel(read.Model(m, patchwork.MStep{}), tally.Model(m, patchwork.MStep{})) {
			t.Fatal("the tally read back makes another model")
		}
		read.Merge(tally)
		twice := tally.Clone()
		twice.Merge(tally)
		a, _ := read.MarshalBinary()
		b, _ := twice.MarshalBinary()
		if !bytes.Equal(a, b) {
			t.Fatal("merging the tally read back gives another sum")
		}
	})
}

// Whatever bytes come, reading refuses or gives a tally that can be written; it
// leaves the receiver alone when it refuses.
func FuzzTally(f *testing.F) {
	small := patchwork.NewTally(twoBits())
	small.Fake(3, 2, 2, 2, 0)
	seed, _ := small.MarshalBinary()
	f.Add(seed)
	f.Add(seed[:len(seed)-1])
	f.Add([]byte(patchwork.TallyMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, _ := small.MarshalBinary()
		read := small.Clone()
		if err := read.UnmarshalBinary(data); err != nil {
			var format *patchwork.TallyFormatError
			if !errors.As(err, &format) || format.Offset < 0 || format.Offset > len(data) {
				t.Fatalf("error %v of %T", err, err)
			}
			if after, _ := read.MarshalBinary(); !bytes.Equal(before, after) {
				t.Fatal("a refused tally changed the receiver")
			}
			return
		}
		again, _ := read.MarshalBinary()
		var twice patchwork.Tally
		if err := twice.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was read and written is refused: %v", err)
		}
	})
}

func TestTallyRefuses(t *testing.T) {
	good := patchwork.NewTally(twoBits())
	good.Fake(3, 3, 2, 2, 1)
	data, _ := good.MarshalBinary()
	change := func(at int, b ...byte) []byte {
		out := slices.Clone(data)
		copy(out[at:], b)
		return out
	}
	huge := binary.LittleEndian.AppendUint32(nil, 1<<25)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":           {nil, "the header alone"},
		"foreign":         {change(0, 'x'), "begins with"},
		"newer":           {change(7, 2), "begins with"},
		"no experts":      {change(8, 0), "0 experts"},
		"huge":            {change(8, huge...), "too many"},
		"negative rows":   {change(27, 0x80), "images"},
		"truncated":       {data[:len(data)-2], "ends"},
		"too long":        {append(slices.Clone(data), 7), "1 bytes follow"},
		"more on":         {change(len(data)-10, 3), "was on 3 times of 2"},
		"more than picks": {change(len(data)-10, 4), "count 4 of 3 picks"},
		"more than rows":  {change(patchwork.TallyHeaderSize+1, 9), "count 9 of 3 images"},
		"strange plane":   {change(patchwork.TallyHeaderSize+2, 5), "byte 5 where a plane"},
	} {
		err := new(patchwork.Tally).UnmarshalBinary(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// twoBits returns a model of two experts over two bits.
func twoBits() *patchwork.Model {
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 2}, [][]float64{{1, 0}, {0, 1}})
	if err != nil {
		panic(err)
	}
	return m
}
