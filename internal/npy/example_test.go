package npy_test

import (
	"bytes"
	"fmt"
	"log"

	"example.com/patchwork/internal/npy"
)

// An archive of two arrays and a text, as numpy.load would open it.
func ExampleWriteZip() {
	var buf bytes.Buffer
	err := npy.WriteZip(&buf, npy.Store,
		npy.Member{Name: "model.json", Raw: []byte(`{"version":1}`)},
		npy.Member{Name: "x", Array: npy.New([]uint8{1, 0, 0, 1, 1, 1}, 2, 3)},
		npy.Member{Name: "y", Array: npy.New([]string{"T", "L"}, 2)})
	if err != nil {
		log.Fatal(err)
	}

	z, err := npy.ReadZip(bytes.NewReader(buf.Bytes()), int64(buf.Len()), 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range z.Arrays() {
		a, err := z.Array(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, a.Shape, a.Data)
	}
	// Output:
	// x [2 3] [1 0 0 1 1 1]
	// y [2] [T L]
}
