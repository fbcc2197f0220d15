package hivetable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/writers/orc"
)

// server starts a metastore with the tables d.t, which has partitions, and d.flat.
func server(t *testing.T) (s *metastorefake.Server, url, dir string) {
	t.Helper()
	dir = t.TempDir()
	stored := metastore.Storage{
		Columns:  []metastore.Column{{Name: "id", Type: "int"}, {Name: "st", Type: "struct<a:int,b:string>"}},
		Location: "file:" + filepath.Join(dir, "t"), InputFormat: stored[0].input, OutputFormat: stored[0].output, SerDe: stored[0].serde,
	}
	flat := stored
	flat.Location = "hdfs://gone:8020/flat"
	s = &metastorefake.Server{Tables: map[string]*metastore.Table{
		"d.t":    {Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: stored, Keys: []metastore.Column{{Name: "p", Type: "string"}}},
		"d.flat": {Database: "d", Name: "flat", Kind: "MANAGED_TABLE", Storage: flat, Parameters: map[string]string{"numRows": "3"}},
	}, Partitions: map[string][]metastore.Partition{}, Fail: map[string]int16{}}
	return s, "hive://" + s.Start(t) + "/d.", dir
}

var rows = arrow.NewSchema([]arrow.Field{
	{Name: "ID", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "P", Type: arrow.BinaryTypes.String, Nullable: true},
}, nil)

