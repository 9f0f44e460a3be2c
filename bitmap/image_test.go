package bitmap

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// draw generates an arbitrary image; sizes straddle the 64-pixel word.
func draw(t *rapid.T) *Image {
	h := rapid.IntRange(0, 5).Draw(t, "h")
	w := rapid.SampledFrom([]int{0, 1, 7, 63, 64, 65, 128, 130}).Draw(t, "w")
	m := New(h, w)
	for y := range h {
		for x := range w {
			switch rapid.IntRange(0, 9).Draw(t, "p") {
			case 0:
				m.SetUnknown(y, x)
			case 1, 2, 3:
				m.Set(y, x, true)
			}
		}
	}
	return m
}

func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		if m.Len() > 0 {
			lines := strings.Split(strings.TrimSuffix(m.String(), "\n"), "\n")
			if got := Parse(lines...); !got.Equal(m) {
				t.Fatalf("Parse(String) = \n%vwant\n%v", got, m)
			}
		}
		if !m.Clone().Equal(m) {
			t.Fatal("a clone differs")
		}
		on, known, values := m.AppendBytes(nil), m.AppendKnown(nil), m.AppendValues([]uint8{7})
		back := FromBytes(m.Height(), m.Width(), on)
		nOn, nKnown := 0, 0
		for i := range on {
			nOn += int(on[i])
			nKnown += int(known[i])
			want := on[i]
			if known[i] == 0 {
				want = 2
				back.SetUnknown(i/m.Width(), i%m.Width())
			}
			if values[i+1] != want {
				t.Fatalf("value of pixel %d is %d, want %d", i, values[i+1], want)
			}
		}
		if len(values) != len(on)+1 || values[0] != 7 {
			t.Fatalf("%d values of %d pixels, after %d", len(values)-1, len(on), values[0])
		}
		if !back.Equal(m) || nOn != m.CountOn() || nKnown != m.CountKnown() {
			t.Fatalf("bytes: %d on, %d known; counts %d, %d", nOn, nKnown, m.CountOn(), m.CountKnown())
		}
		if m.Complete() != (nKnown == m.Len()) {
			t.Fatal("Complete disagrees with the known plane")
		}
	})
}

func TestUnknownHasNoValue(t *testing.T) {
	m := Parse("#.", "##")
	m.SetUnknown(0, 0)
	if m.At(0, 0) || m.Known(0, 0) || m.CountOn() != 2 || m.CountKnown() != 3 {
		t.Fatalf("after SetUnknown:\n%v", m)
	}
	m.Set(0, 0, true)
	if !m.Equal(Parse("#.", "##")) {
		t.Fatal("Set must make the pixel known again, equal to one never unknown")
	}
}

// A table has very many images: each word of them counts.
func TestImagesAreSmall(t *testing.T) {
	if size := reflect.TypeFor[Image]().Size(); size > 40 {
		t.Errorf("an image takes %d bytes besides its pixels", size)
	}
}

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"outside":  func() { New(2, 3).At(0, 3) },
		"negative": func() { New(2, 3).Set(-1, 0, true) },
		"size":     func() { New(-1, 3) },
		"huge":     func() { New(1<<30, 1<<30) },
		"high":     func() { New(1<<32+1, 0) },
		"wide":     func() { NewBlock(1, 0, 1<<32+1) },
		"fewer":    func() { NewBlock(-1, 1, 1) },
		"bytes":    func() { FromBytes(2, 2, make([]uint8, 3)) },
		"ragged":   func() { Parse("##", "#") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
