//go:build !slim

package main

import (
	"bytes"
	"testing"
)

// Who sits at the terminal gets no line for each request, nor does who asked for quiet;
// a log that is kept has them.
func TestServeLogs(t *testing.T) {
	for _, c := range []struct{ terminal, quiet, info bool }{{true, false, false}, {false, false, true},
		{false, true, false}} {
		var out bytes.Buffer
		a := &app{console: console{err: &out, errTerminal: c.terminal}, quiet: c.quiet}
		log := a.logger()
		log.Info("request")
		info := out.Len() > 0
		out.Reset()
		log.Warn("failed")
		if info != c.info || out.Len() == 0 {
			t.Errorf("%+v: requests logged: %v, failures: %q", c, info, &out)
		}
	}
}
