package render

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/table/blocks"
)

// rolesOf is a table of which one cell is left over, one is added and one unknown.
func rolesOf(t testing.TB) (*blocks.Matrix, *blocks.Cover) {
	t.Helper()
	var rows []*bitmap.Image
	for _, row := range []string{"###....", "....##.", "#.#....", "###....", "....##?", "###...#"} {
		rows = append(rows, bitmap.Parse(row))
	}
	m := blocks.Of(rows)
	c, err := blocks.Find(context.Background(), m, blocks.Options{ExceptionPrice: 2})
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// The picture says what was left over, added and not known.
func TestCoverSaysExceptions(t *testing.T) {
	m, c := rolesOf(t)
	if len(c.Left) == 0 || len(c.Added) == 0 {
		t.Fatalf("left %v, added %v: the test needs some of both", c.Left, c.Added)
	}
	var svg bytes.Buffer
	if err := WriteSVG(&svg, Cover(m, c)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"block 1: 4 x 3", "in no block", "added", "unknown"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the picture lacks %q:\n%s", want, svg.String())
		}
	}
}

// Sorted, every cell has the colour of the first block that has it; the others have the
// colours of what they are.
func TestCoverColours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, w := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "columns")
		var images []*bitmap.Image
		for range h {
			images = append(images, bitmap.Parse(rapid.StringOfN(rapid.SampledFrom([]rune("#..?")), w, w, -1).Draw(t, "row")))
		}
		m := blocks.Of(images)
		c, err := blocks.Find(context.Background(), m, blocks.Options{ExceptionPrice: rapid.Int64Range(0, 2).Draw(t, "price"),
			Steps: 1000})
		if err != nil {
			t.Fatal(err)
		}
		s := Cover(m, c)
		rows := byBlocks(h, c.Blocks, func(b blocks.Block) []int32 { return b.Rows })
		columns := byBlocks(w, c.Blocks, func(b blocks.Block) []int32 { return b.Columns })
		for y, i := range rows {
			for x, d := range columns {
				want := white
				has := slices.IndexFunc(c.Blocks, func(b blocks.Block) bool {
					return slices.Contains(b.Rows, int32(i)) && slices.Contains(b.Columns, int32(d))
				})
				switch on, known := images[i].At(0, d), images[i].Known(0, d); {
				case has >= 0 && known && !on:
					want = yellow
				case has >= 0:
					want = Hue(has)
				case !known:
					want = unknownTints[0]
				case on:
					want = black
				}
				if got := s.Tiles[1].Image.At(x, y); got != want {
					t.Fatalf("row %d, column %d: %v, want %v", i, d, got, want)
				}
			}
		}
	})
}

// Of a large table several cells share a pixel, and none is lost: the mean of the picture
// is that of the table.
func TestCoverOfALargeTable(t *testing.T) {
	m := &blocks.Matrix{Columns: 3*mostCells + 7, Ones: make([][]int32, 2*mostCells+1)}
	for i := range m.Ones {
		if i%2 == 0 {
			for d := range int32(m.Columns / 2) {
				m.Ones[i] = append(m.Ones[i], d)
			}
		}
	}
	s := Cover(m, &blocks.Cover{})
	tile := s.Tiles[0].Image
	if b := tile.Bounds(); b.Dx() != mostCells || b.Dy() != mostCells {
		t.Fatalf("a tile of %v", b)
	}
	dark := 0.0
	for y := range mostCells {
		for x := range mostCells {
			v, _, _, _ := tile.At(x, y).RGBA()
			dark += 1 - float64(v)/0xffff
		}
	}
	if got := dark / mostCells / mostCells; got < 0.245 || got > 0.255 {
		t.Errorf("%.3f of the picture is dark, a quarter of the table", got)
	}
}

// Tables without rows, columns or blocks have a picture, too.
func TestCoverOfNothing(t *testing.T) {
	for _, m := range []*blocks.Matrix{{}, {Columns: 3}, {Ones: make([][]int32, 2)}, {Columns: 2, Ones: [][]int32{{0}}}} {
		if err := WritePNG(new(bytes.Buffer), Cover(m, &blocks.Cover{})); err != nil {
			t.Errorf("%v: %v", fmt.Sprint(*m), err)
		}
	}
}
