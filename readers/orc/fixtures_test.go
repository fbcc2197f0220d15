package orc

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
)

const (
	testdata = "../../testdata/"
	data     = testdata + "orc/"
	byJava   = data + "java-2.3.1/"
	damage   = testdata + "corrupt/orc/"
	keysFile = data + "keys.json" // of the fixtures that have encrypted columns
)

// fixture is one entry of testdata/manifest.json. Text is what the Java reader sees, or for what it does not read (Quirk
// says why) what the file was made from; Masked is what it sees without keys.
type fixture struct {
	File         string
	Format       string
	SHA256       string
	Rows         int64
	Options      map[string]string
	JavaReads    bool `json:"java_reads"`
	Quirk        string
	Text, Masked struct{ File string }
}

func manifest(t testing.TB) []fixture {
	t.Helper()
	var m struct{ Files []fixture }
	fixtures.ReadJSON(t, testdata+"manifest.json", &m)
	return slices.DeleteFunc(m.Files, func(f fixture) bool { return f.Format != Name })
}

// lines reads the canonical text that the Java reader printed, a line for each row.
func lines(t testing.TB, path string) []string {
	t.Helper()
	out := fixtures.Lines(t, path)
	for i, s := range out {
		out[i] = orctext.Expect(s)
	}
	return out
}

// optionsOf parses the options of a fixture, and of a test where they do not differ.
func optionsOf(t testing.TB, more ...map[string]string) Options {
	t.Helper()
	all := map[string]string{}
	for _, m := range more {
		maps.Copy(all, m)
	}
	o, err := ParseOptions(all)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// checkText compares the rows of a file, printed, with what Java printed.
func checkText(t *testing.T, b []byte, o Options, want []string, batch int) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	var got []string
	err = conformance.Everything(f, mem, batch, func(r arrow.Record) error {
		got = append(got, orctext.Rows(r)...)
		return conformance.ValidateRecord(r)
	})
	if err != nil {
		t.Error(err)
		return
	}
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			from := differ(got[i], want[i])
			t.Errorf("row %d: %.200s\nwant %.200s", i, got[i][from:], want[i][from:])
			return
		}
	}
}

// differ returns where, or a little before, two strings begin to differ.
func differ(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return max(0, i-40)
}

// batches are the sizes in which files are read: larger than most, and one that no edge of anything falls on.
var batches = []int{1 << 16, 7}

// Every file gives the rows that Java sees in it, however it is read.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for i, x := range manifest(t) {
		b := fixtures.ReadSum(t, testdata+x.File, x.SHA256)
		if x.JavaReads != (x.Quirk == "") {
			t.Errorf("%s: java_reads and quirk contradict each other", x.File)
		}
		want := lines(t, testdata+x.Text.File)
		if int64(len(want)) != x.Rows {
			t.Errorf("%s: %d rows are expected, the manifest says %d", x.File, len(want), x.Rows)
		}
		for _, batch := range batches {
			if batch < 100 {
				batch *= 1 + int(x.Rows/1000) // large files need not take long
			}
			keys := map[string]string{}
			if x.Masked.File != "" {
				keys["orc-keys"] = keysFile
				t.Run(x.File+"/masked", func(t *testing.T) {
					checkText(t, b, optionsOf(t, x.Options), lines(t, testdata+x.Masked.File), batch)
				})
			}
			t.Run(x.File, func(t *testing.T) { checkText(t, b, optionsOf(t, x.Options, keys), want, batch) })
			if sampled > 1 && (i%2 == 0) == (batch > 1000) {
				continue // with the tag interop dictionaries are read in batches of every size
			}
			t.Run(x.File+"/dictionary", func(t *testing.T) {
				checkText(t, b, optionsOf(t, x.Options, keys, map[string]string{"dictionary": "true"}), want, batch)
			})
		}
	}
}

// testdata and its manifests name the same files.
func TestManifests(t *testing.T) {
	var listed []string
	for _, x := range manifest(t) {
		for _, name := range []string{x.File, x.Text.File, x.Masked.File} {
			if name != "" {
				listed = append(listed, testdata+name)
			}
		}
	}
	for _, x := range damagedFiles(t) {
		listed = append(listed, damage+x.File)
	}
	fixtures.CheckListed(t, listed, []string{".pyc"}, data+"*/*", damage+"*.orc")
}
