package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// encoded returns a file that an encoder of pictures writes.
func encoded(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegFile(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 90}) })
}

func tiffFile(t testing.TB, m image.Image, c tiff.CompressionType) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, m, &tiff.Options{Compression: c}) })
}

func bmpFile(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) })
}

func gifFile(t testing.TB, frames ...*image.Paletted) []byte {
	all := gif.GIF{Image: frames, Delay: make([]int, len(frames))}
	return encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, &all) })
}

// bitWriter writes numbers of some bits each, lowest first.
type bitWriter struct {
	bytes []byte
	used  int
}

func (b *bitWriter) write(v uint64, n int) {
	for i := range n {
		if b.used%8 == 0 {
			b.bytes = append(b.bytes, 0)
		}
		b.bytes[b.used/8] |= byte(v>>i&1) << (b.used % 8)
		b.used++
	}
}

// webpFile returns a lossless WebP picture of two grey levels: there is a
// decoder of WebP and no encoder. Each channel has a simple prefix code of two
// symbols, so a pixel takes a bit in each.
func webpFile(height, width int, dark, light uint8, ink func(y, x int) bool) []byte {
	var b bitWriter
	b.write(0x2f, 8)
	b.write(uint64(width-1), 14)
	b.write(uint64(height-1), 14)
	b.write(0, 1+3)   // no alpha; the version
	b.write(0, 1+1+1) // no transform, no cache of colours, one set of codes
	for range 3 {     // green, red, blue
		b.write(1, 1) // a simple code
		b.write(1, 1) // of two symbols
		b.write(1, 1) // of 8 bits
		b.write(uint64(dark), 8)
		b.write(uint64(light), 8)
	}
	for _, symbol := range []uint64{255, 0} { // alpha, distance: codes of one symbol
		b.write(1, 1)
		b.write(0, 1)
		b.write(1, 1)
		b.write(symbol, 8)
	}
	for i := range height * width {
		if ink(i/width, i%width) {
			b.write(0, 3)
		} else {
			b.write(7, 3)
		}
	}
	return riff("VP8L", b.bytes)
}

// riff returns a WebP file of chunks: names and contents in turn.
func riff(parts ...any) []byte {
	body := []byte("WEBP")
	for i := 0; i < len(parts); i += 2 {
		content := parts[i+1].([]byte)
		body = append(body, parts[i].(string)...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(content)))
		body = append(body, content...)
		if len(content)%2 == 1 {
			body = append(body, 0)
		}
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// tag is an entry of a TIFF directory, of 4 bytes a number.
type tag struct {
	id, kind uint16
	values   []uint32
}

// tiffOf returns a TIFF file of one directory and what follows it.
func tiffOf(order binary.AppendByteOrder, after []byte, tags ...tag) []byte {
	out := []byte("II*\x00")
	if order == binary.BigEndian {
		out = []byte("MM\x00*")
	}
	out = order.AppendUint32(out, 8)
	out = order.AppendUint16(out, uint16(len(tags)))
	far := uint32(8 + 2 + 12*len(tags) + 4)
	var values []byte
	for _, e := range tags {
		out = order.AppendUint16(order.AppendUint16(out, e.id), e.kind)
		out = order.AppendUint32(out, uint32(len(e.values)))
		switch {
		case len(e.values) > 1:
			out = order.AppendUint32(out, far+uint32(len(values)))
			for _, v := range e.values {
				values = order.AppendUint32(values, v)
			}
		case e.kind == 3:
			out = order.AppendUint16(order.AppendUint16(out, uint16(e.values[0])), 0)
		default:
			out = order.AppendUint32(out, e.values[0])
		}
	}
	out = order.AppendUint32(out, 0) // no other directory
	return append(append(out, values...), after...)
}

// withExif returns a JPEG file with an Exif segment.
func withExif(jpeg []byte, order binary.AppendByteOrder, orientation uint32) []byte {
	exif := append([]byte("Exif\x00\x00"),
		tiffOf(order, nil, tag{0x10f, 4, []uint32{7}}, tag{274, 3, []uint32{orientation}})...)
	out := append([]byte{}, jpeg[:2]...)
	out = append(out, 0xff, 0xe0, 0, 4, 1, 2) // an application's own segment first
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(exif)+2))
	return append(append(out, exif...), jpeg[2:]...)
}

