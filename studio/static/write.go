package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the worker's program
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/patchwork/internal/atomicfile"
	"example.com/patchwork/internal/notices"
	"example.com/patchwork/studio"
)

//go:embed worker.js
var worker []byte

// write writes the page into a folder, which is made if need be.
func write(ctx context.Context, folder, version string) error {
	wasm, err := build(ctx, version)
	if err != nil {
		return err
	}
	glue, err := glue(ctx)
	if err != nil {
		return err
	}
	models, err := studio.Builtins(ctx)
	if err != nil {
		return err
	}
	files, err := pageFiles(studio.Page(), coreScript(slices.Concat(glue, worker), wasm, models))
	if err != nil {
		return err
	}
	if files["licenses.txt"], err = licenses(ctx, files["licenses.txt"]); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := atomicfile.Write(filepath.Join(folder, name),
			func(w io.Writer) error { _, err := w.Write(files[name]); return err }); err != nil {
			return err
		}
	}
	fmt.Printf("wrote %s: open it in a browser, or put its folder on any host\n", filepath.Join(folder, "index.html"))
	return nil
}

// goCommand runs the go command, and returns what it prints.
func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &said)
	}
	return out, nil
}

// program is the package of the studio for a worker.
const program = "example.com/patchwork/studio/wasm"

// small are the packages that are compiled without inlining: they read, write and say things, so
// that their size on the way to a browser matters more than their speed (it saves a seventeenth of the page).
// What counts and compares is compiled as everywhere.
var small = strings.Fields(`archive/... bufio bytes compress/... crypto/... encoding/... fmt image/... io/... log/...
	math/big os reflect regexp/... strconv strings syscall/js time unicode/... github.com/... golang.org/...
	example.com/patchwork/bitmap/synth example.com/patchwork/dataset/... example.com/patchwork/diagnose/...
	example.com/patchwork/internal/recipe/...
	example.com/patchwork/modelfile/... example.com/patchwork/render/... example.com/patchwork/studio/...`)

// build returns the studio as WebAssembly, the same bytes from any folder.
func build(ctx context.Context, version string) ([]byte, error) {
	scratch, err := os.MkdirTemp("", "patchwork")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	file := filepath.Join(scratch, "studio.wasm")
	args := []string{"build", "-tags", "wasmsimd", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X main.version=" + version, "-o", file}
	for _, packages := range small {
		args = append(args, "-gcflags="+packages+"=-l")
	}
	if _, err := goCommand(ctx, append(args, program)...); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// glue returns the script that comes with Go and starts its programs.
func glue(ctx context.Context) ([]byte, error) {
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
}

// coreScript returns the script with all that stands for the server: a page from disk may
// load scripts and nothing else, so what is binary is text, a character for each byte.
func coreScript(program, wasm []byte, models map[string][]byte) []byte {
	var b bytes.Buffer
	b.WriteString("globalThis.patchworkCore={program:")
	writeText(&b, program)
	b.WriteString(",studio:")
	writeText(&b, wasm)
	b.WriteString(",simd:")
	writeText(&b, simdModule())
	b.WriteString(",models:{")
	for i, id := range slices.Sorted(maps.Keys(models)) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", id)
		writeText(&b, models[id])
	}
	b.WriteString("}};\n")
	return b.Bytes()
}

// writeText writes bytes as a text of JavaScript, in UTF-8, with a character for each.
func writeText(b *bytes.Buffer, content []byte) {
	b.WriteByte('"')
	for _, c := range content {
		switch c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		default:
			b.Write(utf8.AppendRune(b.AvailableBuffer(), rune(c)))
		}
	}
	b.WriteByte('"')
}

var (
	scriptTag = regexp.MustCompile(`<script type="module"[^>]* src="\./([^"]+)"></script>`)
	styleTag  = regexp.MustCompile(`<link rel="stylesheet"[^>]* href="\./([^"]+)">`)
)

// pageFiles returns the files of the page: that of the server, with its script, its style
// and its icon inside, and a policy that lets nothing be loaded or sent.
func pageFiles(dist fs.FS, core []byte) (map[string][]byte, error) {
	files := map[string][]byte{"index.html": nil, "icon.svg": nil, "licenses.txt": nil}
	for name := range files {
		var err error
		if files[name], err = fs.ReadFile(dist, name); err != nil {
			return nil, err
		}
	}
	script, text, err := takeOut(dist, string(files["index.html"]), scriptTag)
	if err != nil {
		return nil, err
	}
	style, text, err := takeOut(dist, text, styleTag)
	if err != nil {
		return nil, err
	}
	inline := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(files["icon.svg"])
	text = strings.ReplaceAll(text, "./icon.svg", inline)
	script = strings.ReplaceAll(strings.ReplaceAll(script, "./icon.svg", inline), "</script", `<\/script`)
	policy := "default-src 'none'; script-src 'self' file: 'wasm-unsafe-eval' " + hash(script) + "; style-src " +
		hash(style) +
		"; img-src data: blob:; worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
	head := `<meta http-equiv="Content-Security-Policy" content="` + policy + `">` + "\n<style>" + style + "</style>\n"
	text = strings.Replace(text, `<meta name="viewport"`, head+`    <meta name="viewport"`, 1)
	text = strings.Replace(text, "</body>",
		`<script src="./core.js"></script>`+"\n<script type=\"module\">"+script+"</script>\n</body>", 1)
	return map[string][]byte{"index.html": []byte(text), "core.js": core, "licenses.txt": files["licenses.txt"]}, nil
}

// takeOut returns the file that the tag of a page names, and the page without the tag.
func takeOut(dist fs.FS, page string, tag *regexp.Regexp) (content, rest string, err error) {
	found := tag.FindStringSubmatchIndex(page)
	if found == nil {
		return "", "", fmt.Errorf("the page has no %v", tag)
	}
	file, err := fs.ReadFile(dist, page[found[2]:found[3]])
	return string(file), page[:found[0]] + page[found[1]:], err
}

// hash returns a source of a Content-Security-Policy: exactly this text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// licenses returns the notices of the page, then those of Go and of the modules that the
// program is made of.
func licenses(ctx context.Context, page []byte) ([]byte, error) {
	out := bytes.NewBuffer(page)
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	list, err := goCommand(ctx, "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", program)
	if err != nil {
		return nil, err
	}
	folders := map[string]notices.Part{"": {Name: "Go", Dir: strings.TrimSpace(string(root))}}
	for text := range strings.Lines(string(list)) {
		if f := strings.Split(strings.TrimSpace(text), "\t"); len(f) == 3 {
			folders[f[0]] = notices.Part{Name: f[0], Version: f[1], Dir: f[2]}
		}
	}
	var parts []notices.Part
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		parts = append(parts, folders[name])
	}
	err = notices.Write(out, parts)
	return out.Bytes(), err
}
