package patchwork

import (
	"context"

	"example.com/patchwork/internal/score"
)

// Within makes searches end with a context: Explain and ExplainAll then return its error. Nil is no
// context, as at first and for forks.
func (p *Pursuit) Within(ctx context.Context) { p.within = ctx }

// interrupted is what a search panics with when its context ends.
type interrupted struct{ error }

// watch makes the search look at the context: that of a picture of 512 x 512 pixels may take
// minutes, all of them far below here.
func (p *Pursuit) watch() {
	ctx, n := p.within, 0
	if ctx == nil {
		return
	}
	p.search.Tick = func() {
		if n++; n%16 == 0 {
			if err := ctx.Err(); err != nil {
				panic(interrupted{err})
			}
		}
	}
}

// interrupt, deferred, turns the panic of a search that was interrupted into an error. What the search
// held is in no known state, so there is a new one.
func (p *Pursuit) interrupt(e **Explanation, err *error) {
	p.search.Tick = nil
	if p.within == nil {
		return
	}
	switch r := recover().(type) {
	case nil:
	case interrupted:
		p.search, *e, *err = score.Search{}, nil, r.error
	default:
		panic(r)
	}
}
