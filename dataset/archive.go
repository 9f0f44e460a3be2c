package dataset

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// zip reads an archive: of arrays if it has any (.npz), else of pictures, as if
// unpacked into a folder, else of one MAT-file.
func (in *input) zip(c *content) (parts, error) {
	ra, size, err := in.random(c)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(ra, size)
	if err != nil {
		return in.npz(ra, size) // says what is wrong
	}
	var pictures, mats []*zip.File
	for _, f := range z.File {
		f.Name = strings.ReplaceAll(f.Name, `\`, "/") // as some programs wrote it
		switch {
		case strings.HasSuffix(f.Name, ".npy"):
			if in.opts.Names != "" && !in.real {
				return nil, &FormatError{Msg: "an archive of arrays has no picture names", Hint: "leave --names out"}
			}
			return in.npz(ra, size)
		case hidden(f.Name), f.Mode().IsDir():
		case !f.Mode().IsRegular():
			in.leaveOutSpecial(f.Name)
		case isPictureName(f.Name):
			pictures = append(pictures, f)
		case strings.EqualFold(path.Ext(f.Name), ".mat"):
			mats = append(mats, f)
		default:
			in.leaveOut(f.Name)
		}
	}
	if isWorkbook(z) {
		return nil, &FormatError{Msg: "is an Excel or OpenDocument workbook, which is not read here",
			Hint: "save the sheet as CSV"}
	}
	switch {
	case len(pictures) > 0 || in.opts.Names != "" && !in.real:
		g, err := in.pictureArchive(c.path, pictures, size)
		if err != nil {
			return nil, err
		}
		return g, nil
	case len(mats) == 1:
		return in.file(&content{path: mats[0].Name, open: func() (io.Reader, error) { return mats[0].Open() }})
	case len(mats) > 1:
		names := make([]string, len(mats))
		for i, f := range mats {
			names[i] = f.Name
		}
		return nil, &FormatError{Msg: "an archive of several MAT-files: " + list(names),
			Hint: "unpack it and give one of them"}
	}
	return in.npz(ra, size)
}

// isWorkbook reports whether an archive is one of the forms of spreadsheets.
func isWorkbook(z *zip.Reader) bool {
	return slices.ContainsFunc(z.File, func(f *zip.File) bool {
		return strings.HasPrefix(f.Name, "xl/") || f.Name == "content.xml"
	})
}

// hidden reports whether an element of a path begins with a dot; "." and ".."
// hide nothing.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// maxMember bounds the bytes of one picture in an archive: a megabyte of
// compressed data can expand to a gigabyte.
const maxMember = 64 << 20

// pictureArchive reads the pictures of an archive of the given size. Nothing is
// ever written to a member's path, but a name that leads out of the archive has
// no meaning as a class or a writer either.
func (in *input) pictureArchive(archive string, files []*zip.File, size int64) (*gallery, error) {
	byName := make(map[string]*zip.File, len(files))
	names := make([]string, 0, len(files))
	packed := uint64(0)
	for _, f := range files {
		switch {
		case !fs.ValidPath(f.Name):
			return nil, &FormatError{Msg: fmt.Sprintf("the member %q leads out of the archive", f.Name),
				Hint: "pack the folder itself"}
		case byName[f.Name] != nil:
			return nil, &FormatError{Msg: fmt.Sprintf("two members are called %q", f.Name), Hint: "pack the folder anew"}
		case f.Flags&1 != 0:
			return nil, &FormatError{Msg: fmt.Sprintf("the member %q is encrypted", f.Name), Hint: "pack it without a password"}
		case f.UncompressedSize64 > maxMember:
			return nil, &FormatError{Msg: fmt.Sprintf("the picture %q of %d bytes is too large (at most %d)", f.Name,
				f.UncompressedSize64, maxMember), Hint: "unpack the archive and give the folder"}
		}
		// Members that share bytes would let an archive hold more than its size
		// allows.
		if packed += min(f.CompressedSize64, 1<<40); packed > uint64(size) {
			return nil, &FormatError{Msg: "damaged zip archive: its members overlap", Hint: "pack the folder anew"}
		}
		byName[f.Name] = f
		names = append(names, f.Name)
	}
	g := &gallery{in: in, path: archive, where: archive + "/"}
	g.open = func(name string) (io.ReadCloser, error) { return byName[name].Open() }
	if err := g.tell(names, "an archive"); err != nil {
		return nil, err
	}
	return g, nil
}
