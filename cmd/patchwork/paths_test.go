package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/testenv"
)

// Two environment variables of TestPathsAgreeOnRealSets: onePath makes it the
// child that works on one path, in the folder it names; everyImage takes all
// images, which needs minutes, instead of a few.
const (
	onePath    = "PATCHWORK_TEST_ONE_PATH"
	everyImage = "PATCHWORK_FULL"
)

// realSet is a public data set and how to learn from it.
type realSet struct {
	name, file string
	opts       dataset.Options
	few        int      // images of the short test
	learn      []string // flags of each model
	widely     bool     // place the experts of its first model anywhere in the scenes
}

// The flags of learning, all quick: experts that do not move, by batch EM or, if that
// takes long, in one pass, and experts with poses.
func batch(rule string) string {
	take := " --rows :4"
	if os.Getenv(everyImage) != "" {
		take = " --rows :15"
	}
	return "--rule " + rule + " --method batch --starts 1 -k 2" + take
}

func onePass(rule string) string {
	return "--rule " + rule + " --method online --starts 2 -k 3 --rows :200"
}

func moving(rule string, shift, step int, rotate string) string {
	s := fmt.Sprintf("--rule %s --starts 1 -k 2 --shift %d:%d --rows :20", rule, shift, step)
	if rotate != "" {
		s += " --rotate " + rotate
	}
	return s
}

// everyTime are the sets that are not only for make long: some of each kind of images
// and tables.
var everyTime = []string{"letters", "mnist", "optdigits", "alphadigits", "votes", "spect", "brca", "kdd"}

func realSets() []realSet {
	tableModels := []string{onePass("max"), batch("max"), onePass("max-minus-min"), batch("max-minus-min"),
		"--method soft -k 3 --rows :400"}
	images := func(shift, step int, rotate string) []string {
		return []string{moving("max", shift, step, rotate), onePass("max"), moving("max-minus-min", 1, 1, ""),
			onePass("max-minus-min")}
	}
	gray := 127.0
	sets := []realSet{
		{name: "letters", file: "ticc_sample/ticc_report_tsne_654.npz", few: 2, learn: images(6, 2, "12:12")},
		{name: "report", file: "ticc_sample/ticc_report_fig1_100.npz", few: 2, learn: images(6, 3, "")},
		{name: "hand", file: "chars74k_hnd/chars74k_hnd_56.npz", few: 2, learn: images(4, 2, "")},
		{name: "mnist", file: "mnist_t10k/t10k-images-idx3-ubyte.gz", opts: dataset.Options{Threshold: &gray}, few: 4,
			learn: images(2, 1, ""), widely: true},
		{name: "omniglot", file: "omniglot_small1/omniglot_small1.npz", few: 2,
			learn: []string{moving("max", 9, 3, ""), onePass("max-minus-min")}},
		{name: "optdigits", file: "optdigits_orig/optdigits_orig.npz", few: 4, learn: images(2, 1, "10:10"), widely: true},
		{name: "alphadigits", file: "binary_alphadigits/binary_alphadigits.npz", few: 4,
			learn: append(images(2, 1, ""), batch("max-minus-min"))},
		{name: "ocr", file: "debd/ocr_letters.valid.data.gz", opts: dataset.Options{Height: 16, Width: 8}, few: 6,
			learn: images(2, 1, "")},
	}
	for i, table := range [][2]string{
		{"votes", "house_votes_84/house_votes_84.npz"}, {"spect", "spect_heart/spect_heart.npz"},
		{"brca", "tcga_mutations/BRCA.npz"},
		{"groceries", "groceries/groceries.npz"}, {"mushroom", "mushroom/mushroom.npz"}, {"plants", "plants/plants.npz"},
		{"nltcs", "debd/nltcs.train.data.gz"}, {"states", "debd/plants.train.data.gz"},
		{"mushrooms", "debd/mushrooms.test.data.gz"},
		{"msnbc", "debd/msnbc.test.data.gz"}, {"kdd", "debd/kdd.valid.data.gz"},
	} {
		few := 30
		if i < 2 { // narrow ones: so many that also two-sided rows go by blocks
			few = 140
		}
		sets = append(sets, realSet{name: table[0], file: table[1], few: few, learn: tableModels})
	}
	if testenv.Full() {
		return sets
	}
	return slices.DeleteFunc(sets, func(s realSet) bool { return !slices.Contains(everyTime, s.name) })
}

// requests lists what is run with every model: explanations in all ways, and scores.
var requests = []string{
	"explain", "explain --pursuit refined", "explain --pursuit paper", "explain --best 4", "score --json",
	"score --json --hide 0.2",
}

// Every path of the inner loops learns the same models from real data, byte for
// byte, and explains it by the same lines. The path is chosen when the program starts,
// so each has a process.
func TestPathsAgreeOnRealSets(t *testing.T) {
	if dir := os.Getenv(onePath); dir != "" {
		t.Chdir(dir)
		askAll(t)
		return
	}
	if raceDetector {
		t.Skip("paths differ in what they compute, not in their goroutines: nothing for the race detector")
	}
	testenv.Slow(t)
	data := t.TempDir()
	saveSets(t, data)
	paths := []string{"reference", "portable", "avx2", "avx512"}
	t.Run("path", func(t *testing.T) {
		for _, path := range paths {
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				askOnPath(t, path, filepath.Join(data, path))
			})
		}
	})
	for _, path := range paths[1:] {
		if dir := filepath.Join(data, path); listing(t, dir) != "" && !t.Failed() {
			compareFolders(t, filepath.Join(data, paths[0]), dir)
		}
	}
}

