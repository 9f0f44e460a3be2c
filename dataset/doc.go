// Package dataset reads files as binary images, and writes them.
//
// [Read] reads .npy and .npz arrays, MAT-files of Level 5, tables in CSV and
// Parquet, IDX files, any of these packed with gzip or zstd, and pictures (PNG, JPEG, GIF, TIFF, WebP and
// BMP) or folders and zip archives of them, and returns one [Set]: images of one size, their weights, and columns of
// metadata (labels, writers, file names) to select by. The path - is standard input. [OpenStream] reads the same images
// in blocks, as a [Stream]. Learners take both as they are: each is a [patchwork.Source]. A table is a set of images of
// height 1, one per row. Formats are recognised by content, not by name.
//
// # What a value means
//
// In arrays and tables 1 is on and 0 is off; NaN, null and empty cells are unknown. Tables say it in words, too: yes
// and no, present and absent, + and -, a mark beside empty cells, and others (words.go, twowords.go). Any other number
// is an error unless [Options].Threshold is given (greater is on), or the data plainly are numbers. What each column
// is, and why, a [Plan] says; [Frame].Notes say what was decided, and [Options] Columns and Edits
// decide it otherwise. A model remembers how its columns were read ([Reading]).
//
// In text, titles, lines that begin with #, a second header and empty lines at the end are left out. Where commas
// separate columns, a comma in a number stands before thousands. With [Options].Items each
// line is a list of items instead, and with [Options].Pairs it names a row and one of its items.
//
// In pictures dark is on: ink on paper. A
// picture of only black and white is taken as it is. Any other is made binary
// at a luminance between 0 (black) and 255 (white): lighter pixels are paper, so
// off. It is Threshold, or else one for each picture by Otsu's method; in the
// second case uneven light is evened out first, a picture that is mostly dark,
// at its border and as a whole, is light on dark, so light is on, and one with
// hardly any contrast is blank. Transparent pixels are off. [Options].Invert swaps
// on and off everywhere, for light strokes on a dark ground. With Options.AutoThreshold each image of an array gets a
// threshold of its own, too; greater is on.
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
