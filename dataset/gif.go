package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	xdraw "image/draw"
	"image/gif"
	"io"
)

// gifScreen is the part of a GIF file that says how large it is; frames are
// the rectangles of its pictures, as far as the file goes.
type gifScreen struct {
	width, height int
	frames        []image.Rectangle
}

// scanGIF reads the structure of a GIF file without decompressing anything.
// Format: https://www.w3.org/Graphics/GIF/spec-gif89a.txt.
func scanGIF(data []byte) gifScreen {
	var s gifScreen
	if len(data) < 13 {
		return s
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	s.width, s.height = word(6), word(8)
	at := 13 + colourTable(data[10])
	for at < len(data) {
		switch data[at] {
		case 0x21: // an extension: a label, then blocks
			at += 2
		case 0x2c: // a frame: where it is, its colours, the width of its codes, then blocks
			if at+10 > len(data) {
				return s
			}
			x, y := word(at+1), word(at+3)
			s.frames = append(s.frames, image.Rect(x, y, x+word(at+5), y+word(at+7)))
			at += 10 + colourTable(data[at+9]) + 1
		default: // the end, or damage
			return s
		}
		for at < len(data) && data[at] != 0 {
			at += 1 + int(data[at])
		}
		at++
	}
	return s
}

// colourTable returns the bytes of a table of colours that the flags announce.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// checkGIF rejects a first frame that the file cannot hold, and counts the frames.
func checkGIF(data []byte) (frames int, err error) {
	s := scanGIF(data)
	if len(s.frames) == 0 {
		return 0, &FormatError{Msg: "damaged GIF picture: it has no frame", Hint: "copy or save the file again"}
	}
	f := s.frames[0]
	if !f.In(image.Rect(0, 0, s.width, s.height)) {
		return 0, &FormatError{Msg: fmt.Sprintf("damaged GIF picture: a frame of %d x %d pixels in a picture of %d x %d",
			f.Dy(), f.Dx(), s.height, s.width)}
	}
	return len(s.frames), nil
}

// decodeGIF returns the first frame at its place on the screen, which is
// transparent elsewhere.
func decodeGIF(r io.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	frame, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	screen := image.Rect(0, 0, c.Width, c.Height)
	p, ok := frame.(*image.Paletted)
	if !ok || frame.Bounds() == screen || len(p.Palette) == 0 {
		return frame, nil
	}
	all := image.NewNRGBA(screen)
	xdraw.Draw(all, screen, image.NewUniform(color.Transparent), image.Point{}, xdraw.Src)
	xdraw.Draw(all, frame.Bounds(), frame, frame.Bounds().Min, xdraw.Src)
	return all, nil
}
