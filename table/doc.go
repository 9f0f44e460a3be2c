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
// posterior). In an explanation, the strongest active vote above the abstention
// value q_i owns bit i, and so does the strongest one below; if nobody votes on a
// side, all active experts that abstain there are counted instead. Every owner's
// vote is the maximum of its expected log-likelihood, all other votes fixed,
// under the prior Beta(q_i, 1-q_i):
//
//	mu_ki = (on_ki + q_i) / (seen_ki + 1)            softTally.vote, where no vote opposes
//	q_i   = (on_0i + marginal_i) / (seen_0i + 1)     softTally.background
//	pi_k  = sum of w_nS over S with k, per row       heading.usage
//
// where on and seen add up w_nS over the bits that the vote owns, and on_0 and
// seen_0 over those on which nobody votes. Where a vote opposes, voteObjective
// finds the maximum by bisection. A vote that gains less than
// mStepOptions.MinVoteGain nats over abstention is set to q_i.
//
// This is max and max-minus-min. Under the other rules of the paper a bit is nobody's own:
// the M-step finds every vote by ascent in one dimension, all others fixed (package joint).
// Under all rules the E-step counts the rows of every set of experts, by w_nS, and how many
// of these have each bit on: nothing else is needed, and integers add up in any order.
//
// The model that is kept is the one that predicts hidden bits best ([AimPredict])
// or describes the table most briefly ([AimInterpret]):
//
//	L = -sum_n log P(x_n) + log(rows)/2 * (votes + experts)     learner.descriptionLength
//
// Read options.go, run.go (a run), starts.go and exactblocks.go (what is tried),
// relocate.go (what makes it better), choose.go (what is kept), final.go (going on with all
// rows), committee.go (who predicts together), em.go, tally.go, mstep.go and recent.go (one iteration), growth.go (the
// next
// expert), mixture.go (the other start), and memory.go (what an interrupted run need not
// repeat).
package table
