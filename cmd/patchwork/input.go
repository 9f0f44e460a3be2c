package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/patchwork"
	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
	"example.com/patchwork/internal/recipe"
	"example.com/patchwork/workbench"
)

// inputFlags are the flags of every command that explains images: which model and
// images, where parts may be placed, and how often.
type inputFlags struct {
	data                     dataFlags
	model                    string
	poses                    recipe.Poses
	scene                    bool
	maxPicks, reuse, workers int
}

func (f *inputFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	modelFlag(cmd, &f.model)
	positiveFlag(cmd, &f.maxPicks, "max-picks", "largest number of picks (default no limit)")
	positiveFlag(cmd, &f.reuse, "reuse", "how often a part may be used in one image (default: the model's)")
	fs.BoolVar(&f.scene, "scene", false, "place parts anywhere in images that are larger than they are")
	poseFlags(cmd, &f.poses)
	stretchFlag(cmd, &f.poses)
	groupFlags(fs, wherePosed, "scene", "reuse")
	workersFlag(cmd, &f.workers)
	f.data.add(cmd)
	f.data.addMemory(cmd)
}

// placed returns a model with its parts where the flags say.
func (f *inputFlags) placed(cmd *cobra.Command, m *patchwork.Model) (*patchwork.Model, error) {
	c := m.Config()
	changed := cmd.Flags().Changed
	if changed("scene") {
		if c.Scene = f.scene; !c.Scene {
			c.ImageHeight, c.ImageWidth = 0, 0
		}
	}
	c.Reuse = cmp.Or(f.reuse, c.Reuse)
	grid, err := f.poses.Grid(m.K(), m.Height(), m.Width())
	if err != nil {
		return nil, inFlags(err)
	}
	if changed("shift") {
		c.Poses.DY, c.Poses.DX = grid.DY, grid.DX
	}
	if changed("rotate") {
		c.Poses.Angles = grid.Angles
	}
	if changed("stretch") {
		c.Poses.Stretches = grid.Stretches
	}
	m, err = m.WithConfig(c)
	return m, request(err)
}

// fitted returns a model as it explains the rows of a frame. Templates that people
// bring, in a file that does not say where they may be, lie anywhere in larger images.
func fitted(cmd *cobra.Command, of workbench.Model, set *dataset.Frame) (workbench.Model, error) {
	b, ok := of.(workbench.Bits)
	if !ok {
		if c, ok := of.(workbench.Classes); ok {
			return of, fits(c.Like(), set)
		}
		return of, nil // whose columns are matched
	}
	m := b.Model
	h, w := set.Size()
	c, x := m.Config(), m.Extras()
	brought := x.Record.Method == "" && x.Counts == nil && c.Poses.Shifts() == 1 && !c.Scene && c.QMap == nil &&
		c.Height > 1
	if brought && !cmd.Flags().Changed("scene") && h >= c.Height && w >= c.Width && h*w > c.Height*c.Width {
		c.Scene, c.ImageHeight, c.ImageWidth = true, h, w
		sayNotes(cmd, fmt.Sprintf("the parts, of %d x %d pixels, are placed anywhere in the images, of %d x %d", c.Height,
			c.Width, h, w))
		m, err := m.WithConfig(c)
		return workbench.Bits{Model: m}, err
	}
	if set.Table && set.Columns == nil && x.Columns != nil {
		sayNotes(cmd, "the columns have no names; they are taken in the model's order, "+
			"from "+words.Column(m, 0)+" to "+words.Column(m, m.Width()-1))
	}
	return of, fits(m, set)
}

// fits returns an error if a model cannot explain the images of a set.
func fits(m *patchwork.Model, set *dataset.Set) error {
	_, err := m.GridFor(set.Size())
	var size *patchwork.SizeError
	switch {
	case errors.As(err, &size) && set.Table != (size.ModelHeight == 1):
		return otherKind(m, set)
	case errors.As(err, &size) && !size.Scene && size.Height >= size.ModelHeight && size.Width >= size.ModelWidth:
		return fmt.Errorf("%s: %w; --scene places its parts anywhere in larger images%s", set.Source, err, toSize(set, size))
	case errors.As(err, &size):
		return fmt.Errorf("%s: %w; use a model that was learned from such images%s", set.Source, err, toSize(set, size))
	}
	return request(err)
}

// otherKind returns the error for rows and a model of images, or for images and a model
// of a table.
func otherKind(m *patchwork.Model, set *dataset.Set) error {
	h, w := set.Size()
	if !set.Table {
		return &inputError{fmt.Errorf(
			"%s holds images of %d x %d, and the model is of a table with %s, from %s to %s; give rows of these columns, or "+
				"use a model that was learned from such images",
			set.Source, h, w, words.Count(m.Width(), "column"), words.Column(m, 0), words.Column(m, m.Width()-1))}
	}
	way := "give images, or use a model that was learned from such rows"
	if w == m.Height()*m.Width() {
		way = fmt.Sprintf("--size %dx%d makes its rows images", m.Height(), m.Width())
	}
	return &inputError{fmt.Errorf("%s is a table with %s, and the model is of images of %d x %d; %s", set.Source,
		words.Count(w, "column"), m.Height(), m.Width(), way)}
}

// toSize returns the way to bring pictures to the size of a model; arrays and tables
// are not scaled.
func toSize(set *dataset.Set, size *patchwork.SizeError) string {
	if !set.Pictures() || size.ModelHeight == 1 {
		return ""
	}
	return fmt.Sprintf("; --size %dx%d scales pictures to those of the model", size.ModelHeight, size.ModelWidth)
}

// modelFlag adds -m.
func modelFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "model", "m", "", "model file")
}

// load reads a model file of any kind.
func load(path string) (workbench.Model, error) {
	if path == "" {
		return nil, usagef("-m MODEL is required: name the model file")
	}
	if path == "-" {
		return nil, usagef("-: a model is read from a file, not from standard input; name the file")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &inputError{fmt.Errorf("%s is a folder, not a model file", path)}
	}
	m, err := workbench.Load(path)
	if err != nil {
		return nil, cmp.Or(notModel(path), error(&inputError{err}))
	}
	return m, nil
}

// modelFor reads a model for a command, which may take those of classes. It is the one place where commands ask
// whether flags mean something for a kind.
func modelFor(cmd *cobra.Command, path string, classes bool) (workbench.Model, error) {
	m, err := load(path)
	switch m.(type) {
	case workbench.Classes:
		if !classes {
			return nil, notClasses(path)
		}
		err = meantFor(cmd, classKind)
	case workbench.Numbers, workbench.Mixed:
		err = meantFor(cmd, realValues)
	}
	return m, err
}

// everyColumn returns a model of a wide table as one that says something of every column, for commands that need that.
func everyColumn(m workbench.Model, err error) (workbench.Model, error) {
	l, wide := m.(workbench.Lists)
	if err != nil || !wide {
		return m, err
	}
	b, err := l.Bits()
	if err != nil {
		return nil, &inputError{err}
	}
	return b, nil
}

// loadModel reads a model of bits.
func loadModel(path string) (*patchwork.Model, error) {
	m, err := everyColumn(load(path))
	switch m := m.(type) {
	case workbench.Bits:
		return m.Model, nil
	case workbench.Classes:
		return nil, notClasses(path)
	case workbench.Numbers, workbench.Mixed:
		return nil, &inputError{fmt.Errorf(
			"%s is a model of real values, and this takes parts of bits; give a model that was learned from bits", path)}
	}
	return nil, err
}

// saveModel writes a model file, or the model to standard output for "-".
func (a *app) saveModel(path string, m workbench.Model) error { return a.output(path, m.Write) }
