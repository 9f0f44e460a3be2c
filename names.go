package patchwork

import (
	"fmt"
	"slices"
	"strings"
)

// nameOf is the name of value v of an enumeration, for its String method;
// kind(v) beyond the names.
func nameOf(kind string, names []string, v uint8) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}

// parseName is the inverse: the value of that name. The error says what was
// asked for and which names there are.
func parseName[T ~uint8](what string, names []string, name string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	last := len(names) - 1
	return 0, fmt.Errorf("patchwork: %s is %s or %s, not %q", what, strings.Join(names[:last], ", "), names[last], name)
}
