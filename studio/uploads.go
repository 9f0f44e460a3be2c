package studio

import (
	"archive/zip"
	"bytes"
	"strings"
	"unicode"
)

// checkUpload rejects uploads that can be rejected without decoding.
func (s *core) checkUpload(content []byte, name string) error {
	switch {
	case s.noUpload:
		return problemf(statusForbidden, "uploads are switched off on this server (--no-upload)")
	case len(content) == 0:
		return problemf(statusBadRequest, "the file is empty")
	case strings.ContainsFunc(name, unicode.IsControl) || !validText(name):
		return problemAt(422, "query.name", nil, "the name contains characters that are not text")
	}
	return nil
}

// unpacked returns how many bytes an archive says that it expands to; more than a limit are an error, and the readers
// of models keep to that number.
func unpacked(content []byte, limit int64) (int64, error) {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return 0, problemf(422, "not a readable zip archive: %v", err)
	}
	total := 0.0 // sums of hostile sizes overflow integers
	for _, f := range z.File {
		total += float64(f.UncompressedSize64)
	}
	if total > float64(limit) {
		return 0, problemf(statusRequestEntityTooLarge,
			"the archive expands to more than %d bytes, the limit of this server", limit)
	}
	return int64(total), nil
}

// plainName returns the name of an upload for a command line: without folders,
// and never like a flag.
func plainName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if name == "" || name == "." || name == ".." || name[0] == '-' {
		return "data.npz"
	}
	return name
}
