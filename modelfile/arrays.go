package modelfile

import (
	"reflect"

	"example.com/patchwork/internal/npy"
)

// stored is an array of a model: a name, a shape, and where its elements are.
type stored struct {
	name  string
	shape []int
	data  func() any // of the kind that is written
	read  func(r *reader) error
	maybe bool // a model may lack it
}

// numbersOf is an array of real values, wholeOf one of whole numbers.
func numbersOf(name string, at *[]float64, shape ...int) stored {
	return stored{name: name, shape: shape, data: func() any { return *at }, read: func(r *reader) (err error) {
		*at, err = r.floats(name, shape...)
		return err
	}}
}

func wholeOf(name string, at *[]int64, shape ...int) stored {
	return stored{name: name, shape: shape, data: func() any { return *at }, read: func(r *reader) (err error) {
		*at, err = r.ints(name, shape...)
		return err
	}}
}

// smallOf is an array of small whole numbers, which are written as bytes.
func smallOf(name string, at *[]int64, shape ...int) stored {
	a := wholeOf(name, at, shape...)
	a.data = func() any {
		out := make([]uint8, len(*at))
		for i, x := range *at {
			out[i] = uint8(x)
		}
		return out
	}
	return a
}

// optional returns the array as one that a model may lack.
func (a stored) optional() stored {
	a.maybe = true
	return a
}

// namesOf returns the names of arrays.
func namesOf(arrays []stored) (names []string) {
	for _, a := range arrays {
		names = append(names, a.name)
	}
	return names
}

// membersOf returns the members of a model file.
func membersOf(header []byte, arrays []stored) []npy.Member {
	out := []npy.Member{{Name: jsonName, Raw: header}}
	for _, a := range arrays {
		if a.maybe && reflect.ValueOf(a.data()).Len() == 0 {
			continue
		}
		out = append(out, npy.Member{Name: a.name, Array: &npy.Array{Shape: a.shape, Data: a.data()}})
	}
	return out
}
