package studio

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/modelfile"
)

// problem returns an error with a status, in the form of RFC 9457.
func problem(status int, detail string) *huma.ErrorModel {
	return &huma.ErrorModel{Type: "about:blank", Status: status, Title: http.StatusText(status), Detail: detail}
}

func problemf(status int, format string, args ...any) error {
	return problem(status, fmt.Sprintf(format, args...))
}

// problemAt returns a problem with a location in the request.
func problemAt(status int, location string, value any, format string, args ...any) error {
	p := problem(status, fmt.Sprintf(format, args...))
	p.Errors = []*huma.ErrorDetail{{Location: location, Message: p.Detail, Value: value}}
	return p
}

// retryLater returns 503 with a Retry-After.
func retryLater(seconds int, format string, args ...any) error {
	return huma.ErrorWithHeaders(problemf(http.StatusServiceUnavailable, format, args...),
		http.Header{"Retry-After": {strconv.Itoa(seconds)}})
}

// contentError returns the answer to data or a model that cannot be used.
func contentError(err error) error {
	var (
		data  *dataset.FormatError
		model *modelfile.FormatError
		size  *patchwork.SizeError
		done  huma.StatusError
	)
	switch {
	case err == nil, errors.As(err, &done):
		return err
	case errors.As(err, &data):
		if errors.Is(err, dataset.ErrMemory) {
			return problem(http.StatusRequestEntityTooLarge, err.Error())
		}
		return problem(http.StatusUnprocessableEntity, err.Error())
	case errors.As(err, &model), errors.As(err, &size):
		return problem(http.StatusUnprocessableEntity, err.Error())
	}
	return err
}

// longestValue bounds how much of a wrong value an error repeats.
const longestValue = 200

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

// cut returns the beginning of a text.
func cut(text string, n int) string {
	if len(text) > n {
		return text[:n] + " ..."
	}
	return text
}

// writeProblem answers a request that no operation handles.
func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	var headers huma.HeadersError
	if errors.As(err, &headers) {
		for name, values := range headers.GetHeaders() {
			w.Header()[name] = values
		}
	}
	var p *huma.ErrorModel
	if !errors.As(err, &p) {
		p = problem(http.StatusInternalServerError, "an unexpected error occurred")
	}
	out := *p
	out.Instance = requestID(r.Context())
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(out.Status)
	if r.Method != http.MethodHead {
		json.NewEncoder(w).Encode(&out) // an error means that the client has disconnected
	}
}
