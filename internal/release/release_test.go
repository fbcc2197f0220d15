package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		t    target
		want string
	}{
		{target{"linux", "amd64", ""}, "arrowio_0.9.0_linux_amd64"},
		{target{"darwin", "arm64", ""}, "arrowio_0.9.0_macos_arm64"},
		{target{"windows", "arm64", ""}, "arrowio_0.9.0_windows_arm64"},
		{target{"linux", "arm64", "duckdb"}, "arrowio-duckdb_0.9.0_linux_arm64"},
	} {
		if got := c.t.name("0.9.0"); got != c.want {
			t.Errorf("%+v: %s, want %s", c.t, got, c.want)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-version", "0.9"}, "a version is written as v0.9.0"},
		{[]string{}, "a version is written as v0.9.0"},
		{[]string{"-version", "v1.0.0", "-targets", "linux"}, "not a platform"},
		{[]string{"-version", "v1.0.0", "-source", t.TempDir()}, "git"},
	} {
		if err := run(t.Context(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
}

// What is there is never written over, and nothing is left of a release that failed.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	r := &release{ctx: t.Context(), source: dir, out: filepath.Join(dir, "dist")}
	if err := os.Mkdir(r.out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.make(); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("over a folder: %v", err)
	}
	r.out = filepath.Join(dir, "other", "dist")
	r.targets = []target{{"linux", "amd64", ""}}
	if err := r.make(); err == nil {
		t.Error("a release was made from an empty folder")
	}
	left, err := os.ReadDir(filepath.Dir(r.out))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestTar(t *testing.T) {
	files := []file{{"d/", fs.ModeDir | fs.ModeSticky | 0o777, nil}, {"d/a", 0o755, []byte("hello")}}
	var one, two bytes.Buffer
	for _, b := range []*bytes.Buffer{&one, &two} {
		if err := writeTarGz(b, files, at); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same files give other bytes")
	}
	z, err := gzip.NewReader(&one)
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() {
		t.Errorf("gzip's time is %v", z.ModTime)
	}
	r := tar.NewReader(z)
	for _, want := range []struct {
		name string
		mode int64
		data string
	}{{"d/", 0o1777, ""}, {"d/a", 0o755, "hello"}} {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Name != want.name || h.Mode != want.mode || string(data) != want.data || h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(at) {
			t.Errorf("%+v with %q, want %+v", h, data, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last file: %v", err)
	}
}

func TestZip(t *testing.T) {
	var b bytes.Buffer
	if err := writeZip(&b, []file{{"a/arrowio.exe", 0o755, []byte("program")}}, at); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 1 || z.File[0].Name != "a/arrowio.exe" || z.File[0].Mode() != 0o755 || !z.File[0].Modified.Equal(at) {
		t.Errorf("%+v", z.File[0].FileHeader)
	}
}

func TestLicences(t *testing.T) {
	dir := t.TempDir()
	if _, err := licenceTexts(dir); err == nil {
		t.Error("a module without a licence passes")
	}
	for _, name := range []string{"LICENSE.txt", "NOTICE", "COPYING-BSD", "license.go", "Licence", "licensed.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := licenceTexts(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range texts {
		names = append(names, f.name)
	}
	if got, want := strings.Join(names, " "), "COPYING-BSD LICENSE.txt Licence NOTICE"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFormula(t *testing.T) {
	r := &release{tag: "v0.9.0", dist: t.TempDir(), targets: []target{{"linux", "amd64", ""}, {"darwin", "arm64", ""}, {"windows", "amd64", ""}, {"linux", "amd64", "duckdb"}}}
	for _, name := range []string{"arrowio_0.9.0_linux_amd64.tar.gz", "arrowio_0.9.0_macos_arm64.tar.gz"} {
		if err := r.deliver(name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeFormula(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.dist, "arrowio.rb"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := sumOf(filepath.Join(r.dist, "arrowio_0.9.0_macos_arm64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`version "0.9.0"`, "on_macos do\n    on_arm do\n      url \"https://github.com/arrowio/arrowio/releases/download/v0.9.0/arrowio_0.9.0_macos_arm64.tar.gz\"\n      sha256 \"" + sum,
		"on_linux do\n    on_intel do",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the formula has no %q:\n%s", want, text)
		}
	}
}
