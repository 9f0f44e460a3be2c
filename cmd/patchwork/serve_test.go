package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/patchwork/internal/npy"
)

// site is a server that runs within the test.
type site struct {
	url, token string
	stop       func() outcome // ends it as an interrupt does
}

// takeAddress takes the address that was printed apart.
func (s *site) takeAddress(page string) {
	url, at, _ := strings.Cut(page, "/#")
	s.url = strings.TrimSuffix(url, "/")
	if token, ok := strings.CutPrefix(at, "token="); ok {
		s.token, _, _ = strings.Cut(token, "/")
	}
}

// firstLine tells when a line has been written.
type firstLine struct {
	mu   sync.Mutex
	text bytes.Buffer
	line chan string
}

func (f *firstLine) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text.Write(p)
	if line, _, ok := strings.Cut(f.text.String(), "\n"); ok {
		select {
		case f.line <- line:
		default:
		}
	}
	return len(p), nil
}

// serve runs patchwork serve on a free port.
func serve(t *testing.T, token string, args ...string) *site {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, done := &firstLine{line: make(chan string, 1)}, make(chan outcome, 1)
	var errs bytes.Buffer
	getenv := func(name string) string {
		switch name {
		case "PATCHWORK_TOKEN":
			return token
		case "DISPLAY":
			return os.Getenv("PATCHWORK_TEST_DISPLAY")
		}
		return ""
	}
	go func() {
		code := run(ctx, append(args, "--addr", "127.0.0.1:0"), console{out: out, err: &errs, getenv: getenv})
		done <- outcome{code, out.text.String(), errs.String()}
	}()
	s := &site{token: token}
	s.stop = sync.OnceValue(func() outcome { cancel(); return <-done })
	t.Cleanup(func() { s.stop() })
	select {
	case line := <-out.line:
		s.takeAddress(strings.TrimPrefix(line, "serving at "))
	case o := <-done:
		t.Fatalf("%s: exit %d, %s", args, o.code, o.err)
	}
	return s
}

// serveOnce starts a server and stops it.
func serveOnce(t *testing.T, args ...string) {
	t.Helper()
	s := serve(t, "", args...)
	s.want(t, "GET", "/healthz", nil, 200)
	if o := s.stop(); o.code != 0 {
		t.Errorf("%s: exit %d, %s", args, o.code, o.err)
	}
}

// want sends a request and returns the answer's body.
func (s *site) want(t *testing.T, method, path string, body any, status int) []byte {
	t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case []byte:
		r = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, r)
	if err != nil {
		t.Fatal(err)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != status {
		t.Fatalf("%s %s: %s, want %d; %s", method, path, res.Status, status, text)
	}
	return text
}

type jobAnswer struct {
	ID, State, Error string
	Model, Command   *string
}

// learned starts a job and waits for its end.
func (s *site) learned(t *testing.T, request map[string]any) jobAnswer {
	t.Helper()
	var j jobAnswer
	decode(t, s.want(t, "POST", "/v1/learn", request, 202), &j)
	for j.State == "queued" || j.State == "running" {
		time.Sleep(20 * time.Millisecond)
		decode(t, s.want(t, "GET", "/v1/learn/"+j.ID, nil, 200), &j)
	}
	return j
}

func decode(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}

// The command line of a job gives the same bytes, from the data it names.
func TestServeLearnsWhatItsCommandLearns(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	must(t, "synth", "quadrants", "--n", someImages(), "--seed", "1", "-o", "q.npz", "-q")
	write(t, "table.csv",
		"y,bread,jam,tofu\na,1,1,0\na,1,1,0\nb,0,0,1\nb,0,?,1\na,1,1,0\nb,0,0,1\na,1,1,1\nb,0,0,1\na,1,1,0\nb,0,0,1\n")
	s := serve(t, "", "serve", "--data", "t.npz", "--data", "q.npz", "-q")
	s.want(t, "POST", "/v1/data?name=table.csv&column=y%3Dlabel", []byte(read(t, "table.csv")), 201) // d3
	for name, request := range map[string]map[string]any{
		"letters": {"data": "d1", "experts": 2, "shift": 4, "rotate": "12:12", "starts": 2,
			"where": []string{"y=T", "writer<=5"}, "take": 4, "seed": 7},
		"paper":   {"data": "d1", "experts": 2, "shift": 3, "for": "paper"},
		"auto":    {"data": "d2", "auto": true, "rule": "max-minus-min", "seed": 1},
		"counted": {"data": "d1", "auto": true, "shift": 3, "rotate": "12:12", "take": 6, "seed": 2},
		"soft": {"data": "d3", "experts": 2, "rule": "max-minus-min", "method": "soft", "aim": "interpret",
			"begin": "grow"},
	} {
		t.Run(name, func(t *testing.T) {
			j := s.learned(t, request)
			if j.State != "done" || j.Model == nil || j.Command == nil {
				t.Fatalf("ended as %+v", j)
			}
			must(t, append(fields(strings.TrimPrefix(*j.Command, "patchwork ")), "-q")...)
			if !bytes.Equal(s.want(t, "GET", "/v1/models/"+*j.Model+"/file", nil, 200), []byte(read(t, "model.npz"))) {
				t.Errorf("%s makes another model", *j.Command)
			}
		})
	}
}

