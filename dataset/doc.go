// Package dataset turns files into binary images, and back.
//
// [Read] takes .npy and .npz arrays, MAT-files of Level 5, CSV tables, Parquet
// tables, IDX files (these also gzipped), and PNG, PBM and PGM pictures or
// folders and zip archives of them, and gives one [Set]: images of one size,
// their weights, and columns of metadata (labels, writers, file names) to select
// by. A table is a set of images of height 1, one a row. Formats are recognised
// by content, not by name.
//
// # What a value means
//
// In arrays and tables 1 is on and 0 is off; NaN, null, an empty cell, `?` and
// `NA` are unknown. Any other number is an error unless [Options].Threshold is
// given; then what is greater is on. In tables the words y/n, yes/no, t/f and
// true/false count as 1 and 0 too, in any case.
//
// In pictures dark is on, as PBM defines it (1 is black): ink on paper. A
// picture of only black and white needs no threshold; with gray levels
// Threshold is a luminance between 0 (black) and 255 (white), and what is
// greater is paper, so off. Transparent pixels are off. The same picture thus
// reads the same from PNG, PBM and PGM. [Options].Invert swaps on and off
// everywhere, for light strokes on a dark ground.
//
// # Pictures whose names tell what they are
//
// A folder of pictures, or of class folders with pictures, gives the metadata
// `name` and `y` (the class). Any other layout needs Options.Names, a form of
// the path inside the folder or archive, with / between its parts. In it
//
//	{writer}    is one or more characters of one part, as few as will do: the metadata writer
//	{writer:3}  is exactly 3
//	{}, {:3}    are left out
//	**/         at the beginning is any folders, also none
//
// and all else is itself. With a suffix such as .png the form is that of the
// whole path, without one that of the path without its suffix. All folders are
// searched; a picture that is not of the form is an error. Pictures come in the
// order of their paths, part by part, numbers by their value: sample 2 before
// sample 10. For example,
//
//	{y}/{writer}_{sample}.png   T/31_2.png
//	{writer}/{y:1}{sample}.png  31/T2.png
//	**/{y}-{writer}-{}          characters/setA/T-031-02.pgm
//
// A zip archive reads like the folder it was made of. Members that lead out of
// it, have one name twice, overlap or unpack to more than 64 MiB are refused.
//
// # MAT-files
//
// The images are the variable that Options.Array names, or `x` or `X`, or the
// only one: (N,D) or (N,H,W) as elsewhere, or a cell array with one matrix an
// image. Variables with one value an image (numbers; rows of text; cells of
// text) become metadata. MATLAB lays images out column by column: where they
// lie in rows of H*W values, Height and Width want Transpose beside them. Files
// of version 7.3 and 4 are not read.
//
// # The TiCC letters
//
// The TiCC (TICH) set of handwritten characters (van der Maaten, TiCC TR
// 2009-002) could not be had while this was written: nothing here was tried on
// the archive itself. What is known of its form is this. The report describes
// 40,121 grey images of 56 x 56 pixels (dataset A) or 90 x 90 (B), labelled by
// character and by about 250 writers; in its figures ink is 16 to 60 and paper
// 255, so that a threshold of 127 parts them. The author's page offers
// characters.zip, of 42 MB; no description of what is in it was found. A script
// that trains a network on these characters (K. Seeliger, 2018) loads
// handwrittencharacters.mat with SciPy, so Level 5 or 4: X of 40134 x 3136
// between 0 and 1, each row an image column by column, and labels with one
// character a row; it names no writers and does not say whether ink is 1 (if
// not: Options.Invert). So the readers above take whatever layout a form of names
// can tell, and MAT-files, rather than one guess.
//
// # Untrusted input
//
// Content that cannot be used is reported as a [*FormatError]. Errors of the
// file system are passed on and unwrap to their cause. Memory follows the bytes
// that are really there; [Options].MaxMemory bounds the result.
package dataset
