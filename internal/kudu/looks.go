package kudu

import (
	"io"
	"os"
	"path/filepath"
)

// containerMagic begins the files in which a Kudu server keeps what it knows of itself.
const containerMagic = "kuducntr"

// looksLikeServer tells whether dir looks like one of a Kudu tablet server's, or holds such a one. The files in it are none
// to be read one by one: a column is one of them, or a part of one, and its name is a number.
func looksLikeServer(dir string) bool {
	if ofTabletServer(dir) {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false // walking it will tell
	}
	for _, e := range entries {
		if e.IsDir() && ofTabletServer(filepath.Join(dir, e.Name())) {
			return true
		}
	}
	return false
}

// IsServerDir tells whether dir is one of a Kudu server's own, as far as its files tell. Those that tell it may be damaged.
func IsServerDir(dir string) bool {
	if ofTabletServer(dir) {
		return true
	}
	for _, name := range []string{consensusName, filepath.Join(dataName, dirInstanceName), dirInstanceName} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// ofTabletServer knows the directory by the instance file that Kudu leaves in each of a server's, and the one of tablets'
// metadata and logs by what else is in it.
func ofTabletServer(dir string) bool {
	for _, name := range []string{"tablet-meta", "wals"} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.IsDir() {
			return true
		}
	}
	for _, name := range []string{"instance", "block_manager_instance"} {
		if beginsWith(filepath.Join(dir, name), containerMagic) {
			return true
		}
	}
	return false
}

// beginsWith tells whether there is a regular file that begins with magic.
func beginsWith(path, magic string) bool {
	fi, err := os.Stat(path) // not opened before it is known to be no pipe
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(magic))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == magic
}
