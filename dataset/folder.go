package dataset

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.com/patchwork/diagnose/words"
)

// pictureSuffixes are the suffixes that count in a folder or an archive; the
// content decides the format.
var pictureSuffixes = []string{".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".gif", ".tif",
	".tiff", ".webp", ".bmp", ".dib"}

// isPictureName reports whether a file with that name counts; hidden ones do
// not.
func isPictureName(name string) bool {
	base := path.Base(name)
	return !strings.HasPrefix(base, ".") && slices.Contains(pictureSuffixes, strings.ToLower(path.Ext(base)))
}

// leaveOut notes a file that is no picture which is read, if it is one which is
// not.
func (in *input) leaveOut(name string) {
	base, suffix := path.Base(name), strings.ToLower(path.Ext(name))
	if unread(suffix) != "" && !strings.HasPrefix(base, ".") {
		countIn(&in.seen.leftOut, suffix, base)
	}
}

// specialFile stands in notes, where a suffix would, for what is no regular file.
const specialFile = "special"

// leaveOutSpecial notes pipes, devices, sockets, and in an archive links.
func (in *input) leaveOutSpecial(names ...string) {
	for _, name := range names {
		countIn(&in.seen.leftOut, specialFile, path.Base(name))
	}
}

// gallery reads the pictures of a folder or an archive, one image each.
type gallery struct {
	in            *input
	path          string // of the folder, archive or picture
	where         string // prefix of a picture's name in messages
	names         []string
	meta          []Labels // of all of them
	open          func(name string) (io.ReadCloser, error)
	at            int
	height, width int // of the first
}

func (g *gallery) count() int { return len(g.names) }

// skip skips pictures.
func (g *gallery) skip(n int) (int, error) {
	n = min(n, len(g.names)-g.at)
	g.at += n
	return n, nil
}

// next reads pictures until they fill a part.
func (g *gallery) next() (*Set, error) {
	if g.at == len(g.names) {
		return nil, io.EOF
	}
	from, s := g.at, &Set{pictures: true}
	for most := 1; g.at < len(g.names) && s.Len() < most; g.at++ {
		if err := g.read(s, g.names[g.at]); err != nil {
			return nil, at(err, g.where+g.names[g.at])
		}
		most = g.in.partRows(int64(g.height)*int64(g.width), g.height, g.width)
	}
	var index []int
	for i := from; i < g.at; i++ {
		index = append(index, i)
	}
	for _, c := range g.meta {
		s.Meta = append(s.Meta, c.Pick(index))
	}
	return s, nil
}

// read adds a picture to a part: as an image, or as grey values, 0 black to 255 white.
func (g *gallery) read(s *Set, name string) error {
	f, err := g.open(name)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	p, err := g.in.decodePicture(name, f)
	if err != nil {
		return err
	}
	if !g.in.real {
		m, err := g.in.picture(name, p)
		if err != nil {
			return err
		}
		s.Images = append(s.Images, m)
		return g.sized(m.Height(), m.Width())
	}
	if err := g.sized(p.height, p.width); err != nil {
		return err
	}
	row := make([]float64, len(p.lum))
	for i, l := range p.lum {
		row[i] = float64((int(l) + 128) / 257) // as pictures of 8 bits were
		if g.in.opts.Invert {
			row[i] = 255 - row[i]
		}
	}
	s.Height, s.Width, s.Values = g.height, g.width, append(s.Values, row)
	return g.in.budget.spend(1, p.height, p.width)
}

// sized checks that all pictures have the size of the first.
func (g *gallery) sized(height, width int) error {
	if g.height == 0 {
		g.height, g.width = height, width
	}
	if height != g.height || width != g.width {
		return otherSize(height, width, g.height, g.width, g.in.real)
	}
	return nil
}

// folder reads all pictures of a folder, sorted by name; see tell for the
// metadata from their names.
func (in *input) folder(dir string) (parts, error) {
	names, others, special, err := listPictures(dir)
	if err != nil {
		return nil, err
	}
	in.leaveOutSpecial(special...)
	for _, name := range others {
		in.leaveOut(name)
	}
	g := &gallery{in: in, path: dir, where: dir + string(filepath.Separator)}
	g.open = func(name string) (io.ReadCloser, error) {
		return in.opts.openFile(filepath.Join(dir, filepath.FromSlash(name)))
	}
	return g, at(g.tell(names, "a folder"), dir)
}

// listPictures returns the paths of the pictures in a folder and below it. It leaves out hidden, other and special
// files, of which the last two are returned apart, and follows links, except in subfolders to folders: these may lead
// to a cycle.
func listPictures(dir string) (names, others, special []string, err error) {
	var walk func(sub string) error
	walk = func(sub string) error {
		entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(sub)))
		for _, e := range entries {
			name := path.Join(sub, e.Name())
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))) // follows links
			if err != nil {
				return err
			}
			switch {
			case info.IsDir():
				if sub == "" || e.Type()&fs.ModeSymlink == 0 {
					err = walk(name)
				}
			case !info.Mode().IsRegular(): // to open it may wait for ever
				special = append(special, name)
			case isPictureName(name):
				names = append(names, name)
			default:
				others = append(others, name)
			}
			if err != nil {
				return err
			}
		}
		return err
	}
	err = walk("")
	return names, others, special, err
}

