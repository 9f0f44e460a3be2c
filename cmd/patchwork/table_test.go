package main

import (
	"strings"
	"testing"

	"example.com/patchwork/table"

	"example.com/patchwork"
	"example.com/patchwork/modelfile"
)

// learn --method soft writes a model like any other: it is the library's, and predict,
// score --hide and explain --best accept it.
func TestLearnSoft(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth bars --n 120 --side 3 --seed 1 -o bars.npz")...)
	out := must(t, fields(
		"learn bars.npz -o m.npz --method soft --experts auto --aim interpret --start-from grow --seed 5 --workers 2")...)
	for _, want := range []string{"from 120 images of 3 x 3", "description length", "chosen is the shortest description",
		"wrote m.npz"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	m, err := modelfile.Load("m.npz")
	if err != nil {
		t.Fatal(err)
	}
	data := readSet(t, "bars.npz").Data
	c := patchwork.NewConfig(patchwork.RuleMax, 3, 3, m.Config().Poses)
	want, err := table.Learn(t.Context(), data, c, table.Options{StartFrom: table.StartFromGrow, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if m.K() != want.K() || m.Config().QMap == nil || m.Extras().Usage == nil {
		t.Fatalf("%d experts, the library has %d; background %v", m.K(), want.K(), m.Config().QMap)
	}
	for i, q := range want.Config().QMap {
		if m.Config().QMap[i] != q {
			t.Errorf("background %d is %v, the library's is %v", i, m.Config().QMap[i], q)
		}
	}
	got := m.Extras().Record
	if got.Method != "soft" || got.Mode != "interpret" || len(got.Curve) == 0 ||
		got.DescriptionLength != want.Extras().Record.DescriptionLength {
		t.Errorf("record %+v", got)
	}
	for _, line := range []string{"predict -m m.npz bars.npz --rows :3 -o p.csv", "score -m m.npz bars.npz --hide 0.2",
		"explain -m m.npz bars.npz --best 2 --rows :2", "show m.npz"} {
		must(t, fields(line)...)
	}
}

// Learning to predict reports how well hidden bits are predicted, and the file is the
// same for any number of workers.
func TestLearnSoftPredicts(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth bars --n 100 --side 3 --seed 2 -o bars.npz")...)
	line := "learn bars.npz --rule max-minus-min --method soft --aim predict --experts 4"
	out := must(t, fields(line+" -o one.npz --workers 1")...)
	must(t, fields(line+" -o two.npz --workers 3")...)
	if !strings.Contains(out, "hidden bits of held-out images") {
		t.Errorf("output\n%s", out)
	}
	if read(t, "one.npz") != read(t, "two.npz") {
		t.Error("another file with other workers")
	}
}

func TestLearnSoftRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, fields("synth bars --n 10 -o bars.npz")...)
	for line, says := range map[string]string{
		"--method soft -k 2 --shift 3":             "--shift cannot be combined with --method soft",
		"--method soft -k 2 --for paper":           "--for cannot be combined with",
		"--method soft -k 2 --start-from orders":   "give grow, mixture or both",
		"--method batch -k 2 --start-from mixture": "--start-from mixture is for --method soft",
		"-k 2 --aim interpret --starts 2":          "--aim is for --method soft",
		"--method soft -k 2 --aim interesting":     "interpret or predict",
	} {
		got := patchworkCommand(t, fields("learn bars.npz -o m.npz "+line)...)
		if got.code != 2 || !strings.Contains(got.err, says) {
			t.Errorf("%s: exit code %d, %s", line, got.code, got.err)
		}
	}
}
