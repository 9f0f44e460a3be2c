package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/patchwork/internal/npy"
	"example.com/patchwork/learn/real"
)

// committeeName returns the name of the member that holds a model of the committee.
func committeeName(i int) string { return fmt.Sprintf("committee-%d.npz", i+1) }

// committeeMembers returns the models of a committee as members of a file.
func committeeMembers[M any](models []M, need needs, write func(io.Writer, M) error) (out []npy.Member, err error) {
	if n := len(models); n > maxCommittee {
		return nil, &FormatError{Member: committeeName(maxCommittee),
			Msg: fmt.Sprintf("a committee of %d models, of at most %d", n, maxCommittee)}
	}
	texts := 0
	for i, o := range models {
		var file bytes.Buffer
		if err := write(&file, o); err != nil {
			return nil, fmt.Errorf("%s: %w", committeeName(i), err)
		}
		_, text, err := open(bytes.NewReader(file.Bytes()), int64(file.Len()), need)
		if texts += len(text); err == nil {
			err = checkSum(committeeName(i), texts)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, npy.Member{Name: committeeName(i), Raw: file.Bytes()})
	}
	return out, nil
}

// readCommittee reads the models that predict together, which have none of their own; values counts those of a model.
func readCommittee[M any](z *npy.Zip, need needs, assemble func(z *npy.Zip, text []byte) (M, error),
	values func(M) int) ([]M, error) {
	var out []M
	size, texts := 0, 0
	for i := range maxCommittee {
		name := committeeName(i)
		file, err := z.File(name)
		if errors.Is(err, os.ErrNotExist) {
			return out, nil
		}
		if err != nil {
			return nil, in(err, name)
		}
		inner, text, err := open(bytes.NewReader(file), int64(len(file)), need)
		if err != nil {
			return nil, misfit(err, name)
		}
		texts += len(text)
		if err := checkSum(name, texts); err != nil {
			return nil, err
		}
		if _, err := inner.File(committeeName(0)); !errors.Is(err, os.ErrNotExist) {
			return nil, &FormatError{Member: name, Msg: "has a committee of its own"}
		}
		m, err := assemble(inner, text)
		if err != nil {
			return nil, misfit(err, name)
		}
		if size += values(m); size > maxArray/8 {
			return nil, &FormatError{Member: name, Msg: fmt.Sprintf("the models of the committee have more than %d values",
				maxArray/8)}
		}
		out = append(out, m)
	}
	return out, nil
}

// checkSum returns an error about the model.json of models up to one, together of so many bytes.
func checkSum(name string, bytes int) error {
	if bytes <= maxJSON {
		return nil
	}
	return &FormatError{Member: name,
		Msg:  fmt.Sprintf("the models of the committee have more than %d bytes of %s together", maxJSON, jsonName),
		Hint: "leave out their columns"}
}

// realValues is values for real values.
func realValues(m *real.Model) int { return m.K() * m.F() }
