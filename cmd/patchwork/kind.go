package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"unicode/utf8"
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
	if head = head[:n]; bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return kindOfArchive(f, info.Size())
	}
	if packed, ok := packedHead(f, head); ok {
		if kind := kindOfHead(packed); isData(kind) {
			return kind
		}
		return kindPacked
	}
	return kindOfHead(head)
}

// packedHead returns the beginning of what is packed in a file by gzip; ok reports whether something is, also by zstd,
// of which nothing is unpacked.
func packedHead(f io.ReaderAt, head []byte) (inner []byte, ok bool) {
	if bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) {
		return nil, true
	}
	if !bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return nil, false
	}
	z, err := gzip.NewReader(io.NewSectionReader(f, 0, 1<<20))
	if err != nil {
		return nil, true
	}
	inner = make([]byte, 512)
	n, _ := io.ReadFull(z, inner) // what is cut or damaged shows less
	return inner[:n], true
}

// isData reports whether files of a kind are data that commands read.
func isData(kind string) bool {
	return kind == kindTable || kind == kindArray
}

// kindOfHead returns what a file holds that is no archive, by its first bytes.
func kindOfHead(head []byte) string {
	if bytes.HasPrefix(head, []byte("<svg")) || bytes.HasPrefix(head, []byte("<?xml")) &&
		bytes.Contains(head, []byte("<svg")) {
		return kindDrawing
	}
	for _, k := range []struct{ begin, kind string }{
		{"\x93NUMPY", kindArray}, {"PAR1", kindTable}, {"ARROW1", kindArrow}, {"patchwork-tally", kindTally},
		{"%PDF-", kindPDF}, {"\x89PNG", kindPicture},
		{"\xff\xd8\xff", kindPicture}, {"GIF8", kindPicture}, {"II*\x00", kindPicture},
		{"MM\x00*", kindPicture}, {"RIFF", kindPicture},
		{"MATLAB 5.0 MAT-file", kindArray}, {"\x00\x00\x08", kindArray}, {`{"index":`, kindLines}, {"<", kindPage},
	} {
		if bytes.HasPrefix(head, []byte(k.begin)) {
			return k.kind
		}
	}
	if bytes.HasPrefix(head, []byte("BM")) && !isText(head) {
		return kindPicture
	}
	if isText(head) && bytes.ContainsAny(head, "\n,;\t") {
		return kindTable
	}
	return ""
}

// isText reports whether bytes are the beginning of a text.
func isText(b []byte) bool {
	for range utf8.UTFMax { // the last letter may be incomplete
		if utf8.Valid(b) || len(b) == 0 {
			break
		}
		b = b[:len(b)-1]
	}
	return len(b) > 0 && utf8.Valid(b) && !bytes.ContainsRune(b, 0)
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
