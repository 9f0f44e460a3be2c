//go:build !js

package studio

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// finishProblem adds the request id to an error, and truncates the values that
// it repeats.
func (s *Server) finishProblem(ctx huma.Context, _ string, v any) (any, error) {
	p, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	out := *p
	out.Instance = requestID(ctx.Context())
	if p.Status == http.StatusInternalServerError {
		s.log.Error("unexpected", "id", out.Instance, "error", fmt.Sprint(p.Errors))
	}
	if out.Type == "" {
		out.Type = "about:blank"
	}
	out.Errors = nil
	for i, e := range p.Errors {
		if i == 20 {
			out.Errors = append(out.Errors, &huma.ErrorDetail{Message: fmt.Sprintf("and %d more", len(p.Errors)-i)})
			break
		}
		if e == nil {
			continue
		}
		e := *e
		if text, err := json.Marshal(e.Value); err != nil || len(text) > longestValue {
			e.Value = nil
		}
		e.Message = cut(e.Message, 2*longestValue)
		out.Errors = append(out.Errors, &e)
	}
	return &out, nil
}

// writeProblem answers a request that no operation handles.
func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	var p *problemError
	if !errors.As(err, &p) {
		p = problem(http.StatusInternalServerError, "an unexpected error occurred")
	}
	if p.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.retry))
	}
	out := humaModel(p)
	out.Instance = requestID(r.Context())
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(out.Status)
	if r.Method != http.MethodHead {
		text, _ := jsonText(out)    // cannot fail: plain text
		w.Write(append(text, '\n')) // an error means that the client has disconnected
	}
}
