//go:build !amd64 || purego

package kernel

// vector returns the paths of vector code: none here.
func vector() []*Path { return nil }
