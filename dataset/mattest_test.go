package dataset

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

// matVar is a variable as stored in the format, valid or not.
type matVar struct {
	Name  string
	Class byte // 1 cell, 4 char, 6 double, 9 uint8, ...
	Flags byte // 2 logical, 8 complex
	Shape []int32
	Type  uint32 // of the elements: 2 uint8, 4 uint16, 9 double, ...
	Data  any    // fixed-size numbers, column by column; nil for cells
	Cells []matVar
}

// matUint8 returns a variable of that class.
func matUint8(name string, data []uint8, shape ...int32) matVar {
	return matVar{Name: name, Class: 9, Shape: shape, Type: 2, Data: data}
}

// matDouble returns a variable of class double, stored as such.
func matDouble(name string, data []float64, shape ...int32) matVar {
	return matVar{Name: name, Class: 6, Shape: shape, Type: 9, Data: data}
}

// matText returns a variable of class char with the given rows, all of one length.
func matText(name string, rows ...string) matVar {
	columns := len([]rune(rows[0]))
	v := matVar{Name: name, Class: 4, Shape: []int32{int32(len(rows)), int32(columns)}, Type: 4}
	var units []uint16
	for x := range columns {
		for _, r := range rows {
			units = append(units, uint16([]rune(r)[x]))
		}
	}
	v.Data = units
	return v
}

// matCells returns a cell array of one column.
func matCells(name string, cells ...matVar) matVar {
	return matVar{Name: name, Class: 1, Shape: []int32{int32(len(cells)), 1}, Cells: cells}
}

// matFile returns a file of these variables, each packed or not.
func matFile(packed bool, vars ...matVar) []byte {
	head := fmt.Appendf(nil, "%-124s", "MATLAB 5.0 MAT-file, for a test")
	head = binary.LittleEndian.AppendUint16(head, 0x0100)
	head = binary.LittleEndian.AppendUint16(head, 'M'<<8|'I')
	for _, v := range vars {
		b := matElement(14, matBody(v))
		if packed {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			w.Write(b)
			w.Close()
			b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 15), uint32(z.Len()))
			b = append(b, z.Bytes()...)
		}
		head = append(head, b...)
	}
	return head
}

// body returns the content of a matrix element.
func matBody(v matVar) []byte {
	flags := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(v.Flags)<<8|uint32(v.Class)), 0)
	b := matElement(6, flags)
	b = append(b, matElement(5, matBytes(v.Shape))...)
	b = append(b, matElement(1, []byte(v.Name))...)
	if v.Data != nil {
		b = append(b, matElement(v.Type, matBytes(v.Data))...)
	}
	for _, c := range v.Cells {
		b = append(b, matElement(14, matBody(c))...)
	}
	return b
}

func matBytes(data any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // misuse: a type without fixed size
	}
	return b
}

// element returns a tag with its content, in the short form where that fits.
func matElement(kind uint32, content []byte) []byte {
	n := uint32(len(content))
	if n > 0 && n <= 4 && kind != 14 {
		b := binary.LittleEndian.AppendUint32(nil, n<<16|kind)
		return append(append(b, content...), make([]byte, 4-n)...)
	}
	b := append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, kind), n), content...)
	return append(b, make([]byte, (8-n%8)%8)...)
}