// write adds rows in JSON to a table.
func write(t *testing.T, url string, schema *arrow.Schema, text string, options map[string]string) error {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	table, err := Open(t.Context(), url, Options{Files: []arrowio.OutputFormat{orc.Format()}, Options: options})
	if err != nil {
		return err
	}
	plan, err := table.Format().Plan(schema, arrowio.WriteOptions{})
	if err != nil {
		return err
	}
	w, err := arrowio.NewWriter(t.Context(), table.Format(), table, plan)
	if err != nil {
		return err
	}
	if err := w.Write(rec); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// files returns the names of the files below a directory, and of empty directories.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		entries, _ := os.ReadDir(p) // of a file it fails
		if p != dir && (!d.IsDir() || len(entries) == 0) {
			rel, err := filepath.Rel(dir, p)
			names = append(names, filepath.Dir(filepath.ToSlash(rel)))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPartitionsAreAdded(t *testing.T) {
	s, url, dir := server(t)
	for _, text := range []string{`[{"ID": 1, "P": "a=1"}, {"ID": 2, "P": null}, {"ID": 3, "P": "a=1"}]`, `[{"ID": 4, "P": "a=1"}]`} {
		if err := write(t, url+"t", rows, text, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := files(t, dir), []string{"t/p=__HIVE_DEFAULT_PARTITION__", "t/p=a%3D1", "t/p=a%3D1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(s.Added) != 2 || s.Added[0].Location == s.Added[1].Location || !strings.HasPrefix(s.Added[0].Location, s.Tables["d.t"].Storage.Location) {
		t.Errorf("%v", s.Added)
	}
	if len(s.Partitions["d.t"]) != 2 {
		t.Errorf("%v", s.Partitions["d.t"])
	}
}

// Rows go to the table of the catalog that is named.
func TestCatalog(t *testing.T) {
	s, url, dir := server(t)
	table := *s.Tables["d.t"]
	table.Catalog, table.Storage.Location = "other", "file:"+filepath.Join(dir, "other")
	s.Tables["other.d.t"] = &table
	flat := *s.Tables["d.flat"]
	flat.Catalog, flat.Storage.Location = "other", "file:"+filepath.Join(dir, "flat")
	flat.Parameters = map[string]string{"numRows": "3"}
	s.Tables["other.d.flat"] = &flat
	url = strings.TrimSuffix(url, "d.") + "other.d."
	for range 2 {
		if err := write(t, url+"t", rows, `[{"ID": 1, "P": "a"}]`, nil); err != nil {
			t.Fatal(err)
		}
	}
	id := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	if err := write(t, url+"flat", id, `[{"id": 1}]`, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := files(t, dir), []string{"flat", "other/p=a", "other/p=a"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(s.Partitions["other.d.t"]) != 1 || len(s.Partitions["d.t"]) != 0 || flat.Parameters["numRows"] != "" || s.Tables["d.flat"].Parameters["numRows"] != "3" {
		t.Errorf("%v %v %v", s.Partitions, flat.Parameters, s.Tables["d.flat"].Parameters)
	}
}

// What is refused leaves nothing; what is perhaps done leaves the files, and says so.
func TestFailedCommit(t *testing.T) {
	const text = `[{"ID": 1, "P": "a"}, {"ID": 2, "P": "b"}]`
	s, url, dir := server(t)
	s.Fail["add_partitions_req"] = 3
	if err := write(t, url+"t", rows, text, nil); err == nil || !strings.Contains(err.Error(), "refuses") {
		t.Error(err)
	}
	if got := files(t, dir); got != nil {
		t.Errorf("%q is left", got)
	}
	s.Fail["add_partitions_req"] = metastorefake.Closed
	err := write(t, url+"t", rows, text, nil)
	if err == nil || !strings.Contains(err.Error(), "perhaps") || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	if got := files(t, dir); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

// Somebody else makes the same partition meanwhile: in the same place, or elsewhere.
func TestPartitionOfOthers(t *testing.T) {
	for _, same := range []bool{true, false} {
		s, url, dir := server(t)
		s.Fail["add_partitions_req"] = 2
		s.Look = func(method string) {
			if method != "add_partitions_req" || len(s.Partitions["d.t"]) > 0 {
				return
			}
			at := s.Tables["d.t"].Storage
			at.Location += "/p=a"
			if !same {
				at.Location += "/elsewhere"
			}
			s.Partitions["d.t"] = []metastore.Partition{{Values: []string{"a"}, Storage: at}}
		}
		err := write(t, url+"t", rows, `[{"ID": 1, "P": "a"}]`, nil)
		if got := len(files(t, dir)); same && (err != nil || got != 1) || !same && (err == nil || got != 0 || !strings.Contains(err.Error(), "meanwhile")) {
			t.Errorf("%v: %d files, %v", same, got, err)
		}
	}
}

// The statistics of a table go before it gets rows, which go where the table was moved to.
func TestStatisticsAndMoves(t *testing.T) {
	s, url, dir := server(t)
	var calls []string
	s.Look = func(method string) { calls = append(calls, method) }
	one := arrow.NewSchema(rows.Fields()[:1], nil)
	if err := write(t, url+"flat", one, `[{"ID": 1}]`, map[string]string{"hive-relocate": "hdfs://gone:8020=" + dir}); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"flat"}) {
		t.Errorf("%q", got)
	}
	if want := []string{"get_table_req", "get_table_req", "alter_table_with_environment_context"}; !slices.Equal(calls, want) {
		t.Errorf("%q", calls)
	}
}

func TestRefused(t *testing.T) {
	s, url, dir := server(t)
	for parameter, want := range map[string]string{
		"transactional=true": "ACID", "immutable=TRUE": "immutable", "table_type=ICEBERG": "iceberg://", "spark.sql.sources.provider=delta": "delta",
		"storage_handler=x": "storage handler", "spark.sql.sources.schema.numBuckets=4": "bucketed",
	} {
		name, value, _ := strings.Cut(parameter, "=")
		s.Tables["d.t"].Parameters = map[string]string{name: value}
		if err := write(t, url+"t", rows, `[]`, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", parameter, err)
		}
	}
	s.Tables["d.t"].Parameters = nil
	text, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	p := arrow.Field{Name: "p", Type: text}
	st := func(fields ...arrow.Field) arrow.Field {
		return arrow.Field{Name: "st", Type: arrow.StructOf(fields...), Nullable: true}
	}
	for _, c := range []struct {
		fields []arrow.Field
		want   string
	}{
		{[]arrow.Field{p, {Name: "x", Type: i64}, {Name: "y", Type: i64}}, "no column x, y"},
		{[]arrow.Field{{Name: "id", Type: i64}}, "partitioned by"},
		{[]arrow.Field{p, {Name: "id", Type: text}}, "cannot hold"},
		{[]arrow.Field{p, {Name: "id", Type: i64}, {Name: "Id", Type: i64}}, "two columns"},
		{[]arrow.Field{p, st(arrow.Field{Name: "c", Type: i64})}, "no field of this name"},
		{[]arrow.Field{p, st(arrow.Field{Name: "a", Type: i64}, arrow.Field{Name: "A", Type: i64})}, "two columns"},
	} {
		if err := write(t, url+"t", arrow.NewSchema(c.fields, nil), `[]`, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.fields, err, c.want)
		}
	}
	if err := write(t, url+"t", rows, `[{"ID": 2147483648, "P": "a"}]`, nil); err == nil || !strings.Contains(err.Error(), "does not fit into int32") {
		t.Error(err)
	}
	if got := files(t, dir); got != nil {
		t.Errorf("%q is left", got)
	}
}

// Values that do not count may be anything.
func TestNarrow(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues([]int64{1 << 40, -5, 1 << 40}, []bool{false, true, false})
	a := b.NewInt64Array()
	to := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8}
	d, err := cast(arrow.Field{Type: a.DataType()}, to)(a.Data(), memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if got := array.MakeFromData(d).String(); got != "[(null) -5 (null)]" {
		t.Error(got)
	}
	u := array.NewUint64Builder(memory.DefaultAllocator)
	u.Append(1 << 63)
	if _, err := narrow[uint64, int64](arrow.Field{Type: arrow.PrimitiveTypes.Int64})(u.NewArray().Data(), memory.DefaultAllocator); err == nil {
		t.Error("2^63 fits into int64")
	}
}
