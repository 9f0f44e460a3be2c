package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestMeant: what is said to mean something are flags that there are.
func TestMeant(t *testing.T) {
	root, some := new(app).rootCommand(), map[string]bool{}
	for kind, by := range meant {
		for name, flags := range by {
			cmd, _, err := root.Find(fields(name))
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			for _, flag := range strings.Fields(flags) {
				if name != "" && cmd.Flag(flag) == nil {
					t.Errorf("%s: %s has no flag --%s", kind, name, flag)
				}
				some[flag] = some[flag] || name == ""
			}
		}
	}
	for _, c := range commands(root) {
		for flag := range some {
			if c.Flag(flag) != nil {
				delete(some, flag)
			}
		}
	}
	if len(some) > 0 {
		t.Errorf("no command has %v", slices.Sorted(maps.Keys(some)))
	}
}
