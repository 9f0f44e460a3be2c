package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// writeArchive writes the program and its documents below a folder named like the file:
// .zip for Windows, .tar.gz for others.
func writeArchive(file string, at time.Time, p platform, exe string, docs []document) error {
	data, err := os.ReadFile(exe)
	if err != nil {
		return err
	}
	folder := filepath.Base(file)
	all := append([]document{{filepath.Base(exe), data}}, docs...)
	var b bytes.Buffer
	ending := ".tar.gz"
	if p.os == "windows" {
		ending, err = ".zip", writeZip(&b, folder, at, all)
	} else {
		err = writeTar(&b, folder, at, all)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file+ending, b.Bytes(), 0o644)
}

// mode returns the permissions of a document: the first, the program, can be run.
func mode(i int) int64 {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

func writeTar(w io.Writer, folder string, at time.Time, docs []document) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for i, d := range docs {
		if err := t.WriteHeader(&tar.Header{Name: path.Join(folder, d.name), Mode: mode(i), Size: int64(len(d.data)), ModTime: at, Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := t.Write(d.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func writeZip(w io.Writer, folder string, at time.Time, docs []document) error {
	z := zip.NewWriter(w)
	for i, d := range docs {
		h := &zip.FileHeader{Name: path.Join(folder, d.name), Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(mode(i)))
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(d.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeDeb writes a package for Debian.
func (r *release) writeDeb(p platform, exe string, docs []document, made string) error {
	dir := filepath.Join(r.scratch, "deb-"+p.arch)
	contents := files.Contents{{Source: exe, Destination: "/usr/bin/patchwork", FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.at}}}
	for _, d := range docs {
		to, wanted := debPath(d.name)
		if !wanted {
			continue
		}
		data := d.data
		if strings.HasPrefix(to, "/usr/share/man/") { // Debian's policy asks for it
			var b bytes.Buffer
			z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
			if err != nil {
				return err
			}
			if _, err := z.Write(data); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
			to, data = to+".gz", b.Bytes()
		}
		from := filepath.Join(dir, to)
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(from, data, 0o644); err != nil {
			return err
		}
		contents = append(contents, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.at}})
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "patchwork", Arch: p.arch, Platform: "linux", Version: r.number(), Section: "science", Priority: "optional",
		Maintainer:  "The Patchwork authors <patchwork@example.com>",
		Description: "Learns parts from images and tables, and explains others by them\nA model is a few templates over pixels or columns that are composed to explain\neach image or row (Goessling and Amit, Compact Compositional Models, 2015).",
		License:     "Apache-2.0", MTime: r.at, DisableGlobbing: true,
		Overridables: nfpm.Overridables{Contents: contents, Umask: 0o022},
	})
	var b bytes.Buffer
	if err := deb.Default.Package(info, &b); err != nil {
		return fmt.Errorf("package for Debian, %s: %w", p, err)
	}
	return os.WriteFile(filepath.Join(made, deb.Default.ConventionalFileName(info)), b.Bytes(), 0o644)
}

// debPath returns where Debian keeps a document, and whether it wants it.
func debPath(name string) (string, bool) {
	switch path.Base(name) {
	case "LICENSE":
		return "/usr/share/doc/patchwork/copyright", true
	case "patchwork.bash":
		return "/usr/share/bash-completion/completions/patchwork", true
	case "_patchwork":
		return "/usr/share/zsh/vendor-completions/_patchwork", true
	case "patchwork.fish":
		return "/usr/share/fish/vendor_completions.d/patchwork.fish", true
	case "patchwork.ps1":
		return "", false
	}
	if strings.HasPrefix(name, "man/") {
		return "/usr/share/" + name, true
	}
	return "/usr/share/doc/patchwork/" + name, true
}

// writeImage writes a container image that has nothing but the program, as an archive
// for docker load, podman load or crane push.
func (r *release) writeImage(p platform, exe, made string) error {
	data, err := os.ReadFile(exe)
	if err != nil {
		return err
	}
	var layerTar bytes.Buffer
	t := tar.NewWriter(&layerTar)
	for _, d := range []struct {
		header tar.Header
		data   []byte
	}{
		{tar.Header{Name: "patchwork", Mode: 0o755, Size: int64(len(data)), ModTime: r.at, Format: tar.FormatPAX}, data},
		{tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777, ModTime: r.at, Format: tar.FormatPAX}, nil},
	} {
		if err := t.WriteHeader(&d.header); err != nil {
			return err
		}
		if _, err := t.Write(d.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layerTar.Bytes())), nil })
	if err != nil {
		return err
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "patchwork-release"}})
	if err != nil {
		return err
	}
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: p.os, Architecture: p.arch, Created: v1.Time{Time: r.at},
		RootFS: rootFS(image), History: []v1.History{{Created: v1.Time{Time: r.at}, CreatedBy: "patchwork-release"}},
		Config: v1.Config{Entrypoint: []string{"/patchwork"}, User: "65532:65532", WorkingDir: "/tmp",
			Labels: map[string]string{"org.opencontainers.image.version": r.number(), "org.opencontainers.image.licenses": "Apache-2.0"}},
	})
	if err != nil {
		return err
	}
	tag, err := name.NewTag("patchwork:" + r.number())
	if err != nil {
		return err
	}
	return tarball.WriteToFile(filepath.Join(made, r.name(p)+".image.tar"), tag, image)
}

