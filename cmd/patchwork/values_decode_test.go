package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image"
	"image/draw"
	_ "image/png" // for image.Decode
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/parquet-go/parquet-go"

	"example.com/patchwork/internal/npy"
)

// decoder takes the values out of a file, and its words if people read it.
type decoder struct {
	file   string
	values map[string]string // by file and member
	prose  string
}

// put adds a value of the file. A hash stands for all but short ones.
func (d *decoder) put(member string, value []byte) {
	text := string(value)
	if len(text) > 60 {
		text = fmt.Sprintf("%s, %d bytes", digest(value), len(value))
	}
	d.values[strings.TrimSpace(d.file+" "+member)] = text
}

// decode chooses by what the content is; compression and the order of keys do not count.
func (d *decoder) decode(content []byte) error {
	switch is := func(magic string) bool { return bytes.HasPrefix(content, []byte(magic)) }; {
	case is("PK"):
		return d.archive(content)
	case is("\x93NUMPY"):
		r, err := npy.NewReader(bytes.NewReader(content), 0)
		if err != nil {
			return err
		}
		a, err := r.All()
		if err != nil {
			return err
		}
		return d.array(a)
	case is("PAR1"):
		return d.parquet(content)
	case is("\x89PNG"):
		pixels, err := pixelsOf(content)
		d.put("pixels", []byte(pixels))
		return err
	case is("patchwork-tally"):
		return d.tally(content)
	}
	content = times.ReplaceAll(content, []byte("(time)"))
	switch ext := path.Ext(d.file); {
	case ext == ".csv":
		return d.table(content)
	case ext == ".svg":
		return d.drawing(content)
	case ext == ".html":
		return d.page(content)
	case d.json("", content) == nil:
		return nil
	}
	d.say(content)
	return nil
}

// say adds words, without blanks at the ends of lines.
func (d *decoder) say(text []byte) {
	for line := range strings.Lines(string(text)) {
		d.prose += "\n" + strings.TrimRight(line, " \t\n")
	}
	d.prose = strings.TrimSpace(d.prose)
}

func (d *decoder) archive(content []byte) error {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		member, err := fs.ReadFile(z, f.Name)
		if err != nil {
			return err
		}
		inner := decoder{file: d.file + " " + strings.TrimSuffix(f.Name, ".npy"), values: d.values}
		if err := inner.decode(member); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		d.say([]byte(inner.prose))
	}
	return nil
}

func (d *decoder) array(a *npy.Array) error {
	var b bytes.Buffer
	if err := npy.WriteElements(&b, a.Data); err != nil {
		return err
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", a.Data), "[]")
	d.put("", fmt.Appendf(nil, "%s %v %s", kind, a.Shape, digest(b.Bytes())))
	return nil
}

// json takes the values of one document key by key, and of several, one on each line, each
// key over all lines. What is no JSON is an error.
func (d *decoder) json(member string, content []byte) error {
	var documents []any
	for dec := json.NewDecoder(bytes.NewReader(content)); ; {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		documents = append(documents, v)
	}
	switch len(documents) {
	case 0:
		return io.ErrUnexpectedEOF
	case 1:
		return d.value(member, "", documents[0], 2)
	}
	columns := make(map[string][]any)
	for i, v := range documents {
		line, ok := v.(map[string]any)
		if !ok {
			line = map[string]any{"": v}
		}
		for key, v := range line {
			for len(columns[key]) < i {
				columns[key] = append(columns[key], nil)
			}
			columns[key] = append(columns[key], v)
		}
	}
	d.put(member+"lines", fmt.Appendf(nil, "%d", len(documents)))
	for _, key := range keysOf(columns, nil) {
		if err := d.value(member, key, columns[key], 0); err != nil {
			return err
		}
	}
	return nil
}

// value takes a value of JSON, and of objects their keys, so many levels deep.
func (d *decoder) value(member, key string, v any, deep int) error {
	if object, ok := v.(map[string]any); ok && deep > 0 {
		for _, name := range keysOf(object, nil) {
			if err := d.value(member, strings.TrimPrefix(key+"."+name, "."), object[name], deep-1); err != nil {
				return err
			}
		}
		return nil
	}
	if text, ok := v.(string); ok && strings.Count(text, " ") > 3 {
		d.say([]byte(member + key + ": " + text))
		return nil
	}
	text, err := json.Marshal(v)
	if err == nil {
		d.put(member+key, text)
	}
	return err
}

// tally takes the records of a file of counts: the header of each and its counts.
func (d *decoder) tally(content []byte) error {
	if text, ok := bytes.CutPrefix(content, []byte("patchwork-tally-base64 ")); ok {
		var err error
		if content, err = base64.StdEncoding.DecodeString(string(bytes.TrimSpace(text))); err != nil {
			return err
		}
	}
	for i := 0; len(content) > 0; i++ {
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		var version, head, body int
		if _, err := fmt.Sscanf(string(line), "patchwork-tally %d %d %d", &version, &head, &body); err != nil {
			return err
		}
		if err := d.json(fmt.Sprintf("%d ", i), rest[:head]); err != nil {
			return err
		}
		d.put(fmt.Sprintf("%d counts", i), rest[head:head+body])
		content = rest[head+body:]
	}
	return nil
}

// table takes the cells of a table: column by column, if there are few.
func (d *decoder) table(content []byte) error {
	r := csv.NewReader(bytes.NewReader(content))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return err
	}
	d.put("cells", fmt.Appendf(nil, "%d %s", len(rows), digest(fmt.Appendf(nil, "%q", rows))))
	if len(rows[0]) > 16 {
		return nil
	}
	for i, name := range rows[0] {
		var column []string
		for _, row := range rows[1:] {
			column = append(column, row[i])
		}
		d.put(name, fmt.Appendf(nil, "%q", column))
	}
	return nil
}

