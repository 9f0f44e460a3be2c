package dataset

import (
	"slices"
)

// settle returns the options for several files whose columns depend on their
// values: categories get the values, and lists the items, of all files together. It
// settles the labels of pictures of several folders, too.
func (o Options) settle(paths []string) (Options, error) {
	o.folders = o.folderLabels(paths)
	o.sameNames = o.folders != nil && sameNames(paths)
	open := o.Items || slices.ContainsFunc(o.Categories, func(c Categorical) bool { return c.Levels == nil })
	if len(paths) < 2 || !open || o.model != nil || slices.Contains(paths, standardInput) {
		return o, nil
	}
	var items []string
	levels := map[string][]string{}
	var names []string
	for i, path := range paths {
		in := newInput(o)
		d, err := in.open(path, o.label(i))
		if err != nil {
			return o, at(err, path)
		}
		d.close()
		if in.made == nil {
			continue // a format that has neither
		}
		if in.made.items {
			items = append(items, in.made.columns...)
		}
		for _, c := range in.made.categories {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
			levels[c.Name] = append(levels[c.Name], c.Levels...)
		}
	}
	o.items = distinctLevels(items)
	if len(names) > 0 {
		o.Categories = nil
	}
	for _, name := range names {
		o.Categories = append(o.Categories, Categorical{name, distinctLevels(levels[name])})
	}
	return o, nil
}

// distinctLevels returns values sorted, each once.
func distinctLevels(values []string) []string {
	sortLevels(values)
	return slices.Compact(values)
}