// TestOrientation: a picture that was stored turned in any of the eight ways of
// Exif reads like the upright one.
func TestOrientation(t *testing.T) {
	const h, w = 24, 40
	upright := func(y, x int) bool { return x < 8 || y < 8 && x < 24 } // a Γ: no symmetry
	want := ""
	for y := range h {
		for x := range w {
			want += map[bool]string{true: "#", false: "."}[upright(y, x)]
		}
		want += "\n"
	}
	for o := 1; o <= 8; o++ {
		hh, ww := h, w
		if o >= 5 {
			hh, ww = w, h
		}
		// The place in the upright picture of a stored pixel, from the table of
		// the Exif standard: the sides where the 0th row and the 0th column are.
		at := func(y, x int) (int, int) {
			switch o {
			case 2:
				return y, w - 1 - x
			case 3:
				return h - 1 - y, w - 1 - x
			case 4:
				return h - 1 - y, x
			case 5:
				return x, y
			case 6:
				return x, w - 1 - y
			case 7:
				return h - 1 - x, w - 1 - y
			case 8:
				return h - 1 - x, y
			}
			return y, x
		}
		stored := func(y, x int) uint8 {
			if upright(at(y, x)) {
				return 20
			}
			return 230
		}
		m := draw(image.NewGray(image.Rect(0, 0, ww, hh)), stored)
		var order binary.AppendByteOrder = binary.LittleEndian
		if o%2 == 0 {
			order = binary.BigEndian
		}
		vp8l := webpFile(hh, ww, 20, 230, func(y, x int) bool { return stored(y, x) == 20 })
		extended := binary.LittleEndian.AppendUint32([]byte{8, 0, 0, 0}, uint32(ww-1))[:7]
		extended = binary.LittleEndian.AppendUint32(extended, uint32(hh-1))[:10]
		exif := tiffOf(order, nil, tag{274, 3, []uint32{uint32(o)}})
		raw := tiffOf(order, m.Pix, tag{256, 4, []uint32{uint32(ww)}}, tag{257, 4, []uint32{uint32(hh)}},
			tag{258, 3, []uint32{8}}, tag{262, 3, []uint32{1}},
			tag{273, 4, []uint32{8 + 2 + 12*7 + 4}}, tag{274, 3, []uint32{uint32(o)}}, tag{279, 4, []uint32{uint32(hh * ww)}})
		for name, content := range map[string][]byte{
			"a.jpg": withExif(jpegFile(t, m), order, uint32(o)), "a.tif": raw,
			"a.webp": riff("VP8X", extended, "VP8L", vp8l[20:], "EXIF", exif),
		} {
			s, err := Decode(context.Background(), name, content, Options{})
			if err != nil {
				t.Errorf("%s, orientation %d: %v", name, o, err)
				continue
			}
			if got := pixels(s); got != want {
				t.Errorf("%s, orientation %d:\n%s", name, o, got)
			}
		}
	}
}

