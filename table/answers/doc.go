// Package answers finds out which picture of a table of answers the data support: people
// who answered questions, or took a test.
//
// A [Picture] says how probable every answer of a row is. It is made of layers, of which each
// may be absent:
//
//	parts     each row has some of K parts; the strongest that votes on a column decides
//	          what is answered there. The parts of a test are skills that are lacking.
//	classes   parts that vote on every column, of which each row has one
//	level     what no part votes on is answered with odds that rise with a level of the row
//	usage     a part is the more probable the higher the level
//	profiles  only some sets of parts occur, each with a share of its own
//
// [Compare] learns all pictures and describes the table by each, by one length in nats.
// [Check] asks which entries of an expert's matrix of items and skills the data support.
//
// [Reader] reads rows by a picture: which parts, class and level they have.
//
// Read picture.go (the model), model.go and reader.go (how it is kept, and used), estep.go and mstep.go (EM), length.go, polish.go and grow.go
// (which columns a part votes on), compare.go (what is tried), and indices.go (what the
// field reports).
package answers
