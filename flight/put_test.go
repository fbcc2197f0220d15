package flight

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/writertest"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// puttable starts a server that takes datasets into a directory of its own.
func puttable(t testing.TB, o Options) (r *running, dir string) {
	t.Helper()
	dir = t.TempDir()
	o.Writable = append(o.Writable, Writable{Names: "in-*", Dir: dir})
	return start(t, o, nil), dir
}

// putting sends records as Arrow's own client does, and returns what the server answers.
func putting(ctx context.Context, t testing.TB, c flight.Client, d *flight.FlightDescriptor, s *arrow.Schema, recs []arrow.Record, o ...ipc.Option) (*PutReport, error) {
	t.Helper()
	st, err := c.DoPut(ctx)
	if err != nil {
		return nil, err
	}
	w := flight.NewRecordWriter(st, append(o, ipc.WithSchema(s))...)
	w.SetFlightDescriptor(d)
	for _, rec := range recs {
		if w.Write(rec) != nil { // Recv says why
			break
		}
	}
	if len(recs) == 0 {
		err = w.Close()
	}
	if err == nil {
		err = st.CloseSend()
	}
	if err != nil {
		return nil, err
	}
	return reported(st)
}

func reported(st flight.FlightService_DoPutClient) (*PutReport, error) {
	r := &PutReport{}
	for n := 0; ; n++ {
		got, err := st.Recv()
		switch {
		case errors.Is(err, io.EOF) && n == 1:
			return r, nil
		case err != nil:
			return nil, err
		}
		if err := json.Unmarshal(got.GetAppMetadata(), r); err != nil {
			return nil, err
		}
	}
}

