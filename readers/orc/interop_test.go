//go:build interop

package orc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Files that Java writes of random schemas, data and settings give the rows that Java reads.
func TestRandomFiles(t *testing.T) {
	jar := os.Getenv("ARROWIO_ORC_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ORC_JUDGE_JAR is not set: run make interop")
	}
	dir := t.TempDir()
	if out, err := exec.Command("java", "-Xmx1g", "-jar", jar, "random", "1", "100", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.orc"))
	if err != nil || len(paths) != 100 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".orc")
		more := map[string]string{"orc-null-keys": "list"}
		if strings.HasSuffix(name, "-us") {
			more["timestamp-unit"] = "us"
		}
		want := lines(t, strings.TrimSuffix(p, ".orc")+".jsonl.gz")
		for _, batch := range batches {
			t.Run(name, func(t *testing.T) { checkText(t, readFile(t, p), options(t, more), want, batch) })
		}
	}
}
