package synth

// A stroke is one natural element of a character: a bar, a bow, a hook. Its
// shape is given in units of the height of the character, x from 0 to about
// 0.8, y from 0 (top) to 1.
type stroke struct {
	shape  path
	joined bool // the pen is not lifted: the stroke starts where the one before ends
}

// A skeleton is one way of writing a character: strokes in drawing order. The
// first stroke is not joined.
type skeleton []stroke

// line returns a stroke of straight pieces through the points x0, y0, x1, y1,
// ...
func line(xy ...float64) stroke { return stroke{shape: points(xy)} }

// curve returns a smooth stroke through the points x0, y0, x1, y1, ...
func curve(xy ...float64) stroke { return stroke{shape: smooth(points(xy))} }

// join returns s, drawn without lifting the pen after the stroke before it.
func join(s stroke) stroke {
	s.joined = true
	return s
}

func points(xy []float64) path {
	p := make(path, len(xy)/2)
	for i := range p {
		p[i] = point{xy[2*i], xy[2*i+1]}
	}
	return p
}

// skeletons holds the ways of writing each capital and digit, drawn for this
// project. A writer keeps to one way. The order determines the output of a
// seed.
var skeletons = map[rune][]skeleton{
	'A': {
		{line(.0, 1, .38, .0), join(line(.38, .0, .78, 1)), line(.13, .65, .65, .63)},
		{line(.38, .0, .02, 1), line(.36, .0, .76, 1), line(.14, .62, .64, .64)},
	},
	'B': {
		{line(.08, .0, .08, 1), curve(.06, .03, .42, .02, .6, .2, .46, .41, .1, .48),
			join(curve(.1, .48, .52, .5, .7, .72, .52, .94, .05, .98))},
	},
	'C': {
		{curve(.72, .16, .54, .02, .3, .06, .08, .34, .05, .62, .22, .92, .5, .98, .76, .84)},
	},
	'D': {
		{line(.08, .0, .08, 1), curve(.04, .03, .42, .06, .7, .32, .7, .65, .44, .92, .03, .98)},
	},
	'E': {
		{line(.08, .0, .08, 1), line(.08, .03, .66, .0), line(.08, .49, .56, .47), line(.08, .97, .7, .98)},
		{curve(.68, .12, .46, .01, .18, .1, .18, .34, .46, .46),
			join(curve(.46, .46, .14, .54, .04, .78, .26, .98, .7, .88))},
	},
	'F': {
		{line(.1, .0, .08, 1), line(.06, .03, .7, .0), line(.08, .48, .55, .46)},
	},
	'G': {
		{curve(.72, .16, .52, .02, .26, .08, .06, .4, .1, .78, .36, .98, .62, .88, .7, .6), line(.42, .6, .8, .58)},
		{curve(.72, .16, .52, .02, .26, .08, .06, .4, .1, .78, .36, .98, .7, .86), join(line(.7, .86, .7, .54)),
			join(line(.7, .54, .42, .55))},
	},
	'H': {
		{line(.06, .0, .06, 1), line(.7, .0, .7, 1), line(.06, .5, .7, .48)},
	},
	'I': {
		{line(.35, .0, .35, 1)},
		{line(.35, .0, .35, 1), line(.08, .0, .62, .0), line(.08, 1, .62, 1)},
	},
	'J': {
		{curve(.58, .0, .58, .4, .57, .74, .44, .95, .22, .98, .04, .78)},
		{curve(.5, .0, .5, .4, .49, .74, .38, .95, .18, .98, .02, .78), line(.2, .0, .8, .0)},
	},
	'K': {
		{line(.08, .0, .08, 1), line(.68, .02, .1, .56), line(.24, .44, .72, 1)},
		{line(.08, .0, .08, 1), line(.66, .0, .12, .5), join(line(.12, .5, .72, 1))},
	},
	'L': {
		{line(.1, .0, .08, .98), join(line(.08, .98, .66, .98))},
	},
	'M': {
		{line(.0, 1, .08, .0), join(line(.08, .0, .42, .68)), join(line(.42, .68, .76, .0)), join(line(.76, .0, .86, 1))},
		{line(.06, .0, .02, 1), line(.06, .0, .4, .6), join(line(.4, .6, .74, .0)), join(line(.74, .0, .8, 1))},
	},
	'N': {
		{line(.06, 1, .06, .0), join(line(.06, .0, .7, 1)), join(line(.7, 1, .7, .0))},
		{line(.06, .0, .06, 1), line(.06, .0, .7, 1), join(line(.7, 1, .7, .0))},
	},
	'O': {
		{curve(.42, .02, .16, .12, .04, .5, .18, .88, .44, .99, .7, .84, .78, .48, .64, .12, .4, .02, .26, .06)},
	},
	'P': {
		{line(.08, .0, .08, 1), curve(.05, .04, .44, .0, .66, .22, .5, .46, .08, .54)},
	},
	'Q': {
		{curve(.42, .02, .16, .12, .04, .5, .18, .88, .44, .99, .7, .84, .78, .48, .64, .12, .4, .02, .26, .06),
			line(.48, .7, .84, 1.06)},
	},
	'R': {
		{line(.08, .0, .08, 1), curve(.05, .04, .44, .0, .64, .2, .5, .44, .1, .52), join(line(.1, .52, .7, 1))},
		{line(.08, .0, .08, 1), curve(.05, .04, .44, .0, .64, .2, .5, .44, .1, .52), line(.3, .5, .7, 1)},
	},
	'S': {
		{curve(.68, .14, .46, .01, .18, .08, .12, .28, .36, .47, .62, .64, .64, .86, .38, .99, .04, .86)},
	},
	'T': {
		{line(.4, .02, .4, 1), line(.0, .02, .8, .0)},
	},
	'U': {
		{curve(.06, .0, .05, .4, .1, .8, .34, .99, .6, .84, .7, .4, .7, .0)},
		{curve(.06, .0, .05, .4, .1, .8, .34, .98, .6, .82, .7, .4, .7, .0), join(line(.7, .0, .72, 1))},
	},
	'V': {
		{line(.02, .0, .38, 1), join(line(.38, 1, .76, .0))},
	},
	'W': {
		{line(.0, .0, .2, 1), join(line(.2, 1, .44, .25)), join(line(.44, .25, .68, 1)), join(line(.68, 1, .9, .0))},
		{curve(.0, .0, .05, .6, .2, .97, .38, .8, .45, .2), join(curve(.45, .2, .51, .8, .68, .97, .84, .6, .9, .0))},
	},
	'X': {
		{line(.04, .0, .72, 1), line(.7, .0, .02, 1)},
	},
	'Y': {
		{line(.02, .0, .4, .51), line(.74, .0, .38, .48), join(line(.38, .48, .38, 1))},
		{line(.04, .0, .43, .56), line(.74, .0, .2, 1)},
	},
	'Z': {
		{line(.04, .02, .7, .0), join(line(.7, .0, .02, 1)), join(line(.02, 1, .74, .98))},
		{line(.04, .02, .7, .0), join(line(.7, .0, .02, 1)), join(line(.02, 1, .74, .98)), line(.16, .48, .58, .5)},
	},

	'0': {
		{curve(.36, .02, .14, .14, .05, .5, .15, .86, .36, .98, .58, .86, .66, .5, .56, .14, .34, .02, .22, .06)},
	},
	'1': {
		{line(.3, .0, .3, 1)},
		{line(.08, .26, .34, .0), join(line(.34, .0, .34, 1))},
		{line(.12, .24, .36, .0), join(line(.36, .0, .36, 1)), line(.08, 1, .66, 1)},
	},
	'2': {
		{curve(.06, .24, .2, .05, .46, .0, .66, .18, .6, .42, .34, .72, .04, .98), join(line(.04, .98, .74, .95))},
		{curve(.08, .2, .3, .01, .58, .08, .62, .32, .42, .66, .2, .93, .06, .9, .14, .74, .36, .82, .56, .96, .78, .9)},
	},
	'3': {
		{curve(.08, .12, .3, .0, .58, .08, .58, .3, .28, .46), join(curve(.28, .46, .6, .54, .68, .78, .44, .98, .04, .88))},
		{line(.08, .03, .62, .02), join(line(.62, .02, .3, .4)), join(curve(.3, .4, .62, .5, .68, .76, .42, .98, .04, .9))},
	},
	'4': {
		{line(.42, .0, .04, .62), join(line(.04, .62, .76, .6)), line(.56, .3, .54, 1)},
		{curve(.12, .02, .06, .34, .12, .52, .36, .56, .64, .46), line(.66, .0, .6, 1)},
	},
	'5': {
		{line(.18, .02, .14, .44), join(curve(.14, .44, .44, .36, .68, .56, .62, .86, .34, .99, .04, .88)),
			line(.18, .02, .7, .0)},
	},
	'6': {
		{curve(.56, .0, .28, .2, .08, .56, .12, .88, .36, .99, .6, .84, .58, .62, .34, .54, .12, .72)},
	},
	'7': {
		{line(.04, .04, .7, .02), join(line(.7, .02, .3, 1))},
		{line(.04, .04, .7, .02), join(curve(.7, .02, .46, .46, .34, 1)), line(.22, .5, .66, .48)},
	},
	'8': {
		{curve(.62, .12, .4, .0, .16, .1, .18, .3, .42, .48, .66, .7, .6, .93, .34, 1, .1, .9, .12, .7, .38, .46, .6, .28, .6,
			.08)},
	},
	'9': {
		{curve(.64, .2, .42, .02, .16, .1, .08, .34, .28, .5, .54, .42, .66, .18), join(curve(.66, .18, .65, .5, .54, 1))},
	},
}

// MaxStrokes is the largest number of strokes of a letter in any way of
// writing it.
const MaxStrokes = 4
