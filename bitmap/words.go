package bitmap

// Row returns the values of the pixels of row y, 64 per word, and which of them are known,
// nil if all of the image are. The words are the image's own.
func (m *Image) Row(y int) (on, known []uint64) {
	from, to := y*m.stride(), (y+1)*m.stride()
	if m.known != nil {
		known = (*m.known)[from:to]
	}
	return m.on[from:to], known
}

// AppendWords appends the values of the pixels, 64 per word and without gaps
// between rows: pixel i, row-major, is bit i%64 of word i/64 of the (Len+63)/64
// words. Bits after the last pixel are 0, and so are unknown pixels.
func (m *Image) AppendWords(dst []uint64) []uint64 { return m.appendWords(dst, m.on) }

// AppendKnownWords appends the plane of known pixels in the layout of
// AppendWords.
func (m *Image) AppendKnownWords(dst []uint64) []uint64 {
	if m.known == nil {
		return m.appendWords(dst, m.fullPlane())
	}
	return m.appendWords(dst, *m.known)
}

func (m *Image) appendWords(dst, plane []uint64) []uint64 {
	if m.Height() == 1 || m.Width()%64 == 0 {
		return append(dst, plane...)
	}
	first := len(dst)
	for range (m.Len() + 63) / 64 {
		dst = append(dst, 0)
	}
	words := dst[first:]
	for y := range m.Height() {
		at := y * m.Width()
		for i, v := range plane[y*m.stride() : (y+1)*m.stride()] {
			if v == 0 {
				continue // or there might be no word for it
			}
			w, shift := (at+64*i)/64, at%64
			words[w] |= v << shift
			if rest := v >> (64 - shift); rest != 0 {
				words[w+1] |= rest
			}
		}
	}
	return dst
}
