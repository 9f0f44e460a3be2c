package studio

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"unicode"
)

// maxFiles bounds the files of one form.
const maxFiles = 20_000

// upload is a file to decode: sent alone, or the several files of a form as one
// archive in memory, which package dataset reads like a folder.
type upload struct {
	name      string
	content   []byte
	arguments []string // its names on a command line
}

// formFile is a file of a form.
type formFile struct {
	path    string
	content []byte
}

// uploadOf returns the file of a request's body. A form of one file is that
// file; several in one folder are that folder.
func uploadOf(b body, name string) (*upload, error) {
	if b.kind != "multipart/form-data" {
		name = plainName(name)
		return &upload{name, b.bytes, []string{name}}, nil
	}
	files, err := filesOf(b)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		name = plainName(files[0].path)
		return &upload{name, files[0].content, []string{name}}, nil
	}
	u := &upload{name: plainName(name)}
	folder := commonFolder(files)
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(f.path, folder), Method: zip.Store})
		if err == nil {
			_, err = w.Write(f.content)
		}
		if err != nil {
			return nil, err
		}
		u.arguments = append(u.arguments, f.path)
	}
	if folder != "" {
		u.arguments = []string{strings.TrimSuffix(folder, "/")}
	}
	err = archive.Close()
	u.content = out.Bytes()
	return u, err
}

// filesOf returns the files of a form.
func filesOf(b body) ([]formFile, error) {
	var files []formFile
	seen := map[string]bool{}
	form := multipart.NewReader(bytes.NewReader(b.bytes), b.boundary)
	for {
		part, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF) && len(files) == 0:
			return nil, problemf(http.StatusBadRequest, "the form holds no file")
		case errors.Is(err, io.EOF):
			return files, nil
		case err != nil:
			return nil, problemf(http.StatusBadRequest, "the form cannot be read: %v", err)
		case len(files) == maxFiles:
			return nil, problemf(http.StatusRequestEntityTooLarge, "more than %d files in one form; pack them into a zip archive", maxFiles)
		}
		f := formFile{}
		if f.path, err = pathOf(part); err != nil {
			return nil, err
		}
		if seen[f.path] {
			return nil, problemf(422, "two files of the form are called %.100q", f.path)
		}
		if f.content, err = io.ReadAll(part); err != nil {
			return nil, problemf(http.StatusBadRequest, "the file %.100q was cut off", f.path)
		}
		seen[f.path] = true
		files = append(files, f)
	}
}

// commonFolder returns the first folder of all paths, with its slash, or "".
func commonFolder(files []formFile) string {
	folder := files[0].path[:strings.Index(files[0].path, "/")+1]
	for _, f := range files {
		if !strings.HasPrefix(f.path, folder) {
			return ""
		}
	}
	return folder
}

// pathOf returns the path of a file of a form, which must not lead out of its
// folder. mime/multipart keeps the last element alone, and class folders count.
func pathOf(part *multipart.Part) (string, error) {
	_, fields, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	at := path.Clean(strings.TrimPrefix(strings.ReplaceAll(fields["filename"], `\`, "/"), "/"))
	switch {
	case err != nil || fields["filename"] == "":
		return "", problemf(http.StatusBadRequest, "a field of the form is no file; send files only, with their names")
	case !fs.ValidPath(at) || at == "." || len(at) > 1000 || !validText(at) || strings.ContainsFunc(at, unicode.IsControl):
		return "", problemf(422, "the file name %.100q of the form is not a plain path", fields["filename"])
	}
	return at, nil
}
