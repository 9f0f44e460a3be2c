package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"

	"example.com/patchwork/experiments/mixed"
	learn "example.com/patchwork/learn/mixed"
)

func main() {
	size := flag.Int("size", -1, "")
	first := flag.Uint64("first", 0, "")
	seeds := flag.Int("seeds", 5, "")
	starts := flag.Int("starts", 0, "")
	prof := flag.String("prof", "", "")
	show := flag.Bool("show", false, "")
	real := flag.Bool("real", false, "")
	flag.Parse()
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	if *real {
		if err := mixed.ReportTables(context.Background(), os.Stdout, "/work/shared/data/mixed", *first, *seeds, learn.Options{Starts: *starts}); err != nil {
			fmt.Println(err)
		}
		return
	}
	sizes := mixed.Sizes
	if *show {
		for i := range *seeds {
			mixed.Show(sizes[max(*size, 0)], *first+uint64(i), learn.Options{Starts: *starts})
		}
		return
	}
	if *size >= 0 {
		sizes = sizes[*size : *size+1]
	}
	if err := mixed.ReportPlanted(context.Background(), os.Stdout, sizes, *first, *seeds, learn.Options{Starts: *starts}); err != nil {
		fmt.Println(err)
	}
}
