package studio

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/patchwork/render"
)

// TestPageHues: the page has the colours of the parts from package render.
func TestPageHues(t *testing.T) {
	const file, many = "web/src/hues.ts", 24
	var b strings.Builder
	b.WriteString("// The colours of the first parts, from render/palette.go. Written by: go test ./studio -run " +
		"PageHues -update\n" +
		"export const hues: (readonly [number, number, number])[] = [\n")
	for k := range many {
		c := render.Hue(k)
		fmt.Fprintf(&b, "  [%d, %d, %d],\n", c.R, c.G, c.B)
	}
	b.WriteString("];\n")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Fatalf("%s is not as render/palette.go: run go test ./studio -run PageHues -update, then npm run check in "+
			"studio/web", file)
	}
}
