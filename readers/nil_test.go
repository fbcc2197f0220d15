package readers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// What fails to open is no File at all: a nil pointer in one would pass for a File.
func TestNoFileWithError(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "set")
	put(t, filepath.Join(set, kuduwire.SetFileName), "{}")
	put(t, filepath.Join(dir, "acid", "delta_1_1", "bucket_00000"), "no ORC")
	junk := []byte(strings.Repeat("junk ", 100))
	for _, f := range All() {
		for _, purpose := range []arrowio.Purpose{arrowio.ForRows, arrowio.ForInfo, arrowio.ForVerify} {
			o := arrowio.OpenOptions{For: purpose}
			if f.Open != nil {
				file, err := f.Open(t.Context(), local.NewBytesSource(junk), o)
				if (err == nil) == (file == nil) {
					t.Errorf("%s: %T, %v", f.Name, file, err)
				}
			}
			for _, d := range []string{set, filepath.Join(dir, "acid"), dir} {
				if f.OpenTree != nil {
					file, err := f.OpenTree(t.Context(), local.DirTree(d), o)
					if (err == nil) == (file == nil) {
						t.Errorf("%s, the tree %s: %T, %v", f.Name, filepath.Base(d), file, err)
					}
				}
				if f.OpenPath != nil {
					file, err := f.OpenPath(t.Context(), d, o)
					if (err == nil) == (file == nil) {
						t.Errorf("%s, the path %s: %T, %v", f.Name, filepath.Base(d), file, err)
					}
				}
			}
		}
	}
	if _, err := os.Stat(set); err != nil {
		t.Fatal(err)
	}
}
