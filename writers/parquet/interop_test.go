//go:build interop

package parquet

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/local"
	converter "github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/ipc"
)

// samples is how many random files are judged: some of each run, and ARROWIO_PARQUET_SAMPLES where more are wanted.
func samples(t *testing.T) int {
	n := 60
	if s := os.Getenv("ARROWIO_PARQUET_SAMPLES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestJudged has pyarrow and DuckDB read random tables: all types, nested, under all options.
func TestJudged(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	dir := t.TempDir()
	for seed := range samples(t) {
		writeSample(t, filepath.Join(dir, fmt.Sprintf("random-%04d", seed)), int64(seed))
	}
	out, err := exec.Command(python, "../../testdata/interop/parquet_judge.py", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("%s", out)
}

// Logical types that only metadata tells are those that pyarrow sees, with all that they say.
func TestLogicalTypesJudged(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	names := []string{"GEOMETRY", "GEOMETRY(crs=EPSG:3857)", "GEOGRAPHY", "GEOGRAPHY(algorithm=KARNEY, crs=OGC:CRS84)", "BSON"}
	want := "Geometry(crs=)\nGeometry(crs=EPSG:3857)\nGeography(crs=, algorithm=spherical)\nGeography(crs=OGC:CRS84, algorithm=karney)\nBSON\n"
	var fields []arrow.Field
	for i, name := range names {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.BinaryTypes.Binary, Nullable: true, Metadata: arrow.NewMetadata([]string{metaLogical}, []string{name})})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, c := range b.Fields() {
		c.AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "logical.parquet")
	if err := os.WriteFile(path, objects["part-00000.parquet"], 0o600); err != nil {
		t.Fatal(err)
	}
	const script = "import sys, pyarrow.parquet as pq\ns = pq.ParquetFile(sys.argv[1]).schema\nfor i in range(len(s)): print(s.column(i).logical_type)"
	out, err := exec.Command(python, "-c", script, path).CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}

// pyarrow and DuckDB find what GeoArrow says of geometries in the logical types, and pyarrow makes GeoArrow's metadata of them again.
func TestGeoArrowJudged(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	var fields []arrow.Field
	for i, metadata := range []string{
		`{"crs":"OGC:CRS84","crs_type":"authority_code"}`,
		`{"crs":"EPSG:3857","crs_type":"authority_code","edges":"spherical"}`,
		`{"crs":"3857","crs_type":"srid"}`,
		`{"crs":"EPSG:4326","edges":"karney"}`,
		`{"crs":{"type":"EngineeringCRS"},"crs_type":"projjson"}`,
	} {
		md := arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"geoarrow.wkb", metadata})
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: arrow.BinaryTypes.Binary, Nullable: true, Metadata: md})
	}
	const want = `Geometry(crs=) GeometryType(crs=<null>) {"crs": "OGC:CRS84", "crs_type": "authority_code"}
Geography(crs=EPSG:3857, algorithm=spherical) GeographyType(crs=EPSG:3857, algorithm=<null>) {"crs": "EPSG:3857", "edges": "spherical"}
Geometry(crs=srid:3857) GeometryType(crs=srid:3857) {"crs": "3857", "crs_type": "srid"}
Geography(crs=EPSG:4326, algorithm=karney) GeographyType(crs=EPSG:4326, algorithm=KARNEY) {"crs": "EPSG:4326", "edges": "karney"}
Geometry(crs={"type":"EngineeringCRS"}) GeometryType(crs={"type":"EngineeringCRS"}) {"crs": {"type":"EngineeringCRS"}}
`
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, c := range b.Fields() {
		c.AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "geo.parquet")
	if err := os.WriteFile(path, objects["part-00000.parquet"], 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `
import sys, duckdb, pyarrow as pa, pyarrow.parquet as pq
class WKB(pa.ExtensionType):
    def __init__(self, metadata=""):
        self.metadata = metadata
        super().__init__(pa.binary(), "geoarrow.wkb")
    def __arrow_ext_serialize__(self):
        return self.metadata.encode()
    @classmethod
    def __arrow_ext_deserialize__(cls, storage, metadata):
        return cls(metadata.decode())
pa.register_extension_type(WKB())
path = sys.argv[1]
schema = pq.ParquetFile(path).schema
types = pq.read_schema(path).types
duck = duckdb.execute("select logical_type from parquet_schema(?) where type is not null", [path]).fetchall()
for i in range(len(schema)):
    print(schema.column(i).logical_type, duck[i][0], types[i].metadata)
`
	out, err := exec.Command(python, "-c", script, path).CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%v:\n%s", err, out)
	}
}

