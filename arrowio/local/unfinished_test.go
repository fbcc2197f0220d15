package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// removesUnfinished is set for the process that TestRemoveUnfinished starts.
const removesUnfinished = "ARROWIO_TEST_REMOVE_UNFINISHED"

// What is unfinished goes, what was committed stays, and nothing is committed afterwards. It is another process, whose outputs end.
func TestRemoveUnfinished(t *testing.T) {
	if dir := os.Getenv(removesUnfinished); dir != "" {
		endOutputs(t, dir)
		return
	}
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestRemoveUnfinished$")
	cmd.Env = append(os.Environ(), removesUnfinished+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "first" {
		t.Errorf("%v, %v", entries, err)
	}
}

func endOutputs(t *testing.T, dir string) {
	for i, name := range []string{"first", "second", "third"} {
		st, err := NewFileStore(filepath.Join(dir, name), FileStoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k, err := st.Create(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			if err := k.Close(); err != nil {
				t.Fatal(err)
			}
		}
		switch i {
		case 0:
			if err := st.Commit(); err != nil {
				t.Fatal(err)
			}
		case 1:
			defer func() {
				if err := st.Commit(); err == nil {
					t.Error("an output was committed afterwards")
				}
			}()
		}
	}
	RemoveUnfinished()
	st, err := NewFileStore(filepath.Join(dir, "fourth"), FileStoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Create(t.Context(), "x"); err == nil {
		t.Error("an output was begun afterwards")
	}
}
