package options

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// JSON returns the value of an option that is JSON, an object, or the name of a file of it. The error names the file, and
// nothing of what it holds.
func JSON(name, value string) ([]byte, error) {
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		return []byte(value), nil
	}
	b, err := os.ReadFile(value)
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, errs.Errorf(errs.ErrOption, "%s: %s: %w", name, value, path.Err)
	}
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "%s: %w", name, err)
	}
	return b, nil
}
