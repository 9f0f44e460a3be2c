// Package dataset reads files as binary images, and writes them.
//
// [Read] reads .npy and .npz arrays, MAT-files of Level 5, tables in CSV and
// Parquet, IDX files, any of these packed with gzip or zstd, and pictures (PNG, JPEG, GIF, TIFF, WebP and
// BMP) or folders
// and zip archives of them, and returns one [Set]: images of one size, their
// weights, and columns of metadata (labels, writers, file names) to select by.
// The path - is standard input. [OpenStream] reads the same images in blocks, as a [Stream]. Learners
// take both as they are: each is a [patchwork.Source]. A table is a set of
// images of height 1, one per row. Formats are recognised by content, not by
// name.
//
// # What a value means
//
// In arrays and tables 1 is on and 0 is off; NaN and null are unknown. Any other
// number is an error unless [Options].Threshold is given; then greater values are
// on. Columns of text, in CSV and Parquet, also say it in words, in upper or
// lower case, with blanks around them:
//
//	on       1, 1.0, y, yes, t, true, present, positive, detected, ja, oui, sí, ...
//	off      0, 0.0, n, no, f, false, absent, negative, not detected, nein, non, ...
//	unknown  nothing, ?, NA, N/A, #N/A, <NA>, \N, NaN, null, None, a point
//
// and in three ways that only a whole column shows: + and -, where - is off (alone,
// or beside other words, it is unknown, unless another column has both); P and A, for
// present and absent; and a mark, X, ✓ or + alone, where an empty cell is off. Where no
// cell of the table says off, 1, P and words for on are marks, too. A model remembers
// which of its columns were written so ([Reading]).
//
// # What a column is for
//
// Beside bits or numbers, words such as "don't know" are unknown, and so are -9, 99, 999 and the like beside 0 and 1.
// A column of two words is a bit, called `diet=vegan` by the rarer of them unless they mean yes and no; so is one of
// a word and empty cells, and of 1 and 2 only. Any other column of text is a label: metadata. So is one that counts the rows, or has
// numbers and no name, as pandas and R write their indices. Where at least half of
// the cells are bits, other text is a mistake, and an error, which lists all such
// columns, as it lists the columns of other numbers. [Options].Categories makes a
// column of bits for each value of a column: `habitat=marsh`. This happens by itself
// where no other column is data, to columns with few values. [Set].Notes says what
// was decided, and [Options] Columns, Meta and Weight decide it otherwise.
//
// A CSV file is UTF-8, or UTF-16 with its mark; its columns are separated by commas,
// tabs or semicolons, and a delimiter may end every line. Titles, lines that begin with # and a line such as sep=;
// above the header are left out, as is a second header of a survey below it. Empty lines at its end are no rows,
// unless an empty cell is off. Where commas separate columns, a comma in a number stands before
// thousands, unless its column has other commas. With [Options].Items each
// line is a list of items instead (an empty line before the last list is an empty
// list, and a single cell in quotes is divided), and with [Options].Pairs it names a
// row and one of its items.
//
// In pictures dark is on: ink on paper. A
// picture of only black and white is taken as it is. Any other is made binary
// at a luminance between 0 (black) and 255 (white): lighter pixels are paper, so
// off. It is Threshold, or else one for each picture by Otsu's method; in the
// second case uneven light is evened out first, a picture that is mostly dark,
// at its border and as a whole, is light on dark, so light is on, and one with
// hardly any contrast is blank. [Set].Notes says what happened. Transparent
// pixels are off. So a picture gives
// the same image in every format that keeps its pixels. [Options].Invert swaps
// on and off everywhere, for light strokes on a dark ground.
//
// With Options.AutoThreshold each image of an array gets a threshold of its own
// by Otsu's method, too; greater is on, whatever the border. Each, not all
// together, so that an image means the same alone, in a set and in a stream.
//
// # Pictures of different sizes
//
// Pictures have one size, or are brought to one by Height and Width. What has
// that size already stays as it is. Any other picture, in this order, is turned
// as its Exif data say (always); reduced by a whole number, so that its longer
// side has at most 1024 pixels; divided into ink and paper, as above; cropped to
// the ink, leaving out specks (pieces smaller than 1/400 of the largest); scaled
// as a grey picture, with its aspect, to fit between margins of 1/14 of the
// shorter side; centred on paper; and divided again. Of a GIF the first frame
// is read, of a TIFF file the first page.
//
// # Metadata from picture names
//
// A folder of pictures, or of class folders with pictures, gives the metadata
// `name` and `y` (the class). Any other layout needs Options.Names, which
// describes the path inside the folder or archive, with / between its elements.
// In it
//
//	{writer}    matches one or more characters of one element, as few as possible: the metadata writer
//	{writer:3}  matches exactly 3 characters
//	{}, {:3}    match likewise and are left out
//	**/         at the beginning matches any number of folders
//
// and everything else matches itself. A form with a suffix such as .png
// describes the whole path; one without describes the path without its suffix.
// All folders are searched; a picture that does not match is an error. Pictures
// are sorted by path, element by element, with numbers in order of their value:
// sample 2 before sample 10. For example,
//
//	{y}/{writer}_{sample}.png   T/31_2.png
//	{writer}/{y:1}{sample}.png  31/T2.png
//	**/{y}-{writer}-{}          characters/setA/T-031-02.png
//
// A zip archive reads like the folder it was made of. Members that lead out of
// it, share a name, overlap or expand to more than 64 MiB are refused.
//
// # MAT-files
//
// The images are the variable that Options.Array names, or `x` or `X`, or the
// only one: (N,D) or (N,H,W) as elsewhere, or a cell array with one matrix per
// image. Variables with one value per image (numbers; rows of text; cells of
// text) become metadata. MATLAB stores images column by column: if they are
// rows of H*W values, set Transpose together with Height and Width. Files of
// versions 7.3 and 4, and of machines that write the high byte first, are not read.
//
// # Untrusted input
//
// Content that cannot be used is reported as a [*FormatError]. File-system
// errors are passed on and unwrap to their cause. Memory grows with the bytes
// present; [Options].MaxMemory bounds the result.
package dataset
