//go:build !js

package studio

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// recorder records the status and size of an answer, and counts it while the client
// reads it.
type recorder struct {
	http.ResponseWriter
	s        *Server
	request  *http.Request
	room     room
	last     time.Time // when the last byte must be taken
	status   int
	bytes    int64
	begun    bool // the status is on its way
	replaced bool // by a problem: there was no room for the answer
}

// WriteHeader sets the status, which is sent with the first byte.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// send sends the status.
func (w *recorder) send() {
	if w.begun {
		return
	}
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.begun = true
	w.ResponseWriter.WriteHeader(w.status)
}

// pieceBytes is how much of an answer a client must take within Limits.WriteTime; a slower
// one is cut off.
const pieceBytes = 64 << 10

func (w *recorder) Write(p []byte) (int, error) {
	if w.replaced {
		return len(p), nil
	}
	if err := w.s.answerTakes(w.request.Context(), int64(len(p))); err != nil {
		if w.begun {
			return 0, err // its beginning is sent, and the rest never comes
		}
		w.replace(err)
		return len(p), nil
	}
	w.send()
	rc, total := http.NewResponseController(w.ResponseWriter), 0
	for first := true; len(p) > 0 || first; first = false {
		until := time.Now().Add(w.s.limits.WriteTime)
		if !w.endless() && w.last.Before(until) {
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

// endless reports whether the answer is a stream of events, which may go on.
func (w *recorder) endless() bool { return w.Header().Get("Content-Type") == "text/event-stream" }

// replace answers with a problem instead.
func (w *recorder) replace(err error) {
	h := w.Header()
	for _, name := range []string{"Content-Length", "Content-Disposition", "Etag", "Last-Modified", "Accept-Ranges"} {
		h.Del(name)
	}
	w.status, w.begun, w.replaced = problemOf(err).Status, true, true
	writeProblem(w.ResponseWriter, w.request, err)
}

// Unwrap returns the wrapped writer, as http.ResponseController needs.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
