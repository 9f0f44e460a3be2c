//go:build !amd64 || purego

package kernel

// vector is the paths of vector code: none here.
func vector() []*Path { return nil }
