//go:build !js

package studio

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// describer adds an operation to an API, which serves and describes it.
type describer = func(huma.API)

// described returns the operation for huma.
func (o *op) described() huma.Operation {
	out := huma.Operation{OperationID: o.id, Method: o.method, Path: o.path, Summary: o.summary, DefaultStatus: o.status}
	if o.file != "" {
		out.RequestBody = &huma.RequestBody{Required: true, Description: o.file,
			Content: map[string]*huma.MediaType{"application/octet-stream": {}}}
		o.accept(out.RequestBody)
	}
	return out
}

// accept adds the other kinds of bodies.
func (o *op) accept(body *huma.RequestBody) {
	for _, kind := range o.kinds {
		body.Content[kind] = &huma.MediaType{}
	}
}

// describe returns the description of an operation.
func describe[I, O any](o op, answer func(context.Context, *I) (*O, error)) describer {
	return func(api huma.API) {
		huma.Register(api, o.described(), func(ctx context.Context, in *I) (*O, error) {
			out, err := answer(ctx, in)
			return out, humaError(err)
		})
		o.describeJSON(api)
	}
}

// describeJSON describes a JSON body, and has it checked by the description. Not earlier:
// huma would read any body by the schema.
func (o *op) describeJSON(api huma.API) {
	if o.json == nil {
		return
	}
	registry := api.OpenAPI().Components.Schemas
	of, check := o.json.body()
	schema := huma.SchemaFromType(registry, of)
	body := &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	o.accept(body)
	item := api.OpenAPI().Paths[o.path]
	for _, registered := range []*huma.Operation{item.Post, item.Patch} {
		if registered != nil && registered.Method == o.method {
			registered.RequestBody = body
		}
	}
	*check = func(content any) error { return checkSchema(registry, schema, content) }
}

// checkSchema returns a problem that says where a body is not as its schema has it.
func checkSchema(registry huma.Registry, schema *huma.Schema, content any) error {
	res := &huma.ValidateResult{}
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(registry, schema, path, huma.ModeWriteToServer, content, res)
	if len(res.Errors) == 0 {
		return nil
	}
	p := problem(statusUnprocessableEntity, cut(misfit+res.Errors[0].Error(), 3*longestValue))
	for _, e := range res.Errors {
		var d *huma.ErrorDetail
		if errors.As(e, &d) {
			p.Errors = append(p.Errors, &problemPlace{d.Message, d.Location, d.Value})
		} else {
			p.Errors = append(p.Errors, &problemPlace{Message: e.Error()})
		}
	}
	return p
}

// describeEvents returns the description of an operation that answers with events.
func describeEvents[I any](o op, answer func(context.Context, *I) (eventStream, error)) describer {
	return func(api huma.API) {
		events := o.described()
		events.Responses = map[string]*huma.Response{"200": {Description: "Server-sent events: progress, then done, stopped, failed or cancelled",
			Content: map[string]*huma.MediaType{"text/event-stream": {Schema: eventData(api.OpenAPI().Components.Schemas)}}}}
		huma.Register(api, events, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
			stream, err := answer(ctx, in)
			if err != nil {
				return nil, humaError(err)
			}
			return &huma.StreamResponse{Body: func(ctx huma.Context) {
				if stream == nil {
					ctx.SetStatus(statusNoContent)
					return
				}
				_, w := humago.Unwrap(ctx)
				sendEvents(ctx.Context(), w, stream)
			}}, nil
		})
	}
}

// sendEvents answers with a stream.
func sendEvents(ctx context.Context, w http.ResponseWriter, stream eventStream) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies buffer streams otherwise
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	stream(ctx, func(text []byte) error {
		rc.SetWriteDeadline(time.Now().Add(10 * time.Second)) // an error: no deadline, as in tests
		if _, err := w.Write(text); err != nil {
			return err
		}
		return rc.Flush()
	})
}

// natsSchema describes nats.
type natsSchema float64

// Schema returns the schema of the type for the API's description.
func (natsSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Nullable: true, Description: "null where infinite"}
}

// humaError returns an error of the core as huma answers it.
func humaError(err error) error {
	var p *problemError
	if !errors.As(err, &p) {
		return err
	}
	out := humaModel(p)
	if p.retry > 0 {
		return huma.ErrorWithHeaders(out, http.Header{"Retry-After": {strconv.Itoa(p.retry)}})
	}
	return out
}

func humaModel(p *problemError) *huma.ErrorModel {
	out := &huma.ErrorModel{Type: p.Type, Title: p.Title, Status: p.Status, Detail: p.Detail}
	for _, e := range p.Errors {
		out.Errors = append(out.Errors, &huma.ErrorDetail{Message: e.Message, Location: e.Location, Value: e.Value})
	}
	return out
}