// names lists what is in a directory, hidden things among it.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// What a client puts is there when the answer comes, in the format that it wants, and can be read.
func TestPut(t *testing.T) {
	t.Parallel()
	r, dir := puttable(t, Options{})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 5000, 700, 1)
	want := &stream{schema: s, recs: recs}
	for _, f := range []string{"", "ipc", "ipc-stream", "orc", "parquet", "trevni", "avro"} {
		name := "in-" + f
		d := pathOf(name)
		if f != "" {
			d = cmdOf(`{"dataset":%q,"format":%q}`, name, f)
		}
		report, err := putting(t.Context(), t, c, d, s, recs)
		if err != nil {
			t.Fatal(f, err)
		}
		if f == "" {
			f = "ipc"
		}
		info, err := os.Stat(filepath.Join(dir, name, report.Files[0].Name))
		if err != nil || report.Dataset != name || report.Format != f || report.Rows != 5000 || len(report.Files) != 1 || report.Bytes != info.Size() || report.Replaced {
			t.Errorf("%+v, %v", report, err)
		}
		_, got := getAll(t.Context(), t, c, pathOf(name))
		if f == "trevni" { // lists may have nulls there
			got.schema, want.schema = s, s
			if !array.Equal(column(t, got, 0), column(t, want, 0)) || !array.Equal(column(t, got, 2), column(t, want, 2)) {
				t.Error("trevni: other rows")
			}
			continue
		}
		sameRows(t, got, want)
	}
	if got := names(t, dir); len(got) != 7 || slices.ContainsFunc(got, func(n string) bool { return n[0] == '.' }) {
		t.Error(got)
	}
	if !strings.Contains(r.log.String(), "msg=put") {
		t.Error("the log does not tell of it")
	}
	report, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-none","format":"orc"}`), s, nil)
	if err != nil || report.Rows != 0 {
		t.Fatal(report, err)
	}
	if _, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"in-none","endpoints":1}`)); got.rows() != 0 {
		t.Error(got.rows())
	}
}

// What a reader would have to be told cannot be said when a dataset is put: nothing tells it.
func TestPutOptionsReadAgain(t *testing.T) {
	for _, w := range writers.All() {
		for _, r := range readers.All() {
			for _, o := range w.Options {
				shared := w.Name == r.Name && slices.ContainsFunc(r.Options, func(p arrowio.Option) bool { return p.Name == o.Name })
				if shared && o.Name != "kudu-table" && slices.Contains(PutOptions(), o.Name) { // without it the only table is read
					t.Errorf("%s can be set, and is not known when the dataset is read", o.Name)
				}
			}
		}
	}
}

// Sorting, options, sizes and losses are the command's.
func TestPutCommand(t *testing.T) {
	t.Parallel()
	r, dir := puttable(t, Options{Memory: 32 << 20})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 3000, 1000, 1)
	report, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-a","format":"orc","sort":["s","id"],"compression":"zstd","options":{"orc-bloom":"s"},"row_group_bytes":65536}`), s, recs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.SortedBy, []string{"s", "id"}) {
		t.Errorf("%+v", report)
	}
	_, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"in-a","columns":["s"],"where":"s IS NOT NULL"}`))
	last := ""
	for _, rec := range got.recs {
		for i := range int(rec.NumRows()) {
			v := rec.Column(0).(*array.String).Value(i)
			if v < last {
				t.Fatalf("%q behind %q", v, last)
			}
			last = v
		}
	}
	month := arrow.NewSchema([]arrow.Field{{Name: "m", Type: arrow.PrimitiveTypes.Uint64}}, nil)
	rec := recordOf(t, `[{"m": 7}]`, month.Field(0))
	lossy, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-csv","format":"csv"}`), month, []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	if len(lossy.Columns) != 1 || lossy.Columns[0].Path != "m" {
		t.Errorf("%+v", lossy.Columns)
	}
	narrow, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-trevni","format":"trevni"}`), month, []arrow.Record{rec})
	if err != nil || narrow.Columns[0].Refused != "values above 9223372036854775807" {
		t.Errorf("%+v, %v", narrow, err)
	}
	_, err = putting(t.Context(), t, c, cmdOf(`{"dataset":"in-csv2","format":"csv","losses":"refuse"}`), month, []arrow.Record{rec})
	if refused := codeOf(err) == codes.InvalidArgument; refused != (len(lossy.Losses) > 0) {
		t.Errorf("losses %+v, and refused: %v", lossy.Losses, err)
	}
	// Metadata is set, left out, and told where it is lost.
	md := arrow.NewMetadata([]string{"owner", "pandas"}, []string{"me", "{}"})
	said := arrow.NewSchema(month.Fields(), &md)
	kept, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-md","format":"orc","metadata":{"more":"x"},"drop_metadata":["pandas"]}`), said, []arrow.Record{rec})
	if err != nil || slices.ContainsFunc(kept.Losses, func(l arrowio.Loss) bool { return l.Of == arrowio.LossOfMetadata }) {
		t.Errorf("%+v, %v", kept, err)
	}
	_, stored := getAll(t.Context(), t, c, cmdOf(`{"dataset":"in-md"}`))
	if back := stored.recs[0].Schema().Metadata(); !maps.Equal(back.ToMap(), map[string]string{"more": "x", "owner": "me"}) {
		t.Errorf("metadata %v", back)
	}
	text, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-md2","format":"jsonl"}`), said, []arrow.Record{rec})
	if err != nil || !slices.ContainsFunc(text.Losses, func(l arrowio.Loss) bool { return l.Key == "owner" }) || !slices.ContainsFunc(text.Losses, func(l arrowio.Loss) bool { return l.Of == arrowio.LossOfFile }) {
		t.Errorf("%+v, %v", text, err)
	}
	for _, q := range []struct {
		d    *flight.FlightDescriptor
		want codes.Code
		text string
	}{
		{pathOf("in-a"), codes.AlreadyExists, "in-a"},
		{pathOf("other"), codes.PermissionDenied, "no place"},
		{pathOf("../in-a"), codes.InvalidArgument, "cannot be the name"},
		{pathOf("in-a/b"), codes.InvalidArgument, "cannot be the name"},
		{&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"in-x", "y"}}, codes.InvalidArgument, "path of 2"},
		{&flight.FlightDescriptor{}, codes.InvalidArgument, "must be PATH or CMD"},
		{cmdOf(`{"dataset":"in-x","format":"xls"}`), codes.InvalidArgument, "xls"},
		{cmdOf(`{"dataset":"in-x","mode":"append"}`), codes.NotFound, "append"},
		{cmdOf(`{"dataset":"in-x","mode":"add"}`), codes.InvalidArgument, "append"},
		{cmdOf(`{"dataset":"in-x","columns":["a"]}`), codes.InvalidArgument, "columns"},
		{pathOf("../in-x"), codes.InvalidArgument, "cannot be the name"},
		{pathOf("in-x/../../y"), codes.InvalidArgument, "cannot be the name"},
		{pathOf("/in-x"), codes.InvalidArgument, "cannot be the name"},
		{pathOf(".."), codes.InvalidArgument, "cannot be the name"},
		{pathOf(".in-x"), codes.InvalidArgument, "cannot be the name"},
		{cmdOf(`{"dataset":"in-x\\..\\y"}`), codes.InvalidArgument, "cannot be the name"},
		{cmdOf(`{"dataset":"in-x","format":"orc","options":{"orc-keys":"/etc/passwd"}}`), codes.InvalidArgument, "not an option"},
		{cmdOf(`{"dataset":"in-x","format":"csv","options":{"csv-delimiter":"tab"}}`), codes.InvalidArgument, "csv-line-end"},
		{cmdOf(`{"dataset":"in-x","format":"orc","options":{"trevni-values":"*"}}`), codes.InvalidArgument, "trevni-values"},
		{cmdOf(`{"dataset":"in-x","format":"cfile"}`), codes.InvalidArgument, "l"},
		{cmdOf(`{"dataset":"in-x","sort":["nothing"]}`), codes.InvalidArgument, "nothing"},
		{cmdOf(`{"dataset":"in-x","sort_by_key":true}`), codes.InvalidArgument, "key"},
		{cmdOf(`{"dataset":"in-x","max_file_bytes":5}`), codes.InvalidArgument, "max_file_bytes"},
		{cmdOf(`{"dataset":"in-x","row_group_bytes":-5}`), codes.InvalidArgument, "row_group_bytes"},
	} {
		_, err := putting(t.Context(), t, c, q.d, s, recs)
		if codeOf(err) != q.want || !strings.Contains(err.Error(), q.text) || strings.Contains(err.Error(), dir) {
			t.Errorf("%.100s: %v", q.d, err)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"in-a", "in-csv", "in-md", "in-md2", "in-trevni"}) {
		t.Error(got)
	}
}

