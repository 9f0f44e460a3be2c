package patchwork_test

import (
	"fmt"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/internal/testkit"
)

// Many rows of tables at a time on one core, in rows a second, from images to
// flat explanations. The rows come again and again, as in learning.
func BenchmarkExplainAll(b *testing.B) {
	for _, c := range []struct{ k, d, n int }{{8, 36, 20000}, {32, 128, 4000}, {64, 784, 400}} {
		b.Run(fmt.Sprintf("K=%d/D=%d", c.k, c.d), func(b *testing.B) {
			m, images, err := testkit.SampledRows(c.k, c.d, c.n)
			if err != nil {
				b.Fatal(err)
			}
			p := testkit.MustPursuit(b, m, patchwork.PursuitOptions{})
			var out patchwork.Explanations
			n := 0
			for b.Loop() {
				if err := p.ExplainAll(images, &out); err != nil {
					b.Fatal(err)
				}
				n += out.Len()
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// An iteration of batch EM on a table, one core: explain, count, read off.
func BenchmarkEMIteration(b *testing.B) {
	m, images, err := testkit.SampledRows(32, 128, 100000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t, err := patchwork.Explain(b.Context(), m, patchwork.Data{Images: images}, patchwork.PursuitOptions{}, 1, nil)
		if err != nil {
			b.Fatal(err)
		}
		t.Model(m, patchwork.MStep{})
	}
	b.ReportMetric(float64(b.N)*float64(len(images))/b.Elapsed().Seconds(), "rows/s")
}
