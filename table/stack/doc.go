// Package stack predicts unknown bits of a table's rows by several models of different kinds, whose predictions it
// weighs by how well they predict bits that were hidden from them: stacked generalization (Wolpert 1992; Breiman
// 1996). Parts say what rows are made of; where columns go up and down together, a Gaussian may predict an unknown bit
// better, and where rows are of few kinds, a mixture may.
//
// The kinds are Bernoulli mixtures of 1, 2, 4, ... components, a Gaussian with a covariance shrunk to its diagonal,
// one with a covariance of a few directions, and the parts themselves. The predictions within a kind are averaged with
// weights that add up to 1; those of the kinds are added up as log odds, with weights that are near each other where
// the hidden bits do not say otherwise.
package stack
