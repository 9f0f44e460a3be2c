package studio

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

type eventsQuery struct {
	JobPath
	Last string `header:"Last-Event-ID" maxLength:"20" doc:"number of the last event seen"`
}

// keepAlive is the interval of keep-alive messages on a stream.
const keepAlive = 15 * time.Second

// watch sends a job as server-sent events: the latest state first, then
// changes, at most one per eventPause, until the job has ended.
func (s *Server) watch(_ context.Context, in *eventsQuery) (*huma.StreamResponse, error) {
	j, err := s.jobs.find(in.ID)
	if err != nil {
		return nil, err
	}
	if s.streams.Add(1) > int64(s.limits.Streams) {
		s.streams.Add(-1)
		s.metrics.refused.WithLabelValues("streams").Inc()
		return nil, retryLater(5, "%d event streams are open, the limit of this server; poll GET /v1/learn/%s instead", s.limits.Streams, j.id)
	}
	last, _ := strconv.Atoi(in.Last) // not a number: no event seen
	j.mu.Lock()
	over := j.final() && j.number == last
	j.mu.Unlock()
	if over { // tells an EventSource not to reconnect
		s.streams.Add(-1)
		return &huma.StreamResponse{Body: func(ctx huma.Context) { ctx.SetStatus(http.StatusNoContent) }}, nil
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer s.streams.Add(-1)
		_, w := humago.Unwrap(ctx)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Accel-Buffering", "no") // proxies buffer streams otherwise
		w.WriteHeader(http.StatusOK)
		s.stream(ctx.Context(), w, j, last)
	}}, nil
}

// stream sends events until the job or the client or the server ends.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, j *job, last int) {
	rc := http.NewResponseController(w)
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	write := func(text []byte) bool {
		rc.SetWriteDeadline(time.Now().Add(10 * time.Second)) // an error: no deadline, as in tests
		_, err := w.Write(text)
		return err == nil && rc.Flush() == nil
	}
	if !write([]byte("retry: 1000\n\n")) {
		return
	}
	for {
		j.mu.Lock()
		event, number, final, changed := j.event, j.number, j.final(), j.changed
		j.mu.Unlock()
		if number != last && event != nil {
			if !write(event) {
				return
			}
			last = number
		}
		if final {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
			if !write([]byte(": still here\n\n")) {
				return
			}
		case <-ctx.Done():
			return
		case <-s.jobs.closed:
			return
		}
	}
}
