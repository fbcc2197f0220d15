package flight

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// events are three ORC files of a directory.
func events(t testing.TB, rows int) string {
	t.Helper()
	made, _ := eventFiles.LoadOrStore(rows, sync.OnceValue(func() (files [3][]byte) {
		dir := t.TempDir()
		for i := range files {
			_, recs := table(memory.DefaultAllocator, rows, 5000, uint64(i))
			path := filepath.Join(dir, "part.orc")
			write(t, path, recs, nil)
			var err error
			if files[i], err = os.ReadFile(path); err == nil {
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return files
	}))
	dir := filepath.Join(t.TempDir(), "events")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for i, b := range made.(func() [3][]byte)() {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d.orc", i)), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// eventFiles are the files of events by their rows: many tests read the same.
var eventFiles sync.Map

func TestRead(t *testing.T) {
	t.Parallel()
	dir := events(t, 30_000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	info, got := getAll(t.Context(), t, c, pathOf("events"))
	sameRows(t, got, scanned(t, []string{dir}, arrowio.ScanOptions{}))
	if info.TotalRecords != 90_000 || info.TotalBytes <= 0 || !info.Ordered || len(info.Endpoint) != 1 || len(info.Endpoint[0].Location) != 0 {
		t.Errorf("%v", info)
	}
	for _, q := range []struct {
		command string
		o       arrowio.ScanOptions
	}{
		{`"columns":["s","id"]`, arrowio.ScanOptions{Columns: []string{"s", "id"}}},
		{`"columns":[]`, arrowio.ScanOptions{Columns: []string{}}},
		{`"where":"x < 0.25 AND id >= 20000"`, arrowio.ScanOptions{Filter: parse(t, "x < 0.25 AND id >= 20000")}},
		{`"where":"id < 0"`, arrowio.ScanOptions{Filter: parse(t, "id < 0")}},
		{`"rows":"29990:60010"`, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 29990, End: 60010}}},
		{`"rows":"89999:"`, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 89999, End: 1 << 40}}},
		{`"rows":":5","columns":["l"]`, arrowio.ScanOptions{Rows: arrowio.RowRange{End: 5}, Columns: []string{"l"}}},
		{`"rows":"10:60000","where":"x < 0.5","columns":["id"]`, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 10, End: 60000}, Filter: parse(t, "x < 0.5"), Columns: []string{"id"}}},
		{`"batch_rows":1000`, arrowio.ScanOptions{}},
		{`"batch_bytes":65536`, arrowio.ScanOptions{}},
		{`"compression":"lz4"`, arrowio.ScanOptions{}},
		{`"compression":"zstd","compressed":["s","l"]`, arrowio.ScanOptions{}},
		{`"compression":"lz4","compressed":[]`, arrowio.ScanOptions{}},
		{`"compression":"zstd","where":"x < 0.9"`, arrowio.ScanOptions{Filter: parse(t, "x < 0.9")}},
		{`"endpoints":5`, arrowio.ScanOptions{}},
		{`"dictionary":false`, arrowio.ScanOptions{}},
	} {
		info, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"events",%s}`, q.command))
		sameRows(t, got, scanned(t, []string{dir}, q.o))
		if q.o.Filter == nil && info.TotalRecords != got.rows() || q.o.Filter != nil && info.TotalRecords != -1 && got.rows() > 0 {
			t.Errorf("%s: %d rows, %d were promised", q.command, got.rows(), info.TotalRecords)
		}
		if strings.Contains(q.command, "endpoints") && len(info.Endpoint) < 3 {
			t.Errorf("%d endpoints", len(info.Endpoint))
		}
		for i, rec := range got.recs {
			if strings.Contains(q.command, "batch_rows") && rec.NumRows() > 1000 {
				t.Errorf("a batch of %d rows", rec.NumRows())
			}
			rec.Release()
			got.recs[i] = nil
		}
	}
}

func parse(t testing.TB, s string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A dictionary column is sent as a dictionary where it is asked for.
func TestDictionary(t *testing.T) {
	t.Parallel()
	dir := events(t, 20_000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	for _, compression := range []string{`"none"`, `"lz4"`, `"zstd"`, `"zstd","compressed":["id"]`, `"lz4","compressed":["s"]`} {
		_, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"events","dictionary":true,"columns":["s","id"],"compression":%s,"batch_bytes":65536}`, compression))
		if id := got.schema.Field(0).Type.ID(); id != arrow.DICTIONARY {
			t.Fatalf("s is %v", got.schema.Field(0).Type)
		}
		plain := &stream{schema: got.schema, recs: got.recs}
		want := scanned(t, []string{dir}, arrowio.ScanOptions{Columns: []string{"s", "id"}})
		if plain.rows() != want.rows() {
			t.Fatal(plain.rows())
		}
		row := 0
		flat := column(t, want, 0)
		for _, rec := range got.recs {
			for i := range int(rec.NumRows()) {
				if g, w := rec.Column(0).ValueStr(i), flat.ValueStr(row); g != w {
					t.Fatalf("row %d is %q, want %q", row, g, w)
				}
				row++
			}
		}
	}
}

func TestListFlights(t *testing.T) {
	dir := events(t, 10)
	r := start(t, Options{Advertise: []string{"grpc://a:1", "grpc://b:2"}}, map[string]Spec{
		"events": {Paths: []string{dir}}, "event_b": {Paths: []string{dir}}, "other": {Paths: []string{dir + "/part-0.orc"}},
	})
	c := r.client(t)
	for criteria, want := range map[string][]string{
		"": {"event_b", "events", "other"}, "event": {"event_b", "events"}, `{"name":"*t*s"}`: {"events"}, `{}`: {"event_b", "events", "other"}, "x": nil,
	} {
		st, err := c.ListFlights(t.Context(), &flight.Criteria{Expression: []byte(criteria)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			info, err := st.Recv()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, info.FlightDescriptor.Path[0])
			if len(info.Endpoint) != 1 || len(info.Endpoint[0].Location) != 2 || info.Endpoint[0].Location[1].Uri != "grpc://b:2" {
				t.Errorf("%v", info.Endpoint)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", criteria, got, want)
		}
	}
}

func TestSchemaAndPoll(t *testing.T) {
	dir := events(t, 10)
	c := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}}).client(t)
	res, err := c.GetSchema(t.Context(), cmdOf(`{"dataset":"events","columns":["x"]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := flight.DeserializeSchema(res.Schema, memory.DefaultAllocator)
	if err != nil || s.NumFields() != 1 || s.Field(0).Name != "x" {
		t.Fatal(s, err)
	}
	p, err := c.PollFlightInfo(t.Context(), pathOf("events"))
	if err != nil || p.FlightDescriptor != nil || p.GetProgress() != 1 || len(p.Info.Endpoint) != 1 {
		t.Fatal(p, err)
	}
}

// act runs an action and decodes each of its results.
func act(t testing.TB, c flight.Client, name, body string) (out []map[string]any, err error) {
	t.Helper()
	st, err := c.DoAction(t.Context(), &flight.Action{Type: name, Body: []byte(body)})
	if err != nil {
		return nil, err
	}
	for {
		r, err := st.Recv()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		var m map[string]any
		if err := json.Unmarshal(r.Body, &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
}
