package dataset

import (
	"fmt"
	"strconv"
)

// decodePNM decodes PBM (P1, P4) and PGM (P2, P5) pictures, one per file.
// Format: https://netpbm.sourceforge.net/doc/pbm.html and pgm.html.
func decodePNM(data []byte, most int) (*gray, error) {
	p := pnm{data: data, at: 2}
	kind := data[1]
	if kind == '3' || kind == '6' || kind == '7' {
		return nil, &FormatError{Msg: fmt.Sprintf("a colour picture (P%c)", kind), Hint: "convert it to PGM, PBM or PNG"}
	}
	width, height, maxval := p.number(), p.number(), 1
	if kind == '2' || kind == '5' {
		maxval = p.number()
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := checkPicture(height, width, most); err != nil {
		return nil, err
	}
	if maxval < 1 || maxval > 65535 {
		return nil, &FormatError{Msg: fmt.Sprintf("the largest gray value is %d, not 1 to 65535", maxval)}
	}
	g := &gray{height: height, width: width}
	if least := p.leastBytes(kind, height, width, maxval); least > len(data)-p.at {
		return nil, &FormatError{Offset: int64(len(data)),
			Msg: fmt.Sprintf("cut off: %d x %d pixels take at least %d more bytes", height, width, least-(len(data)-p.at))}
	}
	g.lum = make([]uint16, 0, height*width)
	switch kind {
	case '1':
		p.plainBits(g)
	case '2':
		p.plainGray(g, maxval)
	case '4':
		p.rawBits(g)
	default:
		p.rawGray(g, maxval)
	}
	p.skipBlanks()
	if p.err == nil && p.at < len(data) {
		p.fail("more data after the picture")
	}
	if p.err != nil {
		return nil, p.err
	}
	return g, nil
}

// pnm is a cursor over a picture; the first failure sticks.
type pnm struct {
	data []byte
	at   int
	err  error
}

func (p *pnm) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &FormatError{Offset: int64(p.at), Msg: "malformed PBM or PGM picture: " + fmt.Sprintf(format, args...)}
	}
}

// skipBlanks skips white space and comments, which run from # to the end of the
// line.
func (p *pnm) skipBlanks() {
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case isBlank(c):
			p.at++
		case c == '#':
			for p.at < len(p.data) && p.data[p.at] != '\n' {
				p.at++
			}
		default:
			return
		}
	}
}

func (p *pnm) number() int {
	p.skipBlanks()
	end := p.at
	for end < len(p.data) && p.data[end] >= '0' && p.data[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(p.data[p.at:end]))
	if err != nil {
		p.fail("expected a number")
		return 0
	}
	p.at = end
	return n
}

// leastBytes returns the minimum length of the body, so that a header alone
// allocates nothing.
func (p *pnm) leastBytes(kind byte, height, width, maxval int) int {
	switch kind {
	case '1':
		return height * width
	case '2':
		return 2*height*width - 1
	case '4':
		return 1 + height*((width+7)/8)
	}
	if maxval > 255 {
		return 1 + 2*height*width
	}
	return 1 + height*width
}

// plainBits reads digits, with or without blanks between them; 1 is black.
func (p *pnm) plainBits(g *gray) {
	for len(g.lum) < cap(g.lum) && p.err == nil {
		p.skipBlanks()
		switch {
		case p.at == len(p.data):
			p.fail("cut off after %d of %d pixels", len(g.lum), cap(g.lum))
			return
		case p.data[p.at] == '1':
			g.lum = append(g.lum, 0)
		case p.data[p.at] == '0':
			g.lum = append(g.lum, 65535)
		default:
			p.fail("%q is neither 0 nor 1", p.data[p.at])
			return
		}
		p.at++
	}
}

func (p *pnm) plainGray(g *gray, maxval int) {
	for len(g.lum) < cap(g.lum) && p.err == nil {
		p.add(g, p.number(), maxval)
	}
}

func (p *pnm) add(g *gray, v, maxval int) {
	if v > maxval {
		p.fail("gray value %d above the largest, %d", v, maxval)
		return
	}
	g.lum = append(g.lum, uint16((v*65535+maxval/2)/maxval))
}

// blank skips the single white-space character before a raw body.
func (p *pnm) blank() {
	if !isBlank(p.data[p.at]) {
		p.fail("expected white space after the header")
	}
	p.at++
}

// rawBits reads rows of packed bits, highest bit first; 1 is black.
func (p *pnm) rawBits(g *gray) {
	p.blank()
	for range g.height {
		for x := range g.width {
			v := uint16(65535)
			if p.data[p.at+x/8]>>(7-x%8)&1 == 1 {
				v = 0
			}
			g.lum = append(g.lum, v)
		}
		p.at += (g.width + 7) / 8
	}
}

// rawGray reads one byte per pixel, or two, the high one first.
func (p *pnm) rawGray(g *gray, maxval int) {
	p.blank()
	for len(g.lum) < cap(g.lum) && p.err == nil {
		v := int(p.data[p.at])
		p.at++
		if maxval > 255 {
			v = v<<8 | int(p.data[p.at])
			p.at++
		}
		p.add(g, v, maxval)
	}
}
