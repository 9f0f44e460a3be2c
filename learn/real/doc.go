// Package real explains and learns rows and images of real values by a few
// experts, as the rest of the library does binary ones.
//
// The background says Normal(b, s2) of every pixel. An expert abstains from a pixel,
// or it says Normal(m, v). The strength of an opinion is
//
//	A = sqrt((m-b)^2/s2 + v/s2 - 1 - ln(v/s2)),
//
// where A^2/2 is the divergence (Kullback, Leibler) of the opinion from the background: the nats
// that the expert gains on average where it is right. Opinions with m >= b are up,
// others are down. Of the experts that explain an image the strongest up and the
// strongest down speak for a pixel (equals: the one picked first). Nobody: the
// background. One: its opinion. Both: the mixture of the two opinions, weighted by
// strength, the pool. For Bernoulli opinions, with the strength |p-q|, the pool is
// exactly max - q + min, the rule of the binary model.
//
// # To read the code
//
// opinion.go and compose.go are the definition, model.go what a model is, reference.go
// what it says of a pixel in the shape of its formulas. bank.go, field.go and pursuit.go
// are the pursuit, fast; its tests have the reference. best.go has several explanations of a row, predict.go
// unknown values.
// grid.go, survey.go, tally.go, mstep.go and estep.go are the two halves of EM; learn.go,
// start.go, grow.go, move.go and finish.go the learner; stream.go learns from rows
// that do not fit in memory, memory.go goes on with a run that was interrupted, tallycode.go
// has the bytes of counts.
package real
