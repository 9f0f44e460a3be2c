package report

import (
	"example.com/patchwork/dataset"
	"example.com/patchwork/workbench"
)

// How often a model is learned again, and from how many rows or images, is bounded by
// work, so that a report takes some 20 seconds of one core: cells of the rows times parts
// over all times, or pixels times poses times parts of the images.
const (
	workOfRefits  = int64(4_000_000)
	workOfImages  = int64(2_800_000_000)
	workOfBrief   = int64(10_000_000_000)
	workOfMissing = 40_000_000 // for predicting unknown cells

	mostRefitRows, fewestRefitRows     = 2000, 600 // fewer cost little less: much of learning does not depend on the rows
	mostRefitImages, fewestRefitImages = 200, 24

	mostTimes, fewTimes = 10, 2 // of Stability: for small tables, and for others, where rows tell more than times
	timesOfImages       = 4
	briefTimes          = 3 // of Brief, for tables
	briefTimesOfImages  = 2
	mostFolds, fewFolds = 5, 3 // of Quality
)

// settle fills in the defaults that depend on the data, and returns into how many groups
// rows are divided to hold them out. Tables of mixed columns take longer to learn again.
func (o *Options) settle(m workbench.Model, set *dataset.Frame, mixed bool) (folds int) {
	height, width := set.Size()
	parts := max(m.K(), 1)
	if !set.Table {
		if o.Stability == 0 {
			o.Stability = map[bool]int{true: briefTimesOfImages, false: timesOfImages}[o.Brief]
		}
		if o.Sample == 0 {
			grid, _ := workbench.Grid(m)
			perImage := int64(height*width) * int64(max(grid.Len(), 1)*parts)
			o.Sample = int(min(max(workOfImages/perImage, fewestRefitImages), mostRefitImages))
			if n := min(o.Sample, set.Len()); o.Brief && int64(2*o.Stability*n)*perImage > workOfBrief {
				o.Sample = -1
			}
		}
		if o.Brief {
			return 0
		}
		return fewFolds
	}
	perRow := int64(width * parts)
	rows := min(set.Len(), mostRefitRows)
	if o.Sample > 0 {
		rows = min(set.Len(), o.Sample)
	}
	times, folds := mostTimes, mostFolds
	if int64((2*times+folds)*rows)*perRow > workOfRefits {
		times, folds = fewTimes, fewFolds
	}
	if mixed {
		folds = fewFolds
	}
	if o.Brief || mixed {
		times = min(times, briefTimes)
	}
	if o.Stability == 0 {
		o.Stability = times
	}
	if o.Sample == 0 {
		refits := 2*max(o.Stability, 0) + folds
		o.Sample = int(min(max(workOfRefits/(int64(refits)*perRow), fewestRefitRows), mostRefitRows))
		if mixed {
			o.Sample = fewestRefitRows
		}
	}
	return folds
}
