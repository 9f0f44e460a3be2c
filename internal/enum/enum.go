// Package enum names the values of small enumerations, for files, flags and
// messages.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Name returns the name of value v, for a String method, or "kind(v)" for a value
// without a name.
func Name(kind string, names []string, v uint8) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}

// Parse returns the value of a name. The error says what was expected and lists
// the names.
func Parse[T ~uint8](what string, names []string, name string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	last := len(names) - 1
	return 0, fmt.Errorf("patchwork: %s is %s or %s, not %q", what, strings.Join(names[:last], ", "), names[last], name)
}

// Of returns the value of an enumeration, from 0 upward, whose String is the
// name. The error says what was expected and lists the names there are.
func Of[T interface {
	~uint8
	fmt.Stringer
}](what, name string) (T, error) {
	var names []string
	for v := T(0); !strings.HasSuffix(v.String(), ")"); v++ {
		if names = append(names, v.String()); v.String() == name {
			return v, nil
		}
	}
	return Parse[T](what, names, name)
}
