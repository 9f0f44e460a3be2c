// Package posterior finds several explanations of an image, says how much to
// believe each, and predicts unknown pixels by their average.
//
// [Explain] and [Predict] work on many images, a [Searcher] on one at a time.
// [Score] measures predictions on bits that were hidden ([HideBits]).
//
// An explanation is a set S of picks. With the activation prior pi_k of each
// expert, and any of the G poses of the grid alike,
//
//	log P(x, S) = log P(x | S) + sum_k log(1-pi_k) + sum_{k in S} [ log(pi_k/(1-pi_k)) - log G ]    LogJoint
//	w_S         = P(x, S) / sum of P(x, T) over the sets T found                                  Alternative.Weight
//	log P(x)   >= log of that sum                                                                 Posterior.Evidence
//	P(x_i = 1 | known pixels) = sum_S w_S p_i(S)                                                  Searcher.Predict
//
// where p_i(S) is what the picks compose at pixel i.
//
// Read prior.go (the probability model), posterior.go (the weights), search.go
// (how the sets are found), predict.go, and hidden.go.
package posterior
