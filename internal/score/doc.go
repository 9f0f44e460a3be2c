// Package score computes, for likelihood matching pursuit, how much each
// candidate (expert x rotation x shift) would raise the log-likelihood of an
// image, given the composition so far, and finds the candidates that raise it
// most.
//
// Three values are shared by all of it. A Bank holds the sprites of a model: every
// expert in every rotation. A Grid lists the shifts. A Field holds an image and its
// composition; Field.Gain computes the exact gain of one candidate.
//
// Search finds the best candidates by one of two engines, which it chooses for
// each image:
//
//   - general (general.go) keeps the gain of every candidate and, after a pick,
//     corrects it at the pixels that changed. It can do everything.
//   - bounded (bounded.go) keeps upper bounds where there are shifts, and looks only
//     at candidates whose bounds reach the best score.
//
// An engine may only propose: candidates that may be the best are scored again by
// Field.Gain, in index order, and that decides. So the engine changes the time an answer takes, never the
// answer. Each engine's file says why this holds for it.
//
// ReferenceGains has the shape of the formula: compose, take logarithms, add up
// all pixels, for one candidate at a time. TestSearchAgreesWithReference,
// TestSearchAgreesOnManyScenarios, TestSearchAgreesOnTinyScenarios and FuzzSearch
// compare every engine with it, on every kernel path of the machine, and the paths
// with each other to the bit. LADDER.md tells how the engines came about and what
// they cost.
//
// Package rows explains thousands of rows of tables at a time; package kernel holds
// the inner loops.
//
// The files are layers; a call goes to the same file or to one above it in this
// list. The engines do not call each other.
//
//	pixel.go, total.go      one pixel; the order of sums over pixels
//	noise.go                what noise does to pixels, learned from an image
//	gain.go, grid.go        gains and their order; shifts and candidates
//	bank.go                 Bank
//	field.go, floor.go      Field; its two layers where a bank votes for little nearly everywhere
//	candidates.go           what the engines share: the Field, the question, the decision
//	general_update.go       general: corrected gains
//	general_first.go        general: gains from abstention
//	general.go              general
//	bounded_classes.go      bounded: classes of pixels after picks
//	bounded_sides.go        bounded: classes and tables of max-minus-min
//	bounded_tables.go       bounded: tables of a Bank
//	bounded_layout.go       bounded: an image laid out for the tables
//	bounded_floor.go        bounded: what candidates lift to the floor
//	bounded_keep.go         bounded: bounds from the tables, kept true
//	bounded_collect.go      bounded: candidates by their bounds
//	bounded.go              bounded
//	search.go               Search: chooses the engine
//
// The package knows only slices of numbers and ranges of shifts.
package score
