package dataset

import (
	"slices"
)

// settle returns the options for several files whose columns depend on their
// values: categories get the values, and lists the items, of all files together. It
// settles the labels of pictures of several folders, too.
func (o Options) settle(paths []string) (Options, error) {
	if o.files == nil {
		o.folders = o.folderLabels(paths)
		o.sameNames = o.folders != nil && sameNames(paths)
	}
	open := o.Items || slices.ContainsFunc(o.categories(), func(c Coding) bool { return c.Levels == nil })
	once := func(path string) bool { is, _ := readOnce(path); return is }
	if len(paths) < 2 || o.Model != nil || o.files == nil && slices.ContainsFunc(paths, once) {
		return o, nil
	}
	var items []string
	levels := map[string][]string{}
	yes := map[string]string{} // of columns of two words
	kinds := map[string]Coding{}
	var names []string
	numbers := false
	for i, path := range paths {
		in := newInput(o)
		in.either = o.open(paths)
		d, err := in.open(path, o.label(i))
		if err != nil && open {
			return o, at(err, path)
		}
		if err != nil {
			return o, nil // reading will say so, unless the numbers are meant
		}
		d.close()
		if in.made == nil && !open {
			return o, nil
		}
		if numbers = numbers || in.real && o.Kind != Number; in.why != "" {
			o.why = in.why
		}
		if in.made == nil {
			continue // a format that has neither
		}
		if o.Items {
			items = append(items, in.made.columns...)
		}
		for _, c := range in.made.codings {
			if c.Levels == nil {
				continue
			}
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
			kinds[c.Name] = c
			if len(c.Off) > 0 && yes[c.Name] == "" {
				yes[c.Name] = c.Levels[0]
			}
			levels[c.Name] = append(append(levels[c.Name], c.Levels...), c.Off...)
		}
	}
	if o.items = distinctLevels(items); numbers {
		o.Kind = Number
	}
	for _, name := range names {
		c := kinds[name]
		if len(c.Cuts) > 0 || c.keyed() || len(c.Levels) > 1 && c.bit() || c.Kind == Ordinal && c.By == Asked &&
			slices.Equal(levels[name], slices.Repeat(c.Levels, len(levels[name])/len(c.Levels))) {
			o.settled = append(o.settled, c)
			continue
		}
		c.Levels, c.Off = distinctLevels(foldWords(levels[name])), nil
		if c.Kind == Ordinal {
			inScale(c.Levels)
		}
		if at := slices.Index(c.Levels, yes[name]); at >= 0 && len(c.Levels) == 2 {
			c.Off = slices.Delete(c.Levels, at, at+1)
			c.Levels = []string{yes[name]}
		}
		c.Levels = slices.DeleteFunc(c.Levels, func(level string) bool { return level == "" })
		o.settled = append(o.settled, c)
	}
	return o, nil
}

// distinctLevels returns values sorted, each once.
func distinctLevels(values []string) []string {
	sortLevels(values)
	return slices.Compact(values)
}
