package modelfile

import (
	"bytes"
	"testing"

	"example.com/patchwork/internal/npy"
)

// TestExpertsSmallerThanImages: where experts.npy is smaller than the height and width
// of model.json, these are the images' and the parts lie anywhere; written again, the
// file says so in its own words and means the same.
func TestExpertsSmallerThanImages(t *testing.T) {
	for name, c := range map[string]struct {
		set    map[string]any
		height int // of the images
		width  int
	}{
		"the size of the images":  {map[string]any{"height": 9, "width": 7}, 9, 7},
		"wider only":              {map[string]any{"width": 12}, 2, 12},
		"a scene of its own size": {map[string]any{"scene": true}, 2, 3},
		"a scene and its images":  {map[string]any{"scene": true, "images": []int{5, 8}}, 5, 8},
		"both":                    {map[string]any{"height": 9, "width": 7, "images": []int{5, 8}}, 5, 8},
	} {
		p := valid()
		for field, value := range c.set {
			p.header[field] = value
		}
		delete(p.header, "shift")
		file := p.bytes(t, npy.Store)
		m, err := Read(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		cfg := m.Config()
		if !cfg.Scene || m.Height() != 2 || m.Width() != 3 || cfg.ImageHeight != c.height || cfg.ImageWidth != c.width {
			t.Errorf("%s: read as parts of %d x %d in images of %d x %d, scene %t", name, m.Height(), m.Width(), cfg.ImageHeight,
				cfg.ImageWidth, cfg.Scene)
		}
		var again bytes.Buffer
		if err := Write(&again, m); err != nil {
			t.Fatal(err)
		}
		back, err := Read(bytes.NewReader(again.Bytes()), int64(again.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if b := back.Config(); !b.Scene || b.Height != cfg.Height || b.Width != cfg.Width ||
			b.ImageHeight != cfg.ImageHeight || b.ImageWidth != cfg.ImageWidth {
			t.Errorf("%s: written and read again it is %+v, not %+v", name, b, cfg)
		}
	}
}

// TestImagesRefused: a size of images that cannot be is named.
func TestImagesRefused(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]any
		want string
	}{
		"three numbers": {map[string]any{"scene": true, "images": []int{1, 2, 3}},
			"model.json: field images: has 3 numbers"},
		"overhang": {map[string]any{"scene": true, "overhang": -1}, "an overhang of -1 pixels"},
		"overhang alone": {map[string]any{"overhang": 1},
			"an overhang of 1 pixels; give 0 or more, and more only for a scene"},
		"no pixels": {map[string]any{"scene": true, "images": []int{0, 8}},
			"model.json: field images: are 0 x 8 pixels"},
		"smaller": {map[string]any{"scene": true, "images": []int{1, 8}},
			"images of 1 x 8 pixels are smaller than their parts, 2 x 3"},
		"larger, no scene": {map[string]any{"images": []int{5, 8}},
			"images of 5 x 8 pixels are not of the size of the parts, 2 x 3"},
		"absurd": {map[string]any{"scene": true, "images": []int{1 << 40, 1 << 40}}, "an image of"},
		"text":   {map[string]any{"images": "large"}, "model.json: field images: is text, want a list"},
	} {
		p := valid()
		for field, value := range c.set {
			p.header[field] = value
		}
		file := p.bytes(t, npy.Store)
		_, err := Read(bytes.NewReader(file), int64(len(file)))
		checkMessage(t, name, err, c.want)
	}
}
