package local

import (
	"io/fs"
	"os"
	"path/filepath"
)

// workMode is the mode of the directory in which an output is made: nobody else may look into it where something is
// replaced, whose own permissions the output gets at the end.
func (s *fileStore) workMode() fs.FileMode {
	if _, err := os.Lstat(s.path); err == nil {
		return 0o700
	}
	return 0o777
}

// keepMode gives the output, which is still at from, the permissions of what it replaces: a file those of the file. A directory
// gets those of the directory, and the files in it what the files of the old one allowed together.
func (s *fileStore) keepMode(from string, old fs.FileInfo) error {
	files, dirs := old.Mode().Perm(), old.Mode().Perm()
	if old.IsDir() {
		names, err := s.listOutput(s.path)
		if err != nil {
			return err
		}
		files = 0
		for _, n := range names {
			fi, err := os.Lstat(filepath.Join(s.path, n))
			if err != nil {
				return err
			}
			if !fi.IsDir() {
				files |= fi.Mode().Perm()
			}
		}
		if files == 0 { // it was empty
			files = dirs &^ 0o111
		}
	}
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(p, dirs)
		}
		return os.Chmod(p, files)
	})
}
