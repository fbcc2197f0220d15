package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// file is one of an archive, a package or an image.
type file struct {
	name string // with /
	mode fs.FileMode
	data []byte
}

// archive writes one archive for each target.
func (r *release) archive() error {
	for _, t := range r.targets {
		files, err := r.contents(t)
		if err != nil {
			return err
		}
		name, write := t.name(r.number())+".tar.gz", writeTarGz
		if t.os == "windows" {
			name, write = t.name(r.number())+".zip", writeZip
		}
		var b bytes.Buffer
		if err := write(&b, files, r.time); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := r.deliver(name, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// contents are the files of an archive, all in one folder.
func (r *release) contents(t target) ([]file, error) {
	program, err := os.ReadFile(r.binary(t))
	if err != nil {
		return nil, err
	}
	files := []file{{filepath.Base(r.binary(t)), 0o755, program}, {"LICENSES.txt", 0o644, r.licences}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		f, err := r.sourceFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, c := range r.completions {
		if (c.name == "arrowio.ps1") == (t.os == "windows") {
			files = append(files, file{"completions/" + c.name, c.mode, c.data})
		}
	}
	if t.os != "windows" {
		for _, m := range r.man {
			files = append(files, file{"man/man1/" + m.name, m.mode, m.data})
		}
	}
	for i := range files {
		files[i].name = path.Join(t.name(r.number()), files[i].name)
	}
	return files, nil
}

func (r *release) sourceFile(name string) (file, error) {
	data, err := os.ReadFile(filepath.Join(r.source, filepath.FromSlash(name)))
	return file{path.Base(name), 0o644, data}, err
}

// deliver writes a file of the release.
func (r *release) deliver(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.dist, name), data, 0o644)
}

func writeTarGz(w io.Writer, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, files, at); err != nil {
		return err
	}
	return z.Close()
}

// writeTar writes files that belong to root, in their order and of one time. The mode of a folder, whose name ends in a
// slash, is written as well.
func writeTar(w io.Writer, files []file, at time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: tarMode(f.mode), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if f.mode.IsDir() {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if _, err := t.Write(f.data); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return t.Close()
}

func tarMode(m fs.FileMode) int64 {
	mode := int64(m.Perm())
	if m&fs.ModeSticky != 0 {
		mode |= 0o1000
	}
	return mode
}

func writeZip(w io.Writer, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		e, err := z.CreateHeader(h)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if _, err := e.Write(f.data); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return z.Close()
}
