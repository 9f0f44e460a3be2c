package tallyfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"example.com/patchwork/internal/strictjson"
)

const (
	recordMagic = "patchwork-tally"
	linesMagic  = "patchwork-tally-base64"
	version     = "3"

	// maxRecord bounds a record, in bytes: more than the tally of any usable
	// model needs.
	maxRecord = 1 << 32
)

// FormatError reports bytes that are not a tally file.
type FormatError struct {
	Record  int   // number of the record, from 0
	Offset  int64 // of the record's first byte in the file
	Problem string
}

// Error implements the error interface.
func (e *FormatError) Error() string {
	return fmt.Sprintf("not a tally file: record %d, at byte %d: %s", e.Record+1, e.Offset, e.Problem)
}

// Write writes a part as a record. If the shards do not add up to the rows of
// the part, or are out of order, it returns a *[FormatError] and writes
// nothing.
func Write(w io.Writer, p *Part) error {
	record, err := p.encode()
	if err != nil {
		return err
	}
	_, err = w.Write(record)
	return err
}

// WriteLine writes a part as one line of base64.
func WriteLine(w io.Writer, p *Part) error {
	record, err := p.encode()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, linesMagic+" "+base64.StdEncoding.EncodeToString(record)+"\n")
	return err
}

func encodeHeader(h header) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(h)
	return buf.Bytes(), err
}

// Read yields the parts of a file in order, in either form. It ends with the
// first error: a *[FormatError], or that of the reader. A file without any part
// is an error. Read uses no more memory than the file is long.
func Read(r io.Reader) iter.Seq2[*Part, error] {
	return func(yield func(*Part, error) bool) {
		d := &decoder{r: bufio.NewReaderSize(r, 1<<16)}
		for {
			p, err := d.record()
			if err == io.EOF && d.n > 0 {
				return
			}
			if err == io.EOF {
				err = d.bad("the file is empty")
			}
			if !yield(p, err) || err != nil {
				return
			}
			d.n++
		}
	}
}

type decoder struct {
	r     *bufio.Reader
	n     int   // number of the record
	start int64 // its first byte
	at    int64 // next byte
}

func (d *decoder) bad(format string, args ...any) error {
	return &FormatError{d.n, d.start, fmt.Sprintf(format, args...)}
}

// record reads one record, or returns io.EOF at the end.
func (d *decoder) record() (*Part, error) {
	d.start = d.at
	word, err := d.until(' ', len(linesMagic)+1)
	if err == io.EOF && word == "" {
		return nil, io.EOF
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, err
	case word == linesMagic+" ":
		return d.line()
	case word == recordMagic+" ":
		return d.binary()
	}
	return nil, d.bad("begins with %.24q, not %q", word, recordMagic)
}

// until reads up to and including the byte end, at most most bytes.
func (d *decoder) until(end byte, most int) (string, error) {
	var out []byte
	for len(out) < most {
		b, err := d.r.ReadByte()
		if err != nil {
			return string(out), err
		}
		d.at++
		if out = append(out, b); b == end {
			break
		}
	}
	return string(out), nil
}

// line reads the rest of a record in base64.
func (d *decoder) line() (*Part, error) {
	text, err := d.r.ReadBytes('\n')
	d.at += int64(len(text))
	if err != nil && err != io.EOF {
		return nil, err
	}
	record, err := base64.StdEncoding.DecodeString(strings.TrimRight(string(text), "\r\n"))
	if err != nil {
		return nil, d.bad("the line is not base64: %v", err)
	}
	inner := &decoder{r: bufio.NewReader(bytes.NewReader(record))}
	p, err := inner.record()
	if err == nil && inner.at != int64(len(record)) {
		err = d.bad("%d bytes follow the record in its line", int64(len(record))-inner.at)
	}
	var format *FormatError
	switch {
	case err == io.EOF:
		return nil, d.bad("the line is empty")
	case errors.As(err, &format):
		return nil, d.bad("%s", format.Problem)
	case err != nil:
		return nil, err
	}
	return p, nil
}

// binary reads the rest of a record.
func (d *decoder) binary() (*Part, error) {
	first, err := d.until('\n', 128)
	if err != nil && err != io.EOF {
		return nil, err
	}
	fields := strings.Fields(first)
	if len(fields) != 4 || !strings.HasSuffix(first, "\n") {
		return nil, d.bad("its first line is %.60q", first)
	}
	if fields[0] != version {
		return nil, d.bad("version %s; this program reads version %s: count the rows again with patchwork count", fields[0],
			version)
	}
	head, err1 := strconv.ParseInt(fields[1], 10, 64)
	body, err2 := strconv.ParseInt(fields[2], 10, 64)
	sum, err3 := hex.DecodeString(fields[3])
	if err := errors.Join(err1, err2, err3); err != nil || head < 0 || body < 0 || head > maxRecord ||
		body > maxRecord-head || len(sum) != sha256.Size {
		return nil, d.bad("its first line is %.60q", first)
	}
	if err := checkHeader(head); err != nil {
		return nil, d.bad("%v", err)
	}
	// Not make([]byte, head+body): the lengths are not trusted.
	content, err := io.ReadAll(io.LimitReader(d.r, head+body))
	d.at += int64(len(content))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) < head+body {
		return nil, d.bad("ends after %d of %d bytes", len(content), head+body)
	}
	if got := sha256.Sum256(content); !bytes.Equal(got[:], sum) {
		return nil, d.bad("its checksum is %x, not %x: the file is damaged", got[:6], sum[:6])
	}
	p, err := decodePart(content[:head], content[head:])
	if err != nil {
		return nil, d.bad("%v", err)
	}
	return p, nil
}

func decodePart(head, body []byte) (*Part, error) {
	var h header
	if err := strictjson.Decode(head, &h, ""); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	p := &Part{Model: h.Model, Options: h.Options, Shards: h.Shards}
	if err := p.decodeCounts(body); err != nil {
		return nil, err
	}
	return p, p.check()
}
