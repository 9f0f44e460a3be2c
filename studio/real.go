//go:build !js

package studio

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed" // the page
	"encoding/base64"
	"errors"
	"html/template"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/patchwork/dataset"
	"example.com/patchwork/learn/real"
	"example.com/patchwork/modelfile"
	"example.com/patchwork/render/report"
)

// Real values have a page of their own, /real, which works without a script: a form that takes data, a model or
// neither, and answers with a report.

//go:embed real.html
var realForm string

var realTemplate = template.Must(template.New("real").Parse(realForm))

// realPolicy is the Content-Security-Policy of the page of real values: its own style and script, its own form.
func realPolicy() string {
	sum := sha256.Sum256([]byte(report.PageScript()))
	return "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; style-src 'unsafe-inline'; img-src data:; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// realRoutes adds the page of real values.
func (s *Server) realRoutes() {
	s.mux.HandleFunc("GET /real", func(w http.ResponseWriter, _ *http.Request) { s.writeRealForm(w, http.StatusOK, "") })
	s.mux.HandleFunc("POST /real", s.answerReal)
}

// writeRealForm writes the form, with what was wrong with the last one.
func (s *Server) writeRealForm(w http.ResponseWriter, status int, wrong string) {
	var b bytes.Buffer
	var opened []string
	for _, r := range s.real {
		opened = append(opened, r.Name)
	}
	err := realTemplate.Execute(&b, struct {
		Wrong                string
		Opened               []string
		Token, Upload, Learn bool
		Megabytes            int64
	}{wrong, opened, s.token != "", !s.noUpload, !s.noLearn, s.limits.UploadBytes / 1e6})
	if err != nil {
		status = http.StatusInternalServerError
	}
	writePage(w, status, b.Bytes())
}

// writePage writes a page about real values.
func writePage(w http.ResponseWriter, status int, page []byte) {
	h := w.Header()
	h.Set("Content-Security-Policy", realPolicy())
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(page)
}

// answerReal answers the form with a report, or the form with what was wrong.
func (s *Server) answerReal(w http.ResponseWriter, r *http.Request) {
	kind, boundary := mediaType(r)
	page, err := s.realReport(r.Context(), kind, boundary)
	if err == nil {
		writePage(w, http.StatusOK, page)
		return
	}
	status := http.StatusUnprocessableEntity
	var known *problemError
	if errors.As(err, &known) {
		status = known.Status
	}
	s.writeRealForm(w, status, err.Error())
}

// realRequest is the form.
type realRequest struct {
	opened, token, rows string
	name                string // of the data
	data, model         []byte
}

// parseReal reads the form.
func parseReal(content []byte, kind, boundary string) (*realRequest, error) {
	if kind != formKind || boundary == "" {
		return nil, problemf(http.StatusUnsupportedMediaType, "send the form of this page (multipart/form-data)")
	}
	q := new(realRequest)
	for m := multipart.NewReader(bytes.NewReader(content), boundary); ; {
		p, err := m.NextPart()
		if err == io.EOF {
			return q, nil
		}
		if err != nil {
			return nil, problemf(http.StatusBadRequest, "the form is broken: %v", err)
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil, problemf(http.StatusBadRequest, "the form is broken: %v", err)
		}
		switch p.FormName() {
		case "opened":
			q.opened = string(content)
		case "token":
			q.token = string(content)
		case "rows":
			q.rows = string(content)
		case "data":
			q.name, q.data = plainName(p.FileName()), content
		case "model":
			q.model = content
		}
	}
}

// realReport makes the report that the form asks for.
func (s *Server) realReport(ctx context.Context, kind, boundary string) ([]byte, error) {
	q, err := parseReal(bodyOf(ctx).bytes, kind, boundary)
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		got, want := sha256.Sum256([]byte(strings.TrimSpace(q.token))), sha256.Sum256([]byte(s.token))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			s.meter.refused("token")
			return nil, problemf(http.StatusUnauthorized, "this server requires its token")
		}
	}
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	m, v, err := s.realTask(ctx, q)
	if err != nil {
		return nil, err
	}
	opt := report.Options{Workers: 1}
	if opt.Worked, err = rowsAsked(q.rows, v); err != nil {
		return nil, err
	}
	r, err := report.BuildReal(ctx, m, v, opt)
	if err != nil {
		return nil, s.realError(err)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page, r.Title()); err != nil {
		return nil, err
	}
	return page.Bytes(), nil
}

// realError returns the answer to an error of learning or explaining.
func (s *Server) realError(err error) error {
	if errors.Is(err, errTime) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return problemf(http.StatusServiceUnavailable, "this takes longer than the %v of a request on this server: learn with patchwork learn, and open the model here with the data", s.limits.Time)
	}
	return problem(http.StatusUnprocessableEntity, err.Error())
}

