package dataset

import (
	"archive/zip"
	"io"
	"strings"
)

// folderValues reads the pictures of a folder, sorted by name.
func (in *input) folderValues(dir string) (*valueFile, error) {
	names, _, special, err := listPictures(dir, in.opts.Names != "")
	if err != nil {
		return nil, err
	}
	in.leaveOutSpecial(special...)
	g := in.galleryOf(dir)
	if err := g.tell(names, "a folder"); err != nil {
		return nil, at(err, dir)
	}
	return in.galleryValues(g)
}

// zipValues reads an archive: of arrays if it has any (.npz), else of pictures, as if unpacked into a folder.
func (in *input) zipValues(name string, ra io.ReaderAt, size int64) (*valueFile, error) {
	z, err := zip.NewReader(ra, size)
	if err != nil {
		return in.npzValues(ra, size) // says what is wrong
	}
	var pictures []*zip.File
	for _, f := range z.File {
		f.Name = strings.ReplaceAll(f.Name, `\`, "/")
		switch {
		case strings.HasSuffix(f.Name, ".npy"):
			return in.npzValues(ra, size)
		case hidden(f.Name):
		case !f.Mode().IsRegular():
			in.leaveOutSpecial(f.Name)
		case isPictureName(f.Name):
			pictures = append(pictures, f)
		}
	}
	if len(pictures) == 0 {
		return in.npzValues(ra, size)
	}
	g, err := in.pictureArchive(name, pictures, size)
	if err != nil {
		return nil, err
	}
	return in.galleryValues(g)
}

// galleryValues reads pictures as grey values, in the order of their names.
func (in *input) galleryValues(g *gallery) (*valueFile, error) {
	first, next := &Values{}, 0
	read := func(v *Values) error {
		name := g.names[next]
		next++
		r, err := g.open(name)
		if err != nil {
			return at(err, g.where+name)
		}
		defer r.Close()
		data, err := in.slurp(r)
		if err == nil {
			err = in.addPicture(v, name, data)
		}
		return at(err, g.where+name)
	}
	if err := read(first); err != nil {
		return nil, err
	}
	next = 0
	head := &Values{Height: first.Height, Width: first.Width, Meta: g.meta, Notes: in.seen.leftOutNotes()}
	return &valueFile{head: head, next: func(most int) ([][]float64, error) {
		v := &Values{Height: first.Height, Width: first.Width}
		for v.Len() < most && next < len(g.names) {
			if err := read(v); err != nil {
				return nil, err
			}
		}
		if v.Len() == 0 {
			return nil, io.EOF
		}
		return v.Rows, nil
	}}, nil
}
