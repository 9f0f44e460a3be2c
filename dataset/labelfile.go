package dataset

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"regexp"
)

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

// flatNPY matches the header of an array with one dimension.
var flatNPY = regexp.MustCompile(`'shape': \(\d+,\)`)

// isLabelFile reports whether a file is an array of one dimension, IDX or .npy, which may be
// packed by gzip: what labels are, and no images.
func isLabelFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := firstBytes(f)
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(io.NewSectionReader(f, 0, info.Size()))
		if err != nil {
			return false
		}
		head = firstBytes(z)
	}
	if bytes.HasPrefix(head, []byte("\x93NUMPY")) {
		return flatNPY.Match(head)
	}
	if len(head) < 4 || head[0] != 0 || head[1] != 0 || head[3] != 1 {
		return false
	}
	_, ok := idxTypes[head[2]]
	return ok
}

// firstBytes returns the beginning of a file, as much as a header takes.
func firstBytes(r io.Reader) []byte {
	head := make([]byte, 256)
	n, _ := io.ReadFull(r, head) // a shorter file shows less
	return head[:n]
}