// claims are tiny files that claim to be huge. Each is refused before memory is
// taken for it.
func claims(t testing.TB) map[string][]byte {
	small := draw(image.NewGray(image.Rect(0, 0, 16, 16)), func(y, x int) uint8 { return uint8(16 * y) })
	put := func(b []byte, order binary.ByteOrder, at int, values ...uint16) []byte {
		b = bytes.Clone(b)
		for i, v := range values {
			order.PutUint16(b[at+2*i:], v)
		}
		return b
	}
	j := jpegFile(t, small)
	frame := bytes.Index(j, []byte{0xff, 0xc0}) + 5
	progressive := bytes.Clone(j)
	progressive[frame-4] = 0xc2
	g := gifFile(t, draw(image.NewPaletted(small.Rect, color.Palette{color.White, color.Black}),
		func(y, x int) uint8 { return 0 }))
	descriptor := bytes.Index(g, []byte{0x2c, 0, 0, 0, 0})
	b := bmpFile(t, small)
	wide := bytes.Clone(b)
	binary.LittleEndian.PutUint32(wide[18:], 100000)
	binary.LittleEndian.PutUint32(wide[22:], 100000)
	large := bytes.Clone(b)
	binary.LittleEndian.PutUint32(large[18:], 8000)
	binary.LittleEndian.PutUint32(large[22:], 8000)
	grey := func(h, w uint32, more ...tag) []byte {
		return tiffOf(binary.LittleEndian, nil,
			append([]tag{{256, 4, []uint32{w}}, {257, 4, []uint32{h}}, {258, 3, []uint32{8}}, {259, 3, []uint32{1}},
				{262, 3, []uint32{1}}}, more...)...)
	}
	strips := make([]uint32, 64)
	for i := range strips {
		strips[i] = 64
	}
	vp8x := func(h, w uint32) []byte {
		head := binary.LittleEndian.AppendUint32([]byte{0, 0, 0, 0}, w-1)[:7]
		return riff("VP8X", binary.LittleEndian.AppendUint32(head, h-1)[:10])
	}
	vp8l := func(h, w uint64) []byte {
		var bits bitWriter
		bits.write(0x2f, 8)
		bits.write(w-1, 14)
		bits.write(h-1, 14)
		return riff("VP8L", append(bits.bytes, make([]byte, 40)...))
	}
	return map[string][]byte{
		"65535.jpg":       put(j, binary.BigEndian, frame, 65535, 65535),
		"8000.jpg":        put(j, binary.BigEndian, frame, 8000, 8000),
		"progressive.jpg": put(progressive, binary.BigEndian, frame, 8000, 8000),
		"65535.gif":       put(g, binary.LittleEndian, 6, 65535, 65535),
		"8000.gif":        put(g, binary.LittleEndian, 6, 8000, 8000),
		"frame.gif":       put(g, binary.LittleEndian, descriptor+5, 8000, 8000),
		"100000.bmp":      wide,
		"8000.bmp":        large,
		"100000.tif":      grey(100000, 100000, tag{273, 4, []uint32{8}}, tag{279, 4, []uint32{16}}),
		"8000.tif":        grey(8000, 8000, tag{273, 4, []uint32{8}}, tag{279, 4, []uint32{16}}),
		"strips.tif":      grey(64, 64, tag{273, 4, strips}, tag{278, 4, []uint32{1}}, tag{279, 4, strips}),
		"long.tif":        grey(64, 64, tag{273, 4, []uint32{8}}, tag{279, 4, []uint32{math.MaxUint32}}),
		"tiles.tif": grey(64, 64, tag{322, 4, []uint32{1 << 30}}, tag{323, 4, []uint32{1 << 30}},
			tag{324, 4, []uint32{8}}, tag{325, 4, []uint32{16}}),
		"many.tif": grey(8000, 8000, tag{322, 4, []uint32{8}}, tag{323, 4, []uint32{8}}, tag{324, 4, []uint32{8}},
			tag{325, 4, []uint32{16}}),
		"100000.webp": vp8x(100000, 100000),
		"16000.webp":  vp8l(16000, 16000),
		"8000.webp":   vp8l(8000, 8000),
		"100000.png":  pngHeader(pngFile(t, small), 100000, 100000),
	}
}

func TestClaims(t *testing.T) {
	for name, content := range claims(t) {
		before := allocated()
		fe := refused(t, name, content, Options{Height: 8, Width: 8})
		used := allocated() - before
		if used > 4<<20 {
			t.Errorf("%s of %d bytes took %d bytes of memory: %v", name, len(content), used, fe)
		}
	}
}

// TestDirectories: a chain of directories that leads back to itself, or
// nowhere, ends.
func TestDirectories(t *testing.T) {
	ring := tiffOf(binary.LittleEndian, nil, tag{274, 3, []uint32{6}})
	binary.LittleEndian.PutUint32(ring[len(ring)-4:], 8)
	pages := 0
	for range TIFFPages(ring) {
		pages++
	}
	if tags := readTIFF(ring); tags[tagOrientation] != 6 || pages != mostPages {
		t.Errorf("a ring: %v, %d pages", tags, pages)
	}
	for i := range ring {
		readTIFF(ring[:i])
		jpegOrientation(append([]byte("\xff\xd8\xff\xe1\x00\x30Exif\x00\x00"), ring[:i]...))
		webpOrientation(append([]byte("RIFF....WEBPEXIF\xff\xff\xff\xff"), ring[:i]...))
	}
	if tags := readTIFF([]byte("no TIFF at all")); len(tags) > 0 {
		t.Errorf("no TIFF: %v", tags)
	}
}

