package notices_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/patchwork/internal/notices"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"LICENSE": "do as you like\n\n", "licence-docs.txt": "and the documents",
		"NOTICE": "by somebody", "license.go": "package x", "notices": "no", "README": "no"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "copying"), 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := notices.Write(&b, []notices.Part{{"a.b/c", "v1.2.3", dir}}); err != nil {
		t.Fatal(err)
	}
	rule := "\n" + strings.Repeat("=", 80) + "\n"
	want := rule + "a.b/c v1.2.3: LICENSE\n\ndo as you like\n" + rule + "a.b/c v1.2.3: NOTICE\n\nby somebody\n" + rule +
		"a.b/c v1.2.3: licence-docs.txt\n\nand the documents\n"
	if b.String() != want {
		t.Errorf("wrote %q", b.String())
	}
	for name, p := range map[string]notices.Part{"no licence": {"x", "v1", t.TempDir()},
		"sources of x": {"x", "v1", filepath.Join(dir, "gone")}} {
		if err := notices.Write(&b, []notices.Part{p}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
