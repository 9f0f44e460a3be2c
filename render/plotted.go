//go:build !js

package render

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// plotted is a picture drawn by the plotter: a Chart.
type plotted interface {
	Size() (width, height int)
	draw(vgdraw.Canvas)
}

// dots is the resolution at which a pixel equals a point, the unit of the
// plotter.
const dots = 72

func rasterPlot(p plotted) *image.RGBA {
	w, h := p.Size()
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(w), vg.Length(h)), vgimg.UseDPI(dots))
	p.draw(vgdraw.New(canvas))
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(dst, dst.Bounds(), canvas.Image(), canvas.Image().Bounds().Min, draw.Src)
	return dst
}

// writeVectors writes the picture as SVG.
func writeVectors(w io.Writer, p plotted) error {
	width, height := p.Size()
	canvas := vgsvg.New(vg.Length(width), vg.Length(height))
	p.draw(vgdraw.New(canvas))
	var buf bytes.Buffer
	if _, err := canvas.WriteTo(&buf); err != nil {
		return err
	}
	_, err := io.WriteString(w, pixelUnits(buf.String(), width, height))
	return err
}

// pixelUnits corrects the plotter's SVG: it names only one font without
// fallbacks, uses points where everything else here is in pixels, and keeps the
// aspect of a bitmap instead of filling its area.
func pixelUnits(svg string, width, height int) string {
	return strings.NewReplacer("font-family:Go;", "font-family:"+fontFamily+";",
		"<image ", `<image preserveAspectRatio="none" `,
		fmt.Sprintf(`width="%dpt" height="%dpt"`, width, height), fmt.Sprintf(`width="%d" height="%d"`, width, height),
	).Replace(svg)
}
