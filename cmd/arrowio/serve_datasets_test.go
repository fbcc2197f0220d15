package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// serveClient serves what args say and connects to it.
func serveClient(t *testing.T, args ...string) (c flight.Client, errs *output, stop func() int) {
	t.Helper()
	out, errs, stop := serving(t, append([]string{"--listen", "grpc://127.0.0.1:0"}, args...)...)
	return clientAt(t, strings.TrimSpace(out.String())), errs, stop
}

// clientAt connects to a server.
func clientAt(t *testing.T, uri string) flight.Client {
	t.Helper()
	c, err := flight.NewClientWithMiddleware(strings.TrimPrefix(uri, "grpc://"), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func ask(t *testing.T, c flight.Client, cmd string) (*flight.FlightInfo, error) {
	t.Helper()
	return c.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(cmd)})
}

// answer is all rows of a command, a line of JSON each.
func answer(t *testing.T, c flight.Client, cmd string) string {
	t.Helper()
	return answerIn(t.Context(), t, c, cmd)
}

// answerIn is answer with the headers of ctx.
func answerIn(ctx context.Context, t *testing.T, c flight.Client, cmd string) string {
	t.Helper()
	info, err := c.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(cmd)})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, e := range info.Endpoint {
		st, err := c.DoGet(ctx, e.Ticket)
		if err != nil {
			t.Fatal(err)
		}
		r, err := flight.NewRecordReader(st)
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			if err := array.RecordToJSON(r.Record(), &out); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Err(); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		r.Release()
	}
	return out.String()
}

// A prefix of a store is a dataset with a column for its directories: only what a filter leaves is opened, new objects come
// by themselves, and clients do not learn where it lies. Two objects of the same bytes are two.
func TestServeStore(t *testing.T) {
	s := s3fake.New(t)
	for _, key := range []string{"in/k=1/a.csv", "in/k=2/a.csv", "in/k=3/b.csv"} {
		s.Put(t, key, []byte("x\n7\n8\n"))
	}
	c, errs, stop := serveClient(t, "--refresh", "50ms", "--partition-types", "k=int32", "events="+inBucket+"in/", "some="+inBucket+"in/k=*/a.csv")
	if got, want := answer(t, c, `{"dataset":"events"}`), `{"k":1,"x":7}
{"k":1,"x":8}
{"k":2,"x":7}
{"k":2,"x":8}
{"k":3,"x":7}
{"k":3,"x":8}
`; got != want {
		t.Errorf("got %s", got)
	}
	if got, want := answer(t, c, `{"dataset":"some","where":"k = 2"}`), "{\"k\":2,\"x\":7}\n{\"k\":2,\"x\":8}\n"; got != want {
		t.Errorf("got %s", got)
	}
	info, err := ask(t, c, `{"dataset":"events","where":"k = 2 AND x = 8","endpoints":9}`)
	if err != nil || len(info.Endpoint) != 1 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err = ask(t, c, `{"dataset":"events","where":"k > 7"}`); err != nil || strings.Contains(string(info.Endpoint[0].Ticket.Ticket), "id") {
		t.Errorf("%v, %v", info, err)
	}
	if got, want := answer(t, c, `{"dataset":"events","where":"k = 2 AND x = 8","columns":["k"]}`), "{\"k\":2}\n"; got != want {
		t.Errorf("got %s", got)
	}

	s.Put(t, "in/k=4/a.csv", []byte("x\n9\n"))
	for end := time.Now().Add(time.Minute); answer(t, c, `{"dataset":"events","where":"k = 4"}`) != "{\"k\":4,\"x\":9}\n"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the new object is not seen: %s", errs)
		}
	}

	info, err = ask(t, c, `{"dataset":"events","where":"k = 1"}`)
	if err != nil {
		t.Fatal(err)
	}
	where := regexp.MustCompile(s3fake.Bucket + `|127\.0\.0\.1|s3:|\bin/`)
	refused := func(want string) {
		t.Helper()
		st, err := c.DoGet(t.Context(), info.Endpoint[0].Ticket)
		for err == nil {
			_, err = st.Recv()
		}
		if !strings.Contains(err.Error(), want) || where.MatchString(err.Error()) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	s.Fault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { s3fake.Refuse(w, 403, "AccessDenied") })
	refused("permission")
	s.Fault(nil)
	s.Put(t, "in/k=1/a.csv", []byte("x\n1\n"))
	refused("get a new FlightInfo")
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// What a filter rules out by its directory is not opened.
func TestServePrunes(t *testing.T) {
	s := s3fake.New(t)
	for k := range 3 {
		s.Put(t, fmt.Sprintf("in/k=%d/a.csv", k), []byte("x\n7\n"))
	}
	c, _, _ := serveClient(t, "events="+inBucket+"in")
	s.Requests()
	if got := answer(t, c, `{"dataset":"events","where":"k = 1"}`); got != "{\"k\":1,\"x\":7}\n" {
		t.Error(got)
	}
	asked := s.Requests()
	for _, r := range asked {
		if r.Key != "in/k=1/a.csv" {
			t.Errorf("asked for %v", r)
		}
	}
	if len(asked) == 0 {
		t.Error("nothing was asked for: the test shows nothing")
	}
}

