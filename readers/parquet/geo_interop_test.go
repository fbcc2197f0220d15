//go:build interop

package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/geoarrow"
)

// Geometries and geographies of files by pyarrow are what pyarrow itself reads, whether the file has an Arrow schema or not.
func TestGeoArrowOfPyarrow(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	const script = `
import json, sys, pyarrow as pa, pyarrow.parquet as pq
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
point = bytes.fromhex("0101000000000000000000f03f0000000000000040")
kinds = ['{"crs":"OGC:CRS84"}', '{"crs":"EPSG:3857","crs_type":"authority_code"}', '{"crs":"EPSG:3857","edges":"spherical"}',
         '{"crs":{"type":"EngineeringCRS"},"crs_type":"projjson"}', '{"crs":"srid:5070"}', '{"crs":"projjson:local"}']
table = pa.table([pa.ExtensionArray.from_storage(WKB(k), pa.array([point, None], pa.binary())) for k in kinds], names=[str(i) for i in range(len(kinds))])
table = table.replace_schema_metadata({"local": '{"type":"LocalCRS"}'})
pq.write_table(table, sys.argv[1], store_schema=sys.argv[2] == "True")
print(json.dumps([t.metadata for t in pq.read_schema(sys.argv[1]).types]))
`
	for _, stored := range []string{"False", "True"} {
		path := filepath.Join(t.TempDir(), "geo.parquet")
		out, err := exec.Command(python, "-c", script, path, stored).Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		src, err := local.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Format().Open(t.Context(), src, arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, field := range f.Schema().Fields() {
			name, _ := field.Metadata.GetValue("ARROW:extension:name")
			data, _ := field.Metadata.GetValue("ARROW:extension:metadata")
			got, ok := geoarrow.Parse(data)
			theirs, _ := geoarrow.Parse(want[i])
			if stored == "True" && i == 5 { // the Arrow schema names the key, and pyarrow does not ask it
				theirs = geoarrow.Type{CRS: "projjson:local"}
			}
			if name != geoarrow.Name || !ok || got != theirs {
				t.Errorf("column %d: %q %s, pyarrow reads %s", i, name, data, want[i])
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What pyarrow tells of geometries is right, and one number changed is found.
func TestVerifyGeoStatistics(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	const script = `
import struct, sys, pyarrow as pa, pyarrow.parquet as pq
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
nan = float("nan")
ring = lambda *xy: struct.pack("<I", len(xy) // 2) + struct.pack("<%dd" % len(xy), *xy)
shapes = [
    struct.pack("<BIdd", 1, 1, 1.123, 2), struct.pack("<BIdd", 1, 1, nan, nan), None, struct.pack(">BIddd", 0, 1001, -3, 5.456, 100.789),
    struct.pack("<BII", 1, 3, 2) + ring(0, 0, 4, 0, 4, 4, 0, 4, 0, 0) + ring(9.25, 1, 8, 1, 8, 2, 9.25, 1),
    struct.pack("<BIIdddd", 1, 2, 2, 1, 2, 3, 4), struct.pack("<BII", 1, 2, 0), struct.pack("<BIIdddddd", 1, 2002, 2, 1, 2, 7, 3, 4, 8),
    struct.pack("<BIIBIddd", 1, 1007, 1, 1, 1001, 5, -6.75, nan),
]
column = lambda more: pa.ExtensionArray.from_storage(WKB('{"crs":"OGC:CRS84"' + more + '}'), pa.array(shapes * 3, pa.binary()))
pq.write_table(pa.table([column(""), column(',"edges":"spherical"')], names=["plane", "sphere"]), sys.argv[1])
group = pq.ParquetFile(sys.argv[1]).metadata.row_group(0)
assert group.column(0).geo_statistics.xmax == 9.25, group.column(0).geo_statistics
`
	path := filepath.Join(t.TempDir(), "geo.parquet")
	if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(b []byte) (found []string) {
		f, err := Format().Open(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.(arrowio.Verifier).Verify(t.Context(), func(err error) { found = append(found, err.Error()) }); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := verify(file); len(found) > 0 {
		t.Fatalf("a sound file: %v", found)
	}
	for _, v := range []struct {
		is   float64
		what string
	}{{9.25, "maximum of x"}, {-6.75, "minimum of y"}, {5.456, "maximum of y"}, {100.789, "of z"}} {
		changed := bytes.Clone(file)
		number := binary.LittleEndian.AppendUint64(nil, math.Float64bits(v.is))
		at := bytes.LastIndex(changed[:bytes.LastIndex(changed, []byte("ARROW:schema"))], number) // in the footer
		if at < 0 {
			t.Fatalf("%v is not in the file", v.is)
		}
		binary.LittleEndian.PutUint64(changed[at:], math.Float64bits(v.is/2))
		if found := verify(changed); len(found) != 1 || !strings.Contains(found[0], v.what) || !strings.Contains(found[0], "column plane") {
			t.Errorf("%v: %q", v.is, found)
		}
	}
}
