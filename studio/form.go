package studio

import (
	"archive/zip"
	"bytes"
	"io/fs"
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

// uploadOf returns the file of a request's body. A form of one file is that
// file; several in one folder are that folder.
func uploadOf(b body, name string) (*upload, error) {
	if b.form == nil {
		name = plainName(name)
		return &upload{name, b.bytes, []string{name}}, nil
	}
	files, err := formFiles(b)
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		name = plainName(files[0].Path)
		return &upload{name, files[0].Content, []string{name}}, nil
	}
	u := &upload{name: plainName(name)}
	folder := commonFolder(files)
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(f.Path, folder), Method: zip.Store})
		if err == nil {
			_, err = w.Write(f.Content)
		}
		if err != nil {
			return nil, err
		}
		u.arguments = append(u.arguments, f.Path)
	}
	if folder != "" {
		u.arguments = []string{strings.TrimSuffix(folder, "/")}
	}
	err = archive.Close()
	u.content = out.Bytes()
	return u, err
}

// commonFolder returns the first folder of all paths, with its slash, or "".
func commonFolder(files []File) string {
	folder := files[0].Path[:strings.Index(files[0].Path, "/")+1]
	for _, f := range files {
		if !strings.HasPrefix(f.Path, folder) {
			return ""
		}
	}
	return folder
}

// formFiles returns the files of a form. It rejects those without a file, or with two of one name or whose names lead
// out of their folder.
func formFiles(b body) ([]File, error) {
	files, err := b.form()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range files {
		if !fs.ValidPath(f.Path) || f.Path == "." || len(f.Path) > 1000 || !validText(f.Path) ||
			strings.ContainsFunc(f.Path, unicode.IsControl) {
			return nil, problemf(422, "the file name %.100q of the form is not a plain path", f.Path)
		}
		if seen[f.Path] {
			return nil, problemf(422, "two files of the form are called %.100q", f.Path)
		}
		seen[f.Path] = true
	}
	if len(files) == 0 {
		return nil, problemf(statusBadRequest, "the form holds no file")
	}
	return files, nil
}
