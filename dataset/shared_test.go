package dataset

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"strings"
	"testing"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/npy"
	"example.com/patchwork/internal/testenv"
)

// shared returns the path of a file among the public data sets, which are not
// part of this repository.
func shared(t *testing.T, name string) string {
	t.Helper()
	return testenv.Shared(t, "data/"+name)
}

func readShared(t *testing.T, name string, opts Options) *Set {
	t.Helper()
	s, err := Read([]string{shared(t, name)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// density returns the fraction of pixels that are on.
func density(s *Set) float64 {
	on, all := 0, 0
	for _, m := range s.Images {
		on += m.CountOn()
		all += m.Len()
	}
	return float64(on) / float64(all)
}

// TestPublicArchives compares size, columns and metadata of every archive with
// the description of the data set.
func TestPublicArchives(t *testing.T) {
	for name, want := range map[string]string{
		"binary_alphadigits/binary_alphadigits.npz": "1404 of 20 x 16, table false, 0 columns, meta y example",
		"chars74k_hnd/chars74k_hnd_56.npz":          "2850 of 56 x 56, table false, 0 columns, meta y writer",
		"groceries/groceries.npz":                   "9835 of 1 x 169, table true, 169 columns, meta",
		"house_votes_84/house_votes_84.npz":         "435 of 1 x 16, table true, 16 columns, meta y",
		"mushroom/mushroom.npz":                     "8124 of 1 x 117, table true, 117 columns, meta y",
		"omniglot_small1/omniglot_small1.npz":       "2720 of 105 x 105, table false, 0 columns, meta alphabet y writer",
		"optdigits_orig/optdigits_orig.npz":         "4677 of 32 x 32, table false, 0 columns, meta y split",
		"plants/plants.npz":                         "34781 of 1 x 70, table true, 70 columns, meta genus",
		"spect_heart/spect_heart.npz":               "267 of 1 x 22, table true, 0 columns, meta y split",
		"tcga_mutations/BRCA.npz":                   "507 of 1 x 202, table true, 202 columns, meta sample y",
		"ticc_sample/ticc_report_fig1_100.npz":      "100 of 56 x 56, table false, 0 columns, meta y",
		"ticc_sample/ticc_report_tsne_654.npz":      "654 of 56 x 56, table false, 0 columns, meta y map_row map_col",
	} {
		s := readShared(t, name, Options{})
		h, w := s.Size()
		got := fmt.Sprintf("%d of %d x %d, table %v, %d columns, meta", s.Len(), h, w, s.Table, len(s.Columns))
		for _, c := range s.Meta {
			got += " " + c.Name
		}
		if got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

func TestPublicSelection(t *testing.T) {
	s := readShared(t, "chars74k_hnd/chars74k_hnd_56.npz", Options{Where: conditions(t, "y=T", "writer<=20")})
	if s.Len() != 20 {
		t.Fatalf("%d images of T by the first 20 writers", s.Len())
	}
	for i := 1; i < 20; i++ {
		if s.Index[i] != s.Index[0]+i { // the file is sorted by class, then writer
			t.Fatalf("rows %v", s.Index)
		}
	}
	_, err := Read([]string{shared(t, "chars74k_hnd/chars74k_hnd_56.npz")}, Options{Where: conditions(t, "y=B")})
	if err == nil || !testenv.Said(t, err.Error()) {
		t.Errorf("left-out letter: %v", err)
	}
}

// TestPublicGray applies the threshold of the TiCC report to its gray images
// with dark ink.
func TestPublicGray(t *testing.T) {
	const name = "ticc_sample/ticc_report_fig1_100.npz"
	want := readShared(t, name, Options{})
	got := readShared(t, name, Options{Array: "gray", Threshold: threshold(127), Invert: true})
	for i, m := range want.Images {
		if !m.Equal(got.Images[i]) {
			t.Fatalf("image %d differs", i)
		}
	}
}

// TestPublicVotes: the original text file and an archive made from it elsewhere
// hold the same votes, unknown ones included.
func TestPublicVotes(t *testing.T) {
	text := readShared(t, "house_votes_84/house-votes-84.data", Options{Edits: []Edit{{Column: "Class", Want: "label"}}})
	array := readShared(t, "house_votes_84/house_votes_84.npz", Options{})
	unknown := 0
	for i, m := range array.Images {
		if !m.Equal(text.Images[i]) {
			t.Fatalf("row %d: %v and %v", i, m, text.Images[i])
		}
		if text.Meta[0].Text(i) != array.Meta[0].Text(i) || text.Columns[i%16] != array.Columns[i%16] {
			t.Fatalf("row %d: label or name differs", i)
		}
		unknown += m.Len() - m.CountKnown()
	}
	if unknown != 392 || text.Len() != 435 {
		t.Errorf("%d missing votes of %d members, published 392 of 435", unknown, text.Len())
	}
	by := readShared(t, "house_votes_84/house-votes-84.data", Options{})
	if by.Columns[0] != "Class=republican" || len(by.Columns) != 17 {
		t.Errorf("the rarer of two words is a bit: labels %v, columns %v", by.Meta, by.Columns)
	}
	if dem, err := text.Where(conditions(t, "Class=democrat")...); err != nil || dem.Len() != 267 {
		t.Errorf("democrats: %v, %v; published 267", dem, err)
	}
}

func TestPublicHeart(t *testing.T) {
	train := readShared(t, "spect_heart/SPECT.train", Options{Edits: []Edit{{Column: "outcome", Want: "label"}}})
	test := readShared(t, "spect_heart/SPECT.test", Options{Edits: []Edit{{Column: "outcome", Want: "label"}}})
	array := readShared(t, "spect_heart/spect_heart.npz", Options{})
	for i, m := range append(train.Images, test.Images...) {
		if !m.Equal(array.Images[i]) {
			t.Fatalf("patient %d differs", i)
		}
	}
	if train.Len() != 80 || test.Len() != 187 {
		t.Errorf("%d and %d patients, published 80 and 187", train.Len(), test.Len())
	}
}

func TestPublicTables(t *testing.T) {
	for name, want := range map[string]struct{ n, d int }{
		"debd/nltcs.train.data.gz": {16181, 16}, "debd/nltcs.valid.data.gz": {2157, 16},
		"debd/nltcs.test.data.gz":   {3236, 16},
		"debd/plants.train.data.gz": {17412, 69}, "debd/mushrooms.test.data.gz": {5624, 112},
		"debd/kdd.valid.data.gz": {19907, 64}, "debd/msnbc.valid.data.gz": {38843, 17},
	} {
		s := readShared(t, name, Options{})
		if _, w := s.Size(); s.Len() != want.n || w != want.d || !s.Table || s.Columns != nil {
			t.Errorf("%s: %d x %d", name, s.Len(), w)
		}
	}
	s := readShared(t, "debd/ocr_letters.test.data.gz", Options{Height: 16, Width: 8})
	if h, w := s.Size(); s.Len() != 10000 || h != 16 || w != 8 || s.Table {
		t.Errorf("letters: %d of %d x %d", s.Len(), h, w)
	}
}

func TestPublicDigits(t *testing.T) {
	labels := shared(t, "mnist_t10k/t10k-labels-idx1-ubyte.gz")
	s := readShared(t, "mnist_t10k/t10k-images-idx3-ubyte.gz",
		Options{Threshold: threshold(127), Labels: []string{labels}})
	if h, w := s.Size(); s.Len() != 10000 || h != 28 || w != 28 {
		t.Fatalf("%d of %d x %d", s.Len(), h, w)
	}
	if d := density(s); d < 0.13 || d > 0.14 {
		t.Errorf("density %v", d)
	}
	for digit, want := range []int{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009} { // published
		c, err := s.Where(conditions(t, fmt.Sprintf("y=%d", digit))...)
		if err != nil || c.Len() != want {
			t.Errorf("digit %d: %v, %v; published %d", digit, c.Len(), err, want)
		}
	}
	_, err := Read([]string{shared(t, "mnist_t10k/t10k-images-idx3-ubyte.gz")}, Options{})
	if err == nil || !strings.Contains(err.Error(), "--threshold") {
		t.Errorf("gray without a threshold: %v", err)
	}
}

// TestPublicFormatsWithoutAReader: files in other formats yield a clear
// one-line error, not nonsense.
func TestPublicFormatsWithoutAReader(t *testing.T) {
	for _, name := range []string{
		"binary_alphadigits/binaryalphadigs.mat",
		"omniglot_small1/images_background_small1.zip",
		"optdigits_orig/optdigits-orig.tra.gz",
		"tcga_mutations/BRCA.m2.gz",
		"splits.json",
	} {
		_, err := Read([]string{shared(t, name)}, Options{})
		fe, ok := err.(*FormatError)
		if !ok || !testenv.Said(t, err.Error()) || len(err.Error()) > 600 {
			t.Errorf("%s: %v (%T)", name, err, fe)
		}
	}
}

// TestPublicItems: lines of a name and its items are a table.
func TestPublicItems(t *testing.T) {
	set, err := Read([]string{shared(t, "plants/plants.data.gz")}, Options{Items: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, d := set.Size(); set.Len() != 34781 || d != 70 {
		t.Errorf("%d plants in %d places", set.Len(), d)
	}
}

// TestPublicMAT compares the MATLAB original with the arrays that another
// program read from it.
func TestPublicMAT(t *testing.T) {
	s := readShared(t, "binary_alphadigits/binaryalphadigs.mat", Options{Array: "dat"})
	want := readShared(t, "binary_alphadigits/binary_alphadigits.npz", Options{})
	if h, w := s.Size(); s.Len() != 1404 || h != 20 || w != 16 || want.Len() != 1404 {
		t.Fatalf("%d of %d x %d, and %d", s.Len(), h, w, want.Len())
	}
	for i, m := range s.Images { // cells in MATLAB's order: classes first
		if j := i%36*39 + i/36; !m.Equal(want.Images[j]) {
			t.Fatalf("cell %d is\n%vbut image %d is\n%v", i, m, j, want.Images[j])
		}
	}
}

// TestPublicArchive reads an archive as published and compares it with the
// arrays that another program read from it.
func TestPublicArchive(t *testing.T) {
	s := readShared(t, "omniglot_small1/images_background_small1.zip",
		Options{Names: "images_background_small1/{alphabet}/character{y:2}/{}_{writer}.png"})
	want := readShared(t, "omniglot_small1/omniglot_small1.npz", Options{})
	if s.Len() != 2720 || want.Len() != 2720 {
		t.Fatalf("%d images, and %d", s.Len(), want.Len())
	}
	key := func(s *Set, i int) string {
		var k []string
		for _, name := range []string{"alphabet", "y", "writer"} {
			c, err := s.Column(name)
			if err != nil {
				t.Fatal(err)
			}
			k = append(k, strings.TrimLeft(c.Text(i), "0"))
		}
		return strings.Join(k, "/")
	}
	images := map[string]*bitmap.Image{}
	for i, m := range want.Images {
		images[key(want, i)] = m
	}
	for i, m := range s.Images {
		if w := images[key(s, i)]; w == nil || !m.Equal(w) {
			t.Fatalf("%s differs", key(s, i))
		}
	}
	first, err := s.FirstPer(FirstPer{Names: []string{"alphabet", "y"}})
	if err != nil || first.Len() != 136 {
		t.Errorf("one of each of 136 characters: %d, %v", first.Len(), err)
	}
}

// TestTiCCForm packs the report's grey TiCC letters as an archive of pictures
// with an invented layout: the documented threshold gives the bits recovered
// with them.
func TestTiCCForm(t *testing.T) {
	b, err := os.ReadFile(shared(t, "ticc_sample/ticc_report_fig1_100.npz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := npy.ReadZip(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	grey, err := z.Array("gray")
	if err != nil {
		t.Fatal(err)
	}
	want := readShared(t, "ticc_sample/ticc_report_fig1_100.npz", Options{Array: "x"})
	y := column(t, want, "y")
	var files []entry
	for i := range want.Images {
		picture := string(pngFile(t, &image.Gray{Pix: grey.Data.([]uint8)[i*3136 : (i+1)*3136], Stride: 56,
			Rect: image.Rect(0, 0, 56, 56)}))
		files = append(files, entry{fmt.Sprintf("setA/%s/w%d_%d.png", y.Text(i), i/4, i), picture})
	}
	s := mustRead(t, "characters.zip", zipOf(t, files...),
		Options{Names: "**/{y}/w{writer}_{n}", Threshold: threshold(127)})
	n := column(t, s, "n").Values(0, s.Len()).([]int64)
	for i, m := range s.Images {
		if !m.Equal(want.Images[n[i]]) || column(t, s, "y").Text(i) != y.Text(int(n[i])) {
			t.Errorf("picture %d is not letter %d", i, n[i])
		}
	}
	first, err := s.FirstPer(FirstPer{Names: []string{"writer"}})
	if err != nil || s.Len() != 100 || first.Len() != 25 {
		t.Errorf("%d letters, %d writers, %v", s.Len(), first.Len(), err)
	}
}
