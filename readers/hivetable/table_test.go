package hivetable_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
	avrowriter "github.com/arrowio/arrowio/writers/avro"
	orcwriter "github.com/arrowio/arrowio/writers/orc"
	parquetwriter "github.com/arrowio/arrowio/writers/parquet"
)

const (
	orcInput     = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"
	parquetInput = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat"
)

// serve starts a metastore and returns the beginning of the URLs of its tables.
func serve(t testing.TB, s *metastorefake.Server) string {
	t.Helper()
	return "hive://" + s.Start(t) + "/"
}

// put writes rows of JSON into a file, whose format is its extension; without one it is ORC.
func put(t testing.TB, path, rows string, fields ...arrow.Field) {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	f := orcwriter.Format()
	if strings.HasSuffix(path, ".parquet") {
		f = parquetwriter.Format()
	} else if strings.HasSuffix(path, ".avro") {
		f = avrowriter.Format()
	}
	st := local.NewMemStore()
	p, err := f.Plan(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(rec), w.Close(), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, content := range st.Objects() {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func field(name string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true}
}

var i32, i64, utf8 = arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String

// rowsOf returns the rows of a table as text, and how many files were opened. Each file is opened twice: as it was listed, and from its
// JSON, as another process does.
func rowsOf(t testing.TB, url string, o readers.Options, where string) (rows []string, opened int, err error) {
	t.Helper()
	ctx := t.Context()
	o = readers.Defaults(o)
	if where != "" {
		if o.Filter, err = expr.Parse(where); err != nil {
			t.Fatal(err)
		}
	}
	inputs, err := dataset.List(ctx, url, o)
	if err != nil {
		return nil, 0, err
	}
	again := make([]dataset.Input, len(inputs))
	for i, in := range inputs {
		b, err := json.Marshal(in)
		if err == nil {
			err = json.Unmarshal(b, &again[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(inputs []dataset.Input) (rows []string, err error) {
		opened = 0
		d, err := dataset.New(ctx, inputs, o, func(ctx context.Context, i int) (arrowio.File, error) {
			opened++
			return dataset.OpenInput(ctx, inputs[i], o)
		})
		if err != nil {
			return nil, err
		}
		defer d.Close()
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		s, err := d.Scan(ctx, arrowio.ScanOptions{Filter: o.Filter, Allocator: mem, Parallelism: 1})
		if err != nil {
			return nil, err
		}
		defer s.Release()
		for s.Next() {
			rows = append(rows, orctext.Rows(s.Record())...)
		}
		return rows, s.Err()
	}
	other, err2 := read(again)
	rows, err = read(inputs)
	if !slices.Equal(rows, other) || (err == nil) != (err2 == nil) {
		t.Errorf("from JSON: %q, %v; as listed: %q, %v", other, err2, rows, err)
	}
	return rows, opened, err
}

func columns(text string) (out []metastore.Column) {
	for _, c := range strings.Fields(text) {
		name, typ, _ := strings.Cut(c, ":")
		out = append(out, metastore.Column{Name: name, Type: typ})
	}
	return out
}

// partitioned is a table with partitions of two formats, one of which lies elsewhere.
func partitioned(t testing.TB) (s *metastorefake.Server, dir string) {
	dir = t.TempDir()
	put(t, dir+"/t/day=1/000000_0", `[{"ID":1,"_s":"a"},{"ID":2,"_s":"b"}]`, field("ID", i32), field("_s", utf8))
	put(t, dir+"/t/day=2/HIVE_UNION_SUBDIR_1/x.parquet", `[{"id":3,"added":7}]`, field("id", i64), field("added", i32))
	put(t, dir+"/else/where/000000_0", `[{"_col0":4,"_col1":"d","_col2":9}]`, field("_col0", i64), field("_col1", utf8), field("_col2", i64))
	put(t, dir+"/t/day=9/000000_0", `[{"id":99}]`, field("id", i64)) // is no partition
	for _, name := range []string{"t/day=1/_SUCCESS", "t/day=1/.000000_0.crc", "t/day=1/000001_0"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(format, at string) metastore.Storage {
		return metastore.Storage{Columns: columns("id:bigint s:string added:bigint"), Location: "file:" + at, InputFormat: format, SerDe: "serde"}
	}
	return &metastorefake.Server{
		Tables: map[string]*metastore.Table{"d.t": {
			Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: in(orcInput, dir+"/t"), Keys: columns("day:date n:decimal(5,2)"),
		}},
		Partitions: map[string][]metastore.Partition{"d.t": {
			{Values: []string{"2024-03-03", "3"}, Storage: in(orcInput, dir+"/else/where")},
			{Values: []string{"2024-03-01", "1.50"}, Storage: in(orcInput, dir+"/t/day=1")},
			{Values: []string{"2024-03-02", "__HIVE_DEFAULT_PARTITION__"}, Storage: in(parquetInput, dir+"/t/day=2")},
		}},
	}, dir
}

func TestPartitions(t *testing.T) {
	s, dir := partitioned(t)
	url := serve(t, s) + "d.t"
	all := []string{`[1,null,null,19783,"1.50"]`, `[2,null,null,19783,"1.50"]`, `[3,null,7,19784,null]`, `[4,"d",9,19785,"3.00"]`}
	for _, c := range []struct {
		where         string
		want          []string
		opened, asked int
	}{
		{"", all, 3, 3},
		{"day = DATE '2024-03-02'", all[2:3], 1, 1},
		{"n is null or id = 4", all[2:], 3, 3}, // id is no partition column
		{"n > 2", all[3:], 1, 1},
		{"day < DATE '2024-03-02' and id = 2", all[1:2], 1, 1},
		{"day = DATE '2020-01-01'", nil, 1, 0},
	} {
		s.Asked = nil
		got, opened, err := rowsOf(t, url, readers.Options{}, c.where)
		if err != nil || !slices.Equal(got, c.want) || opened > c.opened || len(s.Asked) != c.asked {
			t.Errorf("%s: %q, %v; %d files opened, %d partitions asked for", c.where, got, err, opened, len(s.Asked))
		}
	}
	moved := filepath.Join(t.TempDir(), "new place")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rowsOf(t, url, readers.Options{}, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the files are elsewhere: %v", err)
	}
	got, _, err := rowsOf(t, url, readers.Options{Options: map[string]string{"hive-relocate": "/nowhere=/x\n" + dir + "/=" + moved}}, "")
	if err != nil || !slices.Equal(got, all) {
		t.Errorf("%q, %v", got, err)
	}
}

// The same table in another catalog is another one. Tables with transactions are in the catalog hive alone.
func TestCatalogs(t *testing.T) {
	s, _ := partitioned(t)
	url := serve(t, s)
	other := *s.Tables["d.t"]
	other.Catalog = "spark"
	s.Tables["spark.d.t"], s.Partitions["spark.d.t"] = &other, s.Partitions["d.t"][:1]
	if got, _, err := rowsOf(t, url+"Spark.D.T", readers.Options{}, "day > DATE '2024-03-01'"); err != nil || !slices.Equal(got, []string{`[4,"d",9,19785,"3.00"]`}) {
		t.Errorf("%q, %v", got, err)
	}
	other.Parameters = map[string]string{"transactional": "true"}
	if _, _, err := rowsOf(t, url+"spark.d.t", readers.Options{}, ""); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "in the catalog spark") {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	table := func(kind, input string, parameters ...string) *metastore.Table {
		p := map[string]string{}
		for _, kv := range parameters {
			k, v, _ := strings.Cut(kv, "=")
			p[k] = v
		}
		return &metastore.Table{Database: "d", Name: "t", Kind: kind, Parameters: p, Storage: metastore.Storage{Columns: columns("id:bigint"), Location: dir, InputFormat: input, SerDe: "a.SerDe"}}
	}
	s := &metastorefake.Server{}
	url := serve(t, s)
	for _, c := range []struct {
		table *metastore.Table
		kind  errs.Kind
		want  string
	}{
		{table("VIRTUAL_VIEW", orcInput), errs.ErrUnsupported, "view"},
		{table("MATERIALIZED_VIEW", orcInput), errs.ErrUnsupported, "view"},
		{table("INDEX_TABLE", orcInput), errs.ErrUnsupported, "INDEX_TABLE"},
		{table("EXTERNAL_TABLE", "org.apache.hadoop.mapred.TextInputFormat"), errs.ErrUnsupported, "text"},
		{table("EXTERNAL_TABLE", "org.apache.hadoop.mapred.SequenceFileInputFormat"), errs.ErrUnsupported, "sequencefile"},
		{table("EXTERNAL_TABLE", "org.apache.hudi.hadoop.HoodieParquetInputFormat"), errs.ErrUnsupported, "hudi"},
		{table("EXTERNAL_TABLE", "x.Y"), errs.ErrUnsupported, "x.Y"},
		{table("EXTERNAL_TABLE", parquetInput, "spark.sql.sources.provider=DELTA"), errs.ErrUnsupported, "DELTA"},
		{table("EXTERNAL_TABLE", orcInput, "storage_handler=org.Kudu"), errs.ErrUnsupported, "org.Kudu"},
		{table("EXTERNAL_TABLE", "", "table_type=iceberg"), errs.ErrUnsupported, "metadata_location"},
		{table("EXTERNAL_TABLE", "", "table_type=ICEBERG", "metadata_location="+dir+"/x.json"), errs.ErrUnsupported, "x.json"},
		{table("MANAGED_TABLE", orcInput, "transactional=true", "transactional_properties=odd"), errs.ErrUnsupported, "odd"},
		{table("MANAGED_TABLE", parquetInput, "transactional=TRUE"), errs.ErrUnsupported, "parquet"},
		{&metastore.Table{Database: "d", Name: "other", Kind: "EXTERNAL_TABLE"}, errs.ErrCorrupt, "d.other"},
		{&metastore.Table{Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: metastore.Storage{Columns: columns("id:interval_year_month"), InputFormat: orcInput}}, errs.ErrOption, "interval"},
		{&metastore.Table{Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Keys: columns("id:int"), Storage: metastore.Storage{Columns: columns("id:int"), InputFormat: orcInput}}, errs.ErrUnsupported, "two columns"},
		{&metastore.Table{Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: metastore.Storage{Columns: columns("id:int"), InputFormat: orcInput}}, errs.ErrCorrupt, "no path"},
		{&metastore.Table{Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: metastore.Storage{Columns: columns("id:int"), InputFormat: orcInput, Location: dir + "/none"}}, errs.ErrUnsupported, ""},
		{nil, errs.ErrOption, "has no table d.t"},
	} {
		s.Tables = map[string]*metastore.Table{"d.t": c.table}
		_, _, err := rowsOf(t, url+"d.t", readers.Options{}, "")
		if missing := errors.Is(err, os.ErrNotExist) && c.want == ""; !missing && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.table, err)
		}
	}
	for _, bad := range []string{"hive://", "hive://h", "hive://h/", "hive://h/t", "hive://h/d.", "hive://h/d.t/x", "hive://h/a.b.c.d", "hive://u@h/d.t", "hive://h/d.t?x", "hive:///d.t"} {
		if _, err := dataset.List(t.Context(), bad, readers.Defaults(readers.Options{})); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, o := range []readers.Options{{Format: "orc"}, {Options: map[string]string{"hive-relocate": "x"}}, {Options: map[string]string{"trevni-view": "x"}}} {
		s.Tables = map[string]*metastore.Table{"d.t": table("EXTERNAL_TABLE", orcInput)}
		if _, err := dataset.List(t.Context(), url+"d.t", readers.Defaults(o)); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := readers.OpenFile(t.Context(), url+"d.t", readers.Options{}); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "dataset") {
		t.Error(err)
	}
}

// inserts is an insert-only table of Parquet files: write ids 1 to 3 were committed, 4 was aborted, 5 is open. Transaction 8 is
// compacting.
func inserts(t testing.TB) (*metastorefake.Server, string) {
	dir := t.TempDir()
	for i, name := range []string{"delta_1_1_0", "delta_2_2_0", "delta_3_3_0", "delta_4_4_0", "delta_5_5_0"} {
		put(t, filepath.Join(dir, name, "x.parquet"), `[{"id":`+string(rune('1'+i))+`}]`, field("id", i64))
	}
	put(t, dir+"/base_3_v8/x.parquet", `[{"id":1}]`, field("id", i64)) // is not finished
	return &metastorefake.Server{
		Tables: map[string]*metastore.Table{"d.t": {
			Database: "d", Name: "t", Kind: "MANAGED_TABLE", Parameters: map[string]string{"transactional": "true", "transactional_properties": "insert_only"},
			Storage: metastore.Storage{Columns: columns("id:bigint"), Location: dir, InputFormat: parquetInput},
		}},
		Transactions: metastore.IDs{High: 9, Open: []int64{7, 8}, Aborted: []int64{6}},
		WriteIDs:     map[string]metastore.IDs{"d.t": {High: 5, Open: []int64{5}, Aborted: []int64{4}}},
	}, dir
}

func TestInsertOnly(t *testing.T) {
	s, _ := inserts(t)
	got, _, err := rowsOf(t, serve(t, s)+"d.t", readers.Options{}, "")
	if want := []string{"[1]", "[2]", "[3]"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// A compaction that is finished while the table is listed is read, not the directories that the cleaner deletes meanwhile.
func TestCompactedMeanwhile(t *testing.T) {
	s, dir := inserts(t)
	calls := 0
	s.Look = func(method string) {
		if method != "get_open_txns" {
			return
		}
		if calls++; calls != 3 { // the first is for the write ids; before the third the directories were listed
			return
		}
		put(t, dir+"/base_3_v8/x.parquet", `[{"id":1},{"id":2},{"id":3}]`, field("id", i64))
		s.Transactions.Open = []int64{7}
		for _, name := range []string{"delta_1_1_0", "delta_2_2_0", "delta_3_3_0"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	got, _, err := rowsOf(t, serve(t, s)+"d.t", readers.Options{}, "")
	if want := []string{"[1]", "[2]", "[3]"}; err != nil || !slices.Equal(got, want) || calls < 5 {
		t.Errorf("%q, %v; %d calls", got, err, calls)
	}
	// Something that is compacted again and again is an error in the end.
	s.Look = func(method string) {
		if method == "get_open_txns" {
			if s.Transactions.Open = []int64{7}; calls%2 == 0 {
				s.Transactions.Open = []int64{7, 8}
			}
			calls++
		}
	}
	if _, _, err := rowsOf(t, serve(t, s)+"d.t", readers.Options{}, ""); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "compacted") {
		t.Error(err)
	}
	// An INSERT OVERWRITE after the list of write ids was made may have replaced rows that the list has.
	s.Look, s.Transactions.Open = nil, []int64{7}
	put(t, dir+"/base_6/x.parquet", `[{"id":6}]`, field("id", i64))
	if _, _, err := rowsOf(t, serve(t, s)+"d.t", readers.Options{}, ""); !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "base_6") {
		t.Error(err)
	}
}

// TestHalfDeleted looks again at a directory of which the cleaner of Hive 3 had deleted a file, when a compaction was finished that says so by
// its name alone.
func TestHalfDeleted(t *testing.T) {
	s, dir := inserts(t)
	calls := 0
	s.Look = func(method string) {
		if method != "get_open_txns" {
			return
		}
		switch calls++; calls {
		case 2: // before the directories are looked at
			files, err := filepath.Glob(dir + "/delta_1_1_0/*")
			if err != nil || len(files) != 1 {
				t.Error(files, err)
			}
			for _, name := range files {
				if err := os.Remove(name); err != nil {
					t.Error(err)
				}
			}
		case 3: // afterwards
			put(t, dir+"/delta_1_3/x.parquet", `[{"id":1},{"id":2},{"id":3}]`, field("id", i64))
		}
	}
	got, _, err := rowsOf(t, serve(t, s)+"d.t", readers.Options{}, "")
	if want := []string{"[1]", "[2]", "[3]"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAvroSchema reads Avro files of a table that has a schema beside its columns.
func TestAvroSchema(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/t/a.avro", `[{"ID":1,"s":"a"},{"ID":2,"s":null}]`, field("ID", i32), field("s", utf8))
	const schema = `{"type":"record","name":"t","fields":[{"name":"id","type":"long"},{"name":"s","type":["null","string"],"default":null},{"name":"n","type":"int"%s}]}`
	if err := os.WriteFile(dir+"/t.avsc", []byte(strings.ReplaceAll(schema, "%s", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{`[1,"a",null]`, `[2,null,null]`}
	for name, c := range map[string]struct{ property, value, columns, want string }{
		"none":    {"x", "x", "id:bigint s:string n:int", ""},
		"literal": {"avro.schema.literal", strings.ReplaceAll(schema, "%s", ""), "id:bigint s:string n:int", ""},
		"url":     {"avro.schema.url", "file://" + dir + "/t.avsc", "id:bigint s:string n:int", ""},
		"default": {"avro.schema.literal", strings.ReplaceAll(schema, "%s", `,"default":5`), "id:bigint s:string n:int", "has a default"},
		"fewer":   {"avro.schema.url", dir + "/t.avsc", "id:bigint s:string", `column "n"`},
		"more":    {"avro.schema.url", dir + "/t.avsc", "id:bigint s:string n:int o:int", "3 columns"},
		"nowhere": {"avro.schema.url", dir + "/none", "id:bigint s:string n:int", "no such file"},
		"no JSON": {"avro.schema.literal", "x", "id:bigint s:string n:int", "no JSON"},
	} {
		m := &metastore.Table{
			Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Parameters: map[string]string{c.property: c.value},
			Storage: metastore.Storage{Columns: columns(c.columns), Location: dir + "/t", InputFormat: "org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat"},
		}
		got, _, err := rowsOf(t, serve(t, &metastorefake.Server{Tables: map[string]*metastore.Table{"d.t": m}})+"d.t", readers.Options{}, "")
		if c.want == "" && (err != nil || !slices.Equal(got, want)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