// rootFS returns the list of layers of an image.
func rootFS(image v1.Image) v1.RootFS {
	c, err := image.ConfigFile()
	if err != nil {
		panic(err) // an image in memory
	}
	return c.RootFS
}

// formula is for Homebrew, in a tap.
var formula = template.Must(template.New("").Parse(`class Patchwork < Formula
  desc "Learn parts from images and tables, and explain others by them"
  homepage "{{.Home}}"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Systems}}
  on_{{.On}} do
{{- range .Files}}
    on_{{.CPU}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "patchwork"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/patchwork.bash" => "patchwork"
    zsh_completion.install "completions/_patchwork"
    fish_completion.install "completions/patchwork.fish"
  end

  test do
    system bin/"patchwork", "demo"
  end
end
`))

type formulaFile struct{ CPU, URL, Sum string }

type formulaSystem struct {
	On    string
	Files []formulaFile
}

// writeFormula writes the formula for the archives that were made; none without any for
// macOS or Linux.
func writeFormula(r *release, made string) error {
	var systems []formulaSystem
	for _, s := range [][2]string{{"macos", "darwin"}, {"linux", "linux"}} {
		var fs []formulaFile
		for _, p := range r.platforms {
			if p.os != s[1] {
				continue
			}
			file := r.name(p) + ".tar.gz"
			sum, err := checksum(filepath.Join(made, file))
			if err != nil {
				return err
			}
			fs = append(fs, formulaFile{map[string]string{"amd64": "intel", "arm64": "arm"}[p.arch], r.base + "/" + file, sum})
		}
		if len(fs) > 0 {
			systems = append(systems, formulaSystem{s[0], fs})
		}
	}
	if len(systems) == 0 {
		return nil
	}
	home, _, _ := strings.Cut(r.base, "/releases/")
	var b bytes.Buffer
	if err := formula.Execute(&b, map[string]any{"Home": home, "Version": r.number(), "Systems": systems}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(made, "patchwork.rb"), b.Bytes(), 0o644)
}

// checksum returns the SHA-256 of a file, in hexadecimal.
func checksum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// writeChecksums writes those of all files of a folder, as sha256sum -c reads them.
func writeChecksums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		sum, err := checksum(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+e.Name()+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(strings.Join(lines, "")), 0o644)
}

// place copies the files of a folder to another, which it makes.
func place(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
