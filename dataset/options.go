package dataset

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"example.com/patchwork/bitmap"
	"example.com/patchwork/internal/pipes"
)

// Options says how to read. The zero value reads files that need no further
// description.
type Options struct {
	// Array names the array of an .npz file, or the variable of a MAT-file, that
	// holds the images. Empty means `x` (in a MAT-file also `X`), or the only one.
	Array string
	// Threshold, if not nil, converts numbers to bits: greater is on (in
	// pictures: greater luminance, 0 to 255, is off, see the package comment).
	// Without it numbers must be binary already, and each picture that is not
	// gets a threshold of its own by Otsu's method.
	Threshold *float64
	// AutoThreshold gives each image of an array a threshold of its own by Otsu's
	// method; greater is on. Pictures have it without. It excludes Threshold.
	AutoThreshold bool
	// Invert swaps on and off. In pictures it says that light is ink.
	Invert bool
	// Columns selects the columns of a table that are data, in this order, by
	// name or by number from 1. Empty means all that are not metadata: columns named in Where or FirstPer are.
	Columns []string
	// Items says that each line of a text is a list of items, such as a basket: a
	// row whose columns are the items of all lines. Where
	// the first word of every line is in no other, it is the name of the row.
	Items bool
	// Pairs names two columns of a text, by name or by number from 1: each line says
	// that the row named in the first has the item named in the second. A third
	// column may say how often; 0 is off.
	Pairs []string
	// Where selects rows; see [Set.Where].
	Where []Condition
	// FirstPer selects the first of each group among the rows that Where keeps;
	// see [Set.FirstPer].
	FirstPer FirstPer
	// Names describes the names of pictures in a folder or an archive, such as
	// `{y}/{writer}_{sample}.png`; see the package comment.
	Names string
	// Labels names label files (IDX or .npy), one for each path given to
	// [Read], in the same order. They become the metadata column `y`.
	Labels []string
	// Height and Width, both or neither, turn rows of Height*Width values into
	// images, and bring pictures of other sizes to this one: each is cropped to
	// its ink, scaled with its aspect, and padded; see the package comment.
	Height, Width int
	// Transpose swaps the rows and the columns of every image, after Height and
	// Width are applied: for rows that hold an image column by column, as
	// MATLAB stores it. Without them it swaps those of a table whose rows are columns in the file.
	Transpose bool
	// Delimiter separates the columns of a CSV file. Zero means comma, tab or
	// semicolon, whichever is most frequent in the first line.
	Delimiter rune
	// Header says whether a CSV file starts with names. The zero value decides
	// by content.
	Header HeaderMode
	// SkipLines is how many lines stand above a table of text, at least.
	SkipLines int
	// Missing lists cells of tables, and numbers of arrays, that say that nothing is known: a word or a number, or one of
	// a column, such as t:-999.
	Missing []string
	// Model is the plan of the model that the data are for, nil for none: they are read as those that it was learned
	// from, and tables with its columns, by name, or by position where the file has no names.
	Model *Plan `json:"-"`
	// Kind says what all data are for [Open]: Bit, or Number. Unknown, the zero value, lets them show it.
	Kind Kind
	// Edits say what columns of a table, or the arrays beside the images, are; see With. Without them an array called
	// weight has the weights of rows.
	Edits []Edit `json:",omitempty"`
	// MaxMemory bounds the memory of the packed images, in bytes; it also
	// bounds what must be held in memory while reading. Zero means 4 GiB. For a
	// [Stream] it applies to each part.
	MaxMemory int64

	// MaxPicture bounds the pixels of a picture that is decoded, which takes up
	// to 16 bytes of memory for each. Zero means 2^26, or 8192 x 8192.
	MaxPicture int

	// Opened, if not nil, is called with the path of every file that is about to be opened, also with those
	// in folders and beside the data. Its error ends reading.
	Opened func(path string) error `json:"-"`

	settled   []Coding // the categories that several files have together; nil if there are none
	why       string   // why Kind is Number, if several files show it
	items     []string // of several lists that are read together
	partBytes int64    // of a part of a file; 0 means 4 MiB (tests read smaller ones)

	pipes map[string][]byte // what was read of those, by path
	files *held             // which are read instead of those of the disk; nil for these

	folders   map[string]string // by path: see folderLabels
	sameNames bool              // pictures of these have one name
}

// partRows returns the number of rows in a part of a file, given the bytes of
// each in the file: a few MiB there, about one when packed in memory or two of numbers, and far
// less than the allowed memory. The overhead of smaller parts would exceed the
// cost of reading them; larger ones would be too much for one of several
// workers.
func (in *input) partRows(bytes int64, height, width int) int {
	cost := in.budget.cost(height, width)
	if in.real {
		return int(max(1, min(4096, (1<<21)/cost, in.budget.max/8/cost)))
	}
	return int(max(1, min(cmp.Or(in.opts.partBytes, 4<<20)/bytes, (1<<20)/cost, in.budget.max/8/cost)))
}

// HeaderMode says whether the first line of a CSV file holds column names.
type HeaderMode int

// With HeaderAuto the first line is a header if it counts the columns (0, 1, 2, ...
// or 1, 2, 3, ...), if it has a name above bits, numbers or marks, if letters stand
// above digits only, or if all columns are text, values recur and those of the first
// line do not.
const (
	HeaderAuto HeaderMode = iota
	HeaderPresent
	HeaderAbsent
)

// check rejects options that contradict each other.
func (o *Options) check(paths []string) error {
	switch {
	case len(paths) == 0:
		return &FormatError{Msg: "no input files", Hint: "name at least one file or folder"}
	case slices.Contains(o.Labels, standardInput),
		1 < len(paths)-len(slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == standardInput })):
		return &FormatError{Path: shown(standardInput), Msg: "can be read only once, as one data file",
			Hint: "save it to a file first"}
	case len(o.Labels) > 0 && o.files != nil:
		return &FormatError{Path: paths[0], Msg: "label files cannot be combined with content in memory",
			Hint: "put the labels into an .npz"}
	case len(o.Labels) > 0 && len(o.Labels) != len(paths):
		return &FormatError{Msg: "the number of label files differs from the number of data files",
			Hint: "give one label file per data file, in the same order"}
	case len(o.Pairs) == 1 || len(o.Pairs) > 3 || len(o.Pairs) > 0 && o.Items:
		return &FormatError{Msg: "pairs are two columns, of the rows and of their items, or three with how often",
			Hint: "write them like site,species"}
	case (o.Height == 0) != (o.Width == 0) || o.Height < 0 || o.Width < 0 ||
		o.Width > 0 && o.Height > bitmap.MaxPixels/o.Width:
		return &FormatError{Msg: "the image size needs a positive height and a positive width of reasonable size"}
	case o.FirstPer.Count < 0:
		return &FormatError{Msg: fmt.Sprintf("the first %d images of each group", o.FirstPer.Count), Hint: "give 1 or more"}
	case o.Threshold != nil && o.AutoThreshold:
		return &FormatError{Msg: "a threshold as well as one chosen by Otsu's method", Hint: "give one of them"}
	case o.Threshold != nil && math.IsNaN(*o.Threshold):
		return &FormatError{Msg: "the threshold is not a number"}
	}
	return nil
}

// openFile opens a file for reading; all that is read with these options is opened here.
func (o *Options) openFile(path string) (*os.File, error) {
	if o.Opened != nil {
		if err := o.Opened(path); err != nil {
			return nil, err
		}
	}
	return pipes.Open(path)
}

func (o *Options) maxMemory() int64 { return cmp.Or(max(0, o.MaxMemory), 4<<30) }
