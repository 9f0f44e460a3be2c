package tallyfile_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"example.com/patchwork/modelfile/tallyfile"
	"pgregory.net/rapid"
)

// counting returns a part that counts rows from to to-1 of a file.
func counting(t interface{ Fatal(...any) }, name, file string, from, to int64) *tallyfile.Part {
	p := part(t, name, 1, 2)
	p.Shards[0].File, p.Shards[0].From, p.Shards[0].To = file, from, to
	return p
}

// TestOverlapIsRefused: parts merge exactly if they have no row of a file in common.
func TestOverlapIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := func(name string) (from, to int64) {
			from = rapid.Int64Range(0, 20).Draw(t, name)
			if to = from + rapid.Int64Range(0, 9).Draw(t, name); to == from {
				to = 0 // all from there
			}
			return from, to
		}
		last := func(to int64) int64 {
			if to == 0 {
				return math.MaxInt64
			}
			return to
		}
		from, to := rows("p")
		first, end := rows("q")
		file := rapid.SampledFrom([]string{"f", "g"}).Draw(t, "file")
		p, q := counting(t, "p", "f", from, to), counting(t, "q", file, first, end)
		before := bytesOf(t, p)
		err := p.Merge(q)
		both := file == "f" && max(from, first) < min(last(to), last(end))
		var mismatch *tallyfile.MismatchError
		if both != errors.As(err, &mismatch) || !both && err != nil {
			t.Fatalf("%d:%d and %d:%d of %s: %v", from, to, first, end, file, err)
		}
		if both && !bytes.Equal(before, bytesOf(t, p)) {
			t.Fatal("a refused part changed the sum")
		}
	})
	p := counting(t, "a", "f", 0, 60)
	if err := p.Merge(counting(t, "b", "f", 60, 99)); err != nil {
		t.Fatal(err)
	}
	err := p.Merge(counting(t, "c", "f", 98, 0))
	if err == nil || !strings.Contains(err.Error(), "one part counts rows 61:99 (of b.npy), another rows 99: (of c.npy)") {
		t.Errorf("error %v", err)
	}
	if err := p.Merge(part(t, "d", 2, 2)); err != nil { // which does not say what rows it counts
		t.Error(err)
	}
}

// TestRowsOfShards: what a shard says of its rows comes back; what cannot be is refused.
func TestRowsOfShards(t *testing.T) {
	p := counting(t, "a", "f", 7, 9)
	parts, err := readAll(bytes.NewReader(bytesOf(t, p)))
	if err != nil || parts[0].Shards[0] != p.Shards[0] {
		t.Errorf("%v, %v", parts, err)
	}
	for name, bad := range map[string]*tallyfile.Part{"negative": counting(t, "a", "f", -5, 5),
		"upwards": counting(t, "a", "f", 5, 5), "no file": counting(t, "a", "", 0, 5)} {
		if err := tallyfile.Write(new(bytes.Buffer), bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