func (d *decoder) parquet(content []byte) error {
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return err
	}
	rows := make([]parquet.Row, f.NumRows())
	r := parquet.NewReader(f)
	defer func() { _ = r.Close() }() // reads memory
	if n, err := r.ReadRows(rows); n < len(rows) {
		return fmt.Errorf("%d rows of %d: %w", n, len(rows), err)
	}
	for i, column := range f.Schema().Columns() {
		var cells []string
		for _, row := range rows {
			for _, v := range row {
				if v.Column() == i {
					cells = append(cells, v.String())
				}
			}
		}
		d.put(strings.Join(column, "."), fmt.Appendf(nil, "%q", cells))
	}
	return nil
}

// pixelsOf returns the size and the hash of the pixels of a picture.
func pixelsOf(content []byte) (string, error) {
	p, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	pixels := image.NewNRGBA(p.Bounds())
	draw.Draw(pixels, p.Bounds(), p, p.Bounds().Min, draw.Src)
	return fmt.Sprintf("%dx%d %s", p.Bounds().Dx(), p.Bounds().Dy(), digest(pixels.Pix)), nil
}

// drawing takes the shapes of an SVG, and its words.
func (d *decoder) drawing(content []byte) error {
	var shapes, words []string
	for dec := xml.NewDecoder(bytes.NewReader(content)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			shapes = append(shapes, fmt.Sprint(token.Name.Local, token.Attr))
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				words = append(words, text)
			}
		}
	}
	d.put("shapes", fmt.Appendf(nil, "%d %s", len(shapes), digest([]byte(strings.Join(shapes, "\n")))))
	d.say([]byte(strings.Join(words, "\n")))
	return nil
}

var (
	pageDrawings = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	pagePictures = regexp.MustCompile(`data:image/png;base64,([^"]*)`)
	pageHidden   = regexp.MustCompile(`(?s)<style.*?</style>|<script.*?</script>`)
	pageCells    = regexp.MustCompile(`</?(td|th|a|b|i|em|strong|small|code|span|sub|sup)\b[^>]*>`)
	pageMarks    = regexp.MustCompile(`<[^>]*>`)
)

// page takes the pictures of an HTML page, and its words.
func (d *decoder) page(content []byte) error {
	var pictures []string
	for _, match := range pagePictures.FindAllSubmatch(content, -1) {
		picture, err := base64.StdEncoding.DecodeString(html.UnescapeString(string(match[1])))
		if err != nil {
			return err
		}
		pixels, err := pixelsOf(picture)
		if err != nil {
			return err
		}
		pictures = append(pictures, pixels)
	}
	if pictures != nil {
		d.put("pictures", fmt.Appendf(nil, "%d %s", len(pictures), digest(fmt.Append(nil, pictures))))
	}
	if drawings := pageDrawings.FindAll(content, -1); drawings != nil {
		d.put("drawings", fmt.Appendf(nil, "%d %s", len(drawings), digest(bytes.Join(drawings, nil))))
	}
	content = pageDrawings.ReplaceAll(pageHidden.ReplaceAll(content, nil), nil)
	content = pageCells.ReplaceAll(content, []byte(" "))
	var words []string
	for line := range strings.Lines(html.UnescapeString(string(pageMarks.ReplaceAll(content, []byte("\n"))))) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			words = append(words, line)
		}
	}
	d.say([]byte(strings.Join(words, "\n")))
	return nil
}
