// Package table learns models of tables: rows of bits, whose experts stay where
// they are, with a background of their own for every column.
//
// [Learn] returns the model; [Run] is the same as a loop over every step, for
// progress and for leaving early. By default both find out how many experts
// there are. [FitMixture] fits a plain mixture of Bernoulli vectors, to compare
// with.
//
// Learning is EM by posterior weights ("soft" EM). The E-step finds the best
// explanations S of every row x_n with their posterior weights w_nS (package
// posterior), and counts the rows of every set of experts, by w_nS, and how many of these
// have each bit on: nothing else is needed, and integers add up in any order. The M-step
// finds every vote by ascent in one dimension, all others fixed (package joint), under all
// seven rules. pi_k, the share of rows in which expert k is active, is the sum of w_nS over
// S with k, per row.
//
// The model that is kept is the one that describes the table most briefly:
//
//	L = -sum_n log P(x_n)                    by the prior over sets of parts Length.Rows
//	    + K log(N)/2                         how often each is active        Length.Usage
//	    + which columns vote                 log C(D, v), or by another part Length.Columns
//	    + votes                              one strength, exceptions pay    Length.Votes
//	    + background                         one number, exceptions pay      Length.Background
//	    + codes                              that prior, if not independent  Length.Codes
//
// The M-step ties votes and background as the length prices them (joint.Tied).
//
// Read length.go and codes.go (what is minimised), options.go, run.go (a run), starts.go and
// exactblocks.go (what is tried), unexplained.go (parts by the batch), relocate.go and moves.go
// (what makes it better), choose.go (what is kept), final.go (going on with all rows), setprior.go
// (which parts come together), em.go, mstep.go and
// recent.go (one iteration), mixture.go (the other start), and memory.go (what an interrupted
// run need not repeat).
package table
