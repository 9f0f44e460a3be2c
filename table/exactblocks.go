package table

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/table/blocks"
)

// exactCells bounds the tables that are tried to be covered exactly, in cells of rows that
// differ: of more it takes long, and few have no noise.
const exactCells = 300_000

// exactRounds counts the iterations of soft EM from the blocks, which tie their numbers.
const exactRounds = 2

// exactly makes one more candidate of the cheapest blocks that cover all ones and nothing
// else: without noise these describe the rows more briefly than what soft EM finds. It is
// for complete tables under max whose number of experts is open.
func (l *learner) exactly(ctx context.Context) error {
	first := l.data.Images[0]
	if l.cfg.Rule != patchwork.RuleMax || l.opt.Experts > 0 ||
		l.opt.AnyRule || l.opt.StartFrom != StartFromBoth ||
		len(l.data.Images)*first.Len() > exactCells {
		return nil
	}
	if blocks.MoreThan(l.opt.MaxExperts, l.data.Images) {
		return ctx.Err()
	}
	cover, _, err := blocks.Start(ctx, l.data, l.opt.Seed, l.opt.Workers)
	if err != nil || cover == nil || cover.K() < l.opt.MinExperts || cover.K() > l.opt.MaxExperts {
		return err
	}
	cfg := l.cfg
	cfg.QMap = rows.Background(cover)
	m, err := patchwork.NewModel(cfg, cover.Templates())
	if err != nil {
		return err
	}
	if m, err = m.WithExtras(patchwork.Extras{Usage: cover.Extras().Usage,
		Record: patchwork.Record{Rows: rows.Total(l.data)}}); err != nil {
		return err
	}
	c, _, err := l.considered(ctx, m, exactRounds, Step{CurvePoint: patchwork.CurvePoint{Stage: StageExact}})
	if err != nil || !l.ahead(c, l.best) {
		return err
	}
	c.exact = true
	_, err = l.accepted(ctx, c)
	return err
}
