package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a patchwork serve of our own.
type server struct {
	cmd *exec.Cmd
	url string
}

// start builds patchwork and serves on a free port. If it is bounded it may take 4 GB of addresses, and is told to
// keep to 1 GiB.
func start(ctx context.Context, bounded bool) (*server, error) {
	dir, err := os.MkdirTemp("", "patchwork-serve")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the running program keeps its file
	binary := filepath.Join(dir, "patchwork")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "example.com/patchwork/cmd/patchwork")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build patchwork (run this in the repository): %w", err)
	}
	args := []string{binary, "serve", "--addr", "127.0.0.1:0", "-q", "--no-token"}
	if bounded {
		args = append([]string{"sh", "-c", `ulimit -v 4000000 && exec "$0" "$@"`}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	if bounded {
		cmd.Env = append(os.Environ(), "GOMEMLIMIT=1GiB")
	}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving at ")
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("the server said %q", line), err, cmd.Wait())
	}
	return &server{cmd, strings.TrimSuffix(url, "/")}, nil
}

// stop ends the server as a supervisor does.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// resident returns the resident memory of the server in bytes, or 0 if there is no /proc.
func (s *server) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// post sends JSON.
func (l *load) post(ctx context.Context, url string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return l.client.Do(req)
}

// get decodes a JSON answer into v, which may be nil.
func (l *load) get(ctx context.Context, url string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := l.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %.200s", url, res.Status, text)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(text, v)
}

// The model and the data are built in.
const model, data = "letter-t", "letters-t"

// prepare waits until the server is ready and makes requests that explain images of its
// own data, one in each.
func (l *load) prepare(ctx context.Context, url string) error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := l.get(ctx, url+"/readyz", nil)
		if err == nil {
			break
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("the server is not ready: %w", err)
		}
	}
	type image struct {
		Height int    `json:"height"`
		Width  int    `json:"width"`
		Bits   string `json:"bits"`
	}
	var got struct{ Images []image }
	if err := l.get(ctx, url+"/v1/data/"+data+"/images?n=100", &got); err != nil {
		return err
	}
	for _, img := range got.Images {
		body, err := json.Marshal(map[string]any{"model": model, "images": []image{img}})
		if err != nil {
			return err
		}
		l.bodies = append(l.bodies, body)
	}
	l.url = url + "/v1/explain"
	return nil
}
