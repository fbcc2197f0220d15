//go:build interop

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Profiles of real files, and of one with many values of many types, are what DuckDB finds in the rows that pyarrow reads.
func TestProfileBeforeDuckDB(t *testing.T) {
	python, bin := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_BIN")
	if python == "" || bin == "" {
		t.Fatal("ARROWIO_PYTHON and ARROWIO_BIN must say where they are: see testdata/interop/README.md")
	}
	args := []string{"../../testdata/interop/profile_judge.py", bin, t.TempDir()}
	for _, pattern := range []string{
		"parquet/pyarrow-26.0.1/*.parquet", "orc/pyarrow-26.0.1/*.orc", "orc/java-2.3.1/pruning.orc", "orc/java-2.3.1/floats-*.orc", "orc/java-2.3.1/decimals-*.orc", "orc/java-2.3.1/times-v*.orc", "orc/java-2.3.1/ints-*.orc",
	} {
		files, err := filepath.Glob(filepath.Join("../../testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		args = append(args, files...)
	}
	out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := regexp.MustCompile(`(\d+) columns, (\d+) of them estimated`).FindStringSubmatch(string(out))
	if said == nil {
		t.Fatalf("%s", out)
	}
	if columns, _ := strconv.Atoi(said[1]); columns < 500 {
		t.Errorf("%s", out)
	}
	if estimated, _ := strconv.Atoi(said[2]); estimated < 10 {
		t.Errorf("%s", out)
	}
}
