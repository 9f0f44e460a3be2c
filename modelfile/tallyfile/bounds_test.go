package tallyfile_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/patchwork/modelfile/tallyfile"
)

// withHeader returns a record with a header of its own, and the right checksum.
func withHeader(t *testing.T, head string) []byte {
	record := bytesOf(t, part(t, "a", 1, 5))
	first, rest, _ := bytes.Cut(record, []byte("\n"))
	var version, was, body int
	if _, err := fmt.Sscanf(string(first), "patchwork-tally %d %d %d", &version, &was, &body); err != nil {
		t.Fatal(err)
	}
	content := append([]byte(head), rest[was:]...)
	return append(fmt.Appendf(nil, "patchwork-tally 3 %d %d %x\n", len(head), body, sha256.Sum256(content)), content...)
}

// Headers that would take much more memory than their bytes are refused before they are decoded.
func TestHeadersAreJudgedFirst(t *testing.T) {
	for head, want := range map[string]string{
		`{"shards":[{}` + strings.Repeat(",{}", 4<<16) + `]}`:                                                           "its header: field shards: more than 262144 objects",
		`{"shards":[` + strings.Repeat("null,", 1<<20) + `null]}`:                                                       "its header: field shards: null is in a list",
		`{"shards":[` + strings.Repeat("[],", 4<<16) + `[]]}`:                                                           "its header: field shards: more than 262144 lists",
		`{"shards":[` + strings.Repeat("1,", 1<<21) + `1]}`:                                                             "its header: field shards: more than 1048576 values",
		`{"model":"a","b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1}`: "its header: an object has more than 16 fields",
		`{"model":` + strings.Repeat("1", 1<<20) + `}`:                                                                  "its header: field model: a number has more than 64 bytes",
		strings.Repeat(" ", 1<<24) + "{}":                                                                               "its header has 16777218 bytes, more than 16777216; count the rows in fewer, larger pieces",
		`{"shards":[{"id":"a","rows":5}` + strings.Repeat(`,{"id":"b"}`, 1<<16) + `]}`:                                  "65537 shards, more than 65536; count the rows in fewer, larger pieces",
		`{"shards":[` + strings.Repeat("1,", 1<<19) + `1]}`:                                                             "its header: 1 in a list at byte 11 is no object",
		`{"model":"a","wings":2}`:                                                                                       `its header: unknown field "wings"`,
	} {
		file := withHeader(t, head)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readAll(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", head, err, want)
		}
		// The content as it grows; the last but one is decoded.
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(6*len(file))+24<<20 {
			t.Errorf("%.40s: %d bytes allocated for %d", head, used, len(file))
		}
	}
}

// Parts of as many shards as anyone has are written and read; more are refused by both.
func TestManyShards(t *testing.T) {
	p := part(t, "z", 1, 5)
	last := p.Shards[0]
	p.Shards = nil
	for i := range 1<<16 - 1 {
		p.Shards = append(p.Shards, tallyfile.Shard{ID: fmt.Sprintf("sha256:%064d", i), Source: fmt.Sprintf("rows-%d.npy", i),
			File: fmt.Sprintf("file:%064d", i), To: 5})
	}
	p.Shards = append(p.Shards, last)
	if parts, err := readAll(bytes.NewReader(bytesOf(t, p))); err != nil || len(parts[0].Shards) != 1<<16 {
		t.Fatal(err)
	}
	p.Shards = append(p.Shards, tallyfile.Shard{ID: "zz"})
	if err := tallyfile.Write(new(bytes.Buffer), p); err == nil || !strings.Contains(err.Error(), "65537 shards, more than 65536") {
		t.Error(err)
	}
}
