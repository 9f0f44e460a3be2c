package studio

import (
	"context"
	"slices"
	"strconv"
	"time"
)

type eventsQuery struct {
	JobPath
	Last string `header:"Last-Event-ID" maxLength:"20" doc:"number of the last event seen"`
}

// keepAlive is the interval of keep-alive messages on a stream.
const keepAlive = 15 * time.Second

// eventStream is an answer in server-sent events: it writes them, each at once, until
// they end, a write fails or the context ends. It is called once.
type eventStream func(ctx context.Context, write func(text []byte) error)

// watch sends a job as server-sent events: the latest state first, then
// changes, at most one per eventPause, until the job has ended. Whoever comes after the end
// is sent the last progress, and the end. There is no stream where the end was seen.
func (s *core) watch(_ context.Context, in *eventsQuery) (eventStream, error) {
	j, err := s.jobs.find(in.ID)
	if err != nil {
		return nil, err
	}
	if s.streams.Add(1) > int64(s.limits.Streams) {
		s.streams.Add(-1)
		s.refused("streams")
		return nil, retryLater(5, "%d event streams are open, the limit of this server; poll GET /v1/learn/%s instead",
			s.limits.Streams, j.id)
	}
	last, _ := strconv.Atoi(in.Last) // not a number: no event seen
	j.mu.Lock()
	over := j.final() && j.number == last
	j.mu.Unlock()
	if over { // tells an EventSource not to reconnect
		s.streams.Add(-1)
		return nil, nil
	}
	return func(ctx context.Context, write func([]byte) error) {
		defer s.streams.Add(-1)
		s.stream(ctx, write, j, last)
	}, nil
}

// stream sends events until the job or the client or the server ends.
func (s *core) stream(ctx context.Context, send func([]byte) error, j *job, last int) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	write := func(text []byte) bool { return send(text) == nil }
	if !write([]byte("retry: 1000\n\n")) {
		return
	}
	for {
		j.mu.Lock()
		event, number, final, changed := j.event, j.number, j.final(), j.changed
		if final && last < j.showing {
			event = slices.Concat(j.shown, event)
		}
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
