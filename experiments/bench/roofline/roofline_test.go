package roofline

import (
	"runtime"
	"testing"
	"time"
	"unsafe"
)

// No amd64 processor so far is outside these bounds, which have a factor of two to spare
// either way; a kernel that does not do the work it is counted for is.
func TestPeaksArePossible(t *testing.T) {
	m := Measure(2 * time.Millisecond)
	if runtime.GOARCH != "amd64" {
		if m.GHz != 0 || m.Peaks != nil {
			t.Fatalf("no kernels, but %+v", m)
		}
		t.Skip("kernels are written for amd64 only")
	}
	t.Logf("%+v", m)
	if m.GHz > 12 || m.GHz < 0.1 {
		t.Errorf("a clock of %.2f GHz", m.GHz)
	}
	for i, p := range m.Peaks {
		bytes := float64(int(32) << i)
		for _, c := range []struct {
			what          string
			value, atMost float64
		}{
			{"FMA", p.FMA, 2 * 2 * 2 * bytes / 4},
			{"Add", p.Add, 2 * 2 * bytes / 4},
			{"Load", p.Load, 2 * 3 * bytes},
			{"LoadAdd", p.LoadAdd, 2 * 3 * bytes},
			{"LoadL2", p.LoadL2, 1.1 * p.Load},
			{"Words", p.Words, 2 * 3 * bytes / 2},
			{"Lookup", p.Lookup, 2 * 2 * bytes},
		} {
			if c.what == "Lookup" && c.value == 0 && p.Vectors == "AVX-512" {
				continue // not every processor with AVX-512 has VBMI
			}
			if !(c.value > 0 && c.value <= c.atMost) {
				t.Errorf("%s: %s is %.2f a cycle, possible are %.0f", p.Vectors, c.what, c.value, c.atMost)
			}
		}
	}
}

// The kernel of the clock returns how many additions it made.
func TestChainIsAsLongAsCounted(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("kernels are written for amd64 only")
	}
	for _, n := range []int64{1, 2, 1000} {
		if got := chain(n); got != additions*n {
			t.Errorf("%d iterations made %d additions, want %d", n, got, additions*n)
		}
	}
}

// A read that crosses lines of the cache is slower, so the buffer begins at one.
func TestBufferIsAligned(t *testing.T) {
	for range 10 {
		if b := make([]byte, large); uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
			t.Fatalf("a large buffer at %p", &b[0])
		}
	}
}
