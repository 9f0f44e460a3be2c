// Command scale measures the cost of an iteration of learning and simulates it on
// clusters.
//
//	go run ./experiments/bench/scale measure               real E-steps, on one core and on two, beside the predicted times
//	go run ./experiments/bench/scale simulate [FOLDER]     1 to 1,000 workers, slow ones and failures; pictures go to the folder
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	ctx := context.Background()
	err := fmt.Errorf("usage: scale measure | simulate [FOLDER]")
	switch {
	case len(os.Args) == 2 && os.Args[1] == "measure":
		err = measure(ctx, os.Stdout)
	case len(os.Args) >= 2 && len(os.Args) <= 3 && os.Args[1] == "simulate":
		folder := ""
		if len(os.Args) == 3 {
			folder = os.Args[2]
		}
		err = report(os.Stdout, folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}
