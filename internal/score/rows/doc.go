// Package rows explains rows of tables, where every expert has one place only. The images are packed, 64 pixels per
// word. It gives the picks, gains and log-likelihoods that score.Search gives, to the bit.
//
// Gains of all experts in fixed point, corrected where a pick changed something, propose; exact sums decide. Exact sums
// have the terms and the order of score.Field.Gain, so the answers are the same. A bank with a vote of 0 or 1 is left
// to score.Search (NewTable returns nil), and so is a row in which opposing votes cancel to such a probability.
// TestRowsAgree, TestRowsAgreeOnTinyTables and FuzzRows compare it, in plain Go and in vector code, with score.Search.
//
// The files are layers; a call goes to the same file or to one above it in this list:
//
//	loops.go      the inner loops, and the choice of vector code
//	holders.go    holders of the extremal opinions at a pixel
//	units.go      gains in fixed point
//	table.go      Table: what is known of a bank
//	opposed.go    max-minus-min: gains by the holder of the other side
//	explainer.go  Explainer: the pursuit, for one goroutine
package rows