// A client that fails ends its stream as one does that has sent all: the number of rows tells them apart.
func TestPutRows(t *testing.T) {
	t.Parallel()
	r, dir := puttable(t, Options{})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 3000, 1000, 1)
	command := cmdOf(`{"dataset":"in-a","mode":"replace","format":"orc","rows":3000}`)
	if report, err := putting(t.Context(), t, c, command, s, recs); err != nil || report.Rows != 3000 {
		t.Fatal(report, err)
	}
	for _, short := range [][]arrow.Record{nil, recs[:2], append(recs, recs[0])} {
		_, err := putting(t.Context(), t, c, command, s, short)
		if codeOf(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "3000") {
			t.Errorf("%d batches: %v", len(short), err)
		}
	}
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-b","rows":-1}`), s, recs); codeOf(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-b","rows":0}`), s, nil); err != nil {
		t.Error(err)
	}
	_, got := getAll(t.Context(), t, c, pathOf("in-a"))
	sameRows(t, got, &stream{schema: s, recs: recs})
	if got := names(t, dir); !slices.Equal(got, []string{"in-a", "in-b"}) {
		t.Error(got)
	}
}

// One that is replaced is the old one until all of the new one is there.
func TestPutReplaces(t *testing.T) {
	r, dir := puttable(t, Options{})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 3000, 1000, 1)
	replace := cmdOf(`{"dataset":"in-a","mode":"replace","format":"orc"}`)
	if report, err := putting(t.Context(), t, c, replace, s, recs[:1]); err != nil || report.Replaced {
		t.Fatal(report, err)
	}
	info, old := getAll(t.Context(), t, c, pathOf("in-a"))
	ctx, cancel := context.WithCancel(t.Context())
	half, err := c.DoPut(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := flight.NewRecordWriter(half, ipc.WithSchema(s))
	w.SetFlightDescriptor(replace)
	if err := w.Write(recs[0]); err != nil {
		t.Fatal(err)
	}
	settled(t, "nothing is written", func() bool { return len(names(t, dir)) == 2 })
	if _, err := putting(t.Context(), t, c, replace, s, recs); codeOf(err) != codes.Aborted {
		t.Errorf("two at once: %v", err)
	}
	_, again := getAll(t.Context(), t, c, pathOf("in-a"))
	sameRows(t, again, old)
	cancel() // the client is gone
	settled(t, "what a client has left half done stays", func() bool { return len(names(t, dir)) == 1 && len(r.Calls()) == 0 })

	report, err := putting(t.Context(), t, c, replace, s, recs)
	if err != nil || !report.Replaced || report.Rows != 3000 {
		t.Fatal(report, err)
	}
	_, got := getAll(t.Context(), t, c, pathOf("in-a"))
	sameRows(t, got, &stream{schema: s, recs: recs})
	if st := get(t.Context(), t, c, info.Endpoint[0].Ticket.Ticket); codeOf(st.err) != codes.FailedPrecondition {
		t.Errorf("a ticket for what was replaced: %v", st.err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"in-a"}) {
		t.Error(got)
	}
}

// A name that is served from elsewhere is not replaced, and what else is in the directory neither.
func TestPutElsewhere(t *testing.T) {
	s, recs := table(memory.DefaultAllocator, 10, 10, 1)
	path := filepath.Join(t.TempDir(), "mine.orc")
	write(t, path, recs, nil)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "in-b", "precious"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := start(t, Options{Writable: []Writable{{Names: "in-*", Dir: dir}}}, map[string]Spec{"in-a": {Paths: []string{path}}})
	c := r.client(t)
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-a","mode":"replace"}`), s, recs); codeOf(err) != codes.FailedPrecondition {
		t.Error(err)
	}
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-b","mode":"replace"}`), s, recs); err == nil || strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	if _, err := putting(t.Context(), t, c, pathOf("in-b"), s, recs); codeOf(err) != codes.AlreadyExists || strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"in-b"}) {
		t.Error(got)
	}
}

