//go:build !js

package studio

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// page is the page, built by Vite from studio/web/src; see
// studio/web/README.md.
//
//go:embed all:web/dist
var page embed.FS

// Page returns the files of the page.
func Page() fs.FS {
	dist, err := fs.Sub(page, "web/dist")
	if err != nil {
		panic(err) // it is a valid path
	}
	return dist
}

// asset is one file of the page.
type asset struct {
	content []byte
	kind    string
	tag     string
	forever bool // may be cached forever: its name changes with its content
}

// assets returns the files of the page by their paths on the server.
func assets() (map[string]*asset, error) {
	dist, out := Page(), map[string]*asset{}
	err := fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(dist, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		out["/"+name] = &asset{content, cmp.Or(kinds[path.Ext(name)], "application/octet-stream"),
			`"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, strings.HasPrefix(name, "assets/")}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out["/index.html"] == nil {
		return nil, fmt.Errorf("studio: the page has no index.html; build it in studio/web with npm run build")
	}
	out["/"] = out["/index.html"]
	return out, nil
}

// kinds are the media types of the page's files, whatever the machine's tables say.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}

func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("ETag", a.tag)
	w.Header().Set("Cache-Control", "no-cache")
	if a.forever {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}

// plainRoutes adds what is beside the described API: the page, health and the description itself.
func (s *Server) plainRoutes() error {
	files, err := assets()
	if err != nil {
		return err
	}
	s.plain = map[string]http.Handler{}
	for name, file := range files {
		s.plain[name] = file
	}
	if s.spec, err = json.Marshal(s.openAPI()); err != nil {
		return err
	}
	for path, answer := range map[string]http.HandlerFunc{
		"/openapi.json": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/openapi+json")
			w.Write(s.spec)
		},
		"/healthz": func(w http.ResponseWriter, _ *http.Request) { plainText(w, http.StatusOK, "ok") },
		"/readyz":  s.answerReady,
	} {
		s.plain[path] = answer
	}
	return nil
}

// answerReady says whether the built-in models are learned.
func (s *Server) answerReady(w http.ResponseWriter, _ *http.Request) {
	switch what := s.Ready(); {
	case s.closing.Err() != nil:
		plainText(w, http.StatusServiceUnavailable, "stopping")
	case what != "":
		w.Header().Set("Retry-After", "1")
		plainText(w, http.StatusServiceUnavailable, "learning the built-in model "+what)
	default:
		plainText(w, http.StatusOK, "ready")
	}
}

func plainText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
