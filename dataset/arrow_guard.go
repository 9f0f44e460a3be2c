//go:build !js

package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// arrow-go allocates what messages claim: lists of columns, bodies, what buffers
// are after decompression. So messages are read here, and memory grows with the
// bytes present; their lists are checked; and the library allocates through the
// guard. The form of messages:
// https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format

// arrowGuard reads messages for the library, and is its allocator.
type arrowGuard struct {
	r     io.Reader
	max   int64 // bytes of memory allowed
	begun bool
	left  int64 // bytes that may be allocated for the present message
	err   error // of reading or of the guard, which the library would wrap

	// Columns of views, which have any number of buffers: of the schema, apart from those in
	// dictionaries, and of each dictionary.
	views        int
	dictionaries map[int64]int

	bytes  map[int64]int64 // of each dictionary so far
	copied int64           // of dictionaries that grew: the library copies all of one each time
}

// mostCopied is how many bytes of dictionaries that grow are copied: half a second of work.
const mostCopied = 1 << 30

func newArrowGuard(r io.Reader, limit int64) *arrowGuard {
	return &arrowGuard{r: r, max: limit, bytes: map[int64]int64{}}
}

// worded returns the error behind one of the library.
func (g *arrowGuard) worded(err error) error {
	if g.err != nil {
		err = g.err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	return damagedArrow(err)
}

// fail keeps the first error and returns it.
func (g *arrowGuard) fail(err error) error {
	if g.err == nil {
		g.err = err
	}
	return err
}

// Retain and Release belong to the library's interface; the guard holds nothing.
func (g *arrowGuard) Retain() {}

// Release does nothing, see Retain.
func (g *arrowGuard) Release() {}

// Message returns the next message; io.EOF at the end.
func (g *arrowGuard) Message() (*ipc.Message, error) {
	m, err := g.message()
	if err != nil && err != io.EOF {
		err = g.fail(err)
	}
	return m, err
}

func (g *arrowGuard) message() (*ipc.Message, error) {
	if !g.begun {
		g.begun = true
		if err := g.pastMagic(); err != nil {
			return nil, err
		}
	}
	n, err := g.metadataLength()
	if err != nil {
		return nil, err
	}
	meta, err := g.take(n)
	if err != nil {
		return nil, err
	}
	if err := g.check(meta); err != nil {
		return nil, err
	}
	empty := memory.NewBufferBytes(nil)
	length := ipc.NewMessage(memory.NewBufferBytes(meta), empty).BodyLen()
	body, err := g.take(length)
	if err != nil {
		return nil, err
	}
	// What is compressed may grow, but not without bounds.
	g.left = min(g.max, max(64<<20, 1000*length))
	return ipc.NewMessage(memory.NewBufferBytes(meta), memory.NewBufferBytes(body)), nil
}

// pastMagic skips the beginning of a file, which a stream does not have.
func (g *arrowGuard) pastMagic() error {
	var head [8]byte
	n, err := io.ReadFull(g.r, head[:])
	if err != nil {
		return err
	}
	if string(head[:]) != arrowMagic {
		g.r = io.MultiReader(bytes.NewReader(head[:n]), g.r)
	}
	return nil
}

// metadataLength reads the head of a message; io.EOF at the end.
func (g *arrowGuard) metadataLength() (int64, error) {
	var word [4]byte
	if _, err := io.ReadFull(g.r, word[:]); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(word[:]) == 0xFFFFFFFF {
		if _, err := io.ReadFull(g.r, word[:]); err != nil {
			return 0, unexpected(err)
		}
	}
	n := int64(int32(binary.LittleEndian.Uint32(word[:])))
	switch {
	case n == 0:
		return 0, io.EOF
	case n < 8 || n > maxPage:
		return 0, damagedArrow(fmt.Errorf("metadata of %d bytes", n))
	}
	return n, nil
}

// take reads n bytes; it allocates as they come.
func (g *arrowGuard) take(n int64) ([]byte, error) {
	if n < 0 || n >= g.max {
		return nil, &FormatError{Msg: fmt.Sprintf("a part of %d bytes, where %d bytes of memory are allowed", n, g.max),
			Hint: "write the table in smaller batches, or allow more memory if the size is right", memory: true}
	}
	var b bytes.Buffer
	if n <= 1<<20 {
		b.Grow(int(n) + bytes.MinRead)
	}
	_, err := io.CopyN(&b, g.r, n)
	return b.Bytes(), unexpected(err)
}

// unexpected makes the end of a file an error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Allocate returns memory for the present message, or panics, which the library
// makes an error.
func (g *arrowGuard) Allocate(size int) []byte {
	if size < 0 || int64(size) > g.left {
		err := damagedArrow(fmt.Errorf("a buffer of %d bytes after decompression", size))
		panic(g.fail(err))
	}
	g.left -= int64(size)
	return memory.DefaultAllocator.Allocate(size)
}

// Reallocate is Allocate for a buffer that grows or shrinks.
func (g *arrowGuard) Reallocate(size int, b []byte) []byte {
	out := g.Allocate(size)
	copy(out, b)
	return out
}

// Free does nothing: the collector does.
func (g *arrowGuard) Free([]byte) {}

// check checks the lengths of the lists in the metadata of a message, by
// which the library allocates.
func (g *arrowGuard) check(meta []byte) (err error) {
	defer recoverArrow(&err) // flatbuffers panics beyond the bytes
	c := &flatCheck{bytes: meta, left: 16*len(meta) + 1<<16, dictionaries: map[int64]int{}}
	message := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
	c.pairs(message, 12)
	var header flatbuffers.Table
	kind, o := message.Offset(6), message.Offset(8)
	if kind != 0 && o != 0 {
		message.Union(&header, flatbuffers.UOffsetT(o))
		switch message.GetByte(message.Pos + flatbuffers.UOffsetT(kind)) {
		case 1: // a schema
			if views := c.fields(header, 6, 0); g.dictionaries == nil { // the first schema counts
				g.views, g.dictionaries = views, c.dictionaries
			}
			c.pairs(header, 8)
		case 2: // a dictionary: its number, a batch of rows, and whether it is added to those before
			if err := g.grow(header.GetInt64Slot(4, 0), message.GetInt64Slot(10, 0), header.GetBoolSlot(8, false)); err != nil {
				return err
			}
			if o := header.Offset(6); o != 0 {
				c.batch(flatbuffers.Table{Bytes: meta, Pos: header.Indirect(header.Pos + flatbuffers.UOffsetT(o))}, g.dictionaries[header.GetInt64Slot(4, 0)])
			}
		case 3:
			c.batch(header, g.views)
		}
	}
	if c.bad || c.left < 0 {
		return damagedArrow(errors.New("a list of columns that cannot be"))
	}
	return nil
}

// grow notes that a dictionary has so many bytes, or so many more.
func (g *arrowGuard) grow(id, length int64, more bool) error {
	if !more {
		g.bytes[id] = length
		return nil
	}
	g.bytes[id] += length
	if g.copied += g.bytes[id]; g.copied > mostCopied || g.copied < 0 {
		return &FormatError{Msg: fmt.Sprintf("a dictionary that grows in so many steps that more than %d bytes are copied", mostCopied), Hint: "write the table with whole dictionaries, or in larger batches"}
	}
	return nil
}

// flatCheck walks a schema. Tables may be referred to more than once, so a few bytes
// could describe any number of columns: left bounds what is visited.
type flatCheck struct {
	bytes        []byte
	left         int
	bad          bool
	dictionaries map[int64]int // columns of views in each
}

// vector returns the position and the length of a list in a slot of a table.
func (c *flatCheck) vector(t flatbuffers.Table, slot flatbuffers.VOffsetT, size int) (flatbuffers.UOffsetT, int) {
	o := t.Offset(slot)
	if o == 0 || c.bad {
		return 0, 0
	}
	start, n := t.Vector(flatbuffers.UOffsetT(o)), t.VectorLen(flatbuffers.UOffsetT(o))
	if c.left -= n; n < 0 || n > (len(c.bytes)-int(start))/size || c.left < 0 {
		c.bad = true
		return 0, 0
	}
	return start, n
}

// each calls use for the tables of a list.
func (c *flatCheck) each(t flatbuffers.Table, slot flatbuffers.VOffsetT, use func(flatbuffers.Table)) {
	start, n := c.vector(t, slot, 4)
	for i := range n {
		if c.bad {
			return
		}
		use(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))})
	}
}

