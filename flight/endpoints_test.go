package flight

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// Endpoints hold about the bytes that they are to, in order, and together everything once.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	dir := events(t, 60_000)
	r := start(t, Options{EndpointBytes: 64 << 10}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	e, err := r.catalog.Lookup(t.Context(), "events", nil)
	if err != nil {
		t.Fatal(err)
	}
	splits := 0
	for _, f := range e.Fragments {
		splits += len(f.Splits)
	}
	info, all := getAll(t.Context(), t, c, pathOf("events"))
	if n := len(info.Endpoint); n < 3 || n > splits {
		t.Errorf("%d endpoints of %d bytes and %d splits", n, info.TotalBytes, splits)
	}
	sameRows(t, all, scanned(t, []string{dir}, arrowio.ScanOptions{}))
	for n := range 12 {
		info, all := getAll(t.Context(), t, c, cmdOf(`{"dataset":"events","endpoints":%d,"columns":["id"]}`, n+1))
		if all.rows() != 180_000 || len(info.Endpoint) > splits || n == 0 && len(info.Endpoint) != 1 {
			t.Errorf("%d endpoints, %d were asked for, %d rows", len(info.Endpoint), n+1, all.rows())
		}
	}
}

// Splits that the filter cannot match are in no endpoint.
func TestPruned(t *testing.T) {
	t.Parallel()
	dir := events(t, 60_000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	whole, err := c.GetFlightInfo(t.Context(), pathOf("events"))
	if err != nil {
		t.Fatal(err)
	}
	info, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"events","where":"id < 100"}`))
	if got.rows() != 300 || info.TotalBytes >= whole.TotalBytes/2 || info.TotalRecords != -1 {
		t.Errorf("%d rows, %d of %d bytes, %d rows promised", got.rows(), info.TotalBytes, whole.TotalBytes, info.TotalRecords)
	}
}

// Directories that are named k=v are a column, and files that a filter on it leaves out are not even opened.
func TestPartitions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "p")
	for k := range 4 {
		_, recs := table(memory.DefaultAllocator, 1000, 500, uint64(k))
		write(t, filepath.Join(dir, fmt.Sprintf("day=%d", k), "x.orc"), recs, nil)
	}
	c := start(t, Options{}, map[string]Spec{"p": {Paths: []string{dir}}}).client(t)
	_, all := getAll(t.Context(), t, c, pathOf("p"))
	sameRows(t, all, scanned(t, []string{dir}, arrowio.ScanOptions{}))
	if f, ok := all.schema.FieldsByName("day"); !ok || len(f) != 1 {
		t.Fatal(all.schema)
	}
	for _, k := range []string{"0", "1", "3"} {
		if err := os.Remove(filepath.Join(dir, "day="+k, "x.orc")); err != nil {
			t.Fatal(err)
		}
	}
	info, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"p","where":"day = 2 AND id < 700","columns":["id","day"]}`))
	if len(info.Endpoint) != 1 || strings.Count(string(info.Endpoint[0].Ticket.Ticket), `"f":`) != 1 || got.rows() != 700 {
		t.Errorf("%d rows, %s", got.rows(), info.Endpoint[0].Ticket.Ticket)
	}
	// As a ticket, a command finds the same.
	s := get(t.Context(), t, c, []byte(`{"dataset":"p","where":"day = 2","columns":["day"]}`))
	if s.err != nil || s.rows() != 1000 {
		t.Error(s.rows(), s.err)
	}
	for i := range s.meta {
		if s.meta[i].Fragment != 2 {
			t.Errorf("%+v", s.meta[i])
		}
	}
	if _, err := c.GetFlightInfo(t.Context(), cmdOf(`{"dataset":"p","where":"id < 5"}`)); err == nil {
		t.Error("files that are gone, and needed")
	}
}
