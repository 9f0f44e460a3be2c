package studio

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/modelfile"
)

// The statuses of HTTP that answers have.
const (
	statusNoContent             = 204
	statusBadRequest            = 400
	statusForbidden             = 403
	statusNotFound              = 404
	statusConflict              = 409
	statusRequestEntityTooLarge = 413
	statusUnsupportedMediaType  = 415
	statusUnprocessableEntity   = 422
	statusServiceUnavailable    = 503
	statusInsufficientStorage   = 507
)

var statusText = map[int]string{400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
	405: "Method Not Allowed",
	408: "Request Timeout", 409: "Conflict", 413: "Request Entity Too Large", 415: "Unsupported Media Type",
	422: "Unprocessable Entity",
	500: "Internal Server Error", 503: "Service Unavailable", 507: "Insufficient Storage"}

// problemError is an error with a status, in the form of RFC 9457.
type problemError struct {
	Type   string          `json:"type"`
	Title  string          `json:"title"`
	Status int             `json:"status"`
	Detail string          `json:"detail"`
	Errors []*problemPlace `json:"errors,omitempty"`
	Fix    []string        `json:"fix,omitempty" doc:"flags of a command line, each of which helps"`

	Instance string `json:"instance,omitempty" doc:"id of the request, as in the server's log"`

	retry int    // after how many seconds a request may succeed; 0: not said
	allow string // methods that are allowed, where it was another
	cause error  // may be nil
}

// problemPlace says where in a request something is wrong.
type problemPlace struct {
	Message  string `json:"message"`
	Location string `json:"location,omitempty"`
	Value    any    `json:"value,omitempty"`
}

// Error implements the error interface.
func (p *problemError) Error() string { return p.Detail }

// Unwrap returns the cause.
func (p *problemError) Unwrap() error { return p.cause }

// problem returns an error with a status.
func problem(status int, detail string) *problemError {
	return &problemError{Type: "about:blank", Status: status, Title: statusText[status], Detail: detail}
}

func problemf(status int, format string, args ...any) error {
	return problem(status, fmt.Sprintf(format, args...))
}

// problemAt returns a problem with a location in the request.
func problemAt(status int, location string, value any, format string, args ...any) error {
	p := problem(status, fmt.Sprintf(format, args...))
	p.Errors = []*problemPlace{{Location: location, Message: p.Detail, Value: value}}
	return p
}

// retryLater returns 503 with the seconds after which to try again.
func retryLater(seconds int, format string, args ...any) error {
	p := problem(statusServiceUnavailable, fmt.Sprintf(format, args...))
	p.retry = seconds
	return p
}

func notAllowed(method, path, allow string) error {
	p := problem(405, fmt.Sprintf("%.20s is not allowed for %.100q; use %s", method, path, allow))
	p.allow = allow
	return p
}

// problemOf returns the problem that an error is, with long values left out.
func problemOf(err error) *problemError {
	var p *problemError
	if !errors.As(err, &p) {
		return problem(500, err.Error())
	}
	out := *p
	out.Errors = nil
	for _, e := range p.Errors {
		short := &problemPlace{cut(e.Message, 2*longestValue), e.Location, e.Value}
		if text, err := json.Marshal(e.Value); err != nil || len(text) > longestValue {
			short.Value = nil
		}
		out.Errors = append(out.Errors, short)
	}
	return &out
}

// contentError returns the answer to data or a model that cannot be used.
func contentError(err error) error {
	var (
		data  *dataset.FormatError
		model *modelfile.FormatError
		size  *patchwork.SizeError
		done  *problemError
	)
	switch {
	case err == nil, errors.As(err, &done):
		return err
	case errors.As(err, &data):
		if errors.Is(err, dataset.ErrMemory) {
			return problem(statusRequestEntityTooLarge, err.Error())
		}
		p := problem(statusUnprocessableEntity, err.Error())
		p.cause, p.Fix = err, data.Fix()
		return p
	case errors.As(err, &model), errors.As(err, &size):
		return problem(statusUnprocessableEntity, err.Error())
	}
	return err
}

// longestValue bounds how much of a wrong value an error repeats.
const longestValue = 200

// misfit begins what is said of a body that is not as its description has it.
const misfit = "the body does not match its description in /openapi.json: "

// cut returns the beginning of a text.
func cut(text string, n int) string {
	if len(text) > n {
		return text[:n] + " ..."
	}
	return text
}
