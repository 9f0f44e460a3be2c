// Package mixed explains the rows of tables whose columns are of any kind, yes or no, categories, scales, counts and
// measurements side by side, by a few parts.
//
// Every column has a background, what it is like where no part speaks. A part has an opinion about some columns and
// abstains from the others. An opinion is the background tilted, by one number:
//
//	real      Normal(m, s2) where the background is Normal(b, s2)
//	levels    p_l proportional to q_l exp(theta s_l), s_l being the score of level l; of two levels it is any p
//	category  one level is named: p_a = p, and the others share 1-p as they do in the background
//
// The strength A of an opinion is the score strength: how far it moves the mean, in standard deviations of the
// background (of a category the root of the chi-square distance). Where several parts speak of a cell, the strongest
// opinion F speaks, the strongest of those that oppose F speaks against it, and the cell is w F + (1-w) G with
// w = A_F / (A_F + A_G). So the mean is that of F, plus that of G, less the background's: for bits this is the paper's
// max - q + min, exactly, and for all others what its last sentence asks for.
//
// A vote costs ln(N)/2 nats for its number, and a level's name ln(C)/2 of C levels. Only the ratio of an opinion to the
// background enters, so units cancel and no kind of column weighs more than others.
//
// # To read the code
//
// column.go says how cells are coded, opinion.go and compose.go are the definition, model.go is what a model is, and
// reference.go what it says of a row, in the shape of the formulas. bank.go and pursuit.go are the same, fast;
// tally.go, mstep.go and estep.go the two halves of EM, by counts that are whole numbers. learn.go is the learner:
// ground.go, pairs.go, candidate.go and grow.go add parts, moves.go deletes, grows again and tears them. graded.go and
// gradedlearn.go have parts that are in every row to some degree, which add up; choose.go says which kind fits better.
// predict.go and sample.go use what was learned.
package mixed
