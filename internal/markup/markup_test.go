package markup_test

import (
	"bytes"
	"html/template"
	"strings"
	"testing"

	"example.com/patchwork/internal/markup"
)

// part is what the templates of the test see.
type part struct {
	Name   string
	Share  float64
	Votes  []int
	Next   *part
	Markup markup.HTML
}

// Shout is a method.
func (p *part) Shout() string { return strings.ToUpper(p.Name) }

// view embeds a part, whose fields and methods it has.
type view struct {
	*part
	Of []part
}

const text = `{{define "one"}}<b title="{{.Name}}">{{.Name}}</b>{{end}}` +
	`{{$of := .Of}}<p>{{shout .}} {{len .Of}} {{twice .Share}}</p>` +
	`{{range $i, $p := .Of}}{{if $i}}, {{end}}{{template "one" $p}}{{with .Next}} then {{.Name}}{{else}} last{{end}}{{end}}` +
	`{{range .Votes}}{{.}};{{else}}no votes{{end}}` +
	`{{if not .Votes}}none{{else}}{{index .Votes 1}}{{end}}{{if eq (len .Votes) 2}} two{{end}}{{if lt 1 (len $of)}} many of {{(index $of 0).Name}}{{end}}`

func shout(p interface{ Shout() string }) string { return p.Shout() }

func twice(x float64) float64 { return 2 * x }

// Templates come to what html/template makes of them, whatever texts they meet.
func TestAsHTMLTemplate(t *testing.T) {
	nasty := "<&>\"'+\x00 {{.}} é"
	of := []part{{Name: nasty, Next: &part{Name: "b"}}, {Name: "c"}}
	standard := template.Must(template.New("t").Funcs(template.FuncMap{"twice": twice, "shout": shout}).Parse(text))
	own := markup.New("t", markup.Funcs{"twice": twice, "shout": shout}, text)
	for _, data := range []view{{&part{Name: nasty, Share: 0.25}, nil}, {&part{Votes: []int{3, 4}}, of},
		{&part{Votes: []int{0, 1, 2}}, of[:1]}} {
		var got, want bytes.Buffer
		if err := own.Execute(&got, "t", data); err != nil {
			t.Fatal(err)
		}
		if err := standard.Execute(&want, data); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("%s\nwant %s", &got, &want)
		}
	}
}

// Markup stands as it is; what data do not have is an error, and nothing is written.
func TestMarkupAndErrors(t *testing.T) {
	own := markup.New("t", nil, "{{.Markup}}", `{{define "wrong"}}begun {{.Nothing}}{{end}}`)
	var b bytes.Buffer
	if err := own.Execute(&b, "t", part{Markup: "<i>&amp;</i>"}); err != nil || b.String() != "<i>&amp;</i>" {
		t.Errorf("%s, %v", &b, err)
	}
	b.Reset()
	for _, name := range []string{"wrong", "absent"} {
		if err := own.Execute(&b, name, part{}); err == nil || b.Len() > 0 {
			t.Errorf("%s: %q, %v", name, &b, err)
		}
	}
}
