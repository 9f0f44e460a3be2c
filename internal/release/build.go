package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// platform is a system that binaries are built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// platforms are those of a release.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// release says what is built.
type release struct {
	root    string    // the clone
	version string    // "v0.1.0"
	at      time.Time // of the commit; all files bear it
	base    string    // where the files will be downloaded from
	out     string    // the folder of the results
	sources string    // a clone of the commit, tagged with the version
	scratch string

	platforms []platform
	wheels    bool
}

// number returns the version without its letter.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

// semver is what versions look like (semver.org, without build metadata).
var semver = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func runBuild(ctx context.Context, w io.Writer, root string, args []string) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	r := &release{root: root}
	flags.StringVar(&r.version, "version", "", "version, such as v0.1.0")
	flags.StringVar(&r.out, "o", "", "a new or empty folder for the results")
	flags.StringVar(&r.base, "base", "", "address that the files will be downloaded from; by default that of a release on the host of the module's path")
	only := flags.String("only", "", "build for these systems only, such as linux/amd64,darwin/arm64")
	flags.BoolVar(&r.wheels, "wheels", true, "build the packages for Python too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	case !semver.MatchString(r.version):
		return fmt.Errorf("-version %q is not like v0.1.0", r.version)
	case r.out == "":
		return errors.New("name a folder for the results: -o DIR")
	}
	var err error
	if r.platforms, err = chosen(*only); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if there, err := os.ReadDir(r.out); err == nil && len(there) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder", r.out)
	}
	if r.scratch, err = os.MkdirTemp("", "patchwork-release-*"); err != nil {
		return err
	}
	defer os.RemoveAll(r.scratch)
	if err := r.build(ctx); err != nil {
		return err
	}
	return r.sayHowToPublish(w)
}

// chosen returns the platforms of a list, all for an empty one.
func chosen(only string) ([]platform, error) {
	if only == "" {
		return platforms, nil
	}
	var out []platform
next:
	for _, name := range strings.Split(only, ",") {
		for _, p := range platforms {
			if p.String() == name {
				out = append(out, p)
				continue next
			}
		}
		return nil, fmt.Errorf("-only: %q is none of %v", name, platforms)
	}
	return out, nil
}

// build makes all files of the release in a scratch folder, and then moves them to where
// they belong, so that a folder of results is whole.
func (r *release) build(ctx context.Context) error {
	if err := r.checkOut(ctx); err != nil {
		return err
	}
	made := filepath.Join(r.scratch, "made")
	if err := os.MkdirAll(made, 0o755); err != nil {
		return err
	}
	if err := r.makeBinaries(ctx, made); err != nil {
		return err
	}
	if r.wheels {
		if err := r.makeWheels(ctx, made); err != nil {
			return err
		}
	}
	if err := writeFormula(r, made); err != nil {
		return err
	}
	if err := writeChecksums(made); err != nil {
		return err
	}
	return place(made, r.out)
}

// checkOut clones the commit into a scratch folder, tags it there with the version, from
// which the Go tool takes it, and leaves the clone of the caller alone.
func (r *release) checkOut(ctx context.Context) error {
	changed, err := output(ctx, r.root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("commit or stash first, only what is committed can be built again:\n%s", changed)
	}
	r.sources = filepath.Join(r.scratch, "patchwork")
	for _, c := range [][]string{
		{"git", "clone", "--quiet", "--no-hardlinks", r.root, r.sources},
		{"git", "-C", r.sources, "-c", "user.name=release", "-c", "user.email=release@example.com", "tag", "--force", "cmd/" + r.version},
	} {
		if _, err := output(ctx, "", c[0], c[1:]...); err != nil {
			return err
		}
	}
	seconds, err := output(ctx, r.sources, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	r.at = time.Unix(n, 0).UTC()
	if r.base == "" {
		module, err := output(ctx, r.sources, "go", "list", "-m")
		if err != nil {
			return err
		}
		r.base = "https://" + module + "/releases/download/" + r.version
	}
	return nil
}

// makeBinaries builds the program for all systems, with the archives, packages and images
// of it.
func (r *release) makeBinaries(ctx context.Context, made string) error {
	extra, err := r.companions(ctx)
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		fmt.Fprintln(os.Stderr, "building", p)
		exe, err := r.compile(ctx, p)
		if err != nil {
			return err
		}
		parts, err := r.parts(ctx, exe)
		if err != nil {
			return err
		}
		files, err := r.documents(parts)
		if err != nil {
			return err
		}
		if err := r.writeSBOM(exe, parts, filepath.Join(made, r.name(p)+".spdx.json")); err != nil {
			return err
		}
		if err := writeArchive(filepath.Join(made, r.name(p)), r.at, p, exe, append(files, extra...)); err != nil {
			return err
		}
		if p.os != "linux" {
			continue
		}
		if err := r.writeDeb(p, exe, append(files, extra...), made); err != nil {
			return err
		}
		if err := r.writeImage(p, exe, made); err != nil {
			return err
		}
	}
	return nil
}

// name returns what the files for a system are called, without their ending.
func (r *release) name(p platform) string {
	return fmt.Sprintf("patchwork_%s_%s_%s", r.number(), p.os, p.arch)
}

// compile builds the program for a system, unless that was done, and returns its path.
func (r *release) compile(ctx context.Context, p platform) (string, error) {
	exe := filepath.Join(r.scratch, p.os+"-"+p.arch, "patchwork")
	if p.os == "windows" {
		exe += ".exe"
	}
	if _, err := os.Stat(exe); err == nil {
		return exe, nil
	}
	cmd := command(ctx, filepath.Join(r.sources, "cmd"), "go", "build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-o", exe, "./patchwork")
	cmd.Env = append(cmd.Env, "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building for %s: %w\n%s", p, err, out)
	}
	return exe, nil
}

// makeWheels builds the packages for Python, of the chosen systems.
func (r *release) makeWheels(ctx context.Context, made string) error {
	for _, p := range r.platforms {
		fmt.Fprintln(os.Stderr, "building the package for Python,", p)
		cmd := command(ctx, r.sources, "python3", "python/build_wheel.py", "-o", made, "--platform", p.os+"-"+p.arch)
		cmd.Env = append(cmd.Env, "GOWORK=") // it builds in the workspace
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("wheel for %s: %w\n%s", p, err, out)
		}
	}
	of, err := filepath.Glob(filepath.Join(made, "patchwork_parts-"+r.number()+"-*.whl"))
	if err != nil {
		return err
	}
	if len(of) < len(r.platforms) {
		return fmt.Errorf("the package for Python is not of version %s: change __version__ in python/patchwork_parts/__init__.py, and commit it", r.number())
	}
	return nil
}

// sayHowToPublish prints the commands that need an account.
func (r *release) sayHowToPublish(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%[1]s has everything of %[2]s. To publish it:

  git tag %[2]s && for m in $(git ls-files '*/go.mod'); do git tag "$(dirname "$m")/%[2]s"; done
  git push --tags
  gh release create %[2]s %[1]s/*
  crane push %[1]s/patchwork_%[3]s_linux_amd64.image.tar REGISTRY/patchwork:%[3]s-amd64
  twine upload %[1]s/*.whl
`, r.out, r.version, r.number())
	return err
}
