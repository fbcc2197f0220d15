package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// No command replaces a directory by a file or a file by a directory, not even with --force: be the directory empty, full of output of
// this program, or behind a link.
func TestReplacesItsOwnKind(t *testing.T) {
	const orcFile, trvFile = "../../testdata/orc/java-2.3.1/pruning.orc", "../../testdata/trevni/java-1.12.1/avro-nested.trv"
	server := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"empty.orc", "parts.orc", "empty.trv", "real", "out/types.parquet", "out/changed.create.json"} {
		if err := os.MkdirAll(at(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"parts.orc/part-00000.orc", "file", "file.orc"} {
		if err := os.WriteFile(at(name), []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	directories := []string{"empty.orc", "parts.orc"}
	if runtime.GOOS != "windows" { // links need a privilege there
		if err := os.Symlink("real", at("link.orc")); err != nil {
			t.Fatal(err)
		}
		directories = append(directories, "link.orc")
	}
	const isDirectory, isFile = "is a directory", "is a file, and the output is a directory"
	try := func(want string, args ...string) {
		t.Helper()
		if o := do(t, args...); o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("arrowio %s: exit %d: %s", strings.Join(args, " "), o.code, o.err)
		}
	}
	for _, force := range []string{"--force", "--force=false"} {
		for _, d := range directories {
			try(isDirectory, "convert", force, orcFile, at(d))
			try(isDirectory, "convert", force, "--to", "csv", orcFile, at(d))
			try(isDirectory, "merge", force, orcFile, orcFile, at(d))
			try(isDirectory, "repair", force, orcFile, at(d))
			try(isDirectory, "inspect", force, "--html", at(d), orcFile)
			try(isDirectory, "profile", force, "--html", at(d), orcFile)
		}
		try(isDirectory, "repair", force, trvFile, at("empty.trv"))
		try(isDirectory, "convert", force, "--row-group-bytes", "1KiB", orcFile, at("empty.trv")) // it would become a directory
		try(isFile, "convert", force, "--max-file-bytes", "1MiB", orcFile, at("file.orc"))
		try(isFile, "convert", force, "--partition-by", "group__days", orcFile, at("file.orc"))
		try(isFile, "convert", force, "--to", "kudu", orcFile, at("file"))
		try(isFile, "convert", force, orcFile, at("file.orc")+"/")
		try(isFile, "split", force, "--max-file-rows", "10", orcFile, at("file.orc"))
		try(isFile, "merge", force, "--max-file-rows", "10", orcFile, at("file.orc"))
		if o := do(t, "convert", force, "--to", "iceberg", orcFile, at("file")); o.code != exitSystem || !strings.Contains(o.err, at("file")) {
			t.Errorf("%+v", o)
		}
		for _, table := range []string{"types", "changed"} { // its rows, and what makes it
			r := exportOf(t, exitUsage, force, "--table", table, server, at("out"))
			if len(r.Tables) != 1 || r.Tables[0].Error == nil || !strings.Contains(r.Tables[0].Error.Message, isDirectory) {
				t.Errorf("kudu export of %s: %+v", table, r)
			}
		}
		if left, err := filepath.Glob(at("out/types.create.*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	for _, name := range []string{"empty.orc", "empty.trv", "real", "out/types.parquet", "out/changed.create.json"} {
		if list, err := os.ReadDir(at(name)); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	for _, name := range []string{"parts.orc/part-00000.orc", "file", "file.orc"} {
		if b, err := os.ReadFile(at(name)); err != nil || string(b) != "precious" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	// What only turns out to be a directory replaces no file, either. A directory behind a link is replaced by a directory.
	if o := do(t, "convert", "--force", "--row-group-bytes", "1KiB", "--to", "trevni", orcFile, at("file")); o.code != exitUsage || !strings.Contains(o.err, isFile) {
		t.Errorf("%+v", o)
	}
	if runtime.GOOS != "windows" {
		ok(t, "convert", "--force", "--max-file-bytes", "1MiB", orcFile, at("link.orc"))
		if list, err := os.ReadDir(at("real")); err != nil || len(list) == 0 {
			t.Errorf("the directory behind the link: %v, %v", list, err)
		}
	}
}
