// Package rows explains the rows of tables, thousands at a time, where every
// expert has one place only. The images are packed, 64 pixels per word. It gives
// the picks, gains and log-likelihoods that score.Search gives, to the bit.
//
// There are two engines. Explainer uses the first where it fits, and the second for rows that it leaves:
//
//   - byset.go takes the rows by the set of experts picked so far: they share
//     a table of exact gains by four pixels of a row, so a step costs a handful
//     of additions. It saves time for sets that many rows share, of at most 32
//     experts.
//   - byrow.go takes row by row: gains of all experts in fixed point, corrected
//     where a pick changed something, propose; exact sums decide. It takes all
//     other rows, those with unknown pixels among them.
//
// Exact sums have the terms and the order of score.Field.Gain, so the answers are
// the same. A bank with a vote of 0 or 1 is left to score.Search (NewTable returns
// nil), and so is a row in which opposing votes cancel to such a probability
// (Picked.Odd). TestRowsAgree, TestRowsAgreeOnTinyTables and FuzzRows
// compare the engines, in plain Go and in vector code, with score.Search.
//
// The files are layers; a call goes to the same file or to one above it in this list:
//
//	loops.go      the inner loops, and the choice of vector code
//	holders.go    holders of the extremal opinions at a pixel
//	units.go      gains in fixed point
//	table.go      Table: what all engines know of a bank
//	opposed.go    max-minus-min: gains by the holder of the other side
//	byrow.go      the engine that takes row by row
//	found.go      what is found in rows that take their steps together
//	sixteen.go    proposals in numbers of 16 bits, for byset.go
//	byset.go      the engine that takes rows by set of picks
//	count.go      the counts of an E-step
//	explainer.go  Explainer: all of it for one goroutine
package rows
