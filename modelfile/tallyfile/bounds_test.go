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
		`{"shards":[{}` + strings.Repeat(",{}", 4<<16) +
			`]}`: "its header: more than 262144 lists and objects",
		`{"shards":[` + strings.Repeat("null,", 1<<19) + `null]}`: "its header: null in a list",
		`{"shards":[` + strings.Repeat("[],", 4<<16) + `[]]}`:     "its header: [] in a list",
		`{"model":` + strings.Repeat("1", 1<<20) + `}`:            "has more than 64 bytes",
		strings.Repeat(" ", 1<<22) +
			"{}": "its header has 4194306 bytes, more than 4194304; count the " +
			"rows in fewer, larger pieces",
		`{"shards":[{"id":"a","rows":5}` + strings.Repeat(`,{"id":"b"}`, 1<<14) +
			`]}`: "16385 shards, more than 16384; count the rows in fewer, larger pieces",
		`{"shards":[` + strings.Repeat("1,", 1<<19) +
			`1]}`: "its header: 1 in a list, before byte 12",
		`{"model":"a","wings":2}`: `its header: unknown field "wings"`,
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
	for i := range 1<<14 - 1 {
		p.Shards = append(p.Shards, tallyfile.Shard{ID: fmt.Sprintf("sha256:%064d", i), Source: fmt.Sprintf("rows-%d.npy", i),
			File: fmt.Sprintf("file:%064d", i), To: 5})
	}
	p.Shards = append(p.Shards, last)
	if parts, err := readAll(bytes.NewReader(bytesOf(t, p))); err != nil || len(parts[0].Shards) != 1<<14 {
		t.Fatal(err)
	}
	p.Shards = append(p.Shards, tallyfile.Shard{ID: "zz"})
	if err := tallyfile.Write(new(bytes.Buffer), p); err == nil ||
		!strings.Contains(err.Error(), "16385 shards, more than 16384") {
		t.Error(err)
	}
}
