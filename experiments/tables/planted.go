package tables

import (
	"cmp"
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/experiments/stat"
	"example.com/patchwork/table"
)

// Planted describes tables with groups of columns that occur together: a group
// is in a row or not, and a row's bits are those of its groups, less Dropout of
// them, with Flips of all bits flipped.
type Planted struct {
	Rows, Columns int
	Groups        int
	Least, Most   int     // columns of a group
	Rare, Common  float64 // the least and the largest share of rows a group is in
	Empty         float64 // share of rows without any group
	Flips         float64
	Dropout       float64
	Missing       int // cells that are unknown
}

// PlantedSites are the tables of the acceptance check: 300 rows of 60 columns, five groups
// of 10 to 12 columns that overlap.
var PlantedSites = Planted{Rows: 300, Columns: 60, Groups: 5, Least: 10, Most: 12, Rare: 0.2, Common: 0.35, Empty: 0.05,
	Flips: 0.03, Missing: 887}

// PlantedPair are small tables: two groups among twelve columns.
var PlantedPair = Planted{Rows: 300, Columns: 12, Groups: 2, Least: 4, Most: 4, Rare: 0.33, Common: 0.5, Flips: 0.1}

// Draw returns a table and the columns of its groups, by seed.
func (p Planted) Draw(seed uint64) (patchwork.Data, [][]int) {
	rng := rand.New(rand.NewPCG(seed, 60))
	groups := p.groups(rng)
	share := make([]float64, len(groups))
	for g := range share {
		share[g] = p.Rare + (p.Common-p.Rare)*rng.Float64()
	}
	cells := make([][]uint8, p.Rows)
	for r := range cells {
		cells[r] = make([]uint8, p.Columns)
		if rng.Float64() < p.Empty {
			continue
		}
		for g, columns := range groups {
			if rng.Float64() >= share[g] {
				continue
			}
			for _, c := range columns {
				if rng.Float64() >= p.Dropout {
					cells[r][c] = 1
				}
			}
		}
	}
	for _, row := range cells {
		for c := range row {
			if rng.Float64() < p.Flips {
				row[c] = 1 - row[c]
			}
		}
	}
	var data patchwork.Data
	for _, row := range cells {
		data.Images = append(data.Images, bitmap.FromBytes(1, p.Columns, row))
	}
	for _, cell := range rng.Perm(p.Rows * p.Columns)[:p.Missing] {
		data.Images[cell/p.Columns].SetUnknown(0, cell%p.Columns)
	}
	return data, groups
}

// groups draws the columns of the groups: from all columns, so that they overlap
// by chance; where groups fill less than half of the columns, without overlap.
func (p Planted) groups(rng *rand.Rand) [][]int {
	var out [][]int
	order := rng.Perm(p.Columns)
	for range p.Groups {
		n := p.Least + rng.IntN(p.Most-p.Least+1)
		if p.Groups*p.Most > p.Columns*3/4 {
			order = rng.Perm(p.Columns)
		}
		columns := slices.Sorted(slices.Values(order[:n]))
		out, order = append(out, columns), order[n:]
	}
	return out
}

// PlantedRow says how the groups of a table were found.
type PlantedRow struct {
	Experts int
	Found   int // groups
	Took    time.Duration
}

// Jaccard returns, for each group, the largest share of columns that it has in
// common with a part (votes above 1/2), of those in either, each part for one
// group: the largest are taken first.
func Jaccard(m *patchwork.Model, groups [][]int) []float64 {
	out := make([]float64, len(groups))
	type pair struct {
		group, part int
		jaccard     float64
	}
	var pairs []pair
	for g, columns := range groups {
		for k, t := range m.Templates() {
			both, either := 0, len(columns)
			for c, v := range t {
				if v <= 0.5 || v <= m.Abstention(c) {
					continue
				}
				if slices.Contains(columns, c) {
					both++
				} else {
					either++
				}
			}
			pairs = append(pairs, pair{g, k, float64(both) / float64(either)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.jaccard, a.jaccard) })
	doneGroup, donePart := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		if !doneGroup[p.group] && !donePart[p.part] {
			doneGroup[p.group], donePart[p.part], out[p.group] = true, true, p.jaccard
		}
	}
	return out
}

// MeasurePlanted learns the table of a seed and says what was found.
func MeasurePlanted(ctx context.Context, p Planted, seed uint64, o Options) (r PlantedRow, err error) {
	data, groups := p.Draw(seed)
	began := time.Now()
	m, err := table.Learn(ctx, data, patchwork.Config{Rule: patchwork.RuleMax, Height: 1, Width: p.Columns},
		table.Options{Workers: o.Workers, MaxExperts: o.MaxExperts})
	if err != nil {
		return r, err
	}
	found := stat.Count(Jaccard(m, groups), func(v float64) bool { return v >= 0.95 })
	return PlantedRow{m.K(), found, time.Since(began)}, nil
}

// PlantedVariants are the tables that ReportPlanted measures, by name.
var PlantedVariants = []struct {
	Name string
	Planted
}{
	{"sites", PlantedSites},
	{"sites, 10 % flips", PlantedSites.with(func(p *Planted) { p.Flips = 0.1 })},
	{"sites, 20 % dropout, 5 % flips", PlantedSites.with(func(p *Planted) { p.Dropout, p.Flips = 0.2, 0.05 })},
	{"sites, 200 rows, 5 % flips", PlantedSites.with(func(p *Planted) { p.Rows, p.Flips = 200, 0.05 })},
	{"sites, 1000 rows, rare groups 5-10 %",
		PlantedSites.with(func(p *Planted) { p.Rows, p.Rare, p.Common, p.Flips = 1000, 0.05, 0.1, 0.05 })},
	{"sites, 2000 rows, 5-40 %",
		PlantedSites.with(func(p *Planted) { p.Rows, p.Rare, p.Common, p.Flips = 2000, 0.05, 0.4, 0.05 })},
	{"sites, groups of 4 to 16", PlantedSites.with(func(p *Planted) { p.Least, p.Most, p.Flips = 4, 16, 0.05 })},
	{"pair", PlantedPair},
	{"pair, 5 % flips", PlantedPair.with(func(p *Planted) { p.Flips = 0.05 })},
	{"pair, 1000 rows", PlantedPair.with(func(p *Planted) { p.Rows = 1000 })},
}

func (p Planted) with(change func(*Planted)) Planted {
	change(&p)
	return p
}

// ReportPlanted prints how often planted groups are found, in the
// variants named, or in all, in tables of seeds 0, 1, ...
func ReportPlanted(ctx context.Context, w io.Writer, names []string, sets int, o Options) error {
	t := stat.NewTable(w, "tables", "parts right", "all groups found, no other", "groups found",
		"sets by number of parts", "s per set")
	for _, v := range PlantedVariants {
		if len(names) > 0 && !slices.Contains(names, v.Name) {
			continue
		}
		all, err := stat.Seeds(sets, func(seed uint64) (PlantedRow, error) {
			return MeasurePlanted(ctx, v.Planted, seed, o)
		})
		if err != nil {
			return err
		}
		experts, found := map[int]int{}, 0
		for _, r := range all {
			experts[r.Experts]++
			found += r.Found
		}
		t.Row("%s | %d of %d | %d | %d of %d | %v | %.1f", v.Name, experts[v.Groups], sets,
			stat.Count(all, func(r PlantedRow) bool { return r.Experts == v.Groups && r.Found == v.Groups }), found,
			sets*v.Groups, experts, stat.MeanOf(all, func(r PlantedRow) float64 { return r.Took.Seconds() }))
	}
	return nil
}
