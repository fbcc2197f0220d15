package trevni

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/trevnitext"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

const (
	testdata = "../../testdata/"
	data     = testdata + "trevni/"
	corrupt  = testdata + "corrupt/trevni/"
)

// fixture is one entry of testdata/manifest.json. Raw and Avro are what the Java reader sees, or for what it does not
// read (Quirk says why) what the bytes mean.
type fixture struct {
	File      string
	Format    string
	SHA256    string
	Rows      int64
	JavaReads bool `json:"java_reads"`
	Quirk     string
	Raw, Avro struct{ File string }
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	var m struct{ Files []fixture }
	readJSON(t, testdata+"manifest.json", &m)
	return slices.DeleteFunc(m.Files, func(f fixture) bool { return f.Format != Name })
}

// sound returns the paths of all files that are as they should be.
func sound(t testing.TB) []string {
	t.Helper()
	var paths []string
	for _, f := range fixtures(t) {
		paths = append(paths, testdata+f.File)
	}
	return paths
}

func readJSON(t testing.TB, path string, to any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lines reads the canonical text that the Java reader printed: one line about the file, and one for each row.
func lines(t testing.TB, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for r := bufio.NewReader(z); ; {
		s, err := r.ReadString('\n')
		if s = strings.TrimSuffix(s, "\n"); s != "" {
			out = append(out, s)
		}
		if err != nil {
			return out
		}
	}
}

func openBytes(t testing.TB, b []byte, o Options) (*File, error) {
	t.Helper()
	return Open(context.Background(), arrowio.NewBytesSource(b), arrowio.Limits{}, o)
}

// openFile opens a file that must open.
func openFile(t testing.TB, path string, o Options) *File {
	t.Helper()
	f, err := openBytes(t, readFile(t, path), o)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}

// project resolves columns, which must exist.
func project(t testing.TB, f *File, columns []string) arrowio.Projection {
	t.Helper()
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everything decodes all rows and columns in batches.
func everything(f *File, mem memory.Allocator, batch int, use func(arrow.Record) error) error {
	p, err := arrowio.Project(f.Schema(), nil)
	if err != nil {
		return err
	}
	for _, s := range f.Splits() {
		if err := conformance.EachBatch(f, s, arrowio.RowSet{s.Rows}, p, mem, batch, use); err != nil {
			return err
		}
	}
	return nil
}

// everythingOf reads a file and forgets it.
func everythingOf(f *File) error {
	return everything(f, memory.NewGoAllocator(), 1000, func(arrow.Record) error { return nil })
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("row %d: %.300s\nwant %.300s", i, got[i], want[i])
		}
	}
}

// checkText compares the rows of a file, printed, with the lines in expect.
func checkText(t *testing.T, b []byte, o Options, expect string, batch int) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	want := lines(t, expect)
	f, err := openBytes(t, b, o)
	if err != nil {
		t.Fatal(err)
	}
	show := func(r arrow.Record) []string { return trevnitext.Raw(f.tree, len(f.header.Columns), r) }
	if o.View == "records" {
		var head struct{ Avro struct{ Schema string } }
		if err := json.Unmarshal([]byte(want[0]), &head); err != nil {
			t.Fatal(err)
		}
		s, err := trevniwire.ParseAvro([]byte(head.Avro.Schema), f.limits)
		if err != nil {
			t.Fatal(err)
		}
		show = func(r arrow.Record) []string { return trevnitext.Avro(s, r) }
	}
	var got []string
	err = everything(f, mem, batch, func(r arrow.Record) error {
		got = append(got, show(r)...)
		return conformance.ValidateRecord(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, want[1:])
}

// batches are the sizes in which files are read: larger than most, and one that no edge of anything falls on.
var batches = []int{1 << 16, 7}

// Every file gives the rows that Java sees in it, in both views.
func TestFixtures(t *testing.T) {
	for _, x := range fixtures(t) {
		b := readFile(t, testdata+x.File)
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != x.SHA256 {
			t.Errorf("%s is not the file that the manifest describes", x.File)
		}
		if x.JavaReads != (x.Quirk == "") {
			t.Errorf("%s: java_reads and quirk contradict each other", x.File)
		}
		for _, batch := range batches {
			if batch < 100 {
				batch *= 1 + int(x.Rows/1000) // large files need not take long
			}
			t.Run(x.File+"/columns", func(t *testing.T) { checkText(t, b, Options{View: "columns"}, testdata+x.Raw.File, batch) })
			if x.Avro.File != "" {
				t.Run(x.File+"/records", func(t *testing.T) { checkText(t, b, Options{View: "records"}, testdata+x.Avro.File, batch) })
			}
		}
		f := openFile(t, testdata+x.File, Options{})
		if f.header.Rows != x.Rows {
			t.Errorf("%s: %d rows, the manifest says %d", x.File, f.header.Rows, x.Rows)
		}
		if want := map[bool]string{true: "records", false: "columns"}[x.Avro.File != ""]; f.view != want {
			t.Errorf("%s: the view is %s: %v", x.File, f.view, f.notes)
		}
	}
}

// testdata and its manifests name the same files.
func TestManifests(t *testing.T) {
	listed := map[string]bool{}
	for _, x := range fixtures(t) {
		for _, name := range []string{x.File, x.Raw.File, x.Avro.File} {
			listed[filepath.Clean(testdata+name)] = true
		}
	}
	for _, x := range damagedFiles(t) {
		listed[filepath.Clean(corrupt+x.File)] = true
	}
	for _, pattern := range []string{data + "*/*", corrupt + "*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, p := range paths {
			name := filepath.Base(p)
			if strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".tsv") || strings.HasSuffix(name, ".pyc") {
				continue
			}
			if !listed[filepath.Clean(p)] {
				t.Errorf("%s is in no manifest", p)
			}
			delete(listed, filepath.Clean(p))
		}
	}
	delete(listed, filepath.Clean(testdata))
	for p := range listed {
		t.Errorf("%s is in a manifest, but not there", p)
	}
}