// Whom no rule lets write puts nothing.
func TestPutPermissions(t *testing.T) {
	for rules, want := range map[string]codes.Code{"": codes.PermissionDenied, "*:write=in-a": codes.OK, "*:write=in-b": codes.PermissionDenied} {
		o := AccessOptions{}
		if rules != "" {
			rule, err := ParseRule(rules)
			if err != nil {
				t.Fatal(err)
			}
			o.Rules = []Rule{rule}
		}
		a, err := NewAccess(o)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := puttable(t, Options{Authorizer: a})
		s, recs := table(memory.DefaultAllocator, 10, 10, 1)
		if _, err := putting(t.Context(), t, r.client(t), pathOf("in-a"), s, recs); codeOf(err) != want {
			t.Errorf("%q: %v", rules, err)
		}
	}
}

// A full disk is an error that says so.
func TestPutDiskFull(t *testing.T) {
	st := writertest.NewStore(-1)
	st.Room = 10_000
	r := start(t, Options{Writable: []Writable{{Names: "full", Store: func(context.Context, string, bool) (arrowio.Store, Spec, error) { return st, Spec{}, nil }}}}, nil)
	s, recs := table(memory.DefaultAllocator, 20_000, 1000, 1)
	_, err := putting(t.Context(), t, r.client(t), cmdOf(`{"dataset":"full","format":"orc","compression":"none"}`), s, recs)
	if codeOf(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
	if n := st.Aborted(); n != 1 || len(r.catalog.Names()) != 0 {
		t.Errorf("%d aborts, %v", n, r.catalog.Names())
	}
}

// Dictionaries may grow and be replaced in mid-stream.
func TestPutDictionaries(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	s := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt}}, nil)
	var recs []arrow.Record
	var want []string
	for _, words := range []string{"a b", "a b c", "x y"} {
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, dt).(*array.BinaryDictionaryBuilder)
		for _, w := range strings.Fields(words) {
			if err := b.AppendString(w); err != nil {
				t.Fatal(err)
			}
			want = append(want, w)
		}
		a := b.NewArray()
		recs = append(recs, array.NewRecord(s, []arrow.Array{a}, int64(a.Len())))
	}
	r, _ := puttable(t, Options{})
	c := r.client(t)
	for _, f := range []string{"ipc", "ipc-stream", "orc", "parquet"} {
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-%s","format":%q}`, f, f), s, recs, ipc.WithDictionaryDeltas(true)); err != nil {
			t.Fatal(f, err)
		}
		_, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"in-%s","dictionary":false}`, f))
		var have []string
		for _, rec := range got.recs {
			for i := range int(rec.NumRows()) {
				have = append(have, rec.Column(0).ValueStr(i))
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: %v", f, have)
		}
	}
}

// A message that is larger than the server takes ends the stream, and nothing is left of it.
func TestPutOversized(t *testing.T) {
	r, dir := puttable(t, Options{MaxReceive: 64 << 10})
	s, recs := table(memory.DefaultAllocator, 20_000, 20_000, 1)
	_, err := putting(t.Context(), t, r.client(t), pathOf("in-a"), s, recs)
	if codeOf(err) != codes.ResourceExhausted {
		t.Error(err)
	}
	settled(t, "something is left", func() bool { return len(names(t, dir)) == 0 })
}

// Cancelling ends a stream that waits for its client.
func TestPutCancelled(t *testing.T) {
	r, dir := puttable(t, Options{})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 1000, 1000, 1)
	st, err := c.DoPut(metadata.AppendToOutgoingContext(t.Context(), RequestIDHeader, "x"))
	if err != nil {
		t.Fatal(err)
	}
	w := flight.NewRecordWriter(st, ipc.WithSchema(s))
	w.SetFlightDescriptor(pathOf("in-a"))
	if err := w.Write(recs[0]); err != nil {
		t.Fatal(err)
	}
	settled(t, "nothing is written", func() bool { return len(names(t, dir)) == 1 })
	if n := r.Cancel("x", nil); n != 1 {
		t.Error(n)
	}
	if _, err := st.Recv(); codeOf(err) != codes.Canceled {
		t.Error(err)
	}
	settled(t, "something is left", func() bool { return len(names(t, dir)) == 0 })
}

// Formats of several files, with a key.
func TestPutColumns(t *testing.T) {
	r, _ := puttable(t, Options{})
	c := r.client(t)
	_, recs := table(memory.DefaultAllocator, 1000, 300, 1)
	s := arrow.NewSchema(recs[0].Schema().Fields()[:3], nil)
	for i, rec := range recs {
		recs[i] = array.NewRecord(s, rec.Columns()[:3], rec.NumRows())
	}
	for _, command := range []string{`{"dataset":"in-kudu","format":"kudu","options":{"kudu-key":"id"},"sort_by_key":true}`, `{"dataset":"in-cfile","format":"cfile"}`} {
		report, err := putting(t.Context(), t, c, cmdOf("%s", command), s, recs)
		if err != nil {
			t.Fatal(command, err)
		}
		if len(report.Files) < 3 {
			t.Errorf("%+v", report)
		}
		_, got := getAll(t.Context(), t, c, pathOf(report.Dataset))
		sameRows(t, got, &stream{schema: s, recs: recs})
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"mode":"replace","format":"orc"}`, report.Dataset), s, recs[:1]); err != nil {
			t.Error(err)
		}
	}
}
