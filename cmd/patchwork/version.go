package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	var asJSON jsonFlag
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version of this program, the revision it was built from, and the Go release and platform.",
		Example: "  patchwork version",
		Args:    flagsOnly,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.printObject(map[string]string{"version": version(), "go": runtime.Version(), "platform": runtime.GOOS +
					"/" + runtime.GOARCH})
			}
			return a.output("-", func(w io.Writer) error {
				_, err := io.WriteString(w, versionLine())
				return err
			})
		},
	}
	asJSON.add(cmd)
	return cmd
}

// versionLine returns what patchwork version and --version print.
func versionLine() string {
	return fmt.Sprintf("patchwork %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version returns the module's version, with the revision of a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
	}
	return v
}
