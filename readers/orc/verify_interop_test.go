//go:build interop

package orc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// Nothing is wrong with files of random schemas, data and settings by Java's writer, whose batches repeat values, and by the C++ writer.
func TestVerifyRandomFiles(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: run make interop")
	}
	cpp := t.TempDir()
	if out, err := exec.Command(python, "../../testdata/interop/orc_random.py", cpp, "0", "200").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, dir := range []string{javaFiles(t, "repeats", 4, 140), randomFiles(t, 5, 60), cpp} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.orc"))
		if err != nil || len(paths) < 60 {
			t.Fatalf("%d files: %v", len(paths), err)
		}
		for _, p := range paths {
			for _, e := range faults(t, showFile(t, p, Options{})) {
				t.Errorf("%s: %v", filepath.Base(p), e)
			}
		}
	}
}

// Rows of vectors that repeat are those that Java reads.
func TestRepeatedVectors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(javaFiles(t, "repeats", 6, 40), "*.orc"))
	if err != nil || len(paths) != 40 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, p := range paths {
		more := map[string]string{"orc-null-keys": "list"}
		if strings.HasSuffix(p, "-us.orc") {
			more["timestamp-unit"] = "us"
		}
		checkText(t, fixtures.Read(t, p), optionsOf(t, more), lines(t, strings.TrimSuffix(p, ".orc")+".jsonl.gz"), batches[0])
	}
}
