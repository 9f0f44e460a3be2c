package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/pose"
)

// attack sends a server everything that is known to have brought one down, first each kind
// for a while and then all at once, while a client with good manners goes on asking. It
// only talks to the server that it started itself, on this machine.
type attack struct {
	host  string
	files [][]byte // to upload, none of which may bring it down
	sent  atomic.Int64
}

// kind is a way to attack, which goes on until the context ends.
type kind struct {
	name    string
	clients int
	run     func(ctx context.Context, i int)
}

func (a *attack) kinds() []kind {
	return []kind{
		{"lying headers", 8, a.lie},
		{"slow bodies", 16, a.dribble},
		{"sockets that do not read", 40, a.deaf},
		{"hostile files", 4, a.upload},
		{"all that can be kept", 3, a.keep},
		{"jobs", 3, a.learn},
	}
}

// begin starts the clients of some kinds. The caller ends the context, then waits.
func (a *attack) begin(ctx context.Context, kinds []kind) *sync.WaitGroup {
	wait := new(sync.WaitGroup)
	for _, k := range kinds {
		for i := range k.clients {
			wait.Go(func() {
				for ctx.Err() == nil {
					a.sent.Add(1)
					k.run(ctx, i)
					pause(ctx, 20*time.Millisecond)
				}
			})
		}
	}
	return wait
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// dial opens a connection that ends with the context.
func (a *attack) dial(ctx context.Context) (net.Conn, func()) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", a.host)
	if err != nil {
		pause(ctx, 100*time.Millisecond)
		return nil, func() {}
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	return conn, func() { stop(); conn.Close() }
}

// hold waits until the server gives a connection up; it reads nothing but a byte.
func hold(conn net.Conn) { conn.Read(make([]byte, 1)) }

// lie announces a large body and sends a byte of it.
func (a *attack) lie(ctx context.Context, i int) {
	conn, end := a.dial(ctx)
	defer end()
	if conn != nil {
		fmt.Fprintf(conn, "POST /v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\nx",
			[]string{"data", "models", "explain"}[i%3], []int{63_000_000, 63_000_000, 7_900_000}[i%3])
		hold(conn)
	}
}

// dribble sends a body slowly.
func (a *attack) dribble(ctx context.Context, i int) {
	conn, end := a.dial(ctx)
	defer end()
	if conn == nil {
		return
	}
	fmt.Fprint(conn, "POST /v1/data HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\n\r\n")
	piece := make([]byte, []int{1, 1000, 100_000, 4_000_000}[i%4])
	for ctx.Err() == nil {
		if _, err := conn.Write(piece); err != nil {
			return
		}
		pause(ctx, 100*time.Millisecond)
	}
}

// deaf asks for much and reads nothing, not even by the receive buffer.
func (a *attack) deaf(ctx context.Context, i int) {
	conn, end := a.dial(ctx)
	defer end()
	if conn == nil {
		return
	}
	conn.(*net.TCPConn).SetReadBuffer(4096) // an error: the socket reads a little more
	i += rand.IntN(7)
	paths := []string{"/v1/models/m1/experts", "/v1/models/m1/file", "/v1/data/letters-t/images?n=1000", "/v1/models",
		"/v1/data", "/openapi.json", "/v1/models/m1"}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", paths[i%len(paths)])
	pause(ctx, 30*time.Second)
}

// post sends a body, and returns the beginning of the answer.
func (a *attack) post(ctx context.Context, method, path string, body []byte) []byte {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+a.host+path, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // whatever came
	return text
}

// upload sends hostile files, and every second time a changed copy of one, to all that takes files.
func (a *attack) upload(ctx context.Context, i int) {
	path := []string{"/v1/data?name=a", "/v1/models", "/v1/data?name=a.csv&threshold=auto",
		"/v1/find?x=0&y=0&width=9&height=9"}[i%4]
	file := a.files[rand.IntN(len(a.files))]
	if rand.IntN(2) == 0 {
		file = bytes.Clone(file)
		for range 1 + rand.IntN(9) {
			file[rand.IntN(len(file))] ^= byte(1 << rand.IntN(8))
		}
	}
	a.post(ctx, "POST", path, file)
}

// keep makes the server keep all it can, and delete some.
func (a *attack) keep(ctx context.Context, i int) {
	var got struct{ ID string }
	path := []string{"/v1/models", "/v1/data?name=k.csv"}[i%2]
	text := a.post(ctx, "POST", path, [][]byte{largeModel(), wideTable(2000, 500)}[i%2])
	if json.Unmarshal(text, &got) == nil && rand.IntN(3) == 0 {
		a.post(ctx, "DELETE", strings.SplitN(path, "?", 2)[0]+"/"+url.PathEscape(got.ID), nil)
	}
}

// learn begins jobs and forgets what they learn from.
func (a *attack) learn(ctx context.Context, _ int) {
	var got struct{ ID string }
	if json.Unmarshal(a.post(ctx, "POST", "/v1/data?name=j.csv", wideTable(500, 200)), &got) != nil {
		return
	}
	body, err := json.Marshal(map[string]any{"data": got.ID, "experts": 20, "rule": "max-minus-min"})
	if err == nil {
		a.post(ctx, "POST", "/v1/learn", body)
	}
	a.post(ctx, "DELETE", "/v1/data/"+url.PathEscape(got.ID), nil)
	pause(ctx, time.Second)
}

// largeModel returns a model file whose description is some ten megabytes.
var largeModel = sync.OnceValue(func() []byte {
	const k, d = 12, 30_000
	rng := rand.New(rand.NewPCG(1, 1))
	templates := make([][]float64, k)
	for i := range templates {
		templates[i] = make([]float64, d)
		for j := range templates[i] {
			templates[i][j] = .01 + .98*rng.Float64()
		}
	}
	m, err := patchwork.NewModel(patchwork.NewConfig(patchwork.RuleMaxMinusMin, 1, d, pose.Grid{}), templates)
	if err != nil {
		panic(err) // the sizes are fixed
	}
	var b bytes.Buffer
	if err := modelfile.Write(&b, m); err != nil {
		panic(err) // to memory
	}
	return b.Bytes()
})

// wideTable returns a CSV table of bits.
func wideTable(columns, rows int) []byte {
	var b bytes.Buffer
	for j := range columns {
		fmt.Fprintf(&b, "a rather long name of column %d,", j)
	}
	b.Truncate(b.Len() - 1)
	rng := rand.New(rand.NewPCG(1, 2))
	for range rows {
		b.WriteByte('\n')
		for j := range columns {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('0' + byte(rng.IntN(2)))
		}
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// hostileFiles returns small files that are large inside, and those of a folder, if it is
// not "".
func hostileFiles(dir string) ([][]byte, error) {
	files := ownHostileFiles()
	entries, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || dir == "" {
		return files, err
	}
	for _, name := range entries {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if len(content) > 0 {
			files = append(files[:len(files):len(files)], content)
		}
	}
	return files, nil
}

var ownHostileFiles = sync.OnceValue(func() [][]byte {
	return [][]byte{
		packed("", "1,", 33_000_000),                        // a first line of many cells
		packed("", strings.Repeat("n", 245)+",", 250_000),   // long names
		packed("a,\"", strings.Repeat("\n", 1000), 100_000), // one cell
		packed("", strings.Repeat("\x00", 1000), 100_000),
		bytes.Repeat([]byte("[["), 30_000),
		wideTable(20_000, 20),
		[]byte("PAR1 and nothing else PAR1"),
	}
})

// packed returns text with gzip, in which a part repeats.
func packed(before, part string, n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := bufio.NewWriter(z)
	w.WriteString(before)
	for range n {
		w.WriteString(part)
	}
	if err := errors.Join(w.Flush(), z.Close()); err != nil {
		panic(err) // to memory
	}
	return b.Bytes()
}
