// Command scale measures the cost of an iteration of learning: what a row, a shard, the
// counts and the model take, on one core.
//
//	go run ./experiments/bench/scale
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if err := measure(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}
