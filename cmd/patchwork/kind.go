package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"

	"example.com/patchwork/dataset"
)

// The kinds of files that people confuse, in the words of messages.
const (
	kindModel    = "a model"
	kindTable    = "a table"
	kindArrow    = "a table in Arrow, which is not read"
	kindArrays   = "data (an archive of arrays)"
	kindArray    = "data (an array)"
	kindPicture  = "a picture"
	kindPictures = "an archive of pictures"
	kindTally    = "a tally (of patchwork count)"
	kindLines    = "explanations (JSON lines of patchwork explain)"
	kindPage     = "a page (HTML)"
	kindPacked   = "packed (by gzip or zstd)"
	kindPDF      = "a document (PDF)" // which find reads
	kindDrawing  = "a drawing (SVG)"  // the readers of pictures say more about it
)

// asParquet is the way out for a table in Arrow.
const asParquet = "write it as Parquet (pyarrow.parquet.write_table)"

// kindOfFile returns what a file holds, by its first bytes and the names of its
// members; "" for what is none of the kinds.
func kindOfFile(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	switch format, _ := dataset.FormatOf(head[:n]); format {
	case "zip":
		return kindOfArchive(f, info.Size())
	case "gzip":
		z, err := gzip.NewReader(io.NewSectionReader(f, 0, 1<<20))
		if err != nil {
			return kindPacked
		}
		n, _ := io.ReadFull(z, head) // what is cut or damaged shows less
		if kind := kindOfHead(head[:n]); kind == kindTable || kind == kindArray {
			return kind
		}
		return kindPacked
	case "zstd":
		return kindPacked
	}
	return kindOfHead(head[:n])
}

// kindOfHead returns what a file holds that is neither packed nor an archive, by its first bytes.
func kindOfHead(head []byte) string {
	format, picture := dataset.FormatOf(head)
	switch {
	case bytes.HasPrefix(head, []byte("patchwork-tally")):
		return kindTally
	case picture:
		return kindPicture
	case format == "text" && bytes.HasPrefix(head, []byte(`{"index":`)):
		return kindLines
	case format == "text" && bytes.HasPrefix(head, []byte("<")):
		return kindPage
	case format == "text" && !bytes.ContainsAny(head, "\n,;\t"):
		return ""
	}
	return map[string]string{"npy": kindArray, "IDX": kindArray, "MAT": kindArray, "Parquet": kindTable, "text": kindTable,
		"an Arrow or Feather file": kindArrow, "a PDF document": kindPDF, "an SVG drawing": kindDrawing}[format]
}

// kindOfArchive returns what a zip archive holds.
func kindOfArchive(r io.ReaderAt, size int64) string {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return ""
	}
	arrays := 0
	for _, m := range z.File {
		switch {
		case m.Name == "model.json" || m.Name == "model.json.npy":
			return kindModel
		case path.Ext(m.Name) == ".npy":
			arrays++
		}
	}
	if arrays > 0 {
		return kindArrays
	}
	return kindPictures
}

// notModel returns an error about a file that is no model because it is something
// else, or nil if it is not known what.
func notModel(file string) error {
	kind, way := kindOfFile(file), "not a model; give the .npz file that patchwork learn wrote"
	switch kind {
	case "", kindModel:
		return nil
	case kindArrays, kindArray, kindTable, kindPicture, kindPictures:
		way = "not a model; learn one from it: patchwork learn " + file + " -o model.npz"
	case kindPacked:
		way = "as no model is; unpack it, or learn one from it: patchwork learn " + file + " -o model.npz"
	case kindArrow:
		way = "and no model; " + asParquet + " and learn a model from that"
	case kindTally:
		way = "not a model; patchwork merge makes a model of tallies"
	}
	return &inputError{fmt.Errorf("%s is %s, %s", file, kind, way)}
}

// notClasses returns the error about a model of classes where none is taken.
func notClasses(file string) error {
	return &inputError{fmt.Errorf(
		"%s is a model of classes, which this command does not take; patchwork explain and score do",
		file)}
}

// notData returns an error about a file that is no data because it is something else,
// or nil if there is none of that kind.
func notData(files []string) error {
	for _, file := range files {
		switch kind := kindOfFile(file); kind {
		case kindModel:
			return &inputError{fmt.Errorf(
				"%s is %s, not data; name the images or the table (commands that use a model take it with -m)", file, kind)}
		case kindTally, kindLines, kindPage:
			return &inputError{fmt.Errorf("%s is %s, not data; name the images or the table that it was made from", file, kind)}
		}
	}
	return nil
}

// notTally returns an error about a file that holds no counts because it is something
// else, or nil if it is not known what.
func notTally(file string) error {
	switch kind := kindOfFile(file); kind {
	case "", kindTally:
		return nil
	case kindModel:
		return &inputError{fmt.Errorf(
			"%s is %s, not a tally; give it with -m, and the tallies that patchwork count wrote as arguments", file, kind)}
	case kindArrow:
		return &inputError{fmt.Errorf("%s is %s, and no tally; %s and count that", file, kind, asParquet)}
	default:
		return &inputError{fmt.Errorf("%s is %s, not a tally; count it first: patchwork count -m MODEL %s -o 1.tally", file,
			kind, file)}
	}
}
