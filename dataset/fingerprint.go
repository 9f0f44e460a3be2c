package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// Fingerprint returns the SHA-256 of a file in hexadecimal digits, or of the pictures of a
// folder and their names. What can be read only once, such as standard input, has none, "".
func Fingerprint(path string) (string, error) {
	if path == standardInput {
		return "", nil
	}
	info, err := os.Stat(path) // to open and close a pipe would end its writer
	if err != nil {
		return "", err
	}
	h := sha256.New()
	switch {
	case info.Mode().IsRegular():
		err = hashFile(h, path)
	case info.IsDir():
		var names []string
		names, _, _, err = listPictures(path)
		for i := 0; i < len(names) && err == nil; i++ {
			fmt.Fprintf(h, "%q", names[i])
			err = hashFile(h, filepath.Join(path, filepath.FromSlash(names[i])))
		}
	default:
		return "", nil
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

func hashFile(h hash.Hash, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	_, err = io.Copy(h, f)
	return err
}
