// Package rows explains the rows of tables, thousands at a time, where every
// expert has one place only. The images are packed, 64 pixels per word. It gives
// the picks, gains and log-likelihoods that score.Search gives, to the bit.
//
// There are three engines. Explainer uses the first that fits, and the last for rows that the others leave:
//
//   - byvote.go takes sixteen rows at a time, vote by vote, in units: for votes of any values under the max rule,
//     of up to 64 experts, where there is vector code and a thousand rows have come.
//   - byset.go takes the rows by the set of experts picked so far: they share
//     a table of exact gains by four pixels of a row, so a step costs a handful
//     of additions. It saves time for sets that many rows share, of at most 32
//     experts; for more than eight, and less than some hundred thousand rows, byvote.go is quicker.
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
//	votestep.go   the loops of byvote.go in plain Go
//	loops.go      the other inner loops, and the choice of vector code
//	holders.go    holders of the extremal opinions at a pixel
//	units.go      gains in fixed point
//	table.go      Table: what all engines know of a bank
//	opposed.go    max-minus-min: gains by the holder of the other side
//	votetables.go what byvote.go needs to know
//	byrow.go      the engine that takes row by row
//	found.go      what is found in rows that take their steps together
//	byset.go      the engine that takes rows by set of picks
//	byvote.go     the engine that takes rows vote by vote
//	count.go      the counts of an E-step
//	explainer.go  Explainer: all of it for one goroutine
package rows
