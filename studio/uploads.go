package studio

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"unicode"
)

// checkUpload refuses what need not be decoded to be refused.
func (s *Server) checkUpload(content []byte, name string) error {
	switch {
	case s.noUpload:
		return problemf(http.StatusForbidden, "this server takes no uploads (--no-upload)")
	case len(content) == 0:
		return problemf(http.StatusBadRequest, "the body is empty; send the file as the body")
	case strings.ContainsFunc(name, unicode.IsControl) || !validText(name):
		return problemAt(422, "query.name", nil, "the name holds characters that are no text")
	}
	return nil
}

// checkArchive refuses archives that unpack to more than a number of bytes, by
// their own account; the decoders hold them to that.
func checkArchive(content []byte, limit int64) error {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return problemf(422, "not a readable zip archive: %v", err)
	}
	total := 0.0 // sums of hostile sizes overflow integers
	for _, f := range z.File {
		total += float64(f.UncompressedSize64)
	}
	if total > float64(limit) {
		return problemf(http.StatusRequestEntityTooLarge, "the archive unpacks to more than %d bytes, the limit of this server", limit)
	}
	return nil
}

// checkGzip refuses an archive inside gzip, which could hide what it unpacks to.
func checkGzip(content []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil // no gzip, or the decoder says what is wrong with it
	}
	head := make([]byte, 2)
	if _, err := io.ReadFull(z, head); err == nil && string(head) == "PK" {
		return problemf(http.StatusUnprocessableEntity, "an archive packed with gzip; unpack it once")
	}
	return nil
}

// plainName is the name of an upload as a command line can have it: without
// folders, never like a flag.
func plainName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if name == "" || name == "." || name == ".." || name[0] == '-' {
		return "data.npz"
	}
	return name
}
