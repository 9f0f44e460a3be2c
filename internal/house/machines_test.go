package house

import (
	"go/ast"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/patchwork/internal/testenv"
)

// inexact are the functions of package math whose results differ from machine to
// machine, and the methods of math/rand/v2 that use them.
var inexact = strings.Fields(`Acos Acosh Asin Asinh Atan Atan2 Atanh Cbrt Cos Cosh Erf Erfc Erfcinv Erfinv Exp Exp2 Expm1 Gamma
	Hypot J0 J1 Jn Lgamma Log Log10 Log1p Log2 Pow Sin Sincos Sinh Tan Tanh Y0 Y1 Yn NormFloat64 ExpFloat64`)

// What results come from uses the functions of internal/elem.
func TestNoOtherFunctions(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || is(s.pkg, "experiments/... internal/testkit internal/testenv") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if e, ok := n.(*ast.SelectorExpr); ok && slices.Contains(inexact, e.Sel.Name) {
				if x, ok := e.X.(*ast.Ident); ok && x.Name == "math" || strings.HasSuffix(e.Sel.Name, "Float64") {
					t.Errorf("%s: this may differ from machine to machine; internal/elem has functions that do not",
						s.set.Position(e.Pos()))
				}
			}
			return true
		})
	}
}

// fused is what the compiler says of a product that it fuses with an addition.
var fused = regexp.MustCompile(`fmahash triggered ([^\s;]+)`)

// TestNothingIsFused asks the compiler for arm64, which fuses where the language allows
// it, where it would. There results depend on the machine, unless the product is rounded
// by a conversion: float64(a*b) + c. A division by a power of 2 counts as a product, and
// the product may be made elsewhere: in a variable, or in a function that is inlined. It
// compiles everything once more, so that it runs at night.
func TestNothingIsFused(t *testing.T) {
	testenv.Slow(t)
	cmd := exec.Command("go", "build", "-gcflags=-d=fmahash=vy", "./internal/house/testdata/fused", "./cmd/patchwork")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	found := false
	for _, m := range fused.FindAllStringSubmatch(string(text), -1) {
		switch {
		case strings.Contains(m[1], "testdata/fused"):
			found = true // the compiler still says so
		case !strings.Contains(m[1], "/internal/testkit/"):
			t.Errorf("round this product before it is added, as in float64(a*b) + c: %s", m[1])
		}
	}
	if !found {
		t.Errorf("the compiler does not say that it fuses:\n%s", text)
	}
}
