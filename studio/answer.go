//go:build !js

package studio

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// recorder records the status and size of an answer, and cuts off a client that does not read it.
type recorder struct {
	http.ResponseWriter
	s      *Server
	last   time.Time // when the last byte must be taken
	status int       // 0 until it is sent
	bytes  int64
}

// WriteHeader sends the status.
func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// pieceBytes is how much of an answer a client must take within Limits.WriteTime; a slower
// one is cut off.
const pieceBytes = 64 << 10

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	rc, total := http.NewResponseController(w.ResponseWriter), 0
	for len(p) > 0 {
		until := time.Now().Add(w.s.limits.WriteTime)
		if w.last.Before(until) {
			until = w.last
		}
		rc.SetWriteDeadline(until) // an error: no deadline, as in tests
		n, err := w.ResponseWriter.Write(p[:min(len(p), pieceBytes)])
		total, p = total+n, p[n:]
		w.bytes += int64(n)
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				w.s.refused("slow")
			}
			return total, err
		}
	}
	return total, nil
}

// Unwrap returns the wrapped writer, as http.ResponseController needs.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
