// Static writes the studio as a page without a server: index.html, and the studio as
// WebAssembly in a script beside it. The folder is opened from disk or put on any host.
//
//	go run ./studio/static -o build/static
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	out := flag.String("o", "build/static", "folder to write to")
	version := flag.String("version", "(devel)", "version that the page shows")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "static: unexpected argument %q; give -o FOLDER\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := write(ctx, *out, *version); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}