// pyarrow and DuckDB find Parquet's own logical types where a column is one of Arrow's UUIDs or JSON, at any depth; pyarrow
// reads it as what it has written itself, and it comes back as it was.
func TestExtensionTypesJudged(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	dir := t.TempDir()
	const made = `
import sys, uuid, pyarrow as pa
ids = pa.array([uuid.UUID(int=n << 64 | 7).bytes if n else None for n in (3, 0, 1, 2)], pa.binary(16))
texts = pa.array(['{"a": 1}', None, '[]', '"x"'])
u, j, big = pa.ExtensionArray.from_storage(pa.uuid(), ids), pa.ExtensionArray.from_storage(pa.json_(), texts), pa.ExtensionArray.from_storage(pa.json_(pa.large_string()), texts.cast(pa.large_string()))
l = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3, 4], pa.int32()), u)
s = pa.StructArray.from_arrays([u, j], ["u", "j"])
b = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None, 1], pa.int8()))
t = pa.table({"u": u, "j": j, "big": big, "l": l, "s": s, "b": b, "plain": ids})
with pa.ipc.new_file(sys.argv[1], t.schema) as w:
    w.write_table(t)
`
	const judged = `
import sys, duckdb, pyarrow as pa, pyarrow.parquet as pq
want, path = pa.ipc.open_file(sys.argv[1]).read_all(), sys.argv[2]
got, schema = pq.read_table(path), pq.ParquetFile(path).schema
pq.write_table(want, path + "2")
theirs = pq.read_table(path + "2")
assert got.equals(theirs) and got.schema.equals(theirs.schema, check_metadata=True), (got.schema, theirs.schema)
assert got.to_pylist() == want.to_pylist()
print(*[schema.column(i).logical_type for i in range(len(schema))])
print(*[t for _, t in duckdb.execute("select column_name, column_type from (describe from read_parquet(?))", [path]).fetchall()], sep="; ")
print(duckdb.execute("select min(u)::text, max(l[1])::text, count(*) filter (where u = '00000000-0000-0002-0000-000000000007'), any_value(j->>'a') from read_parquet(?)", [path]).fetchone())
`
	const want = `UUID JSON JSON UUID UUID JSON Int(bitWidth=8, isSigned=true) None
UUID; JSON; JSON; UUID[]; STRUCT(u UUID, j JSON); TINYINT; BLOB
('00000000-0000-0001-0000-000000000007', '00000000-0000-0003-0000-000000000007', 1, '1')
`
	in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "out.parquet")
	if text, err := exec.Command(python, "-c", made, in).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	f, err := readers.OpenFile(t.Context(), in, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ds := dataset.FromFile(in, f)
	defer ds.Close()
	st, err := local.NewFileStore(out, local.FileStoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := converter.Convert(t.Context(), ds, Format(), st, converter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lost := r.Losses(); len(lost) > 0 {
		t.Errorf("%v", lost)
	}
	if text, err := exec.Command(python, "-c", judged, in, out).CombinedOutput(); err != nil || string(text) != want {
		t.Errorf("%v:\n%s", err, text)
	}
	back, err := readers.OpenFile(t.Context(), out, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	if d := schemadiff.Schemas(f.Schema(), back.Schema()); d != "" || !schemadiff.SameMetadata(f.Schema(), back.Schema()) {
		t.Errorf("%s: %s", d, back.Schema())
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.Intn(len(of))] }

// randomType returns a type that can be written and that the judges know.
func randomType(r *rand.Rand, depth int) arrow.DataType {
	if depth > 0 && r.Intn(2) == 0 {
		item := arrow.Field{Name: "item", Type: randomType(r, depth-1), Nullable: r.Intn(4) > 0}
		switch r.Intn(7) {
		case 0, 1:
			return arrow.ListOfField(item)
		case 2:
			return arrow.LargeListOfField(item)
		case 3:
			return arrow.FixedSizeListOfField(int32(1+r.Intn(3)), item)
		case 4:
			return arrow.MapOf(pick[arrow.DataType](r, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32), item.Type)
		default:
			var fields []arrow.Field
			for i := range 1 + r.Intn(3) {
				fields = append(fields, arrow.Field{Name: string(rune('x' + i)), Type: randomType(r, depth-1), Nullable: r.Intn(4) > 0})
			}
			return arrow.StructOf(fields...)
		}
	}
	if r.Intn(8) == 0 {
		index := pick[arrow.DataType](r, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64)
		value := pick[arrow.DataType](r, arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64)
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	for {
		t := pick(r, conformance.FlatTypes()...)
		if r.Intn(6) == 0 {
			p := int32(1 + r.Intn(38))
			t = &arrow.Decimal128Type{Precision: p, Scale: int32(r.Intn(int(p) + 1))}
		}
		switch {
		case t.ID() == arrow.DATE64, t.String() == "time32[s]", t.String() == "timestamp[s, tz=UTC]": // random ones are refused
		case refuse(nil, "", arrow.Field{Type: t, Nullable: true}, 0) == nil:
			return t
		}
	}
}

func randomOptions(r *rand.Rand) arrowio.WriteOptions {
	return arrowio.WriteOptions{
		Compression:   pick(r, "none", "snappy", "gzip", "gzip:9", "brotli:1", "zstd", "zstd:9", "lz4", "lz4:3"),
		RowGroupBytes: pick[int64](r, 0, 0, 0, 1000, 20_000),
		Parallelism:   1 + r.Intn(3),
		Options: map[string]string{
			"parquet-page-bytes": pick(r, "", "1KiB", "4KiB"),
			"parquet-page-rows":  pick(r, "", "1", "7", "100"),
			"parquet-data-page":  pick(r, "v1", "v2"),
			"parquet-page-index": pick(r, "no", "yes"),
			"parquet-bloom":      pick(r, "none", "*", "*:0.2"),
			"parquet-dictionary": pick(r, "*", "*", "none"),
		},
	}
}

func writeSample(t *testing.T, base string, seed int64) {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	g := conformance.Generator{Rand: r, Mem: memory.NewGoAllocator(), Nulls: pick(r, 0, 0.1, 0.5, 0.9)}
	var fields []arrow.Field
	for i := range 1 + r.Intn(6) {
		f := arrow.Field{Name: fmt.Sprint("c", i), Type: randomType(r, 3), Nullable: r.Intn(4) > 0}
		if refuse(nil, "", f, 0) != nil { // a null that may not be null
			continue
		}
		fields = append(fields, f)
	}
	fields = append(fields, arrow.Field{Name: "last", Type: arrow.PrimitiveTypes.Int64})
	schema := arrow.NewSchema(fields, nil)
	var recs []arrow.Record
	for range 1 + r.Intn(4) {
		recs = append(recs, g.Record(schema, pick(r, 1, 3, 40, 300)))
	}
	o := randomOptions(r)
	for _, f := range []arrowio.OutputFormat{Format(), ipc.Format()} {
		wo := o
		if f.Name != Name {
			wo = arrowio.WriteOptions{}
		}
		objects, err := writeAs(f, recs, wo)
		if err != nil {
			t.Errorf("%s: %s of %s: %v", base, f.Name, schema, err)
			return
		}
		for name, b := range objects {
			if err := os.WriteFile(base+filepath.Ext(name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestChecksums damages a page: pyarrow must notice, and notice only that.
func TestChecksums(t *testing.T) {
	objects, err := write([]arrow.Record{countUp(1000, memory.NewGoAllocator())}, arrowio.WriteOptions{Compression: "none"})
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []bool{false, true} {
		b := objects["part-00000.parquet"]
		if damaged {
			b[500]++ // a value
		}
		name := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(os.Getenv("ARROWIO_PYTHON"), "-c", "import sys, pyarrow.parquet as pq; pq.read_table(sys.argv[1], page_checksum_verification=True)", name).CombinedOutput()
		if (err != nil) != damaged || damaged && !strings.Contains(string(out), "CRC") {
			t.Errorf("damaged %v: %v\n%s", damaged, err, out)
		}
	}
}
