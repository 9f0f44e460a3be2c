package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A process that runs many command lines, as patchwork pipe does, keeps nothing of those
// that have ended.
func TestCommandsAreForgotten(t *testing.T) {
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	must(t, "version")
	before := inUse()
	for range 40 {
		must(t, "version")
	}
	if kept := inUse() - before; kept > 1<<20 {
		t.Errorf("40 commands leave %d bytes", kept)
	}
}

// Whatever a process has already, there is room for data beside it; and GOMEMLIMIT holds.
func TestRoomForData(t *testing.T) {
	const data = 1 << 20
	if room := roomFor(data); room < data+32<<20 {
		t.Errorf("room of %d bytes in a process that has begun", room)
	}
	block := make([]byte, 256<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	if room := roomFor(data); room < data+int64(len(block)) {
		t.Errorf("room of %d bytes in a process that has %d", room, len(block))
	}
	runtime.KeepAlive(block)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(10 << 20))
	if room := roomFor(data); room != 10<<20 {
		t.Errorf("room of %d bytes where GOMEMLIMIT is 10 MiB", room)
	}
}
