//go:build interop

package parquet

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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
print(json.dumps([t.metadata for t in pq.read_table(sys.argv[1]).schema.types]))
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
