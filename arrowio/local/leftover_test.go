//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package local

import (
	"os"
	"path/filepath"
	"testing"
)

// What is left of outputs goes, and nothing else: neither what a living process writes, nor what is not ours, nor an output
// that was only moved aside.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file(".a.0123456789.tmp/part-00000.orc", "half")
	file(".set.0123456789.tmp/id.cfile", "half") // its schema.json comes last
	file(".set.0123456789.tmp/rowset-00001/id.cfile", "half")
	file(".other.0123456789.tmp/part-00000.orc", "of a name that does not match")
	file(".mine.0123456789.tmp/notes.txt", "not ours")
	file(".a.012345678.tmp/part-00000.orc", "not our name")
	file(".a.0123456789.tmp.d/part-00000.orc", "not our name")
	file(".moved.0123456789.old/part-00000.orc", "whole")
	file(".there.0123456789.old/part-00000.orc", "replaced")
	file("there/part-00000.orc", "new")
	living, err := NewFileStore(filepath.Join(dir, "live"), FileStoreOptions{Directory: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, living, "part-00000.orc", "half")
	left, err := RemoveLeftovers(dir, func(name string) bool { return name != "other" })
	if err != nil {
		t.Fatal(err)
	}
	kept, restored := 0, 0
	for _, l := range left {
		if l.Err != nil {
			kept++
		}
		if l.Restored {
			restored++
		}
	}
	if len(left) != 5 || kept != 1 || restored != 1 {
		t.Errorf("%+v", left)
	}
	if err := living.Commit(); err != nil {
		t.Fatal(err)
	}
	wantTree(t, dir, map[string]string{
		".other.0123456789.tmp/part-00000.orc": "of a name that does not match", ".mine.0123456789.tmp/notes.txt": "not ours",
		".a.012345678.tmp/part-00000.orc": "not our name", ".a.0123456789.tmp.d/part-00000.orc": "not our name",
		"moved/part-00000.orc": "whole", "there/part-00000.orc": "new", "live/part-00000.orc": "half",
	})
	// Who puts the same name again takes away what is left of it.
	file(".a.9876543210.tmp/part-00000.orc", "half")
	again, err := NewFileStore(filepath.Join(dir, "a"), FileStoreOptions{Directory: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, again, "part-00000.orc", "whole")
	if err := again.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".a.9876543210.tmp")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
