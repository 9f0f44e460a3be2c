package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestColumnFlag: what columns are said to be when a model is learned holds for the data it meets, of bits and of
// numbers; words that it does not know are unknown, which is said, and flags of before say the same.
func TestColumnFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	bits, numbers := "id,uses,ok,age\n", "h,w,ward\n"
	for i := range 24 {
		bits += fmt.Sprintf("%d,%s,%d,%d\n", i, []string{"bus;tram", "tram", "bus", ""}[i%4], i%2, 20+i)
		numbers += fmt.Sprintf("%d.5,%d.25,%s\n", 150+i, 60+i*i, []string{"east", "west", "north"}[i%3])
	}
	write(t, "bits.csv", bits)
	write(t, "numbers.csv", numbers)
	write(t, "other.csv", "age,uses,ok\n50,bus;plane,1\n")
	write(t, "moon.csv", "ward,w,h\nmoon,61.25,151.5\n")
	learned := func(line string) {
		if o := patchworkCommand(t, fields(line)...); o.code != 0 {
			t.Fatalf("%s: %s", line, o.err)
		}
	}
	learned("learn bits.csv -k 1 -o b.npz --split uses --column age=bit>30 --column id=unknown")
	learned("learn bits.csv -k 1 -o same.npz --column uses=split --column age=bit>30 --column id=ignore")
	if read(t, "b.npz") != read(t, "same.npz") {
		t.Error("--split and --column NAME=split differ")
	}
	learned("learn numbers.csv -o n.npz --categories ward")
	learned("learn numbers.csv -o o.npz --column ward=west<north<east")
	learned("learn numbers.csv -o p.npz --order west,north,east")
	if read(t, "o.npz") != read(t, "p.npz") {
		t.Error("--order and --column differ")
	}
	for _, c := range []struct{ line, said string }{
		{"explain -m b.npz other.csv",
			`in the column uses 1 cell is none of bus, tram, such as "plane", and taken as unknown`},
		{"explain -m n.npz moon.csv", `in the column ward 1 cell is none of east, north, west, such as "moon", and taken as`},
		{"show b.npz", `read with  --column uses=split --column "age=bit>30"`},
		{"explain -m o.npz moon.csv", `none of west, north, east, such as "moon"`},
		{"show o.npz", `read with  --column "ward=west<north<east"`},
		{"show n.npz", `read with  --column ward=category`},
	} {
		if o := patchworkCommand(t, fields(c.line)...); o.code != 0 || !strings.Contains(o.out+o.err, c.said) {
			t.Errorf("%s: exit %d, %s%s; want %s", c.line, o.code, o.out, o.err, c.said)
		}
	}
	if o := patchworkCommand(t, fields("learn bits.csv -o x.npz --column age=old")...); o.code != exitRequest ||
		!strings.Contains(o.err, `"old" is no kind of column`) {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
}
