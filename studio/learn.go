package studio

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"unicode"

	"example.com/patchwork/internal/recipe"
)

// learnRequest says what to learn from, and how.
type learnRequest struct {
	Data  string   `json:"data" maxLength:"64" doc:"id of a data set"`
	Where []string `json:"where,omitempty" maxItems:"10" doc:"select by labels, such as y=T"`
	Take  int      `json:"take,omitempty" minimum:"1" doc:"only the first of the selected images"`
	Name  string   `json:"name,omitempty" maxLength:"200" doc:"a name for the model"`
	recipe.Recipe
}

type jobList struct {
	Jobs []jobInfo `json:"jobs"`
}

// JobPath holds the job's id in a path.
type JobPath struct {
	ID string `path:"id" maxLength:"64" doc:"of the job"`
}

type jobQuery struct {
	JobPath
	Progress bool `query:"progress" doc:"also the scores so far and the latest templates"`
}

func (s *core) learnRoutes() {
	addJSON(s, operation("POST", "/v1/learn", "learn", "Start learning a model", 202), s.learn)
	add(s, operation("GET", "/v1/learn", "list-jobs", "List the jobs", 200),
		func(context.Context, *struct{}) (*jobList, error) {
			out := new(jobList)
			out.Jobs = []jobInfo{}
			for _, j := range s.jobs.list() {
				out.Jobs = append(out.Jobs, *j.snapshot())
			}
			return out, nil
		})
	add(s, operation("GET", "/v1/learn/{id}", "job", "The state of a job", 200),
		func(_ context.Context, in *jobQuery) (*jobInfo, error) {
			j, err := s.jobs.find(in.ID)
			switch {
			case err != nil:
				return nil, err
			case in.Progress:
				return j.progress(), nil
			}
			return j.snapshot(), nil
		})
	add(s, operation("POST", "/v1/learn/{id}/stop", "stop", "End a job and keep its best model so far", 200),
		func(_ context.Context, in *JobPath) (*jobInfo, error) {
			j, err := s.jobs.find(in.ID)
			if err != nil {
				return nil, err
			}
			j.cancel(errStopped)
			return j.snapshot(), nil
		})
	add(s, operation("DELETE", "/v1/learn/{id}", "cancel", "Cancel a job, or forget one that has ended", 204),
		func(_ context.Context, in *JobPath) (*struct{}, error) { return nil, s.jobs.remove(in.ID) })
}

// learn starts a job.
func (s *core) learn(_ context.Context, _ *struct{}, req *learnRequest) (*jobInfo, error) {
	if s.noLearn {
		return nil, problemf(statusForbidden, "learning is switched off on this server (--no-learn)")
	}
	if strings.ContainsFunc(req.Name, unicode.IsControl) {
		return nil, problemAt(422, "body.name", nil, "the name contains control characters")
	}
	d, err := s.data.find(req.Data)
	if err != nil {
		return nil, err
	}
	r, err := d.where(req.Where)
	if err != nil {
		return nil, err
	}
	if req.Take > 0 {
		r.set = r.set.Take(req.Take)
	}
	n := r.set.Len()
	if n > s.limits.LearnImages {
		return nil, problemf(statusRequestEntityTooLarge,
			"%d images are more than this server learns from (%d); select fewer with take", n, s.limits.LearnImages)
	}
	l, err := s.limits.newLearning(r, req.Recipe)
	if err != nil {
		return nil, err
	}
	j := &job{item: item{name: cmp.Or(req.Name, d.name)}, data: d.id, images: n, recipe: l.recipe, learning: l}
	if !d.noCommand {
		j.args = d.arguments(req.Where, req.Take)
	}
	if err := s.jobs.add(j); err != nil {
		return nil, err
	}
	return j.snapshot(), nil
}

// arguments returns what on a command line selects rows of the data set.
func (d *data) arguments(where []string, take int) (args []string) {
	for _, name := range d.files {
		args = append(args, fileArgument(name))
	}
	args = append(args, d.args...)
	for _, w := range where {
		args = append(args, "--where", w)
	}
	if take > 0 {
		args = append(args, "--rows", ":"+strconv.Itoa(take))
	}
	return args
}

// fileArgument returns a file name that cannot be taken for a flag.
func fileArgument(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}