// fields checks a list of columns and the columns inside them. It returns how many are views, and notes how
// many there are in each dictionary.
func (c *flatCheck) fields(t flatbuffers.Table, slot flatbuffers.VOffsetT, depth int) (views int) {
	if depth > 64 {
		c.bad = true
		return 0
	}
	c.each(t, slot, func(field flatbuffers.Table) {
		c.vector(field, 4, 1) // the name
		c.pairs(field, 16)
		kind, own := field.GetByteSlot(8, 0), 0
		if o := field.Offset(10); o != 0 && kind == 14 { // the type; that of a union has a list
			var union flatbuffers.Table
			field.Union(&union, flatbuffers.UOffsetT(o))
			c.vector(union, 6, 4)
		}
		if kind == 23 || kind == 24 { // bytes and text
			own = 1
		}
		own += c.fields(field, 14, depth+1)
		if o := field.Offset(12); o != 0 {
			encoding := flatbuffers.Table{Bytes: field.Bytes, Pos: field.Indirect(field.Pos + flatbuffers.UOffsetT(o))}
			id := encoding.GetInt64Slot(4, 0)
			c.dictionaries[id], own = max(c.dictionaries[id], own), 0
		}
		views += own
	})
	return views
}

// batch checks how many buffers columns of views have: there are so many such columns, and none has more than all of them.
func (c *flatCheck) batch(t flatbuffers.Table, views int) {
	_, buffers := c.vector(t, 8, 16)
	start, n := c.vector(t, 12, 8)
	for i := range n {
		count := t.GetInt64(start + flatbuffers.UOffsetT(8*i))
		c.bad = c.bad || count < 0 || count > int64(buffers)
	}
	c.bad = c.bad || n < views
}

// pairs checks a list of keys and values.
func (c *flatCheck) pairs(t flatbuffers.Table, slot flatbuffers.VOffsetT) {
	c.each(t, slot, func(pair flatbuffers.Table) {
		c.vector(pair, 4, 1)
		c.vector(pair, 6, 1)
	})
}
