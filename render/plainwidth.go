package render

// plainWidths holds how far the characters from space to ~ advance in the regular Go
// font, in 2048ths of its size.
//
//lint:ignore U1000 used where the fonts are not compiled in
var plainWidths = [...]int{
	569, 569, 727, 1139, 1139, 1821, 1366, 391, 682, 682, 1196, 1196, 648, 1196, 648, 569,
	1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 627, 627, 1196, 1196, 1196, 1139,
	2079, 1366, 1366, 1479, 1479, 1366, 1251, 1593, 1479, 817, 1015, 1366, 1139, 1706, 1479, 1593,
	1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251, 569, 569, 569, 960, 1139,
	682, 1139, 1139, 1024, 1139, 1139, 569, 1139, 1139, 505, 519, 1024, 548, 1706, 1139, 1139,
	1139, 1139, 682, 1024, 579, 1139, 1024, 1479, 1024, 1024, 1024, 684, 532, 684, 1196,
}

// plainWidth returns the width of a line in pixels without the font itself, as where it
// is not compiled in: exactly for plain letters, about for others and for bold type.
//
//lint:ignore U1000 used where the fonts are not compiled in
func (s style) plainWidth(line string) int {
	sum := 0 // in 64ths of a pixel, each character rounded, as fonts do
	for _, r := range line {
		units := 1139
		switch i := int(r) - ' '; {
		case i >= 0 && i < len(plainWidths):
			units = plainWidths[i]
		case r == '·':
			units = 547
		case r == '…', r > 0x2e80: // of full width
			units = 2048
		}
		if s.bold {
			units = units * 11 / 10
		}
		sum += (units*s.size*64 + 1024) / 2048
	}
	return (sum + 63) / 64
}
