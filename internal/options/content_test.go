package options

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{name: "secret", `{"a":1}`: `{"a":1}`, " \n{": " \n{"} {
		if b, err := JSON("o", value); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", value, b, err)
		}
	}
	_, err := JSON("o", name+"y")
	if !errors.Is(err, errs.ErrOption) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "o: "+name+"y: ") {
		t.Errorf("%v", err)
	}
	if _, err := JSON("o", filepath.Dir(name)); !errors.Is(err, errs.ErrOption) {
		t.Errorf("a directory: %v", err)
	}
}
