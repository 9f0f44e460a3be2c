package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/testkit"
)

// twoShapes returns images of 20 x 24 pixels, each with a few copies of two shapes of
// 5 x 5, anywhere, and the shapes.
func twoShapes(n int, flips float64) (shapes [][]float64, data patchwork.Data) {
	drawn := []*bitmap.Image{bitmap.Parse("#####", "#....", "#....", "#....", "#####"),
		bitmap.Parse("..#..", "..#..", "#####", "..#..", "..#..")}
	for _, d := range drawn {
		var s []float64
		for _, x := range d.AppendBytes(nil) {
			s = append(s, float64(x))
		}
		shapes = append(shapes, s)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range n {
		img := bitmap.New(20, 24)
		for range 2 + r.IntN(4) {
			s, dy, dx := shapes[r.IntN(2)], r.IntN(16), r.IntN(20)
			for i, p := range s {
				if p > 0 {
					img.Set(dy+i/5, dx+i%5, true)
				}
			}
		}
		for y := range 20 {
			for x := range 24 {
				if r.Float64() < flips {
					img.Set(y, x, !img.At(y, x))
				}
			}
		}
		data.Images = append(data.Images, img)
	}
	return shapes, data
}

// sceneConfig is the configuration of parts of 5 x 5 pixels anywhere, up to six times.
func sceneConfig() patchwork.Config {
	return patchwork.Config{Height: 5, Width: 5, Q: 0.02, Scene: true, Reuse: 6,
		Defaults: patchwork.Defaults{Truncate: true}}
}

// TestScenesFromGivenParts: EM with parts smaller than the images, placed anywhere,
// makes of blurred, incomplete parts the shapes that the images are made of, on any
// number of workers, and knows the size of the images.
func TestScenesFromGivenParts(t *testing.T) {
	shapes, data := twoShapes(40, 0.03)
	blurred := make([][]float64, 2)
	for k, s := range shapes {
		for i, p := range s {
			v := 0.1 + 0.5*p
			if i%4 == 1 { // a quarter of each is not known
				v = 0.3
			}
			blurred[k] = append(blurred[k], v)
		}
	}
	start := testkit.MustModel(t, sceneConfig(), blurred)
	var models []*patchwork.Model
	for _, workers := range []int{1, 3} {
		m, err := Learn(t.Context(), data, sceneConfig(), Options{Continue: start, Iterations: 8, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	m := models[0]
	if !testkit.SameModel(m, models[1]) {
		t.Error("another number of workers gives another model")
	}
	for k, s := range shapes {
		for i, p := range s {
			if (m.Template(k)[i] > 0.5) != (p > 0.5) {
				t.Errorf("part %d, pixel %d is %.2f", k, i, m.Template(k)[i])
			}
		}
	}
	c, x := m.Config(), m.Extras()
	if !c.Scene || c.ImageHeight != 20 || c.ImageWidth != 24 || x.Geometry != nil || len(x.Usage) != 2 ||
		!(x.Record.DescriptionLength > 0) {
		t.Errorf("learned %+v, geometry %v, usage %v, length %v", c, x.Geometry, x.Usage, x.Record.DescriptionLength)
	}
	img, picks := m.Sample(rand.New(rand.NewPCG(1, 1)))
	if img.Height() != 20 || img.Width() != 24 || len(picks) == 0 {
		t.Errorf("a sample of %d x %d with %d picks", img.Height(), img.Width(), len(picks))
	}
}

// TestPlacesLength: of two models that explain alike, the one with fewer picks is
// shorter, and a pick costs the logarithm of the places over its rate.
func TestPlacesLength(t *testing.T) {
	shapes, data := twoShapes(10, 0)
	m := testkit.MustModel(t, sceneConfig(), [][]float64{scaled(shapes[0]), scaled(shapes[1])})
	m, err := m.WithConfig(sized(m.Config(), data))
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{}.Pursuit(m)
	if !opt.Refined || opt.Forced || !slices.Equal(opt.Rates, []float64{1, 1}) {
		t.Fatalf("the first E-step explains by %+v", opt)
	}
	tally, err := patchwork.EStep(t.Context(), m, data, opt, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	places := math.Log(16 * 20)
	want := float64(tally.Picks())*places + 2*float64(tally.Rows())
	testkit.Near(t, "places", placesLength(m, tally, opt.Rates), want, 1e-9)
	rates := placeRates(m, tally)
	testkit.Near(t, "rate", rates[1], (float64(tally.Picks(1))+0.5)/11, 1e-12)
	if float64(tally.Picks())/10 < 2 || placesLength(m, tally, rates) >= want {
		t.Errorf("%d picks; at their own rates the places take %v nats, at 1 %v", tally.Picks(),
			placesLength(m, tally, rates), want)
	}
}

// scaled returns probabilities that leave room for noise.
func scaled(s []float64) []float64 {
	out := slices.Clone(s)
	for i, p := range s {
		out[i] = 0.01 + 0.97*p
	}
	return out
}

// TestScenesNeedGivenParts: without parts to begin with, learning from scenes says so.
func TestScenesNeedGivenParts(t *testing.T) {
	_, data := twoShapes(4, 0)
	for _, from := range []StartFrom{StartFromOrders, StartFromSplits} {
		if _, err := Learn(t.Context(), data, sceneConfig(), Options{Experts: 2, StartFrom: from}); err == nil {
			t.Errorf("starts from %v are accepted", from)
		}
	}
}
