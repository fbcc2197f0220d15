package trevni

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
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

func manifest(t testing.TB) []fixture {
	t.Helper()
	var m struct{ Files []fixture }
	fixtures.ReadJSON(t, testdata+"manifest.json", &m)
	return slices.DeleteFunc(m.Files, func(f fixture) bool { return f.Format != Name })
}

// sound returns the paths of all files that are as they should be.
func sound(t testing.TB) []string {
	t.Helper()
	var paths []string
	for _, f := range manifest(t) {
		paths = append(paths, testdata+f.File)
	}
	return paths
}

func openBytes(t testing.TB, b []byte, o Options) (*File, error) {
	t.Helper()
	return Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
}

// openFile opens a file that must open.
func openFile(t testing.TB, path string, o Options) *File {
	t.Helper()
	f, err := openBytes(t, fixtures.Read(t, path), o)
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

// everythingOf reads a file and forgets it.
func everythingOf(f *File) error {
	return conformance.Everything(f, memory.NewGoAllocator(), 1000, func(arrow.Record) error { return nil })
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
	want := fixtures.Lines(t, expect)
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
	err = conformance.Everything(f, mem, batch, func(r arrow.Record) error {
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
	for _, x := range manifest(t) {
		b := fixtures.ReadSum(t, testdata+x.File, x.SHA256)
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
			t.Errorf("%s: the view is %s: %v", x.File, f.view, f.warnings)
		}
	}
}

// testdata and its manifests name the same files.
func TestManifests(t *testing.T) {
	var listed []string
	for _, x := range manifest(t) {
		for _, name := range []string{x.File, x.Raw.File, x.Avro.File} {
			if name != "" {
				listed = append(listed, testdata+name)
			}
		}
	}
	for _, x := range damagedFiles(t) {
		listed = append(listed, corrupt+x.File)
	}
	fixtures.CheckListed(t, listed, []string{".json", ".tsv", ".pyc"}, data+"*/*", corrupt+"*")
}
