package learn

import (
	"context"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/learn/pairs"
)

// Layout says what images hold: one thing each, whose parts have their places, or
// several parts each, anywhere.
type Layout struct {
	Several bool
	One     bool // one thing each, but anywhere: learned as several are

	// Images are how many were described in both ways, and Anywhere and Otherwise the
	// lengths of their descriptions in nats: by parts that lie anywhere, the choice of
	// their places paid for, and as the caller would learn them otherwise. All are 0 if
	// it was clear before.
	Images              int
	Anywhere, Otherwise float64
}

// How layouts are found out.
const (
	layoutPixels = 1 << 16 // of the images that are described
	layoutLeast  = 20      // images, though they have more pixels
	layoutMost   = 100
	layoutEffort = 1500 // of package pairs: some seconds

	oftenScattered = .25 // of the images whose ink is in several pieces, or more: look
	everScattered  = .02 // or more: look if there are so many images that
	manyImages     = 40  // learning takes long beside it
	// of the images whose largest piece reaches from border to border, or more: they were cut to their ink
	oftenAcross = .5
)

// LayoutOf finds out what images hold. Where the ink is in one piece, but for specks, that has its place,
// that is one thing, and so it is where most images are cut to their ink. Else parts are grown of what pairs of images
// have in common
// ([StartFromPairs]), on a uniform sample. The images hold several parts each, or one anywhere, if they have
// more than one place of such parts, or their ink lies all over them; if these lie neither where they usually lie nor
// next to one another, as the pieces of a stroke do; and if they describe the sample in fewer nats than otherwise
// returns for it. The error is the context's or that of otherwise.
func LayoutOf(ctx context.Context, data patchwork.Data, seed uint64, workers int,
	otherwise func(context.Context, patchwork.Data) (float64, error)) (Layout, error) {
	if rows.Counting(data) < 2 || rows.SameSize(data.Images, data.Images[0].Height(), data.Images[0].Width()) != nil {
		return Layout{}, nil
	}
	several, across, roams := scattered(data)
	if !roams && (several < everScattered || several < oftenScattered && len(data.Images) < manyImages) ||
		across > oftenAcross {
		return Layout{}, nil
	}
	area := max(1, data.Images[0].Height()*data.Images[0].Width())
	s, err := drawSample(ctx, data, max(layoutLeast, min(layoutPixels/area, layoutMost)), seed)
	if err != nil {
		return Layout{}, err
	}
	found, err := pairs.Grow(ctx, s.Images, pairs.Options{Starts: 1, Effort: layoutEffort, Seed: seed, Workers: workers})
	if err != nil || len(found.Parts) == 0 || !manyPlaces(found) && !roams ||
		settled(found, s.Images[0])+chained(found) > 0 {
		return Layout{}, err
	}
	var sample patchwork.Data
	for _, i := range found.Images {
		sample.Images = append(sample.Images, s.Images[i])
	}
	l := Layout{Images: len(sample.Images), Anywhere: found.DescriptionLength, One: !manyPlaces(found)}
	if l.Otherwise, err = otherwise(ctx, sample); err != nil {
		return Layout{}, err
	}
	l.Several = l.Anywhere < l.Otherwise
	return l, nil
}

// manyPlaces reports whether images have more than one place of a part, on average; a half
// more, as an image of one thing may show a piece of it beside.
func manyPlaces(found *pairs.Result) bool {
	n := 0
	for _, places := range found.Places {
		n += len(places)
	}
	return 2*n >= 3*len(found.Places) && n > 0
}

// thirds is into how many equal parts a range of rows or columns is cut.
const thirds = 3

// settled returns by how many nats places are described more briefly if it is known in
// which ninth of the range in which a part lies it usually does, at half the logarithm
// of the number of its places for each number that says so, or if the range itself is
// less than a third of the image each way. That it is somewhat less is no wonder: what is
// a piece of a thing does not come near the border. Below 0 parts lie anywhere.
func settled(found *pairs.Result, img *bitmap.Image) float64 {
	of := make([][]pairs.Place, len(found.Parts))
	for _, places := range found.Places {
		for _, p := range places {
			of[p.Part] = append(of[p.Part], p)
		}
	}
	gain := 0.0
	for k, places := range of {
		if len(places) == 0 {
			continue
		}
		y, x := rangeOf(places, func(p pairs.Place) int { return p.Y }),
			rangeOf(places, func(p pairs.Place) int { return p.X })
		var counts [thirds * thirds]float64
		for _, p := range places {
			counts[y.third(p.Y)*thirds+x.third(p.X)]++
		}
		n, free := float64(len(places)), 0
		for i, in := range counts {
			share := y.share(i/thirds) * x.share(i%thirds)
			if share > 0 {
				free++
			}
			if in > 0 {
				gain += float64(in * elem.Log(in/n/share))
			}
		}
		gain -= float64(float64(free-1) / 2 * elem.Log(n))
		height, width := img.Height()-found.Parts[k].Height()+1, img.Width()-found.Parts[k].Width()+1
		if thirds*y.n < height && thirds*x.n < width {
			gain += float64(n*elem.Log(float64(height*width)/float64(y.n*x.n))) - float64(2*elem.Log(float64(height*width)))
		}
	}
	return gain
}

// extent is a range of rows or columns.
type extent struct{ from, n int }

func rangeOf(places []pairs.Place, of func(pairs.Place) int) extent {
	low, high := of(places[0]), of(places[0])
	for _, p := range places {
		low, high = min(low, of(p)), max(high, of(p))
	}
	return extent{low, high - low + 1}
}

// third returns in which third of the range a row or column lies, and share how much of
// the range that is.
func (e extent) third(at int) int { return (at - e.from) * thirds / e.n }

func (e extent) share(third int) float64 {
	first := func(third int) int { return (third*e.n + thirds - 1) / thirds }
	return float64(first(third+1)-first(third)) / float64(e.n)
}

// chained returns by how many nats more places of one image lie next to one another than
// places of two images do: how surprising their number is. Parts of scenes do not know of
// each other; the pieces of a stroke follow one another.
func chained(found *pairs.Result) float64 {
	type box struct{ image, y, x, height, width int } // twice the rows and columns of the centre
	var all []box
	for i, places := range found.Places {
		for _, p := range places {
			h, w := found.Parts[p.Part].Height(), found.Parts[p.Part].Width()
			all = append(all, box{i, 2*p.Y + h, 2*p.X + w, h, w})
		}
	}
	apart := func(a, b int) int { return max(a-b, b-a) }
	var near, pairings [2]float64 // of two images, of one
	for i, a := range all {
		for _, b := range all[:i] {
			one := 0
			if a.image == b.image {
				one = 1
			}
			pairings[one]++
			if apart(a.y, b.y) <= a.height+b.height+2 && apart(a.x, b.x) <= a.width+b.width+2 {
				near[one]++
			}
		}
	}
	expected := pairings[1] * near[0] / max(pairings[0], 1)
	if near[1] <= expected {
		return 0
	}
	return float64(near[1]*elem.Log(near[1]/max(expected, 1))) - near[1] + expected
}
