package wire_test

import (
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"example.com/patchwork/internal/exact"
	"example.com/patchwork/internal/wire"
)

// record has a value of each kind.
type record struct {
	small  uint8
	word   int64
	list   []int32
	signed []int
	float  float64
	big    exact.Int128
}

func (r *record) code(c *wire.Codec) {
	c.Magic("rec")
	wire.Fixed(c, &r.small, 1)
	wire.Fixed(c, &r.word, 8)
	n := len(r.list)
	wire.Count(c, &n, 100)
	wire.List(c, &r.list, n)
	wire.Counts(c, r.list, 300)
	wire.List(c, &r.signed, n)
	for i := range r.signed {
		wire.Signed(c, &r.signed[i])
	}
	c.Float(&r.float)
	c.Int128(&r.big)
	c.Check(r.small != 9, "small is 9")
}

func TestCodec(t *testing.T) {
	want := record{7, -2, []int32{0, 300, 127}, []int{0, math.MinInt64, math.MaxInt64}, math.Inf(-1),
		exact.Int128{Hi: -1, Lo: 5}}
	b := wire.Marshal(want.code)
	var got record
	if err := wire.Unmarshal(b, got.code); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	if n, _ := binary.Varint(b[3+1+8+1+4+1:]); n != math.MinInt64 {
		t.Errorf("the signed number is %d as package binary reads it", n)
	}
	for cut := range b {
		if wire.Unmarshal(b[:cut], new(record).code) == nil {
			t.Errorf("%d of %d bytes are read", cut, len(b))
		}
	}
	for change, want := range map[string]string{
		"\x00":                         `byte 3: "\x00ec", not "rec"`,
		"rec\x09":                      "small is 9",
		"rec_12345678e":                "byte 12: 101, where at most 100 is possible",
		"rec_12345678d":                "where 100 values are to come",
		"rec_12345678\x03\xad\x02":     "byte 13: 301, where at most 300",
		"rec_12345678\x03\x80\x00\x00": "other bytes",
	} {
		changed := append([]byte(change), b[len(change):]...)
		if err := wire.Unmarshal(changed, new(record).code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", change, err, want)
		}
	}
	if err := wire.Unmarshal(append(b, 1), new(record).code); err == nil ||
		!strings.Contains(err.Error(), "1 bytes follow") {
		t.Error(err)
	}
}
