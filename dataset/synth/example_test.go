package synth_test

import (
	"fmt"
	"log"

	"example.com/patchwork/dataset/synth"
)

// One letter by one writer, small enough to print.
func ExampleLetters() {
	set, err := synth.Letters(synth.LettersOptions{Letters: "R", Writers: 1, Side: 22, Seed: 4})
	if err != nil {
		log.Fatal(err)
	}
	letter := set.Truth.Items[0]
	fmt.Print(set.Images[0])
	fmt.Printf("%c by writer %d, %d strokes\n", letter.Letter, letter.Writer, len(letter.Poses))
	// Output:
}

// What a command writes into an npz file.
func ExampleSet_Arrays() {
	set, err := synth.Bars(synth.BarsOptions{N: 100, Flip: new(0.0), Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range set.Arrays() {
		fmt.Printf("%-6s %v %T\n", a.Name, a.Shape, a.Data)
	}
	// Output:
	// x      [100 5 5] []uint8
	// active [100 10] []uint8
	// bars   [10 5 5] []uint8
	// clean  [100 5 5] []uint8
}

// A letter that cannot be drawn is refused with the reason.
func ExampleOptionError() {
	_, err := synth.Letters(synth.LettersOptions{Letters: "T2"})
	fmt.Println(err)
	// Output:
	// synth: letters: Letters is "T2", with '2' at byte 1; give capitals, A to Z
}
