// Package synth generates seeded synthetic sets of binary images, each with its
// ground truth.
//
//   - [Quadrants]: the write-white-and-black model of the paper, section 5.1.
//   - [Bars]: Földiák's bars, a union of horizontal and vertical lines.
//   - [Letters]: capitals A to Z drawn with a pen by invented writers.
//   - [Scenes]: five digits placed at random under noise, section 3.
//   - [Sheets]: drawings with symbols, turned and mirrored, and lines.
//
// Every generator takes an options struct, whose zero fields mean the stated
// defaults, and returns a [Set] with a typed truth. [Set.Arrays] lists images
// and truth as named arrays for an npz file.
//
// A set is a pure function of its options. Item i is drawn from its own random
// stream, split from (seed, i), so asking for more items never changes the
// first ones. Pixels are decided on integers (coordinates rounded to 1/64
// pixel), so sets are the same on every machine.
//
// The package is part of the edge of the program: it imports bitmap only, and
// it reads no file.
package synth
