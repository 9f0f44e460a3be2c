package recall_test

import (
	"errors"
	"testing"

	"example.com/patchwork/internal/recall"
	"example.com/patchwork/internal/wire"
)

// notes is a memory that may fail.
type notes struct {
	values             map[string]string
	recalling, keeping error
}

func (n *notes) Recall(key string) ([]byte, bool, error) {
	v, ok := n.values[key]
	return []byte(v), ok, n.recalling
}

func (n *notes) Keep(key string, value []byte) error {
	n.values[key] = string(value)
	return n.keeping
}

func TestOr(t *testing.T) {
	bad := errors.New("bad")
	for name, c := range map[string]struct {
		memory recall.Memory
		works  error
		want   int
		worked bool
		err    string
	}{
		"no memory":   {nil, nil, 7, true, ""},
		"nothing":     {&notes{values: map[string]string{}}, nil, 7, true, ""},
		"kept":        {&notes{values: map[string]string{"k": "\x08"}}, nil, 8, false, ""},
		"another key": {&notes{values: map[string]string{"l": "\x08"}}, nil, 7, true, ""},
		"damaged":     {&notes{values: map[string]string{"k": "eight"}}, nil, 7, true, ""},
		"no recall":   {&notes{values: map[string]string{"k": "\x08"}, recalling: bad}, nil, 0, false, "recall a step: bad"},
		"no keeping":  {&notes{values: map[string]string{}, keeping: bad}, nil, 0, true, "keep a step: bad"},
		"no work":     {&notes{values: map[string]string{}}, bad, 0, true, "bad"},
	} {
		worked := false
		seven := 7
		got, err := recall.Or(c.memory, "a step", func() string { return "k" },
			func(c *wire.Codec, n *int) { wire.Count(c, n, 9) }, func() (*int, error) {
				worked = true
				return &seven, c.works
			})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got != nil && *got != c.want || (got == nil) != (c.want == 0) || worked != c.worked || said != c.err {
			t.Errorf("%s: %v, worked %v, error %q", name, got, worked, said)
		}
		if n, ok := c.memory.(*notes); ok && worked && c.works == nil && n.values["k"] != "\x07" {
			t.Errorf("%s: kept %q", name, n.values["k"])
		}
	}
}
