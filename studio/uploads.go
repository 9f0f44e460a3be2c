package studio

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"strings"
	"unicode"
)

// checkUpload rejects uploads that can be rejected without decoding.
func (s *core) checkUpload(content []byte, name string) error {
	switch {
	case s.noUpload:
		return problemf(statusForbidden, "uploads are switched off on this server (--no-upload)")
	case len(content) == 0:
		return problemf(statusBadRequest, "the body is empty; send the file as the body")
	case strings.ContainsFunc(name, unicode.IsControl) || !validText(name):
		return problemAt(422, "query.name", nil, "the name contains characters that are not text")
	}
	return nil
}

// checkArchive rejects archives whose stated uncompressed size exceeds a limit;
// the decoders enforce that size. It returns how much memory what is inside takes, at most and about: numbers twice
// their bytes, and JSON, whose texts may be short, eight times.
func checkArchive(content []byte, limit int64) (z *zip.Reader, memory int64, err error) {
	if z, err = zip.NewReader(bytes.NewReader(content), int64(len(content))); err != nil {
		return nil, 0, problemf(422, "not a readable zip archive: %v", err)
	}
	total := 0.0 // sums of hostile sizes overflow integers
	for _, f := range z.File {
		total += float64(f.UncompressedSize64)
		if path.Ext(f.Name) == ".json" {
			memory += 6 * int64(f.UncompressedSize64)
		}
	}
	if total > float64(limit) {
		return nil, 0, problemf(statusRequestEntityTooLarge,
			"the archive expands to more than %d bytes, the limit of this server", limit)
	}
	return z, memory + 2*int64(total), nil
}

// checkDataArchive is checkArchive for data, which a model is not: its arrays are no rows.
func checkDataArchive(content []byte, limit int64) error {
	z, _, err := checkArchive(content, limit)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		switch f.Name {
		case "model.json", "model.json.npy":
			return problemf(statusUnprocessableEntity, "this is a model, not data; upload it as a model")
		}
	}
	return nil
}

// checkGzip rejects an archive inside gzip, which could hide its uncompressed
// size.
func checkGzip(content []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil // not gzip, or the decoder reports the error
	}
	head := make([]byte, 2)
	if _, err := io.ReadFull(z, head); err == nil && string(head) == "PK" {
		return problemf(statusUnprocessableEntity, "an archive compressed with gzip; decompress it once")
	}
	return nil
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
