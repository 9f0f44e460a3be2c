package dataset

import (
	"context"
	"strings"
	"testing"
)

// BenchmarkCSV reads a table of 0 and 1, the most common one.
func BenchmarkCSV(b *testing.B) {
	row := strings.Repeat("0,1,0,0,1,", 20)
	text := []byte(strings.Repeat("c,", 99) + "c\n" + strings.Repeat(row[:len(row)-1]+"\n", 20000))
	names := make([]string, 100)
	for i := range names {
		names[i] = "c" + strings.Repeat("x", i)
	}
	text = append([]byte(strings.Join(names, ",")+"\n"), text[200:]...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Decode(context.Background(), "t.csv", text, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