// Data are read as those of a model: in other columns' order, by its threshold. No flags of a command line say that.
func TestServeReadsForAModel(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "counts.csv", "y,bread,jam,tofu\n"+strings.Repeat("a,9,8,0\nb,1,0,7\na,5,6,2\nb,0,0,9\n", 4))
	must(t, "learn", "counts.csv", "--threshold", "3", "--column", "y=label", "-k", "2", "-o", "counts.npz", "-q")
	write(t, "turned.csv", "tofu,y,jam,bread\n"+strings.Repeat("0,a,8,9\n7,b,4,1\n0,a,6,5\n9,b,0,0\n", 4))
	s := serve(t, "", "serve", "counts.npz", "-q")
	s.want(t, "POST", "/v1/data?name=turned.csv&model=m1", []byte(read(t, "turned.csv")), 201)
	j := s.learned(t, map[string]any{"data": "d1", "experts": 2, "rule": "max-minus-min", "method": "soft"})
	if j.State != "done" || j.Command != nil {
		t.Fatalf("ended as %+v", j)
	}
	var shown struct{ Images []struct{ Bits string } }
	decode(t, s.want(t, "GET", "/v1/data/d1/images?n=2", nil, 200), &shown)
	if len(shown.Images) != 2 || shown.Images[0].Bits != "110" || shown.Images[1].Bits != "011" {
		t.Errorf("rows in the model's columns: %+v", shown.Images)
	}
}

// So does that of a job whose data were read with a threshold.
func TestServeKnowsHowDataWereRead(t *testing.T) {
	t.Chdir(t.TempDir())
	grey := make([]uint8, 6*16)
	for i := range grey {
		grey[i] = uint8(40 * (i % 7))
	}
	save(t, "grey.npz", npy.Member{Name: "x", Array: npy.New(make([]uint8, 6), 6)},
		npy.Member{Name: "images", Array: npy.New(grey, 6, 4, 4)})
	s := serve(t, "", "serve", "--data", "grey.npz", "--array", "images", "--threshold", "100", "-q")
	j := s.learned(t, map[string]any{"data": "d1", "experts": 2, "starts": 2})
	if j.Command == nil || !strings.Contains(*j.Command, "--array images --threshold 100") {
		t.Fatalf("%+v", j)
	}
	must(t, append(fields(strings.TrimPrefix(*j.Command, "patchwork ")), "-q")...)
	if !bytes.Equal(s.want(t, "GET", "/v1/models/"+*j.Model+"/file", nil, 200), []byte(read(t, "model.npz"))) {
		t.Errorf("%s makes another model", *j.Command)
	}
}

// The server answers what explain prints, with all digits.
func TestServeExplainsAsExplain(t *testing.T) {
	t.Chdir(t.TempDir())
	smallLetters(t)
	s := serve(t, "", "serve", "--model", "model.npz", "--data", "t.npz", "-q")
	var images struct{ Images []map[string]any }
	decode(t, s.want(t, "GET", "/v1/data/d1/images?n=4", nil, 200), &images)
	for _, img := range images.Images {
		delete(img, "index")
		delete(img, "labels")
		delete(img, "name")
	}
	var got struct{ Rows []json.RawMessage }
	decode(t, s.want(t, "POST", "/v1/explain", map[string]any{"model": "m1", "images": images.Images}, 200), &got)
	want := strings.Split(strings.TrimSpace(must(t, fields("explain -m model.npz t.npz --rows :4")...)),
		"\n")
	for i := range want {
		// of the file's rows, which the server was not told; and a name that the server does not have
		want[i] = regexp.MustCompile(`"labels":{[^}]*},|"expert":\d+,`).ReplaceAllString(want[i], "")
		number := regexp.MustCompile(`-?\d+(\.\d+)?(e-?\d+)?`)
		rounded := number.ReplaceAllStringFunc(string(got.Rows[i]), func(text string) string {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return string(appendField(nil, "", v))
		})
		if rounded != want[i] {
			t.Errorf("image %d: %s, but explain says %s", i, got.Rows[i], want[i])
		}
	}
}

// A token is required and accepted; HTTPS works; an interrupt ends the server in an
// orderly way.
func TestServeWithTokenAndTLS(t *testing.T) {
	t.Chdir(t.TempDir())
	selfSigned(t)
	const token = "0123456789abcdef"
	s := serve(t, token, "serve", "--tls", "cert.pem,key.pem")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for auth, status := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer " + token: 200} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", auth)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("Authorization %q: %s, want %d", auth, res.Status, status)
		}
	}
	client.CloseIdleConnections()
	o := s.stop()
	if o.code != 0 || strings.Contains(o.err, token) || !strings.Contains(o.err, `msg=request`) ||
		!strings.Contains(o.out, "needs the token") || strings.Contains(o.out, token) {
		t.Errorf("exit %d, stdout %q, stderr %q", o.code, o.out, o.err)
	}
}

// Without a flag a server makes itself a token, another each time, which is in the printed address and
// not in the log; --no-token says what it means.
func TestServeMakesAToken(t *testing.T) {
	t.Chdir(t.TempDir())
	had := ""
	for range 2 {
		s := serve(t, "", "serve")
		token := s.token
		if len(token) < shortestToken || token == had {
			t.Errorf("the token %q, after %q", token, had)
		}
		had = token
		s.want(t, "GET", "/v1/models", nil, 200)
		s.token = token[1:] + "A"
		s.want(t, "GET", "/v1/models", nil, 401)
		s.token = ""
		s.want(t, "GET", "/v1/models", nil, 401)
		s.want(t, "GET", "/", nil, 200)
		if o := s.stop(); strings.Contains(o.err, token) || !strings.Contains(o.out, "Bearer "+token) {
			t.Errorf("stdout %q, stderr %q", o.out, o.err)
		}
	}
	s := serve(t, "from-the-environment", "serve", "--no-token")
	s.token = ""
	s.want(t, "GET", "/v1/models", nil, 200)
	if o := s.stop(); !strings.Contains(o.out, "any user of this machine") {
		t.Errorf("stdout %q", o.out)
	}
}

func selfSigned(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
}
