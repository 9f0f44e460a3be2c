package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// anyResult are folders whose results need not be the same on every machine: what
// measures and compares, and tests. internal/elem may use what it replaces.
var anyResult = []string{"experiments", "internal/house", "internal/testkit", "internal/testenv", "internal/modules", "internal/score/gen", "cmd/engine/beam", "cmd/site"}

// inexact are the functions of package math whose results differ from machine to machine,
// and the methods of math/rand/v2 that use them.
var inexact = []string{
	"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cbrt", "Cos", "Cosh", "Erf", "Erfc", "Erfcinv", "Erfinv", "Exp", "Exp2", "Expm1",
	"Gamma", "Hypot", "J0", "J1", "Jn", "Lgamma", "Log", "Log10", "Log1p", "Log2", "Pow", "Sin", "Sincos", "Sinh", "Tan", "Tanh", "Y0", "Y1", "Yn",
	"NormFloat64", "ExpFloat64",
}

// TestNoOtherFunctions: what results come from uses the functions of internal/elem.
func TestNoOtherFunctions(t *testing.T) {
	root, found := "../..", 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if slices.Contains(anyResult, name) || name == "studio/web" || strings.HasPrefix(d.Name(), ".") && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		found++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range inexactIn(file) {
			t.Errorf("%s:%d: this may give another result on another machine; internal/elem has functions that do not", name, files.Position(at).Line)
		}
		return nil
	})
	if err != nil || found < 300 {
		t.Errorf("only %d files were looked at: %v", found, err)
	}
}

// inexactIn returns where a file uses one of the functions that are inexact.
func inexactIn(file *ast.File) (out []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(inexact, s.Sel.Name) {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if ok && x.Name == "math" || strings.HasSuffix(s.Sel.Name, "Float64") {
			out = append(out, s.Pos())
		}
		return true
	})
	return out
}

// TestInexactIsFound: the test above can fail.
func TestInexactIsFound(t *testing.T) {
	const source = `package p
var a, b, c, d = math.Exp(1), rng.NormFloat64(), math.Sqrt(2), elem.Exp(1)`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := inexactIn(file); len(got) != 2 {
		t.Errorf("%d uses were found, not 2", len(got))
	}
}

// fused is what the compiler says of a multiplication that it fuses with an addition.
var fused = regexp.MustCompile(`fmahash triggered (\S+)`)

// TestNothingIsFused asks the compiler for arm64, which fuses where the language allows it
// as GOAMD64=v3 does, where it would. There results depend on the machine, unless
// the product is rounded by a conversion: float64(a*b) + c. A division by a power of 2 counts
// as a product, and the product may be made elsewhere: in a variable, or in a function
// that is inlined. Modules beside the library take a minute to compile for the
// first time, so only CI looks at them.
func TestNothingIsFused(t *testing.T) {
	packages := []string{"./..."}
	if os.Getenv("CI") == "true" {
		packages = append(packages, "./dataset/...", "./render/...", "./render/report/...", "./studio/...", "./cmd/patchwork", "./cmd/engine")
	}
	if got := fusedIn(t, "../..", packages...); len(got) > 0 {
		t.Errorf("round these products before they are added, as in float64(a*b) + c:\n%s", strings.Join(got, "\n"))
	}
}

// fusedIn returns where the compiler fuses in packages of a folder.
func fusedIn(t *testing.T, dir string, packages ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-gcflags=-d=fmahash=vy"}, packages...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var out []string
	for _, m := range fused.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(m[1], "/internal/testkit/") {
			out = append(out, strings.TrimSuffix(m[1], ";"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestFusedIsFound: the compiler still says so.
func TestFusedIsFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module fused\n\ngo 1.26\n",
		"p.go": `package p

func Fused(x, y, z float64) float64 {
	product := x * y
	return product + z
}

func Rounded(x, y, z float64) float64 { return float64(x*y) + z }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	if got := fusedIn(t, dir, "."); len(got) != 1 || !strings.Contains(got[0], "p.go:5") {
		t.Errorf("found %q, not line 5 of p.go", got)
	}
}
