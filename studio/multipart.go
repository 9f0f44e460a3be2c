//go:build !js

package studio

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"strings"
)

// formKind is the media type of a form with files.
const formKind = "multipart/form-data"

// filesOf returns the files of a form, not checked yet.
func filesOf(content []byte, boundary string) ([]File, error) {
	var files []File
	form := multipart.NewReader(bytes.NewReader(content), boundary)
	for {
		part, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return files, nil
		case err != nil:
			return nil, problemf(statusBadRequest, "the form cannot be read: %v", err)
		case len(files) == maxFiles:
			return nil, problemf(statusRequestEntityTooLarge, "more than %d files in one form; pack them into a zip archive",
				maxFiles)
		}
		f := File{}
		if f.Path, err = pathOf(part); err != nil {
			return nil, err
		}
		if f.Content, err = io.ReadAll(part); err != nil {
			return nil, problemf(statusBadRequest, "the file %.100q was cut off", f.Path)
		}
		files = append(files, f)
	}
}

// pathOf returns the path of a file of a form. mime/multipart keeps the last element
// alone, and class folders count.
func pathOf(part *multipart.Part) (string, error) {
	_, fields, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || fields["filename"] == "" {
		return "", problemf(statusBadRequest, "a field of the form is no file; send files only, with their names")
	}
	return path.Clean(strings.TrimPrefix(strings.ReplaceAll(fields["filename"], `\`, "/"), "/")), nil
}
