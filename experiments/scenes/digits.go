package scenes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/dataset"
)

// DigitSet reads digits from an IDX file of images, with its labels beside it (images-idx3
// becomes labels-idx1 in the name), or from a folder that holds one such pair. Pixels above
// 127 are on.
func DigitSet(path string) (*dataset.Set, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := filepath.Glob(filepath.Join(path, "*images*idx3*"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s: the folder has no file *images*idx3*", path)
		}
		path = found[0]
	}
	dir, name := filepath.Split(path)
	beside := filepath.Join(dir, strings.NewReplacer("images", "labels", "idx3", "idx1").Replace(name))
	threshold := 127.0
	return dataset.Read([]string{path}, dataset.Options{Threshold: &threshold, Labels: []string{beside}})
}

// ReadDigits returns the images of DigitSet and their labels.
func ReadDigits(path string) (images []*bitmap.Image, labels []int, err error) {
	set, err := DigitSet(path)
	if err != nil {
		return nil, nil, err
	}
	column, err := set.Column("y")
	if err != nil {
		return nil, nil, err
	}
	values, ok := column.Values(0, column.Len()).([]int64)
	if !ok {
		return nil, nil, fmt.Errorf("%s: the labels are no whole numbers", path)
	}
	for _, v := range values {
		labels = append(labels, int(v))
	}
	return set.Images, labels, nil
}
