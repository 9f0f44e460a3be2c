//go:build (!amd64 || purego) && !(js && wasmsimd)

package kernel

// vector returns the paths of vector code: none here.
func vector() []*Path { return nil }
