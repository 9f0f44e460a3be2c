//go:build linux && amd64

package kernel

import (
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// multiplyPlain does what RowLoops.Multiply says.
func multiplyPlain(a []byte, depth int, b []byte, out []int32, vectors int) {
	for k := range len(a) / (64 * depth) {
		for v := range vectors {
			for p := range 3 {
				for c := range 16 {
					sum := int32(0)
					for i := range 64 * depth {
						sum += int32(a[64*depth*k+i]) * int32(b[1024*((v*depth+i/64)*3+p)+i%64/4*64+4*c+i%4])
					}
					out[(3*k+p)*16*vectors+16*v+c] = sum
				}
			}
		}
	}
}

// Tiles multiply as plain Go does, while the collector runs, signals arrive and many goroutines
// do the same.
func TestTilesAgree(t *testing.T) {
	multiply := multiplyTiles()
	if multiply == nil {
		t.Skip("this machine has no tiles, or may not use them")
	}
	met := make(chan os.Signal, 1)
	signal.Notify(met, syscall.SIGUSR1)
	defer signal.Stop(met)
	var work sync.WaitGroup
	for g := range 12 {
		work.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			depth, vectors, rows := 1+rng.IntN(4), 1+rng.IntN(4), 16*(1+rng.IntN(3))
			a, b := make([]byte, 64*depth*rows), make([]byte, 3*1024*depth*vectors)
			for _, s := range [][]byte{a, b} {
				for i := range s {
					s[i] = byte(rng.Uint32())
				}
			}
			want, got := make([]int32, 3*16*vectors*rows), make([]int32, 3*16*vectors*rows)
			multiplyPlain(a, depth, b, want, vectors)
			for range 200 {
				clear(got)
				multiply(a, depth, b, got, vectors)
				if !slices.Equal(got, want) {
					t.Errorf("depth %d, %d vectors, %d rows: other numbers", depth, vectors, rows)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		work.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
			runtime.GC()
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		}
	}
}
