package modelfile_test

import (
	"bytes"
	"fmt"
	"log"

	"example.com/patchwork"
	"example.com/patchwork/modelfile"
)

// Write a model and read it back; the same model always has the same bytes.
func Example() {
	stroke := []float64{0, 0.9, 0}
	m, err := patchwork.NewModel(patchwork.Config{Height: 1, Width: 3}, [][]float64{stroke})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := modelfile.Write(&file, m); err != nil {
		log.Fatal(err)
	}
	back, err := modelfile.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Config().Rule, back.K(), back.Template(0))
	// Output: max 1 [0 0.9 0]
}

// A FormatError says what is wrong with a file, where, and what to do.
func ExampleFormatError() {
	text := []byte("not a model")
	_, err := modelfile.Read(bytes.NewReader(text), int64(len(text)))
	fmt.Println(err)
	// Output: not a readable zip archive: zip: not a valid zip file; copy or save the file again
}
