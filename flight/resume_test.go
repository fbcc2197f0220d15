package flight

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// mixed are files that know how many rows they have, or do not.
func mixed(t testing.TB, streams bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mixed")
	for i, ext := range []string{"orc", "trv", "parquet", "arrow"} {
		_, recs := table(memory.DefaultAllocator, 3000+i, 500, uint64(i))
		write(t, filepath.Join(dir, fmt.Sprintf("%d.%s", i, ext)), recs, nil)
	}
	if streams {
		_, recs := table(memory.DefaultAllocator, 2500, 300, 9)
		write(t, filepath.Join(dir, "9.arrows"), recs, nil)
	}
	return dir
}

// withResume returns a ticket that starts at a place.
func withResume(t testing.TB, ticket []byte, p Position) []byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(ticket, &m); err != nil {
		t.Fatal(err)
	}
	m["resume"] = p
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A stream that is broken off after any batch goes on there with the ticket that it had, and the rows of both are all.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		dir := mixed(t, streams)
		c := start(t, Options{}, map[string]Spec{"mixed": {Paths: []string{dir}}}).client(t)
		for _, q := range []string{
			`"batch_rows":700`, `"batch_bytes":4096`, `"where":"x < 0.3","batch_bytes":8192`, `"where":"id >= 100 AND id < 1200","columns":["s"],"batch_rows":97`,
			`"where":"x < 0.3","columns":["x"],"batch_rows":150`, `"columns":[],"batch_rows":999`, `"rows":"2000:8000","batch_rows":321`,
		} {
			info, whole := getAll(t.Context(), t, c, cmdOf(`{"dataset":"mixed",%s}`, q))
			if len(whole.recs) < 5 {
				t.Fatalf("%s: %d batches show nothing", q, len(whole.recs))
			}
			if len(info.Endpoint) != 1 {
				t.Fatal(len(info.Endpoint))
			}
			if streams && q[1:5] == "rows" {
				continue // counted from the start, in one stream: see TestRefused
			}
			for i := 0; i < len(whole.meta); i += 1 + len(whole.meta)/8 {
				m := whole.meta[i]
				rest := get(t.Context(), t, c, withResume(t, info.Endpoint[0].Ticket.Ticket, m.Resume))
				if rest.err != nil {
					t.Fatalf("%s: %+v: %v", q, m, rest.err)
				}
				both := &stream{schema: whole.schema, recs: append(append([]arrow.Record{}, whole.recs[:i+1]...), rest.recs...)}
				sameRows(t, both, whole)
			}
			// The command, too, may say where to start.
			m := whole.meta[len(whole.meta)/2]
			p, err := json.Marshal(m.Resume)
			if err != nil {
				t.Fatal(err)
			}
			_, rest := getAll(t.Context(), t, c, cmdOf(`{"dataset":"mixed",%s,"resume":%s}`, q, p))
			both := &stream{schema: whole.schema, recs: append(append([]arrow.Record{}, whole.recs[:len(whole.meta)/2+1]...), rest.recs...)}
			sameRows(t, both, whole)
		}
	}
}

// Rows say where they come from.
func TestBatchMeta(t *testing.T) {
	dir := mixed(t, true)
	c := start(t, Options{}, map[string]Spec{"mixed": {Paths: []string{dir}}}).client(t)
	_, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"mixed","columns":["id"],"batch_rows":450}`))
	at := Position{}
	rows := []int64{3000, 3001, 3002, 3003, 2500}
	for i, m := range got.meta {
		if at.Row == rows[at.Fragment] {
			at.Fragment, at.Row = at.Fragment+1, 0
		}
		if m.Fragment != at.Fragment || m.FirstRow != at.Row {
			t.Fatalf("batch %d: %+v, want it to start at %+v", i, m, at)
		}
		if id := got.recs[i].Column(0).ValueStr(0); id != fmt.Sprint(m.FirstRow) {
			t.Fatalf("batch %d says row %d, and begins with row %s", i, m.FirstRow, id)
		}
		at = m.Resume
		if m.Resume.Fragment == m.Fragment && m.Resume.Row != m.FirstRow+m.Rows {
			t.Fatalf("batch %d: %+v", i, m)
		}
	}
	if at.Fragment != 4 || at.Row != 2500 {
		t.Fatalf("the last batch ends at %+v", at)
	}
}

func TestParseBatchMeta(t *testing.T) {
	want := BatchMeta{Fragment: 3, Split: 7, FirstRow: 1 << 40, Rows: 65536, Resume: Position{Fragment: 4, Split: 0, Row: 12}}
	var k transport.MetaBuilder
	b := k.Build(transport.BatchMeta{Fragment: want.Fragment, Split: want.Split, FirstRow: want.FirstRow, Rows: want.Rows, Resume: transport.Position(want.Resume)})
	if got, err := ParseBatchMeta(b); err != nil || got != want {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := ParseBatchMeta(k.Build(transport.BatchMeta{})); err != nil || got != (BatchMeta{}) {
		t.Fatalf("%+v, %v", got, err)
	}
	for n := range b { // never beyond what is there
		if _, err := ParseBatchMeta(b[:n:n]); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(b))
		}
	}
	for i := range b {
		for _, x := range []byte{0, 1, 0x7F, 0x80, 0xFF} {
			c := append([]byte(nil), b...)
			c[i] = x
			_, _ = ParseBatchMeta(c)
		}
	}
}
