// Package render draws models and explanations: templates, explained images,
// and learning histories, as PNG, SVG, HTML pages and terminal text.
//
// There are two levels.
//
//   - Tiles are small [image.RGBA]s with one pixel for each pixel of a frame:
//     [Template], [Expert], [Image], [Coloured], [Overlay], [Composed].
//   - Pictures are what people look at: a [Sheet] lays tiles out with text, [Rows] are
//     those of a table, and [Tiled] makes a picture of one tile. Every [Picture] can be
//     written by [WritePNG], [WriteSVG] and [Save]; [TerminalSheet] writes text, and
//     [Page] is the frame of a report in one HTML file.
//
// Colours have the same meaning everywhere. Ink is black on white paper, and a
// pale lilac checkerboard marks unknown pixels. Probabilities are grey from
// white 0 to black 1 ([Ink]) or, for rules in which experts vote both ways,
// blue 0, grey "no vote", yellow 1 ([Symmetric], Figure 5 of the paper). An
// expert keeps its hue ([Hue]) in every picture (Figure 8 of the paper).
//
// One build gives the same bytes for the same arguments (another version of Go
// may compress a PNG differently). No function keeps state; all are
// safe for concurrent use.
package render
