// Package dataset turns files into binary images, and back.
//
// [Read] takes .npy and .npz arrays, CSV tables, Parquet tables, IDX files
// (these also gzipped), and PNG, PBM and PGM pictures or folders of them, and
// gives one [Set]: images of one size, their weights, and columns of metadata
// (labels, writers, file names) to select by. A table is a set of images of
// height 1, one a row. Formats are recognised by content, not by name.
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
// # Untrusted input
//
// Content that cannot be used is reported as a [*FormatError]. Errors of the
// file system are passed on and unwrap to their cause. Memory follows the bytes
// that are really there; [Options].MaxMemory bounds the result.
package dataset
