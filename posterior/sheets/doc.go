// Package sheets finds every placement of symbols on a page: which symbol, where,
// turned and mirrored how, and how far to believe it.
//
// A page is a binary image of any size. A symbol is a template, for each pixel of
// its frame the probability of ink, as hard or soft as one likes. [Search] looks
// for symbols by likelihood matching pursuit: a placement gains
//
//	sum over the pixels of the frame of log P(pixel | symbol) / P(pixel | page),
//
// where the page has ink at a rate learned from it; the placement that gains most
// is picked, its strokes are explained and say nothing for others any more, and so
// on. Long straight strokes, longer than any symbol, belong to the page: their pixels
// count as unknown.
//
// # Pen
//
// Scans draw strokes broader or thinner than the symbols have them, and between pixels. So from the surest
// finds is learned what share of ink lies at the edge of strokes and up to three pixels beside them ([Pen]); if that is
// not the symbols' own pen, they are laid out as it would draw them, looked for again, and judged with it.
//
// # Exactness
//
// All gains are integers ([Unit]). The placements that gain enough ([Options.Share])
// are found in tiles, each with as much of its surroundings as a symbol can reach, so
// that the list of placements, and all that follows from it, does not depend on tiles
// or workers. Almost all places are left out by bounds that no gain can exceed: how much
// ink is in a window (integral image), and how much in each cell of a grid over the
// symbol (tables and package kernel). The tests compare with the formula at
// every place.
//
// # Odds
//
// The log-odds of a find weigh it against all else that may be there: bare page, the
// second-best symbol, and another thing that has the same strokes, which shows by
// strokes that are missing or left over (odds.go).
package sheets