// tell sets the pictures and the metadata from their names. With Options.Names,
// each name must match. Without, a file's name without suffix becomes the
// metadata `name`, and if the pictures are in folders, the folders are classes:
// their names become the metadata `y`. So do those of several folders that are
// read together. If two pictures have one name, the names are those with the folder.
func (g *gallery) tell(names []string, what string) error {
	if err := g.in.opts.Model.refusePictures(); err != nil && len(names) > 0 {
		return err
	}
	if g.in.opts.Names != "" {
		return g.tellBy(g.in.opts.Names, names, what)
	}
	if like := g.in.opts.like().Names; like != "" && g.tellBy(like, names, what) == nil {
		return nil
	}
	var flat, inside []string
	for _, n := range names {
		switch strings.Count(n, "/") {
		case 0:
			flat = append(flat, n)
		case 1:
			inside = append(inside, n)
		}
	}
	if len(flat) > 0 && len(inside) > 0 {
		return &FormatError{Msg: fmt.Sprintf("holds pictures (%s) as well as a folder of pictures (%s)", flat[0],
			path.Dir(inside[0])),
			Hint: "name the folders one by one, or give every picture a class folder"}
	}
	if len(flat)+len(inside) == 0 {
		inside = belowOne(names)
	}
	if g.names = append(flat, inside...); len(g.names) == 0 {
		if len(names) > 0 {
			return &FormatError{Msg: what + " whose pictures lie in folders of folders, such as " + names[0],
				Hint: fmt.Sprintf("describe their paths with --names '%s{y}/{picture}', which makes the last folder a label",
					strings.Repeat("{}/", strings.Count(names[0], "/")-1))}
		}
		return g.in.none(what, ", and without class folders of them",
			"name the files, or describe their paths with --names, such as --names '{}/{y}/{picture}' where they lie two "+
				"folders down")
	}
	slices.SortFunc(g.names, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	var stems, labels []string
	for _, n := range g.names {
		stems = append(stems, stem(n))
		labels = append(labels, path.Base(path.Dir(n)))
	}
	g.meta = []Labels{{Name: "name", Cells: stems}}
	again := g.in.opts.sameNames || !distinct(stems)
	if len(inside) == 0 { // no folders that are classes
		y := g.in.opts.folders[g.path]
		if y == "" {
			return nil
		}
		for i := range labels {
			labels[i] = y
		}
	}
	for i := range stems {
		if again {
			stems[i] = labels[i] + "/" + stems[i]
		}
	}
	g.meta = append(g.meta, Labels{Name: "y", Cells: labels})
	for _, y := range labels {
		g.in.seen.folder(y)
	}
	return nil
}

// belowOne returns the names if all pictures are in class folders inside one
// folder, as when a folder was packed into an archive; else nil.
func belowOne(names []string) []string {
	var top string
	for i, n := range names {
		folder, _, _ := strings.Cut(n, "/")
		if i > 0 && folder != top || strings.Count(n, "/") != 2 {
			return nil
		}
		top = folder
	}
	return names
}

// none returns an error about a folder or an archive without pictures; if it
// has some that are not read, the error names their format.
func (in *input) none(what, more, hint string) error {
	for _, suffix := range slices.Sorted(maps.Keys(in.seen.leftOut)) {
		e := in.seen.leftOut[suffix]
		return &FormatError{Msg: fmt.Sprintf("%s without %s pictures, but with %s (%s), which are not read", what,
			pictureFormats, words.Count(e.n, suffix+" file"), e.first), Hint: unread(suffix)}
	}
	return &FormatError{Msg: what + " without " + pictureFormats + " pictures" + more, Hint: hint}
}

// tellBy is like tell, with a pattern. After an error nothing is set.
func (g *gallery) tellBy(pattern string, names []string, what string) error {
	p, err := parsePattern(pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return g.in.none(what, "", "")
	}
	names = slices.Clone(names)
	slices.SortFunc(names, naturally)
	stems, fields := make([]string, len(names)), make([][]string, len(p.fields))
	for i, n := range names {
		stems[i] = stem(n)
		values, err := p.match(n)
		if err != nil {
			return at(err, g.where+n)
		}
		for k, v := range values {
			fields[k] = append(fields[k], v)
		}
	}
	g.names, g.meta = names, []Labels{{Name: "name", Cells: stems}}
	for k, name := range p.fields {
		g.meta = append(g.meta, Labels{name, fields[k], columnRaw}.guessed())
	}
	return nil
}
