package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Models and data are told apart by what they hold; data are read as those were that
// the model was learned from.
func TestServeTellsFilesApart(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "sites.csv", "site,a,b,c\n"+strings.Repeat("Ulm,1,1,0\nBonn,0,0,1\n", 20))
	write(t, "new.csv", "c,site,b,a\n1,Trier,0,0\n")
	must(t, "learn", "sites.csv", "--column", "site=label", "--method", "soft", "--rule", "max-minus-min",
		"--experts", "2", "-o", "m.npz")
	s := serve(t, "", "serve", "new.csv", "m.npz", "sites.csv")
	defer s.stop()
	var models struct {
		Models []struct {
			Name    string
			Columns []string
		}
	}
	decode(t, s.want(t, "GET", "/v1/models", nil, 200), &models)
	if len(models.Models) == 0 || models.Models[0].Name != "m" || len(models.Models[0].Columns) != 3 {
		t.Errorf("%+v", models)
	}
	var data struct {
		Data []struct {
			Name    string
			Columns []string
			Labels  map[string]any
		}
	}
	decode(t, s.want(t, "GET", "/v1/data", nil, 200), &data)
	for _, d := range data.Data[:2] {
		if strings.Join(d.Columns, " ") != "a b c" || d.Labels["site"] == nil {
			t.Errorf("%+v", d)
		}
	}
}

// --open starts the browser with the address; without a display it says where to look
// and serves all the same.
func TestServeOpens(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("xdg-open is of other systems")
	}
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	browser := filepath.Join(dir, "xdg-open")
	write(t, "xdg-open", "#!/bin/sh\necho \"$1\" > "+filepath.Join(dir, "opened.tmp")+" && mv "+filepath.Join(dir,
		"opened.tmp")+" "+filepath.Join(dir, "opened")+"\n")
	if err := os.Chmod(browser, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("PATCHWORK_TEST_DISPLAY", ":0")
	s := serve(t, "", "serve", "--open")
	for range 12000 {
		if got, err := os.ReadFile("opened"); err == nil {
			if want := s.url + "/#token=" + s.token; strings.TrimSpace(string(got)) != want {
				t.Errorf("%q was opened, not %s", got, want)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := os.Stat("opened"); err != nil {
		t.Error("no browser was started")
	}
	s.stop()
	t.Setenv("PATCHWORK_TEST_DISPLAY", "")
	s = serve(t, "", "serve", "--open")
	if o := s.stop(); o.code != 0 || !strings.Contains(o.err, "no display") || !strings.Contains(o.err, s.url) ||
		!strings.Contains(o.out, "serving at") {
		t.Errorf("exit %d, %q, %q", o.code, o.out, o.err)
	}
}
