package dataset

import "os"

// labelled takes files of labels out of paths: each goes with the file before it, unless
// the options name some.
func (o Options) labelled(paths []string) (data []string, out Options) {
	var labels []string
	for i, path := range paths {
		if i > 0 && len(labels) < len(data) && len(o.Labels) == 0 && isLabelFile(path) {
			labels = append(labels, path)
			continue
		}
		data = append(data, path)
	}
	if len(labels) == 0 {
		return paths, o
	}
	o.Labels = labels
	return data, o
}

// isLabelFile reports whether a file is an array of one dimension, IDX or .npy, which may be
// packed: what labels are, and no images.
func isLabelFile(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	d, _, err := newInput(Options{}).labelArray(f)
	return err == nil && len(d.Header().Shape) == 1
}
