//go:build !slim

package main

import (
	"bytes"
	"testing"
)

// Who sits at the terminal gets no line for each request, unless they ask for it;
// a log that is kept has them.
func TestServeLogs(t *testing.T) {
	for _, c := range []struct {
		form            string
		terminal, quiet bool
		info, warn      bool
	}{
		{"auto", true, false, false, true},
		{"auto", false, false, true, true},
		{"text", true, false, true, true},
		{"json", true, false, true, true},
		{"text", false, true, false, true},
		{"none", false, false, false, false},
	} {
		var out bytes.Buffer
		a := &app{console: console{err: &out, errTerminal: c.terminal}, quiet: c.quiet}
		log := a.logger(c.form)
		log.Info("request")
		info := out.Len() > 0
		out.Reset()
		log.Warn("failed")
		if warn := out.Len() > 0; info != c.info || warn != c.warn {
			t.Errorf("%+v: requests logged: %v, failures: %v", c, info, warn)
		}
	}
}