func TestSeveralFrames(t *testing.T) {
	palette := color.Palette{color.White, color.Black, color.Transparent}
	whole := draw(image.NewPaletted(image.Rect(0, 0, 4, 2), palette),
		func(y, x int) uint8 { return []uint8{0, 255}[(x+y)%2] })
	part := image.NewPaletted(image.Rect(1, 0, 3, 1), palette)
	part.Pix[0], part.Pix[1] = 1, 2
	s := mustRead(t, "a.gif", gifFile(t, whole, part, part), Options{})
	if got := pixels(s); got != "#.#.\n.#.#\n" {
		t.Errorf("the first of three frames:\n%s", got)
	}
	// A frame that covers a part of the screen stands at its place.
	content := gifFile(t, part)
	binary.LittleEndian.PutUint16(content[6:], 4)
	binary.LittleEndian.PutUint16(content[8:], 2)
	if got := pixels(mustRead(t, "b.gif", content, Options{})); got != ".#..\n....\n" {
		t.Errorf("a frame of 1 x 2 at column 2 of 2 x 4:\n%s", got)
	}
	page := tiffFile(t, draw(image.NewGray(image.Rect(0, 0, 2, 1)), func(_, x int) uint8 { return uint8(255 * x) }),
		tiff.Uncompressed)
	first := binary.LittleEndian.Uint32(page[4:])
	next := first + 2 + 12*uint32(binary.LittleEndian.Uint16(page[first:]))
	binary.LittleEndian.PutUint32(page[next:], uint32(len(page)))
	page = append(page, 0, 0, 0, 0, 0, 0) // another directory, of nothing
	s = mustRead(t, "a.tif", page, Options{})
	if got := pixels(s); got != "#.\n" || !strings.Contains(strings.Join(sentences(s), "|"),
		"several pages the first was taken (a.tif has 2)") {
		t.Errorf("%s, notes %q", got, sentences(s))
	}
}

