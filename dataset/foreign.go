package dataset

import (
	"bytes"
	"path"
	"strings"
)

// arrowWay is the hint for Arrow files.
const arrowWay = "write the table as Parquet (pyarrow.parquet.write_table, or write_parquet in R)"

// foreign lists formats that users may try, each with a hint.
var foreign = []struct{ magic, name, hint string }{
	{"MATLAB 7.3", "a MATLAB file of version 7.3 (HDF5)", matHint},
	{"\x89HDF\r\n", "an HDF5 file", "load it with h5py and save it with numpy.savez"},
	{"%PDF", "a PDF document", unread(".pdf")},
	{"%!PS", "a PostScript document", unread(".eps")},
	{"8BPS", "a Photoshop picture", unread(".psd")},
	{"II*\x00\x10\x00\x00\x00CR", "a raw photo of a Canon camera", unread(".cr2")},
	{"FUJIFILMCCD-RAW", "a raw photo of a Fuji camera", unread(".raf")},
	{"IIRO", "a raw photo of an Olympus camera", unread(".orf")},
	{"IIU\x00", "a raw photo of a Panasonic camera", unread(".rw2")},
	{"\xff\x0a", "a JPEG XL picture", unread(".jxl")},
	{"\x00\x00\x00\x0cJXL ", "a JPEG XL picture", unread(".jxl")},
	{"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture", unread(".jp2")},
	{"AT&TFORM", "a DjVu document", "export its pages as PNG"},
	{"P1\n", "a PBM picture", "save it as PNG"}, {"P4\n", "a PBM picture", "save it as PNG"},
	{"P2\n", "a PGM picture", "save it as PNG"}, {"P5\n", "a PGM picture", "save it as PNG"},
	{"ARROW1", "an Arrow or Feather file", arrowWay},
	{"\xff\xff\xff\xff", "an Arrow stream", arrowWay},
	{"FEA1", "a Feather file of version 1", arrowWay},
	{"\xd0\xcf\x11\xe0", "a document of Excel or Word from before 2007", "save the sheet as CSV"},
	{"SQLite format 3", "an SQLite database", "export the table as CSV"},
	{"RDX", "an R workspace", "write the table with write.csv"},
	{"$FL2", "an SPSS file", "save it as CSV"},
	{"<stata_dta>", "a Stata file", "save it as CSV"},
	{"BZh", "compressed with bzip2", "decompress it, or compress it with gzip"},
	{"\xfd7zXZ", "compressed with xz", "decompress it, or compress it with gzip"},
}

// notRead returns an error that names the format of a file, if it is known and
// not read.
func notRead(head []byte) error {
	name, hint := foreignKind(head)
	if name == "" {
		return nil
	}
	return &FormatError{Msg: "is " + name + ", which is not read here", Hint: hint}
}

func foreignKind(head []byte) (name, hint string) {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.name, f.hint
		}
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		switch brand := string(head[8:12]); brand {
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1":
			return "a HEIC picture", unread(".heic")
		case "avif", "avis":
			return "an AVIF picture", unread(".avif")
		case "crx ":
			return "a raw photo of a Canon camera", unread(".cr3")
		}
		return "a film or sound (MP4)", "export a picture of it as PNG"
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(text, []byte("<svg")) || bytes.HasPrefix(text, []byte("<?xml")) &&
		bytes.Contains(text, []byte("<svg")) {
		return "an SVG drawing", unread(".svg")
	}
	return "", ""
}

// ways tell how to make pictures that are read from those that are not, by
// suffix.
var ways = func() map[string]string {
	out := map[string]string{
		specialFile: "a pipe, a device, a socket, or in an archive a link; only regular files are read",
		".heic": "convert it to JPEG, for example: magick IMG_1.heic IMG_1.jpg (an iPhone takes JPEG with Settings, " +
			"Camera, Formats, Most Compatible)",
		".avif": "convert it to PNG, for example: magick picture.avif picture.png",
		".jxl":  "convert it to PNG, for example: djxl picture.jxl picture.png",
		".jp2":  "convert it to PNG, for example: magick picture.jp2 picture.png",
		".pdf":  "export its pages as PNG, for example: pdftoppm -png -r 200 file.pdf page",
		".eps":  "convert it to PNG, for example: magick -density 200 file.eps file.png",
		".svg":  "draw it as PNG, for example: rsvg-convert -w 1000 file.svg -o file.png",
		".psd":  "export it as PNG, for example: magick 'file.psd[0]' file.png",
	}
	out[".heif"], out[".ai"] = out[".heic"], out[".pdf"]
	for _, raw := range strings.Fields(".cr2 .cr3 .nef .arw .dng .orf .rw2 .raf .pef .srw") {
		out[raw] = "develop it to JPEG, for example with darktable-cli photo" + raw + " photo.jpg"
	}
	return out
}()

// unread returns the way out for pictures that are not read; "" for a suffix
// of others.
func unread(suffix string) string { return ways[suffix] }

// rawPhoto returns an error for the name of a camera's raw photo: most have the
// form of TIFF, and would be read as the stamp-sized picture that is in them.
func rawPhoto(name string) error {
	switch suffix := strings.ToLower(path.Ext(name)); suffix {
	case ".nef", ".arw", ".dng", ".pef", ".srw", ".cr2", ".orf", ".rw2":
		return &FormatError{Msg: "is a raw photo of a camera (" + suffix + "), which is not read here", Hint: unread(suffix)}
	}
	return nil
}