// askOnPath runs this test as the child of a path. If the machine lacks the path, the
// folder stays empty.
func askOnPath(t *testing.T, path, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	child := process(t, dir, "-test.run", "^TestPathsAgreeOnRealSets$", "-test.timeout", "12h")
	child.Env = append(os.Environ(), onePath+"="+dir, "PATCHWORK_KERNEL="+path)
	out, err := child.CombinedOutput()
	if strings.Contains(string(out), "is not one that this machine and build have") {
		t.Skipf("this machine has no %s", path)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// saveSets writes the sets as archives, or the first images of each.
func saveSets(t *testing.T, dir string) {
	t.Helper()
	for _, set := range realSets() {
		all, err := dataset.Read([]string{testenv.Shared(t, "data/"+set.file)}, set.opts)
		if err != nil {
			t.Fatal(err)
		}
		all = spread(all, set.few)
		if err := saveSet(filepath.Join(dir, set.name+".npz"), all); err != nil {
			t.Fatal(err)
		}
		if set.widely {
			if err := saveSet(filepath.Join(dir, set.name+"-scenes.npz"), scenesOf(all)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// spread returns n images from all over a set, or all with everyImage.
func spread(s *dataset.Set, n int) *dataset.Set {
	if os.Getenv(everyImage) != "" {
		return s
	}
	var index []int
	for i := range n {
		index = append(index, i*s.Len()/n)
	}
	return s.Pick(index)
}

// scenesOf puts every two images of a set together into one of twice the size,
// the second one over the first.
func scenesOf(s *dataset.Set) *dataset.Set {
	h, w := s.Size()
	out := &dataset.Set{}
	for i := 0; i+1 < s.Len(); i += 2 {
		scene := bitmap.New(2*h, 2*w)
		for j, m := range s.Images[i : i+2] {
			dy, dx := (7*i+11*j)%(h+1), (5*i+13*j)%(w+1)
			for p := range h * w {
				if m.At(p/w, p%w) {
					scene.Set(p/w+dy, p%w+dx, true)
				}
			}
		}
		out.Images = append(out.Images, scene)
	}
	return out
}

// askAll learns all models from the archives in the folder above, and writes their
// answers into this one.
func askAll(t *testing.T) {
	for _, set := range realSets() {
		data := filepath.Join("..", set.name+".npz")
		for i, flags := range set.learn {
			model := fmt.Sprintf("%s-%d.npz", set.name, i)
			must(t, fields("learn "+data+" -o "+model+" --seed 5 -q "+flags)...)
			ask(t, question{model: model, number: i, data: data, learned: flags})
			if set.widely && i == 0 {
				ask(t, question{model: model, number: i, data: filepath.Join("..", set.name+"-scenes.npz"), learned: flags,
					scene: " --scene --reuse 2"})
			}
		}
	}
}

// question is a model, its number among those of its set, how it was learned, and
// images to explain.
type question struct {
	model                string
	number               int
	data, learned, scene string
}

// ask makes the requests that a model can answer: in the short test every other
// one, by the model's number; of all images the first, and each other one of
// another tenth of them.
func ask(t *testing.T, q question) {
	t.Helper()
	set, err := dataset.Read([]string{q.data}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	full := os.Getenv(everyImage) != ""
	more := q.scene
	if !full && strings.Contains(q.learned, "--rule max ") && more == "" && strings.Contains(q.learned, "--shift ") {
		more = " --shift 13,7" // so many that bounds pay from the first image on
	}
	for j, request := range requests {
		some := ""
		if tenth := (set.Len() + 9) / 10; full && j > 0 {
			some = fmt.Sprintf(" --rows %d:%d", min(j*tenth, set.Len()-1)+1, min(j*tenth, set.Len()-1)+tenth)
		}
		switch {
		case q.scene != "" && strings.Contains(request, "--hide"),
			!full && j%2 != q.number%2:
			continue
		}
		out := must(t, fields(request+" -m "+q.model+" "+q.data+more+some+" -q")...)
		write(t, fmt.Sprintf("%s-%s-%d.txt", q.model, strings.TrimSuffix(filepath.Base(q.data), ".npz"), j), out)
	}
}

// compareFolders checks that two folders have the same files with the same content.
func compareFolders(t *testing.T, first, other string) {
	t.Helper()
	names := listing(t, first)
	if again := listing(t, other); again != names || names == "" {
		t.Fatalf("%s has the files %s,\n%s has %s", first, names, other, again)
	}
	for _, name := range strings.Fields(names) {
		a, b := read(t, filepath.Join(first, name)), read(t, filepath.Join(other, name))
		if a == "" || a != b {
			t.Errorf("%s, %d bytes: %s has other bytes than %s", name, len(a), other, first)
		}
	}
}
