package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/patchwork/diagnose/words"
)

// progress is a line on a terminal that shows how far the work is. All methods are
// safe for concurrent use, and do nothing on a nil progress, which is used for
// pipes.
type progress struct {
	show   func(done, total int, line string) // an empty line clears it
	noun   string                             // of what is counted
	total  int                                // 0 if unknown
	began  time.Time
	uneven bool // what is counted takes so different times that nobody can say how much longer

	mu    sync.Mutex
	done  int
	note  string
	ended chan struct{}
	wait  sync.WaitGroup
}

// repaint is how often the line is rewritten.
const repaint = 250 * time.Millisecond

// progress starts a line that counts to total, or without end if that is 0.
func (a *app) progress(noun string, total int) *progress {
	show := a.follow
	if line, terminal := a.err.(*statusLine); show == nil && terminal && !a.quiet {
		show = func(_, _ int, text string) { line.show(text) }
	}
	if show == nil {
		return nil
	}
	p := &progress{show: show, noun: noun, total: total, began: time.Now(), ended: make(chan struct{})}
	p.wait.Go(func() {
		tick := time.NewTicker(repaint)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.mu.Lock()
				p.paint(time.Since(p.began))
				p.mu.Unlock()
			case <-p.ended:
				return
			}
		}
	})
	return p
}

// update changes what the line says.
func (p *progress) update(change func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		change()
	}
}

// step counts one more; a note that is not empty is shown from now on.
func (p *progress) step(note string) {
	p.update(func() { p.done, p.note = p.done+1, cmp.Or(note, p.note) })
}

// say shows a note from now on, unless it is empty.
func (p *progress) say(note string) { p.update(func() { p.note = cmp.Or(note, p.note) }) }

// add counts n more.
func (p *progress) add(n int) { p.update(func() { p.done += n }) }

// again starts counting something else, from 0.
func (p *progress) again(noun string, total int) {
	p.update(func() { p.began, p.noun, p.done, p.total = time.Now(), noun, 0, total })
}

// reach shows that so many are done, and a note, unless that is empty.
func (p *progress) reach(done, total int, note string) {
	p.update(func() { p.done, p.total, p.note = max(p.done, done), total, cmp.Or(note, p.note) })
}

// stop clears the line.
func (p *progress) stop() {
	if p == nil {
		return
	}
	close(p.ended)
	p.wait.Wait()
	p.show(p.done, p.total, "")
}

// paint writes the line: how many, how fast, how much longer.
func (p *progress) paint(elapsed time.Duration) { p.show(p.done, p.total, p.line(elapsed)) }

func (p *progress) line(elapsed time.Duration) string {
	parts := []string{fmt.Sprintf("%s %d", p.noun, p.done+1)}
	if p.total > 0 {
		parts[0] = fmt.Sprintf("%s %s %d of %d", barOf(p.done, p.total), p.noun, min(p.done+1, p.total), p.total)
	}
	rate := float64(p.done) / elapsed.Seconds()
	going := !p.uneven && (p.done < p.total || p.total == 0)
	if rate >= 1 && going {
		parts = append(parts, fmt.Sprintf("%.3g/s", rate))
	}
	if p.done > 0 && p.total > 0 && going {
		left := time.Duration(float64(p.total-p.done) / rate * float64(time.Second))
		parts = append(parts, fmt.Sprintf("%v left", left.Round(time.Second)))
	} else {
		parts = append(parts, elapsed.Round(time.Second).String())
	}
	if p.note != "" {
		parts = append(parts, p.note)
	}
	return strings.Join(parts, ", ")
}

// barOf draws how much is done.
func barOf(done, total int) string {
	const wide = 16
	full := min(done*wide/total, wide)
	return strings.Repeat("█", full) + strings.Repeat("░", wide-full)
}

// statusLine is standard error on a terminal: what is written there scrolls above a line that shows how far the work
// is. It may be used by several goroutines.
type statusLine struct {
	mu    sync.Mutex
	to    io.Writer
	width int // characters on the line now
}

// Write clears the line, which is shown again when the work has gone on.
func (s *statusLine) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace("")
	return s.to.Write(text)
}

// show shows a text on the line; an empty one clears it.
func (s *statusLine) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(text)
}

func (s *statusLine) replace(text string) {
	if s.width == 0 && text == "" {
		return
	}
	width := utf8.RuneCountInString(text)
	blank := max(s.width-width, 0)
	if text == "" {
		blank += len("^C") // which the terminal may have added
	}
	s.width = width
	fmt.Fprintf(s.to, "\r%s%s", text, strings.Repeat(" ", blank)+strings.Repeat("\b", blank))
	if text == "" {
		fmt.Fprint(s.to, "\r")
	}
}

// terminalWriter writes to a terminal what [words.Visible] leaves, and unless it is plain colours: tables and lists
// that
// go to a terminal hold names and cells of files, too.
type terminalWriter struct {
	to    io.Writer
	plain bool
	line  *statusLine // to be cleared before; nil for none
	rest  []byte      // the beginning of a character or of a change of colour
}

// colour matches a change of colour, and beginning one that may become it.
var (
	colour    = regexp.MustCompile(`^\x1b\[[0-9;]{0,30}m`)
	beginning = regexp.MustCompile(`^\x1b(\[[0-9;]{0,30})?$`)
)

func (w *terminalWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	var out strings.Builder
	for len(text) > 0 {
		if c := colour.Find(text); c != nil && !w.plain {
			out.Write(c)
			text = text[len(c):]
			continue
		}
		if beginning.Match(text) && !w.plain || !utf8.FullRune(text) {
			break
		}
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			out.WriteString("\uFFFD")
		} else {
			out.WriteString(words.Visible(string(r)))
		}
		text = text[n:]
	}
	w.rest = append([]byte(nil), text...)
	if w.line != nil {
		w.line.show("")
	}
	if _, err := io.WriteString(w.to, out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