// TestFormatsThatAreNotRead: each is named, with a way out.
func TestFormatsThatAreNotRead(t *testing.T) {
	for name, c := range map[string]struct{ content string }{
		"a.heic": {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"},
		"b.heic": {"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00"},
		"a.avif": {"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00"},
		"a.cr3":  {"\x00\x00\x00\x18ftypcrx \x00\x00\x00\x00"},
		"a.mp4":  {"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00"},
		"a.cr2":  {"II*\x00\x10\x00\x00\x00CR\x02\x00"},
		"a.nef":  {"MM\x00*\x00\x00\x00\x08"},
		"a.DNG":  {"II*\x00\x08\x00\x00\x00"},
		"a.raf":  {"FUJIFILMCCD-RAW 0201"},
		"a.pdf":  {"%PDF-1.7"},
		"a.eps":  {"%!PS-Adobe-3.0 EPSF-3.0"},
		"a.psd":  {"8BPS\x00\x01"},
		"a.svg":  {"<svg xmlns='http://www.w3.org/2000/svg'/>"},
		"b.svg":  {"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- drawn -->\n<svg/>"},
		"a.jxl":  {"\xff\x0a\x00\x00"},
		"a.jp2":  {"\x00\x00\x00\x0cjP  \r\n\x87\n"},
		"c.jpg":  {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"}, // a false name
	} {
		refused(t, name, []byte(c.content), Options{})
	}
	// A folder of nothing else, and one that has some of them.
	dir := unpacked(t, entry{"only/1.HEIC", "x"}, entry{"only/2.heic", "x"}, entry{"some/1.png", "P1 1 1 1"},
		entry{"some/IMG_2.heic", "x"}, entry{"some/IMG_3.heic", "x"})
	if _, err := Read([]string{dir + "/only"}, Options{}); err == nil || !testenv.Said(t, err.Error()) {
		t.Errorf("a folder of .heic files: %v", err)
	}
	s, err := Read([]string{dir + "/some"}, Options{})
	if err != nil || s.Len() != 1 || !strings.Contains(strings.Join(sentences(s), "|"),
		"2 .heic files were left out (IMG_2.heic): convert") {
		t.Errorf("a folder with .heic files: %v, %v", s, err)
	}
	// A table may begin like a BMP picture.
	if s := mustRead(t, "a.csv", []byte("BMI\n1\n0\n"), Options{}); !s.Table || s.Columns[0] != "BMI" {
		t.Errorf("a column BMI: %v", s)
	}
}

func TestLossyWebP(t *testing.T) {
	s := mustRead(t, "a.webp", lossyWebP, Options{})
	if got, want := pixels(s), strings.Repeat("....####........\n", 16); got != want {
		t.Errorf("a bar:\n%s", got)
	}
}

// FuzzRaster reads damaged pictures of every format, at a size and without.
func FuzzRaster(f *testing.F) {
	strokes := func(y, x int) uint8 { return []uint8{30, 200}[btoi(x/2 == 1 || y == 3)] }
	r := image.Rect(0, 0, 9, 7)
	grey, colour := draw(image.NewGray(r), strokes), draw(image.NewRGBA(r), strokes)
	two := draw(image.NewPaletted(r, color.Palette{color.White, color.Black}), strokes)
	exif := tiffOf(binary.LittleEndian, nil, tag{274, 3, []uint32{6}})
	webp := webpFile(7, 9, 30, 200, func(y, x int) bool { return strokes(y, x) == 30 })
	for _, seed := range [][]byte{
		jpegFile(f, grey), withExif(jpegFile(f, colour), binary.BigEndian, 6), gifFile(f, two), gifFile(f, two, two),
		bmpFile(f, grey), bmpFile(f, colour), bmpFile(f, two),
		tiffFile(f, grey, tiff.Uncompressed), tiffFile(f, colour, tiff.Deflate), tiffFile(f, two, tiff.Deflate), webp,
		riff("VP8X", []byte{8, 0, 0, 0, 8, 0, 0, 6, 0, 0}, "VP8L", webp[20:], "EXIF", exif), lossyWebP,
	} {
		f.Add(seed, byte(0))
		f.Add(seed, byte(1))
		f.Add(seed[:len(seed)-3], byte(2))
	}
	for _, content := range claims(f) {
		f.Add(content, byte(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, bits byte) {
		if len(b) > 1<<12 {
			return // a larger file may hold a picture of a million pixels, which takes long
		}
		o := Options{MaxMemory: 1 << 20, Invert: bits&2 != 0}
		if bits&1 != 0 {
			o.Height, o.Width = 6, 5
		}
		if bits&4 != 0 {
			o.Threshold = threshold(float64(bits))
		}
		s, err := readBytes(b, o)
		checkOutcome(t, s, err)
		if h, w := 0, 0; err == nil && s.pictures && bits&1 != 0 {
			if h, w = s.Size(); h != 6 || w != 5 {
				t.Fatalf("%d x %d", h, w)
			}
		}
	})
}

// lossyWebP is a lossy WebP picture of 16 x 16 pixels, black in columns 5 to 8,
// that a browser encoded.
var lossyWebP = riff("VP8 ",
	[]byte("\x30\x01\x00\x9d\x01\x2a\x10\x00\x10\x00\x02\xc0\x4c\x25\xa4\x00\x03\x70\x00\xfe\xef\x4c\x3f\xfe\xcb\x41\xff\xf6\x54\x3f\xf6\x3c\x80\x00"))

// TestMaxPicture: pictures beyond the limit are refused in every format, from
// their header.
func TestMaxPicture(t *testing.T) {
	m := draw(image.NewGray(image.Rect(0, 0, 12, 10)), func(y, x int) uint8 { return uint8(20 * x) })
	two := draw(image.NewPaletted(m.Rect, color.Palette{color.White, color.Black}),
		func(y, x int) uint8 { return uint8(20 * x) })
	for name, content := range map[string][]byte{
		"a.png": pngFile(t, m), "a.jpg": jpegFile(t, m), "a.gif": gifFile(t, two), "a.tif": tiffFile(t, m, tiff.Deflate),
		"a.bmp":  bmpFile(t, m),
		"a.webp": webpFile(10, 12, 0, 255, func(y, x int) bool { return x > y }),
		"b.png":  []byte("P1 12 10 " + strings.Repeat("1", 120)),
	} {
		mustRead(t, name, content, Options{MaxPicture: 120})
		refused(t, name, content, Options{MaxPicture: 119})
	}
}
