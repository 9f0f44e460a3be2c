package tallyfile_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile/tallyfile"
	"example.com/patchwork/pose"
	"example.com/patchwork/table"
	"pgregory.net/rapid"
)

func model(t interface{ Fatal(...any) }) *patchwork.Model {
	cfg := patchwork.NewConfig(patchwork.RuleMax, 2, 3, pose.Grid{})
	m, err := patchwork.NewModel(cfg, [][]float64{{.9, .9, .1, .1, .1, .1}, {.1, .1, .1, .1, .8, .8}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// part returns the tally of some images drawn from the seed.
func part(t interface{ Fatal(...any) }, id string, seed, n int) *tallyfile.Part {
	m := model(t)
	data := patchwork.Data{}
	for i := range n {
		img := bitmap.New(2, 3)
		for j := range 6 {
			img.Set(j/3, j%3, (seed+i*5+j*j)%3 == 0)
		}
		data.Images = append(data.Images, img)
	}
	tally, err := patchwork.EStep(context.Background(), m, data, patchwork.PursuitOptions{}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := tallyfile.HashModel(m)
	if err != nil {
		t.Fatal(err)
	}
	return &tallyfile.Part{Model: hash, Options: "start empty", Tally: tally,
		Shards: []tallyfile.Shard{{ID: id, Source: id + ".npy", Rows: int64(n)}}}
}

// softPart returns the soft counts of some images.
func softPart(t interface{ Fatal(...any) }, id string, n int) *tallyfile.Part {
	p := part(t, id, 1, n)
	data := patchwork.Data{}
	for i := range n {
		img := bitmap.New(2, 3)
		img.Set(0, i%3, true)
		data.Images = append(data.Images, img)
	}
	var err error
	if p.Soft, err = table.Count(context.Background(), model(t), data, 1); err != nil {
		t.Fatal(err)
	}
	p.Tally = new(patchwork.Tally)
	return p
}

// Soft counts are read as they were written, add up, and do not mix with others.
func TestSoftParts(t *testing.T) {
	a, b := softPart(t, "a", 5), softPart(t, "b", 7)
	parts, err := readAll(bytes.NewReader(slices.Concat(bytesOf(t, a), bytesOf(t, b))))
	if err != nil || len(parts) != 2 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	if err := parts[1].Merge(parts[0]); err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(b); err != nil || a.Rows() != 12 || a.LogLik() >= 0 || a.Picks() < 0 {
		t.Fatalf("%d rows, %v", a.Rows(), err)
	}
	if !bytes.Equal(bytesOf(t, a), bytesOf(t, parts[1])) {
		t.Error("other bytes in another order")
	}
	var mismatch *tallyfile.MismatchError
	if err := a.Merge(part(t, "c", 1, 3)); !errors.As(err, &mismatch) {
		t.Errorf("hard counts were added to soft ones: %v", err)
	}
	if hard := part(t, "c", 1, 3); !errors.As(hard.Merge(b), &mismatch) {
		t.Error("soft counts were added to hard ones")
	}
}

// realPart returns the counts of some rows of real values.
func realPart(t interface{ Fatal(...any) }, id string, n int) *tallyfile.Part {
	m := &real.Model{Height: 1, Width: 2, Background: []real.Normal{{Mean: 1, Var: 1}, {Var: 4}},
		Scales:  []real.Scale{{Step: .5, Floor: 1}, {Step: 1, Floor: 1}},
		Experts: [][]real.Entry{{{Vote: real.MeanOnly, Normal: real.Normal{Mean: 6, Var: 1}}, {}}}}
	data := &real.Data{Height: 1, Width: 2, Scales: m.Scales}
	for i := range n {
		data.Rows = append(data.Rows, []float64{float64(i) / 2, float64(i % 3)})
	}
	tally, err := real.EStep(context.Background(), m, data, 1)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := tallyfile.HashReal(m)
	if err != nil {
		t.Fatal(err)
	}
	return &tallyfile.Part{Model: hash, Options: "real", Real: tally, Shards: []tallyfile.Shard{{ID: id, Rows: int64(n)}}}
}

// Counts of real values are read as they were written, add up, and do not mix with those of bits.
func TestRealParts(t *testing.T) {
	a, b := realPart(t, "a", 20), realPart(t, "b", 7)
	parts, err := readAll(bytes.NewReader(slices.Concat(bytesOf(t, a), bytesOf(t, b))))
	if err != nil || len(parts) != 2 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	if err := parts[1].Merge(parts[0]); err != nil {
		t.Fatal(err)
	}
	picks := a.Picks() + b.Picks()
	if err := a.Merge(b); err != nil || a.Rows() != 27 || a.LogLik() >= 0 || picks < 10 || a.Picks() != picks {
		t.Fatalf("%d rows, %d picks, %v", a.Rows(), a.Picks(), err)
	}
	if !bytes.Equal(bytesOf(t, a), bytesOf(t, parts[1])) {
		t.Error("other bytes in another order")
	}
	for _, other := range []*tallyfile.Part{part(t, "c", 1, 3), softPart(t, "c", 2)} {
		other.Model, other.Options = a.Model, a.Options
		var mismatch *tallyfile.MismatchError
		if !errors.As(a.Merge(other), &mismatch) || !errors.As(other.Merge(a), &mismatch) {
			t.Error("counts of bits were added to those of real values")
		}
	}
}

// TestIdentityOfValues: the same rows are the same, in any blocks; others are not, nor are rows of other sides.
func TestIdentityOfValues(t *testing.T) {
	nan := math.NaN()
	id := func(h, w int, blocks ...[][]float64) string {
		i := tallyfile.NewIdentity()
		for _, b := range blocks {
			i.AddValues(h, w, b)
		}
		return i.String()
	}
	rows := [][]float64{{1, nan}, {math.Copysign(0, -1), 3}}
	want := id(1, 2, rows)
	if got := id(1, 2, rows[:1], [][]float64{{0, 3}}); got != want {
		t.Error("blocks or the sign of 0 change what rows are")
	}
	for _, other := range []string{id(2, 1, rows), id(1, 2, rows[1:], rows[:1]), id(1, 2, [][]float64{{1, 0}, {0, 3}})} {
		if other == want {
			t.Error("other rows are the same")
		}
	}
}

func bytesOf(t interface{ Fatal(...any) }, p *tallyfile.Part) []byte {
	var b bytes.Buffer
	if err := tallyfile.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readAll(r io.Reader) (parts []*tallyfile.Part, err error) {
	for p, err := range tallyfile.Read(r) {
		if err != nil {
			return parts, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// TestMergeInAnyOrder: files joined in any order, in either form, merge to the
// same bytes.
func TestMergeInAnyOrder(t *testing.T) {
	want := part(t, "a", 0, 3)
	for i, id := range []string{"b", "c", "d"} {
		if err := want.Merge(part(t, id, i+1, i+1)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var file bytes.Buffer
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order") {
			p := part(t, string(rune('a'+i)), i, []int{3, 1, 2, 3}[i])
			write := tallyfile.Write
			if rapid.Bool().Draw(t, "line") {
				write = tallyfile.WriteLine
			}
			if err := write(&file, p); err != nil {
				t.Fatal(err)
			}
		}
		parts, err := readAll(&file)
		if err != nil || len(parts) != 4 {
			t.Fatalf("%d parts, %v", len(parts), err)
		}
		for _, p := range parts[1:] {
			if err := parts[0].Merge(p); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(bytesOf(t, parts[0]), bytesOf(t, want)) {
			t.Fatal("another order, other bytes")
		}
	})
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*tallyfile.Part)
		want   string
	}{
		"twice": {func(p *tallyfile.Part) { p.Shards[0].ID = "a" },
			"shard a is in a.npy and in b.npy: it would be counted twice"},
		"another model": {func(p *tallyfile.Part) { p.Model = strings.Repeat("0", 64) },
			"only parts made with the same model"},
		"another size": {func(p *tallyfile.Part) {
			m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMax, 2, 2, pose.Grid{}),
				[][]float64{make([]float64, 4)})
			if err != nil {
				t.Fatal(err)
			}
			p.Tally = patchwork.NewTally(m)
		}, "b.npy counts 1 parts of 2 x 2"},
		"other options": {func(p *tallyfile.Part) { p.Options = "start forced" }, `"start forced"`},
	} {
		a, b := part(t, "a", 0, 2), part(t, "b", 1, 2)
		c.change(b)
		before := bytesOf(t, a)
		var mismatch *tallyfile.MismatchError
		if err := a.Merge(b); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
		if !bytes.Equal(before, bytesOf(t, a)) {
			t.Errorf("%s: the refused part changed the sum", name)
		}
	}
}

// TestDamageIsRefused: any damage to a file is detected: a byte changed, cut
// off, or inserted.
func TestDamageIsRefused(t *testing.T) {
	good := bytesOf(t, part(t, "a", 0, 3))
	for i := range good {
		changed := slices.Clone(good)
		changed[i] ^= 1 << (i % 8)
		if parts, err := readAll(bytes.NewReader(changed)); err == nil && !bytes.Equal(bytesOf(t, parts[0]), good) {
			t.Fatalf("byte %d changed: read as another part", i)
		}
		if i > 0 {
			if _, err := readAll(bytes.NewReader(good[:i])); err == nil {
				t.Fatalf("cut to %d bytes: no error", i)
			}
		}
	}
	for name, c := range map[string]struct{ file, want string }{
		"empty":   {"", "record 1, at byte 0: the file is empty"},
		"foreign": {"PK\x03\x04 a zip", `begins with`},
		"newer":   {strings.Replace(string(good), "tally 3 ", "tally 4 ", 1), "version 4; this program reads version 3"},
		"older":   {strings.Replace(string(good), "tally 3 ", "tally 1 ", 1), "version 1; this program reads version 3"},
		"damaged": {string(good[:len(good)-1]) + "\xff", "the file is damaged"},
		"cut":     {string(good[:len(good)-3]), "ends after"},
		"rest":    {string(good) + "x", fmt.Sprintf("record 2, at byte %d", len(good))},
		"boast":   {"patchwork-tally 3 1 4294967296 " + strings.Repeat("00", 32) + "\n", "first line"},
		"boast 2": {"patchwork-tally 3 1 4294967295 " + strings.Repeat("00", 32) + "\n", "ends after 0 of 4294967296 bytes"},
		"boast 3": {"patchwork-tally 3 9223372036854775807 9223372036854775807 " + strings.Repeat("00", 32) + "\n",
			"first line"},
		"base64": {"patchwork-tally-base64 ???\n", "not base64"},
		"two": {"patchwork-tally-base64 " + base64.StdEncoding.EncodeToString(slices.Concat(good, good)) + "\n",
			"bytes follow the record"},
		"no lines": {"patchwork-tally-base64 \n", "the line is empty"},
	} {
		_, err := readAll(strings.NewReader(c.file))
		var format *tallyfile.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestWriteChecks: a part with a wrong number of rows is not written.
func TestWriteChecks(t *testing.T) {
	for _, change := range []func(*tallyfile.Part){
		func(p *tallyfile.Part) { p.Shards[0].Rows++ },
		func(p *tallyfile.Part) { p.Shards[0].ID = "" },
		func(p *tallyfile.Part) { p.Shards = append(p.Shards, tallyfile.Shard{ID: "a"}) },
	} {
		p := part(t, "a", 0, 2)
		change(p)
		var format *tallyfile.FormatError
		var b bytes.Buffer
		if err := tallyfile.Write(&b, p); !errors.As(err, &format) || b.Len() > 0 {
			t.Errorf("error %v, and %d bytes", err, b.Len())
		}
	}
}

// TestHashModel: the hash depends on what the model says, not on how it was
// learned.
func TestHashModel(t *testing.T) {
	m := model(t)
	h1, _ := tallyfile.HashModel(m)
	learned, err := m.WithExtras(patchwork.Extras{Usage: []float64{.5, .5}, Record: patchwork.Record{Seed: 7}})
	if err != nil {
		t.Fatal(err)
	}
	if h2, _ := tallyfile.HashModel(learned); h1 != h2 || len(h1) != 64 {
		t.Errorf("%s and %s", h1, h2)
	}
	templates := m.Templates()
	templates[1][0] = .2
	other, _ := patchwork.NewModel(m.Config(), templates)
	if h3, _ := tallyfile.HashModel(other); h3 == h1 {
		t.Error("another template, the same hash")
	}
}

// TestIdentity: the identity of rows does not depend on the blocks they come
// in, and differs from that of other rows.
func TestIdentity(t *testing.T) {
	rows := func(n int) patchwork.Data {
		d := patchwork.Data{Weights: make([]int64, n)}
		for i := range n {
			img := bitmap.New(1, 9)
			img.Set(0, i%9, true)
			d.Images, d.Weights[i] = append(d.Images, img), int64(i+1)
		}
		return d
	}
	all := rows(10)
	whole, cut := tallyfile.NewIdentity(), tallyfile.NewIdentity()
	whole.Add(all)
	for i := range 5 {
		cut.Add(patchwork.Data{Images: all.Images[2*i : 2*i+2], Weights: all.Weights[2*i : 2*i+2]})
	}
	if whole.String() != cut.String() {
		t.Error("the identity depends on the blocks")
	}
	for name, change := range map[string]func(*patchwork.Data){
		"weight":  func(d *patchwork.Data) { d.Weights[3]++ },
		"pixel":   func(d *patchwork.Data) { d.Images[3].Set(0, 8, true) },
		"unknown": func(d *patchwork.Data) { d.Images[3].SetUnknown(0, 0) },
		"order":   func(d *patchwork.Data) { d.Images[3], d.Images[4] = d.Images[4], d.Images[3] },
	} {
		d := rows(10)
		change(&d)
		other := tallyfile.NewIdentity()
		other.Add(d)
		if other.String() == whole.String() {
			t.Errorf("another %s, the same identity", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	p := part(f, "a", 0, 3)
	good := bytesOf(f, p)
	var line bytes.Buffer
	if err := tallyfile.WriteLine(&line, p); err != nil {
		f.Fatal(err)
	}
	f.Add(bytesOf(f, softPart(f, "soft", 4)))
	f.Add(bytesOf(f, counting(f, "rows", "f", 0, 60)))
	f.Add(good)
	f.Add(line.Bytes())
	f.Add(slices.Concat(good, line.Bytes()))
	f.Add(good[:len(good)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		parts, err := readAll(bytes.NewReader(data))
		var format *tallyfile.FormatError
		if err != nil && !errors.As(err, &format) {
			t.Fatalf("error %v of %T", err, err)
		}
		for _, p := range parts {
			again, err := readAll(bytes.NewReader(bytesOf(t, p)))
			if err != nil || len(again) != 1 {
				t.Fatalf("what was read and written: %d parts, %v", len(again), err)
			}
		}
	})
}
