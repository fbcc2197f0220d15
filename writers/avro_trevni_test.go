package writers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/readers"
)

// Rows of an Avro file become Trevni columns and Avro rows again without a loss, and the Avro schema stays the text that it was, with
// its documentation, defaults and aliases. So do records of a Trevni file.
func TestAvroAndTrevniLoseNothing(t *testing.T) {
	for _, c := range []struct{ pattern, by, format string }{
		{"../testdata/avro/*/*.avro", "trevni", "avro"},
		{"../testdata/trevni/java-1.12.1/avro-*.trv", "avro", "trevni"},
	} {
		paths, err := filepath.Glob(c.pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(err, len(paths))
		}
		done := 0
		for _, path := range paths {
			f, err := readers.Open(t.Context(), local.NewBytesSource(fixtures.Read(t, path)), path, readers.Options{})
			if err != nil {
				continue // what cannot be read is tested where it is refused
			}
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			rec, err := conformance.Collect(t, f, mem, 1<<16)
			if err != nil || rec == nil {
				continue
			}
			base := filepath.Base(path)
			if f.Schema().NumFields() == 0 || strings.HasPrefix(base, "nulls") {
				rec.Release()
				continue
			}
			_, there, recs := through(t, mem, c.by, f.Schema(), []arrow.Record{rec})
			plan, back, again := through(t, mem, c.format, there, recs)
			for _, l := range plan.Losses() {
				t.Errorf("%s: the plan says %v", base, l)
			}
			for _, d := range schemadiff.Fields(f.Schema().Fields(), back.Fields()) {
				t.Errorf("%s: %s %s", base, d.Path, d.Text)
			}
			if lost := schemadiff.Keys(f.Schema().Metadata(), back.Metadata()); len(lost) != 0 {
				t.Errorf("%s: metadata %v is lost", base, lost)
			}
			if len(again) == 1 {
				if err := conformance.Equal(rec, again[0]); err != nil {
					t.Errorf("%s: %v", base, err)
				}
			}
			md := there.Metadata()
			was := f.Schema().Metadata()
			want, ok := was.GetValue(c.format + ".avro.schema")
			if got, _ := md.GetValue(c.by + ".avro.schema"); ok && got != want {
				t.Errorf("%s: by %s the schema is\n%s\nwant\n%s", base, c.by, got, want)
			}
			rec.Release()
			releaseAll(recs)
			releaseAll(again)
			mem.AssertSize(t, 0)
			done++
		}
		if done < len(paths)/2 {
			t.Errorf("%s: %d of %d files", c.pattern, done, len(paths))
		}
	}
}
