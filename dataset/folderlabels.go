package dataset

import (
	"os"
	"path/filepath"
	"slices"
)

// folderLabels returns, for pictures from several places, by path, the folder that they
// are in, or for those of an archive its name: pictures of different folders may have
// one name. Folders of one name are told apart by their paths. It returns nil if the
// pictures are of one place, or get their label y from somewhere else.
func (o *Options) folderLabels(paths []string) map[string]string {
	if len(paths) < 2 || o.Names != "" || len(o.Labels) > 0 {
		return nil
	}
	places := make([]string, len(paths))
	for i, path := range paths {
		switch info, err := os.Stat(path); {
		case err != nil: // it is told of when the path is read
		case info.IsDir():
			places[i] = filepath.Clean(path)
		case isPictureName(filepath.ToSlash(path)):
			places[i] = filepath.Dir(path)
		default:
			places[i] = filepath.Join(filepath.Dir(path), stem(path))
		}
	}
	taken, names := map[string]string{}, map[string]string{} // places by name, names by place
	for _, place := range places {
		name := lastName(place)
		if other, known := taken[name]; known && other != place {
			name = filepath.ToSlash(place)
		}
		taken[name], names[place] = place, name
	}
	if len(names) < 2 {
		return nil
	}
	out := make(map[string]string, len(paths))
	for i, path := range paths {
		out[path] = names[places[i]]
	}
	return out
}

// sameNames reports whether two pictures, named or in folders, have one name but for
// their folders and suffixes.
func sameNames(paths []string) bool {
	seen := map[string]bool{}
	for _, path := range paths {
		names, _, _, err := listPictures(path)
		if err != nil && isPictureName(filepath.ToSlash(path)) {
			names = []string{path}
		}
		for _, name := range names {
			if seen[stem(name)] {
				return true
			}
			seen[stem(name)] = true
		}
	}
	return false
}

// lastName returns the last element of the path of a folder, which . and .. lack.
func lastName(folder string) string {
	if base := filepath.Base(folder); !slices.Contains([]string{".", "..", string(filepath.Separator)}, base) {
		return base
	}
	if full, err := filepath.Abs(folder); err == nil {
		return filepath.Base(full)
	}
	return folder
}