func TestServeSchemas(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("in/k=1/a.jsonl", `{"id":1,"name":"5"}`+"\n")
	put("in/k=1/b.jsonl", `{"name":"x","id":2}`+"\n")
	semi := put("semi.csv", "a;b\n1;2\n")
	schema := put("s.json", `{"fields":[{"name":"name","type":"int64"},{"name":"z","type":"utf8","default":"none"}]}`)
	in := filepath.Join(dir, "in")
	config := put("config.toml", fmt.Sprintf(`
partitions = "none"
schema = "struct<id:bigint>"
[datasets]
plain = %[1]q
[datasets.cast]
path = %[1]q
schema = %[2]q
cast = "java"
partitions = "hive"
partition-types = "k=utf8"
[datasets.semi]
path = [%[3]q]
from = "csv"
csv-delimiter = ";"
schema = "struct<b:bigint,a:bigint>"
[datasets.last]
path = "/nowhere"
schema = "struct<x:int>"
`, in, schema, semi))
	c, errs, stop := serveClient(t, "--config", config, "--schema", "last=struct<id:bigint,more:string>", "last="+in)
	for name, want := range map[string]string{
		"plain": "{\"id\":1}\n{\"id\":2}\n",
		"cast":  "{\"k\":\"1\",\"name\":5,\"z\":\"none\"}\n{\"k\":\"1\",\"name\":null,\"z\":\"none\"}\n",
		"semi":  "{\"a\":1,\"b\":2}\n",
		"last":  "{\"id\":1,\"more\":null}\n{\"id\":2,\"more\":null}\n",
	} {
		if got := answer(t, c, fmt.Sprintf(`{"dataset":%q}`, name)); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
	// A file that is shown as a schema is known by its bytes all the same.
	info, err := ask(t, c, `{"dataset":"plain"}`)
	if err != nil {
		t.Fatal(err)
	}
	put("in/k=1/a.jsonl", `{"id":3,"name":"5"}`+"\n")
	st, err := c.DoGet(t.Context(), info.Endpoint[0].Ticket)
	for err == nil {
		_, err = st.Recv()
	}
	if !strings.Contains(err.Error(), "the dataset has changed") {
		t.Error(err)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}

	for _, x := range []struct {
		code int
		want string
		args []string
	}{
		{2, "--schema, which is missing", []string{"--cast", "java"}},
		{2, "--schema, which is missing", []string{"--cast", "e=java", "--schema", "f=struct<id:bigint>", "f=" + in}},
		{2, "python", []string{"--cast", "python", "--schema", "struct<id:bigint>"}},
		{2, "struct<id", []string{"--schema", "struct<id"}},
		{3, "nope.json", []string{"--schema", "nope.json"}},
		{1, "id", []string{"--schema", "e=struct<id:array<int>>"}},
		{2, `"z"`, []string{"--partition-types", "z=utf8"}},
	} {
		fails(t, do(t, append([]string{"serve", "--log", "none", "--check-config", "--listen", "grpc://127.0.0.1:0", "e=" + in}, x.args...)...), x.code, x.want)
	}
	for text, want := range map[string]string{
		"e = {}":                             "a path",
		"e = {path = 3}":                     "a path",
		"e = {path = 'x', colour = 'red'}":   "colour",
		"e = {path = 'x', cast = 'python'}":  "python",
		"e = {path = 'x', cast = 'java'}":    "which is missing",
		"e = {path = 'x', from = 'doc'}":     "want one of",
		"e = {path = 'x', partitions = 'x'}": "want one of",
		"e = {path = 'x', schema = {a = 1}}": "schema",
		"e = {path = 'x', csv-header = 'x'}": "csv-header",
	} {
		put("bad.toml", "[datasets]\n"+text+"\n")
		fails(t, do(t, "serve", "--log", "none", "--config", filepath.Join(dir, "bad.toml")), 2, want)
	}
}

// Tables that are directories: transactional ones of Hive's, those of a Kudu server, and sets that are written here.
func TestServeTables(t *testing.T) {
	dir := t.TempDir()
	rows := arrow.StructOf(arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	i32, i64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	events := arrow.NewSchema([]arrow.Field{
		{Name: "operation", Type: i32, Nullable: true},
		{Name: "originalTransaction", Type: i64, Nullable: true},
		{Name: "bucket", Type: i32, Nullable: true},
		{Name: "rowId", Type: i64, Nullable: true},
		{Name: "currentTransaction", Type: i64, Nullable: true},
		{Name: "row", Type: rows, Nullable: true},
	}, nil)
	const line = `{"operation":%d,"originalTransaction":1,"bucket":536870912,"rowId":%d,"currentTransaction":%d,"row":%s}`
	for name, lines := range map[string][]any{
		"delta_0000001_0000001_0000":        {0, 0, 1, `{"id":10}`, 0, 1, 1, `{"id":11}`},
		"delete_delta_0000002_0000002_0000": {2, 0, 2, "null"},
	} {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, events, strings.NewReader("["+fmt.Sprintf(strings.TrimSuffix(strings.Repeat(line+",", len(lines)/4), ","), lines...)+"]"))
		if err != nil {
			t.Fatal(err)
		}
		tmp := writeIPC(t, filepath.Join(t.TempDir(), "x.arrow"), events, rec)
		rec.Release()
		if err := os.MkdirAll(filepath.Join(dir, "acid", name), 0o777); err != nil {
			t.Fatal(err)
		}
		ok(t, "convert", "--to", "orc", tmp, filepath.Join(dir, "acid", name, "bucket_00000"))
	}
	server := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	want := strings.Count(ok(t, "cat", "--from", "kudu", "--kudu-table", "changed", "--format", "jsonl", server), "\n")
	flat := tableFile(t, filepath.Join(dir, "flat.arrow"), `[{"id":1,"s":"a"},{"id":2,"s":"b"}]`, "id int64", "s text")
	ok(t, "convert", "--kudu-key", "id", flat, filepath.Join(dir, "set.kudu")+"/")
	ok(t, "convert", flat, filepath.Join(dir, "set.cfile")+"/")
	config := filepath.Join(dir, "c.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "[datasets.server]\npath = %q\nfrom = 'kudu'\nkudu-table = 'changed'\n", server), 0o666); err != nil {
		t.Fatal(err)
	}
	c, errs, stop := serveClient(t, "--config", config, "acid="+filepath.Join(dir, "acid"), "set="+filepath.Join(dir, "set.kudu"), "columns="+filepath.Join(dir, "set.cfile"))
	for cmd, want := range map[string]string{
		// An option of another format is passed over.
		`{"dataset":"acid","options":{"trevni-view":"columns","timestamp-unit":"us"}}`: "{\"id\":11}\n",
		`{"dataset":"set","where":"id > 1"}`:                                           "{\"id\":2,\"s\":\"b\"}\n",
		`{"dataset":"columns"}`:                                                        "{\"id\":1,\"s\":\"a\"}\n{\"id\":2,\"s\":\"b\"}\n",
	} {
		if got := answer(t, c, cmd); got != want {
			t.Errorf("%s: got %s", cmd, got)
		}
	}
	if got := strings.Count(answer(t, c, `{"dataset":"server"}`), "\n"); got != want || want == 0 {
		t.Errorf("the server: %d rows, want %d", got, want)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
}
