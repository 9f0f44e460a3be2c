package studio

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/patchwork/diagnose/words"
)

// modelChange says what to change in a model.
type modelChange struct {
	Name string `json:"name" maxLength:"200" doc:"another name for the model"`
}

// expertChange says what to change in a part.
type expertChange struct {
	Name string `json:"name" maxLength:"200" doc:"a name for the part, which the downloaded model keeps; empty removes it"`
}

// ExpertPath holds the ids of a model and of one of its parts in a path.
type ExpertPath struct {
	ModelPath
	K int `path:"k" minimum:"0" doc:"index of the part"`
}

func (s *core) renameRoutes() {
	addJSON(s, operation("PATCH", "/v1/models/{id}", "rename-model", "Give a model another name", 200), s.renameModel)
	addJSON(s, operation("PATCH", "/v1/models/{id}/experts/{k}", "rename-expert", "Name a part", 200), s.renameExpert)
}

func (s *core) renameModel(_ context.Context, in *ModelPath, req *modelChange) (*modelInfo, error) {
	name := strings.TrimSpace(req.Name)
	if words.Clean(name) == "" { // nothing of it can be read
		return nil, problemAt(422, "body.name", req.Name, "a model needs a name")
	}
	m, err := s.rename(in.ID, name, func(m *model) error { m.name = name; return nil })
	if err != nil {
		return nil, err
	}
	return newModelInfo(m), nil
}

func (s *core) renameExpert(_ context.Context, in *ExpertPath, req *expertChange) (*expertInfo, error) {
	name := strings.TrimSpace(req.Name)
	m, err := s.rename(in.ID, name, func(m *model) error { return m.call(in.K, name) })
	if err != nil {
		return nil, err
	}
	return newExpert(m, in.K), nil
}

// rename checks a name, and replaces a model by a changed copy under the same
// id: requests that hold the old one finish with it.
func (s *core) rename(id, name string, change func(*model) error) (*model, error) {
	switch {
	case s.noUpload:
		return nil, problemf(statusForbidden, "names are not changed on this server (--no-upload)")
	case utf8.RuneCountInString(name) > words.MaxName:
		return nil, problemAt(422, "body.name", nil, "the name has %d characters; at most %d are kept",
			utf8.RuneCountInString(name), words.MaxName)
	case strings.ContainsFunc(name, unicode.IsControl) || !validText(name):
		return nil, problemAt(422, "body.name", nil, "the name contains control characters")
	}
	m, err := s.models.change(id, change)
	if err == nil {
		err = s.keeper.save(s, id)
	}
	return m, err
}

// change replaces a model by a changed copy.
func (s *models) change(id string, f func(*model) error) (*model, error) {
	if _, err := s.find(id); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.all {
		if m.id != id {
			continue
		}
		c := *m
		if err := f(&c); err != nil {
			return nil, err
		}
		c.size = c.bytes()
		s.all[i] = &c
		return &c, nil
	}
	return nil, problemf(statusNotFound, "model %.64q was deleted a moment ago", id)
}

// call gives part k a name, "" for none, and forgets the command line, which makes a
// file without it.
func (m *model) call(k int, name string) error {
	if err := m.checkPart(k); err != nil {
		return err
	}
	of, err := m.of.Name(k, name)
	if err != nil {
		return problemAt(422, "body.name", nil, "%v", err)
	}
	m.of, m.command, m.about = of, "", of.Describe()
	return nil
}

// checkPart returns an error if there is no part k.
func (m *model) checkPart(k int) error {
	if k < m.of.K() {
		return nil
	}
	return problemAt(statusNotFound, "path.k", k, "model %s has no part %d; it has %d, from 0 in this API", m.id, k,
		m.of.K())
}
