package studio

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// TestDisabledFeaturesAndTokens covers features that are switched off and requests without
// the token.
func TestDisabledFeaturesAndTokens(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.NoLearn, o.NoUpload, o.Token, o.Hosts = true, true, "0123456789abcdef", []string{"studio.example"}
	})
	auth := "Authorization: Bearer 0123456789abcdef"
	for _, c := range []struct {
		request
		status int
	}{
		{request{path: "/v1/models"}, 401},
		{request{path: "/v1/models", headers: []string{"Authorization: Bearer 0123456789abcdeF"}}, 401},
		{request{path: "/v1/models", headers: []string{"Authorization: Basic 0123456789abcdef"}}, 401},
		{request{path: "/v1/models", headers: []string{"Authorization: Bearer"}}, 401},
		{request{path: "/v1/models?token=0123456789abcdef"}, 401},
		{request{path: "/v1/nosuch"}, 401},
		{request{path: "/v1/models", headers: []string{auth}}, 200},
		{request{path: "/v1/models", headers: []string{auth, "Host: studio.example:443"}}, 200},
		{request{path: "/v1/models", headers: []string{auth, "Host: [::1]:8080"}}, 200},
		{request{path: "/healthz"}, 200},
		{request{path: "/readyz"}, 200},
		{request{path: "/"}, 200},
		{request{path: "/v1/learn", headers: []string{auth}, body: `{"data":"d1","experts":1}`}, 403},
		{request{path: "/v1/models", headers: []string{auth}, body: modelBytes(t, strokes(t))}, 403},
		{request{path: "/v1/data", headers: []string{auth}, body: "a\n1\n"}, 403},
	} {
		if w := c.send(t, s); w.Code != c.status {
			t.Errorf("%s %v: %d, want %d: %s", c.path, c.headers, w.Code, c.status, w.Body)
		}
	}
}

// TestPanicsAreHidden: a panic behind the guards gives a 500 without the cause, which is
// in the log. A partial answer ends the connection.
func TestPanicsAreHidden(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	s.handler = s.observe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
	w := request{path: "/v1/models"}.send(t, s)
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") || !strings.Contains(log.String(), "secret") ||
		!strings.Contains(log.String(), "level=WARN msg=request") {
		t.Errorf("%d %s; log %s", w.Code, w.Body, log.String())
	}
	s.handler = s.observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("half"))
		panic("half")
	}))
	log.Reset()
	defer func() {
		if p := recover(); p != http.ErrAbortHandler || !strings.Contains(log.String(), "stack") {
			t.Errorf("half an answer ended in %v; log %s", p, log.String())
		}
	}()
	request{path: "/v1/models"}.send(t, s)
}

// TestOwnPageIsAccepted: requests of the server's own page, as browsers send them,
// are accepted, and so are those of programs, which send none of these headers.
func TestOwnPageIsAccepted(t *testing.T) {
	s := newServer(t, nil)
	for _, headers := range [][]string{
		nil,
		{"Sec-Fetch-Site: same-origin", "Origin: http://localhost:8080"},
		{"Sec-Fetch-Site: same-origin"},
		{"Origin: http://localhost:8080"},
		{"Host: 127.0.0.1:8080", "Origin: http://127.0.0.1:8080"},
	} {
		for _, r := range []request{{path: "/v1/models"}, {path: "/v1/sample", body: `{"model":"m1"}`}} {
			r.headers = headers
			if w := r.send(t, s); w.Code != 200 {
				t.Errorf("%s %v: %d %s", r.path, headers, w.Code, w.Body)
			}
		}
	}
	for _, site := range []string{"none", "cross-site"} { // typed in, or a link from another site
		if w := (request{path: "/", headers: []string{"Sec-Fetch-Site: " + site, "Sec-Fetch-Mode: navigate"}}).send(t,
			s); w.Code != 200 {
			t.Errorf("the page cannot be opened from %s: %d", site, w.Code)
		}
	}
}
