package studio

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/bitmap"
	"example.com/patchwork/learn/classes"
)

// classifyRequest is the JSON body of classify: examples of classes, and images to name.
type classifyRequest struct {
	Classes []labelledImages `json:"classes" minItems:"2" doc:"examples of each class"`
	Images  []wireImage      `json:"images" minItems:"1" doc:"to be named, of the size of the examples"`
}

// labelledImages are the examples of one class.
type labelledImages struct {
	Name   string      `json:"name" minLength:"1" maxLength:"200"`
	Images []wireImage `json:"images" minItems:"1"`
}

// classified says of which class an image is, and why.
type classified struct {
	Index         int       `json:"index"`
	Class         string    `json:"class"`
	Probability   float64   `json:"probability"`
	Probabilities []float64 `json:"probabilities" doc:"in the order of classes"`
	Second        string    `json:"second" doc:"the class that came second"`
	LogOdds       nats      `json:"log_odds" doc:"of the two, in nats"`
	Example       int       `json:"example" doc:"which example of the class explains the image best, from 0"`
	Left          int       `json:"left" doc:"pixels of ink that the explanation leaves over"`
	Missing       int       `json:"missing" doc:"pixels without ink that it says are ink"`
	Picks         []pick    `json:"picks" doc:"pieces of the example, moved and turned"`
	Detail        *detail   `json:"detail" doc:"the explanation, pixel by pixel"`
}

type classifyAnswer struct {
	Classes      []string     `json:"classes" doc:"in alphabetical order, numbers first"`
	Images       []classified `json:"images"`
	Milliseconds float64      `json:"milliseconds"`
}

func (s *core) classifyRoutes() {
	addJSON(s, operation("POST", "/v1/classify", "classify",
		"Say which class images are of, by examples of each class, and why", 200), s.classify)
}

func (r *classifyRequest) size() int {
	n := len(r.Images)
	for _, c := range r.Classes {
		n += len(c.Images)
	}
	return n
}

// learnClasses learns the classes of examples, or recalls them: while someone draws, the
// examples stay the same.
func (s *core) learnClasses(ctx context.Context, images []*bitmap.Image, labels []string) (*classes.Classifier,
	error) {
	h := sha256.New()
	for i, img := range images {
		fmt.Fprintf(h, "%q %d %d ", labels[i], img.Height(), img.Width())
		h.Write(img.AppendValues(nil))
	}
	key := [sha256.Size]byte(h.Sum(nil))
	if known, ok := s.classes.recall(key); ok {
		return known, nil
	}
	count := make(map[string]int)
	within := make([]int, len(images)) // its class
	for i, label := range labels {
		within[i] = count[label]
		count[label]++
	}
	c, err := classes.Learn(ctx, patchwork.Data{Images: images}, labels,
		classes.Config(images[0].Height(), images[0].Width()), classes.Options{Rows: within})
	if err != nil {
		return nil, err
	}
	pixels := int64(images[0].Height()) * int64(images[0].Width())
	s.classes.keep(key, c, int64(len(images))*(8*pixels+1000)) // an example may become a part
	return c, nil
}

// examples reads the examples of a request, with their labels.
func (s *core) examples(req *classifyRequest) (images []*bitmap.Image, labels []string, err error) {
	for _, c := range req.Classes {
		own, err := s.images(c.Images)
		if err != nil {
			return nil, nil, err
		}
		for range own {
			labels = append(labels, c.Name)
		}
		images = append(images, own...)
	}
	if err := sameSize(images, func(i int) string { return fmt.Sprintf("an example of %q", labels[i]) }); err != nil {
		return nil, nil, err
	}
	h, w := images[0].Height(), images[0].Width()
	if cfg := classes.Config(h, w); float64(cfg.Poses.Len())*float64(h*w) > maxSteps*float64(s.limits.Effort) {
		return nil, nil, problemf(422, "images of %d x %d pixels take more steps than this server allows", h, w)
	}
	return images, labels, nil
}

// classify learns classes of the examples, and names the images.
func (s *core) classify(ctx context.Context, _ *struct{}, req *classifyRequest) (*classifyAnswer, error) {
	began := time.Now()
	examples, labels, err := s.examples(req)
	if err != nil {
		return nil, err
	}
	images, err := s.images(req.Images)
	if err != nil {
		return nil, err
	}
	c, err := s.learnClasses(ctx, examples, labels)
	if err == nil {
		var verdicts []classes.Verdict
		if verdicts, err = c.Name(ctx, images, classes.NameOptions{Reasons: true}); err == nil {
			return s.classified(ctx, c, images, verdicts, began)
		}
	}
	if ctx.Err() != nil {
		return nil, s.workError(context.Cause(ctx))
	}
	return nil, problemf(422, "%v", err)
}

// classified returns the answer.
func (s *core) classified(ctx context.Context, c *classes.Classifier, images []*bitmap.Image,
	verdicts []classes.Verdict,
	began time.Time) (*classifyAnswer, error) {
	out, size := new(classifyAnswer), 0
	out.Classes = c.Names()
	for i, v := range verdicts {
		err := detailFits(&size, imageDetailBytes(images[i], len(v.Explanation.Picks)), i)
		if err != nil {
			return nil, err
		}
		out.Images = append(out.Images,
			classified{Index: i, Class: c.Names()[v.Class], Probability: v.Probabilities[v.Class],
				Probabilities: v.Probabilities,
				Second:        c.Names()[v.Second], LogOdds: nats(math.Max(v.LogOdds, 0)),
				Example: c.Classes()[v.Class].Examples[v.Example].Row,
				Left:    v.Left, Missing: v.Missing, Picks: newPicks(v.Explanation.Picks),
				Detail: newDetail(v.Model, patchwork.ScoringOriginal, images[i], v.Explanation)})
	}
	out.Milliseconds = float64(time.Since(began).Microseconds()) / 1000
	return out, nil
}
