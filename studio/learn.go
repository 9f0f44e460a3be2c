package studio

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/internal/recipe"
)

// learnRequest says what to learn from, and how.
type learnRequest struct {
	Data   string      `json:"data,omitempty" maxLength:"64" doc:"id of a data set"`
	Where  []string    `json:"where,omitempty" maxItems:"10" doc:"select by labels, such as y=T"`
	Take   int         `json:"take,omitempty" minimum:"1" doc:"only the first of the selected images"`
	Images []wireImage `json:"images,omitempty" doc:"images, instead of a data set"`
	Name   string      `json:"name,omitempty" maxLength:"200" doc:"a name for the model"`
	recipe.Recipe
}

type oneJob struct{ Body jobInfo }

type jobList struct {
	Body struct {
		Jobs []jobInfo `json:"jobs"`
	}
}

// JobPath holds the job's id in a path.
type JobPath struct {
	ID string `path:"id" maxLength:"64" doc:"of the job"`
}

func (s *core) learnRoutes() {
	addJSON(s, operation("POST", "/v1/learn", "learn", "Start learning a model", 202), s.learn)
	add(s, operation("GET", "/v1/learn", "list-jobs", "List the jobs", 200),
		func(context.Context, *struct{}) (*jobList, error) {
			out := new(jobList)
			out.Body.Jobs = []jobInfo{}
			for _, j := range s.jobs.list() {
				out.Body.Jobs = append(out.Body.Jobs, j.snapshot())
			}
			return out, nil
		})
	add(s, operation("GET", "/v1/learn/{id}", "job", "The state of a job", 200),
		func(_ context.Context, in *JobPath) (*oneJob, error) {
			j, err := s.jobs.find(in.ID)
			if err != nil {
				return nil, err
			}
			return &oneJob{j.snapshot()}, nil
		})
	add(s, operation("GET", "/v1/learn/{id}/data.npz", "job-data", "The images a job learns from", 200), s.jobData)
	addEvents(s, operation("GET", "/v1/learn/{id}/events", "events", "Watch a job", 200), s.watch)
	add(s, operation("POST", "/v1/learn/{id}/stop", "stop", "End a job and keep its best model so far", 200),
		func(_ context.Context, in *JobPath) (*oneJob, error) {
			j, err := s.jobs.find(in.ID)
			if err != nil {
				return nil, err
			}
			j.cancel(errStopped)
			return &oneJob{j.snapshot()}, nil
		})
	add(s, operation("DELETE", "/v1/learn/{id}", "cancel", "Cancel a job, or forget one that has ended", 204),
		func(_ context.Context, in *JobPath) (*struct{}, error) { return nil, s.jobs.remove(in.ID) })
}

// learn starts a job.
func (s *core) learn(_ context.Context, _ *struct{}, req *learnRequest) (*oneJob, error) {
	if s.noLearn {
		return nil, problemf(statusForbidden, "learning is switched off on this server (--no-learn)")
	}
	j := &job{item: item{name: req.Name}, recipe: req.Recipe, dataID: req.Data, where: req.Where, take: req.Take}
	if strings.ContainsFunc(req.Name, unicode.IsControl) {
		return nil, problemAt(422, "body.name", nil, "the name contains control characters")
	}
	err := s.learnFrom(j, req)
	switch {
	case err != nil:
	case j.values != nil:
		err = s.planReal(j)
	default:
		err = s.planBits(j)
	}
	if err == nil {
		err = s.jobs.add(j)
	}
	if err != nil {
		return nil, err
	}
	return &oneJob{j.snapshot()}, nil
}

// planBits plans a job that learns from bits.
func (s *core) planBits(j *job) (err error) {
	h, w := j.set.Size()
	facts := recipe.Facts{Rows: j.set.Len(), Height: h, Width: w, Table: j.set.Table && h == 1}
	j.recipe = j.recipe.Literally(facts)
	resolved, _ := j.recipe.Resolve(facts)
	if j.plan, err = newPlan(&resolved, h, w); err != nil {
		return err
	}
	if j.plan.Table != nil {
		j.plan.Table.Exclusive = j.set.Exclusive()
	}
	return s.limits.checkModel(&j.plan.Config, resolved.Most())
}

// learnFrom finds the images or rows of a job.
func (s *core) learnFrom(j *job, req *learnRequest) (err error) {
	switch {
	case (req.Data == "") == (req.Images == nil):
		return problemf(422, "give either data, the id of a data set, or images")
	case req.Images != nil && (req.Where != nil || req.Take != 0):
		return problemf(422, "where and take belong to data, not to images")
	case req.Images != nil:
		if j.set, err = s.drawnSet(req.Images); err != nil {
			return err
		}
		j.drawn, j.args = j.set, []string{"data.npz"}
		if j.name == "" {
			j.name = "drawn"
		}
	default:
		if j.data, err = s.data.find(req.Data); err != nil {
			return err
		}
		d := j.data
		if j.rows, err = d.selected(req.Where, req.Take); err != nil {
			return err
		}
		for _, name := range d.files {
			j.args = append(j.args, fileArgument(name))
		}
		j.noCommand = d.noCommand
		j.args = append(append(j.args, d.args...), selection(req.Where, req.Take)...)
		if j.name == "" {
			j.name = d.name
		}
	}
	j.images = j.set.Len()
	if j.images > s.limits.LearnImages {
		return problemf(statusRequestEntityTooLarge,
			"%d images are more than this server learns from (%d); select fewer with take", j.images, s.limits.LearnImages)
	}
	return nil
}

// fileArgument returns a file name that cannot be taken for a flag.
func fileArgument(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}

// selected returns the rows of a data set to learn from.
func (d *data) selected(where []string, take int) (rows, error) {
	r, err := d.where(where)
	if err == nil && take > 0 {
		r = r.cut(0, take)
	}
	return r, err
}

// selection returns where and take as flags.
func selection(where []string, take int) []string {
	var args []string
	for _, w := range where {
		args = append(args, "--where", w)
	}
	if take > 0 {
		args = append(args, "--rows", ":"+strconv.Itoa(take))
	}
	return args
}

// drawnSet returns the images of a request, of one size.
func (s *core) drawnSet(wire []wireImage) (*dataset.Set, error) {
	images, err := s.images(wire)
	if err != nil {
		return nil, err
	}
	if err := sameSize(images, func(i int) string { return fmt.Sprintf("image %d", i) }); err != nil {
		return nil, err
	}
	return &dataset.Set{Data: patchwork.Data{Images: images}, Table: images[0].Height() == 1,
		Source: "the images of the request"}, nil
}

// jobData returns the images that a job learns from, as a file.
func (s *core) jobData(ctx context.Context, in *JobPath) (*file, error) {
	j, err := s.jobs.find(in.ID)
	if err != nil {
		return nil, err
	}
	r := rows{set: j.drawn}
	if r.set == nil {
		d, err := s.data.find(j.dataID)
		if err != nil {
			return nil, err
		}
		if r, err = d.selected(j.where, j.take); err != nil {
			return nil, err
		}
	}
	return s.npz(ctx, r, "data.npz")
}
