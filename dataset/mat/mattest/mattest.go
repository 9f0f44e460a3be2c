// Package mattest writes MAT-files for tests of their readers.
package mattest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

// Order is binary.LittleEndian or binary.BigEndian.
type Order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// Var is a variable as stored in the format, valid or not.
type Var struct {
	Name  string
	Class byte // 1 cell, 4 char, 6 double, 9 uint8, ...
	Flags byte // 2 logical, 8 complex
	Shape []int32
	Type  uint32 // of the elements: 2 uint8, 4 uint16, 9 double, ...
	Data  any    // fixed-size numbers, column by column; nil for cells
	Cells []Var
}

// Uint8 returns a variable of that class.
func Uint8(name string, data []uint8, shape ...int32) Var {
	return Var{Name: name, Class: 9, Shape: shape, Type: 2, Data: data}
}

// Double returns a variable of class double, stored as such.
func Double(name string, data []float64, shape ...int32) Var {
	return Var{Name: name, Class: 6, Shape: shape, Type: 9, Data: data}
}

// Text returns a variable of class char with the given rows, all of one length.
func Text(name string, rows ...string) Var {
	columns := len([]rune(rows[0]))
	v := Var{Name: name, Class: 4, Shape: []int32{int32(len(rows)), int32(columns)}, Type: 4}
	var units []uint16
	for x := range columns {
		for _, r := range rows {
			units = append(units, uint16([]rune(r)[x]))
		}
	}
	v.Data = units
	return v
}

// Cells returns a cell array of one column.
func Cells(name string, cells ...Var) Var {
	return Var{Name: name, Class: 1, Shape: []int32{int32(len(cells)), 1}, Cells: cells}
}

// File returns a file of these variables, each packed or not.
func File(order Order, packed bool, vars ...Var) []byte {
	head := fmt.Appendf(nil, "%-124s", "MATLAB 5.0 MAT-file, for a test")
	head = order.AppendUint16(head, 0x0100)
	head = order.AppendUint16(head, 'M'<<8|'I')
	for _, v := range vars {
		b := element(order, 14, body(order, v))
		if packed {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			w.Write(b)
			w.Close()
			b = order.AppendUint32(order.AppendUint32(nil, 15), uint32(z.Len()))
			b = append(b, z.Bytes()...)
		}
		head = append(head, b...)
	}
	return head
}

// body returns the content of a matrix element.
func body(order Order, v Var) []byte {
	flags := order.AppendUint32(order.AppendUint32(nil, uint32(v.Flags)<<8|uint32(v.Class)), 0)
	b := element(order, 6, flags)
	b = append(b, element(order, 5, bytesOf(order, v.Shape))...)
	b = append(b, element(order, 1, []byte(v.Name))...)
	if v.Data != nil {
		b = append(b, element(order, v.Type, bytesOf(order, v.Data))...)
	}
	for _, c := range v.Cells {
		b = append(b, element(order, 14, body(order, c))...)
	}
	return b
}

func bytesOf(order Order, data any) []byte {
	b, err := binary.Append(nil, order, data)
	if err != nil {
		panic(err) // misuse: a type without fixed size
	}
	return b
}

// element returns a tag with its content, in the short form where that fits.
func element(order Order, kind uint32, content []byte) []byte {
	n := uint32(len(content))
	if n > 0 && n <= 4 && kind != 14 {
		b := order.AppendUint32(nil, n<<16|kind)
		return append(append(b, content...), make([]byte, 4-n)...)
	}
	b := append(order.AppendUint32(order.AppendUint32(nil, kind), n), content...)
	return append(b, make([]byte, (8-n%8)%8)...)
}
