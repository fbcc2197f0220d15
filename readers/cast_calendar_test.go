package readers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/readers"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// writeUncompressed writes an ORC file, which says that it counts in the hybrid calendar if it is to.
func writeUncompressed(t *testing.T, rec arrow.Record, name string, hybrid bool) {
	t.Helper()
	content := orcOf(t, rec, arrowio.WriteOptions{Compression: "none"})
	if hybrid {
		asHybrid(t, content)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// orcOf returns the bytes of a record as one ORC file.
func orcOf(t *testing.T, rec arrow.Record, o arrowio.WriteOptions) []byte {
	t.Helper()
	plan, err := writer.Plan(rec.Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(t.Context(), writer.Format(), st, plan)
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range st.Objects() {
		return content
	}
	t.Fatal("nothing was written")
	return nil
}

// asHybrid makes an uncompressed ORC file say that it counts in the hybrid calendar.
func asHybrid(t *testing.T, b []byte) {
	t.Helper()
	postscript := len(b) - 1 - int(b[len(b)-1])
	ps, err := orcwire.ParsePostScript(b[postscript : len(b)-1])
	if err != nil {
		t.Fatal(err)
	}
	footer := b[postscript-int(ps.FooterLength) : postscript]
	said := []byte{11 << 3, orcwire.CalendarProleptic}
	at := bytes.LastIndex(footer, said)
	if at < 0 {
		t.Fatal("the footer tells no calendar")
	}
	footer[at+1] = orcwire.CalendarHybrid
	f, err := orcwire.ParseFooter(footer, arrowio.Limits{}.WithDefaults())
	if err != nil || f.Calendar != orcwire.CalendarHybrid {
		t.Fatal(f, err)
	}
}

// What orc-core makes of numbers depends on the calendar of each file, whatever the file is wrapped in.
func TestShownInCalendar(t *testing.T) {
	dir := t.TempDir()
	schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{0, -12300000000, -100000000000}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	proleptic, hybrid := filepath.Join(dir, "1.orc"), filepath.Join(dir, "2.orc")
	writeUncompressed(t, rec, proleptic, false)
	writeUncompressed(t, rec, hybrid, true)
	asIs, moved := []string{"[[0,0]]", "[[-12300000000,0]]", "[[-100000000000,0]]"}, []string{"[[0,0]]", "[[-12300864000,0]]", "[[-24293987200,0]]"}
	for _, c := range []struct {
		paths    []string
		calendar string
		want     []string
	}{
		{[]string{proleptic}, "", asIs},
		{[]string{hybrid}, "", moved},
		{[]string{hybrid}, "proleptic", asIs},
		{[]string{proleptic}, "hybrid", moved},
		{[]string{proleptic, hybrid}, "", slices.Concat(asIs, moved)},
	} {
		o := readers.Options{Options: map[string]string{"timestamp-unit": "s"}, Cast: readers.CastJava}
		if c.calendar != "" {
			o.Options["orc-calendar"] = c.calendar
		}
		var err error
		if o.Schema, err = readers.ParseSchema("struct<c:timestamp>", o.Options); err != nil {
			t.Fatal(err)
		}
		d, err := readers.OpenDataset(t.Context(), c.paths, o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := d.Scan(t.Context(), arrowio.ScanOptions{Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for s.Next() {
			got = append(got, orctext.Rows(s.Record())...)
		}
		s.Release()
		if s.Err() != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d files in calendar %q: %v, %v", len(c.paths), c.calendar, got, s.Err())
		}
		d.Close()
	}
}
