// Command release builds everything that a release of Patchwork consists of, and gives
// the module another path.
//
//	go run . build -version v0.1.0 -o DIR   archives, Debian packages, container images, wheels, checksums
//	go run . rename github.com/owner/name   the path of the module, everywhere
//
// It runs in this folder with GOWORK=off; docs/releasing.md has the whole way. What it
// builds depends only on the commit, the version and the release of Go: two builds in two
// folders are equal byte for byte. It is a module of its own, so that neither the library
// nor the commands need what it needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run runs one of the two commands, which say on w what to do next.
func run(ctx context.Context, w io.Writer, args []string) error {
	const usage = "release build -version vX.Y.Z -o DIR [flags], or release rename MODULE"
	if len(args) == 0 {
		return errors.New("say what to do: " + usage)
	}
	root, err := output(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	switch args[0] {
	case "build":
		return runBuild(ctx, w, root, args[1:])
	case "rename":
		return runRename(ctx, w, root, args[1:])
	}
	return fmt.Errorf("there is no command %q: %s", args[0], usage)
}

// output returns what a command prints in a folder, without the end of its last line.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	out, err := command(ctx, dir, name, args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// command returns a command that runs in a folder, one of the Go tool outside any
// workspace and without flags from the environment.
func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "LC_ALL=C")
	return cmd
}
