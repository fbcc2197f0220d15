package orctable

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/s3fake"
	"github.com/arrowio/arrowio/readers/orc"
)

// A table in an object store, where directories are but parts of names, has the rows that it has here; what is hidden is
// not fetched.
func TestTableInStore(t *testing.T) {
	m := smallTable(t)
	s := s3fake.New(t)
	for name, b := range m {
		s.Put(t, "db/t/"+name, b)
	}
	s.Put(t, "db/t2/base_0000009/bucket_00000", eventsFile(t, inserts(9, b0, 700, 5), nil)) // a neighbour
	o := stores.FromEnvironment()
	o.S3.Retry = stores.Retry{Attempts: 3, Wait: time.Millisecond}
	st := stores.New(o)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	tree, err := st.Tree("s3://" + s3fake.Bucket + "/db/t")
	if err != nil {
		t.Fatal(err)
	}
	if is, err := Match(t.Context(), tree); err != nil || !is {
		t.Fatalf("no table: %v", err)
	}
	s.Requests()
	for _, o := range []Options{{RowIDs: true}, {RowIDs: true, WriteIDs: "1"}, {RowIDs: true, WriteIDs: "4:3"}, {Events: true}} {
		want := linesOf(t, openTable(t, m, o), arrowio.ScanOptions{Parallelism: 1})
		f, err := Open(t.Context(), tree, arrowio.Limits{}, o, orc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		got := linesOf(t, f, arrowio.ScanOptions{Parallelism: 2, Allocator: mem})
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		mem.AssertSize(t, 0)
	}
	for _, r := range s.Requests() {
		if q := r.String(); strings.Contains(q, "GET") && (strings.Contains(q, "delta_0000001_0000001_0000/bucket") || strings.Contains(q, "_tmp_space.db/x") || strings.Contains(q, ".hive-staging/delta")) {
			t.Errorf("asked for what does not count: %s", q)
		}
	}
}

// A file that is replaced under its name while the table is open is an error, not rows that its deletes are not about.
func TestReplaced(t *testing.T) {
	m := memTree{"delta_0000001_0000001_0000/bucket_00000": eventsFile(t, inserts(1, b0, 0, 5), nil)}
	f := openTable(t, m, Options{})
	if err := f.pool.drop(); err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, f, arrowio.ScanOptions{}); len(got) != 5 {
		t.Error(got)
	}
	if err := f.pool.drop(); err != nil {
		t.Fatal(err)
	}
	m["delta_0000001_0000001_0000/bucket_00000"] = eventsFile(t, inserts(1, b0, 0, 6), nil)
	s, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	for s.Next() {
	}
	if err := s.Err(); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "replaced") {
		t.Error(err)
	}
}