// realTask returns the model and the data of a form: those that were opened with the server, those uploaded, or a model
// learned of the data.
func (s *Server) realTask(ctx context.Context, q *realRequest) (m *real.Model, v *dataset.Values, err error) {
	at := slices.IndexFunc(s.real, func(r NamedReal) bool { return r.Name == q.opened })
	switch {
	case at >= 0:
		s.learning.Lock()
		m, v = s.real[at].Model, s.real[at].Data
		s.learning.Unlock()
	case q.opened != "":
		return nil, nil, problemf(http.StatusNotFound, "there is no %.100q opened here", q.opened)
	}
	if len(q.model) > 0 {
		if m, err = s.uploadedReal(q.model); err != nil {
			return nil, nil, err
		}
	}
	if len(q.data) > 0 {
		if v, err = s.uploadedValues(q, m); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case v == nil && m != nil:
		return nil, nil, problemf(http.StatusUnprocessableEntity, "a model alone: choose data that it is to explain, too (patchwork draw shows its parts)")
	case v == nil:
		return nil, nil, problemf(http.StatusUnprocessableEntity, "choose a file of data")
	case m != nil:
		v, err = v.Match(m.Columns, m.Height, m.Width)
		return m, v, contentError(err)
	case s.noLearn:
		return nil, nil, problemf(http.StatusForbidden, "learning is switched off on this server (--no-learn): choose a model, too")
	}
	data, err := real.NewData(v.Height, v.Width, v.Rows)
	if err != nil {
		return nil, nil, problem(http.StatusUnprocessableEntity, err.Error())
	}
	learned, err := real.Learn(ctx, data, real.Options{Workers: 1})
	if err != nil {
		return nil, nil, s.realError(err)
	}
	out := *learned.Model
	if v.Table {
		out.Columns = v.Columns
	}
	if at >= 0 && len(q.data) == 0 {
		s.learning.Lock()
		s.real[at].Model = &out
		s.learning.Unlock()
	}
	return &out, v, nil
}

// uploadedReal reads a model of real values, within the limits of models.
func (s *Server) uploadedReal(content []byte) (*real.Model, error) {
	if err := s.checkUpload(content, ""); err != nil {
		return nil, err
	}
	if err := checkArchive(content, s.limits.UploadBytes); err != nil {
		return nil, err
	}
	m, err := modelfile.ReadReal(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, contentError(err)
	}
	if n := max(m.K(), 1) * m.Poses.Len(); n > s.limits.Candidates || n > s.limits.Effort/max(m.D(), 1) {
		return nil, problemf(http.StatusRequestEntityTooLarge, "%d parts at %d places are more than this server explains with", m.K(), m.Poses.Len())
	}
	return m, nil
}

// uploadedValues reads data as real values, as those of a model unless that is nil.
func (s *Server) uploadedValues(q *realRequest, m *real.Model) (*dataset.Values, error) {
	if err := s.checkUpload(q.data, q.name); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(q.data, []byte("PK")) {
		if err := checkArchive(q.data, 4*s.limits.UploadBytes); err != nil {
			return nil, err
		}
	}
	if err := checkGzip(q.data); err != nil {
		return nil, err
	}
	opt := dataset.Options{}
	if m != nil {
		var err error
		if opt, err = opt.Like(m.Reading); err != nil {
			return nil, contentError(err)
		}
	}
	opt.MaxMemory, opt.MaxPicture = s.limits.DataBytes/2, max(maxPhoto, s.limits.Pixels)
	v, err := dataset.DecodeValues(q.name, q.data, opt)
	if err != nil {
		return nil, contentError(err)
	}
	switch {
	case v.Len() > s.limits.LearnImages:
		return nil, problemf(http.StatusRequestEntityTooLarge, "%d rows are more than this page takes (%d); patchwork report takes them all", v.Len(), s.limits.LearnImages)
	case v.Height*v.Width > s.limits.Pixels:
		return nil, problemf(http.StatusRequestEntityTooLarge, "rows of %d values are outside the limits of this server (%d)", v.Height*v.Width, s.limits.Pixels)
	}
	return v, nil
}

// rowsAsked returns the rows that a text asks for, such as "3, 17", or by their names or labels; nil for none.
func rowsAsked(text string, v *dataset.Values) ([]int, error) {
	const most = 60
	var out []int
	name := v.Labelled().Called()
	for _, one := range strings.Split(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		before := len(out)
		if n, err := strconv.Atoi(one); err == nil && n >= 1 && n <= v.Len() {
			out = append(out, n-1)
		} else {
			for i := range v.Len() {
				if strings.Contains(strings.ToLower(name(i)), strings.ToLower(one)) && len(out) < most {
					out = append(out, i)
				}
			}
		}
		if len(out) == before {
			return nil, problemf(http.StatusUnprocessableEntity, "there is no row %.60q: give numbers from 1 to %d, or part of a label", one, v.Len())
		}
	}
	return out[:min(len(out), most)], nil
}

// openReal says where real values can be opened.
const openReal = "open them at /real on this server: parts, rows explained, predictions; or give a threshold to make bits of them"
