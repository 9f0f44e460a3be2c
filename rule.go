package patchwork

import (
	"example.com/patchwork/internal/enum"
)

// Rule is the composition rule of a model: how the opinions of the experts
// that explain an image become one probability a pixel. Both rules are one
// fold (design.md, section 1): start with hi = lo = q, let an opinion p join
// by hi = max(hi, p) and lo = min(lo, p), and compose hi + lo - q. Package
// rule has all seven rules of the paper as functions of opinions.
type Rule uint8

const (
	// Max composes to the largest opinion: experts write ink on a background
	// q, and only votes above q count (section 2.1.3 of the paper has q = 0).
	Max Rule = iota
	// MaxMinusMin composes q + (max-q)+ - (min-q)-: experts vote for on or
	// off, and equal and opposite votes cancel to q (section 2.2.4).
	MaxMinusMin
)

var ruleNames = []string{"max", "max-minus-min"}

// String is the name used in files and flags: "max" or "max-minus-min".
func (r Rule) String() string { return enum.Name("Rule", ruleNames, uint8(r)) }

// ParseRule is the inverse of String.
func ParseRule(name string) (Rule, error) { return enum.Parse[Rule]("a model's rule", ruleNames, name) }

// Abstention is the rule's usual "no vote" value: 0 for Max, 1/2 for
// MaxMinusMin.
func (r Rule) Abstention() float64 {
	if r == MaxMinusMin {
		return 0.5
	}
	return 0
}

// Outside says what the pixels beyond the border of an image are, when an
// expert is shifted so that part of its frame lies there.
type Outside uint8

const (
	// Background: beyond the border everything is off, and that is evidence
	// for learning (letters on paper).
	Background Outside = iota
	// Unknown: nothing is known beyond the border (crops of larger scenes).
	Unknown
)

var outsideNames = []string{"background", "unknown"}

// String is the name used in files and flags: "background" or "unknown".
func (o Outside) String() string { return enum.Name("Outside", outsideNames, uint8(o)) }

// ParseOutside is the inverse of String.
func ParseOutside(name string) (Outside, error) {
	return enum.Parse[Outside]("what lies outside an image", outsideNames, name)
}
