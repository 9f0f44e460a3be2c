package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/patchwork/dataset"
	"example.com/patchwork/diagnose/words"
)

// addThreshold adds --threshold. of says which data are meant, if a command reads
// others, too.
func (f *dataFlags) addThreshold(fs *pflag.FlagSet, of string) {
	fs.Var(&textFlag{kind: "N|auto", read: f.setThreshold}, "threshold",
		of+"make numbers binary: on is what is greater (pictures: darker, of 255); auto chooses it for each image, as for "+
			"grey pictures without the flag")
}

func (f *dataFlags) setThreshold(text string) error {
	if f.auto = text == "auto"; f.auto {
		f.threshold = nil
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("give a number such as 127, or auto")
	}
	f.threshold = &v
	return nil
}

// addSize adds --size.
func (f *dataFlags) addSize(fs *pflag.FlagSet, of string) {
	fs.Var(&textFlag{kind: "HxW", read: f.setSize}, "size",
		of+"size of the images, such as 56x56: rows become images (56x56,columns: that lie column by column, as in MATLAB), "+
			"pictures are cropped to their ink, scaled and padded")
}

func (f *dataFlags) setSize(text string) error {
	text, order, ordered := strings.Cut(text, ",")
	height, width, err := dataset.ParseSize(text)
	if err != nil || ordered && order != "columns" {
		return errors.New("give a height and a width in pixels, such as 56x56, or 56x56,columns for rows laid out by MATLAB")
	}
	f.transpose = ordered
	f.height, f.width = height, width
	return nil
}

// sayNotes prints notes, unless quiet: what was done to data beyond reading them.
func sayNotes(cmd *cobra.Command, notes ...string) {
	if quiet, err := cmd.Flags().GetBool("quiet"); err == nil && quiet {
		return
	}
	for _, note := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "patchwork: note: "+words.Visible(note))
	}
}
