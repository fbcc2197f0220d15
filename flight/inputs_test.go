package flight

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/readers"
)

// input is a dataset whose rows are made of more than the bytes of one file, and how to make them others.
type input struct {
	spec   Spec
	change func()
	rows   int64 // before the change
	small  bool  // too few rows to be changed while they are read
}

// positions writes a delete file of Iceberg: every nth row of files.
func positions(t *testing.T, path string, files []string, rows, nth int) {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{{Name: "file_path", Type: arrow.BinaryTypes.String}, {Name: "pos", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for _, f := range files {
		for i := 0; i < rows; i += nth {
			b.Field(0).(*array.StringBuilder).Append(f)
			b.Field(1).(*array.Int64Builder).Append(int64(i))
		}
	}
	over(t, path, func(to string) { write(t, to, []arrow.Record{b.NewRecord()}, nil) })
}

// over makes a file in another place and renames it over path.
func over(t *testing.T, path string, do func(to string)) {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	do(to)
	if err := os.Rename(to, path); err != nil {
		t.Fatal(err)
	}
}

// acidEvents writes a bucket of a Hive ACID table: rows of numbers, or deletes of every nth of them.
func acidEvents(t *testing.T, path string, op, rows, nth int) {
	t.Helper()
	acidEventsOf(t, path, "id", op, rows, nth)
}

// acidEventsOf is acidEvents with the name of the column that has the numbers.
func acidEventsOf(t *testing.T, path, column string, op, rows, nth int) {
	t.Helper()
	i32, i64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	row := arrow.StructOf(arrow.Field{Name: column, Type: i64, Nullable: true})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "operation", Type: i32},
		{Name: "originalTransaction", Type: i64},
		{Name: "bucket", Type: i32},
		{Name: "rowId", Type: i64},
		{Name: "currentTransaction", Type: i64},
		{Name: "row", Type: row, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i := 0; i < rows; i += nth {
		b.Field(0).(*array.Int32Builder).Append(int32(op))
		b.Field(1).(*array.Int64Builder).Append(1)
		b.Field(2).(*array.Int32Builder).Append(536870912)
		b.Field(3).(*array.Int64Builder).Append(int64(i))
		b.Field(4).(*array.Int64Builder).Append(int64(1 + op/2))
		st := b.Field(5).(*array.StructBuilder)
		st.Append(op == 0)
		if op == 0 {
			st.FieldBuilder(0).(*array.Int64Builder).Append(int64(i) * 1_000_003)
		} else {
			st.FieldBuilder(0).AppendNull()
		}
	}
	write(t, filepath.Join(filepath.Dir(path), "x.orc"), []arrow.Record{b.NewRecord()}, map[string]string{})
	if err := os.Rename(filepath.Join(filepath.Dir(path), "x.orc"), path); err != nil {
		t.Fatal(err)
	}
}

var inputs = map[string]func(t *testing.T, n int) input{
	"delete file": func(t *testing.T, n int) input {
		dir, del := events(t, n), filepath.Join(t.TempDir(), "del.orc")
		var files []string
		for i := range 3 {
			files = append(files, fmt.Sprintf("%s/part-%d.orc", dir, i))
		}
		positions(t, del, files, n, 10)
		return input{
			spec:   Spec{Paths: []string{dir}, Read: readers.Options{Options: map[string]string{"orc-deletes": del}}},
			change: func() { positions(t, del, files, n, 2) },
			rows:   int64(3 * (n - n/10)),
		}
	},
	"delete file that was not there for one": func(t *testing.T, n int) input {
		dir, del := events(t, n), filepath.Join(t.TempDir(), "del.orc")
		positions(t, del, []string{dir + "/part-0.orc"}, n, n/2)
		return input{
			spec:   Spec{Paths: []string{dir}, Read: readers.Options{Options: map[string]string{"orc-deletes": del}}},
			change: func() { positions(t, del, []string{dir + "/part-2.orc"}, n, n/2) },
			rows:   int64(3*n - 2),
		}
	},
	"schema of Iceberg": func(t *testing.T, n int) input {
		dir, schema := events(t, n), filepath.Join(t.TempDir(), "schema.json")
		text := func(id int) {
			over(t, schema, func(to string) {
				text := fmt.Sprintf(`{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"id","required":false,"type":"long"},{"id":%d,"name":"v","required":false,"type":"double"}]}`, id)
				if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			})
		}
		text(2)
		return input{
			spec: Spec{Paths: []string{dir}, Read: readers.Options{Options: map[string]string{
				"orc-iceberg-schema": schema, "orc-name-mapping": `[{"field-id":1,"names":["id"]},{"field-id":2,"names":["x"]}]`,
			}}},
			change: func() { text(9) }, // a column that the files do not have
			rows:   int64(3 * n),
		}
	},
	"Hive ACID table": func(t *testing.T, n int) input {
		dir := t.TempDir()
		sub := func(name string) string {
			d := filepath.Join(dir, name)
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(d, "bucket_00000")
		}
		acidEvents(t, sub("delta_0000001_0000001_0000"), 0, 3*n, 1)
		acidEvents(t, sub("delete_delta_0000002_0000002_0000"), 2, 3*n, 10)
		return input{
			spec:   Spec{Paths: []string{dir}},
			change: func() { acidEvents(t, sub("delete_delta_0000002_0000002_0000"), 2, 3*n, 2) },
			rows:   int64(3*n - 3*n/10),
		}
	},
	"set of Kudu": func(t *testing.T, n int) input {
		dir := filepath.Join(t.TempDir(), "set.kudu")
		put := func(seed uint64) {
			_, recs := table(memory.DefaultAllocator, n, 1000, seed)
			s := arrow.NewSchema(recs[0].Schema().Fields()[:3], nil)
			for i, rec := range recs {
				recs[i] = array.NewRecord(s, rec.Columns()[:3], rec.NumRows())
			}
			write(t, dir+"/", recs, map[string]string{"kudu-key": "id"})
		}
		put(1)
		return input{spec: Spec{Paths: []string{dir}}, change: func() { put(2) }, rows: int64(n)}
	},
	"directory of a Kudu server": func(t *testing.T, _ int) input {
		dir := fixtures.Unpack(t, "../testdata/kudu/kudu-1.17.1/log.tar.gz")
		spec := Spec{Paths: []string{dir}, Read: readers.Options{Format: "kudu", Options: map[string]string{"kudu-table": "changed"}}}
		return input{spec: spec, small: true, rows: -1, change: func() {
			containers, err := filepath.Glob(filepath.Join(dir, "data", "data", "*.data"))
			if err != nil || len(containers) == 0 {
				t.Fatal(containers, err)
			}
			for _, c := range containers {
				if err := os.Chtimes(c, time.Time{}, time.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
		}}
	},
}

// Whatever a dataset's rows are made of: where it is replaced between GetFlightInfo and DoGet, nothing is sent for what was
// meant, and a new FlightInfo is of what is there now.
func TestReplacedInput(t *testing.T) {
	t.Parallel()
	for name, make := range inputs {
		t.Run(name, func(t *testing.T) {
			in := make(t, 1000)
			c := start(t, Options{}, map[string]Spec{"d": in.spec}).client(t)
			info, before := getAll(t.Context(), t, c, pathOf("d"))
			if in.rows >= 0 && before.rows() != in.rows || before.rows() == 0 {
				t.Fatalf("%d rows, want %d", before.rows(), in.rows)
			}
			if again := get(t.Context(), t, c, info.Endpoint[0].Ticket.Ticket); again.err != nil {
				t.Fatalf("nothing has changed: %v", again.err)
			}
			in.change()
			for _, e := range info.Endpoint {
				got := get(t.Context(), t, c, e.Ticket.Ticket)
				if code(got.err) != codes.FailedPrecondition || got.rows() > 0 || !strings.Contains(got.err.Error(), "the dataset has changed") {
					t.Errorf("%d rows, %v", got.rows(), got.err)
				}
			}
			if info, _ = getAll(t.Context(), t, c, pathOf("d")); info.TotalRecords < 0 {
				t.Error(info.TotalRecords)
			}
		})
	}
}

// Where it is replaced in the middle of a stream, the stream ends with an error.
func TestReplacedInputInMidStream(t *testing.T) {
	t.Parallel()
	for name, make := range inputs {
		t.Run(name, func(t *testing.T) {
			in := make(t, 100_000)
			if in.small {
				return
			}
			c := start(t, Options{Parallelism: 1}, map[string]Spec{"d": in.spec}).client(t)
			st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"d","batch_bytes":65536}`)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = st.Recv(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond) // the stream waits for its reader
			in.change()
			for err == nil {
				_, err = st.Recv()
			}
			if code(err) != codes.FailedPrecondition {
				t.Error(err)
			}
		})
	}
}

// The column of a Hive ACID table that was renamed has the values of all files where columns are found by position, in filters, too.
func TestRenamedColumn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, column := range []string{"id", "renamed"} {
		d := filepath.Join(dir, fmt.Sprintf("delta_%07d_%07d_0000", i+1, i+1))
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		acidEventsOf(t, filepath.Join(d, "bucket_00000"), column, 0, 1000, 1)
	}
	c := start(t, Options{}, map[string]Spec{
		"name":     {Paths: []string{dir}},
		"position": {Paths: []string{dir}, Read: readers.Options{Options: map[string]string{"orc-by": "position"}}},
	}).client(t)
	for dataset, want := range map[string]int64{"name": 100, "position": 200} {
		if _, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":%q,"where":"renamed >= 900002700","columns":["renamed"]}`, dataset)); got.rows() != want {
			t.Errorf("%s: %d rows, want %d", dataset, got.rows(), want)
		}
	}
}
