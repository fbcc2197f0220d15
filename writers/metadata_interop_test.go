//go:build interop

package writers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

const readMetadata = `
import sys, fastavro, pyarrow.ipc, pyarrow.orc, pyarrow.parquet
base = sys.argv[1]
found = {
    "orc": pyarrow.orc.ORCFile(base + ".orc").metadata,
    "parquet": pyarrow.parquet.read_metadata(base + ".parquet").metadata,
    "arrow": pyarrow.ipc.open_file(base + ".arrow").schema.metadata,
    "arrows": pyarrow.ipc.open_stream(base + ".arrows").schema.metadata,
    "avro": {k.encode(): v.encode() for k, v in fastavro.reader(open(base + ".avro", "rb")).metadata.items()},
}
for name, metadata in found.items():
    assert metadata[b"owner"] == "Zoë=1".encode() and metadata[b"my.team"] == b"", (name, metadata)
`

// TestMetadataJudged: others find keys of users where they look for such.
func TestMetadataJudged(t *testing.T) {
	python, jar := os.Getenv("ARROWIO_PYTHON"), os.Getenv("ARROWIO_JUDGE_JAR")
	if python == "" || jar == "" {
		t.Fatal("ARROWIO_PYTHON or ARROWIO_JUDGE_JAR is not set: make interop does")
	}
	md := arrow.NewMetadata([]string{"owner", "my.team"}, []string{"Zoë=1", ""})
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, &md))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	base := filepath.Join(t.TempDir(), "out")
	for _, ext := range []string{".orc", ".parquet", ".arrow", ".arrows", ".avro", ".trv"} {
		write(t, base+ext, rec, arrowio.WriteOptions{})
	}
	if text, err := exec.Command(python, "-c", readMetadata, base).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	text, err := exec.Command("java", "-jar", jar, "dump", "--raw", base+".trv").CombinedOutput()
	if first, _, _ := strings.Cut(string(text), "\n"); err != nil || !strings.Contains(first, `"my.team":""`) || !strings.Contains(first, `"owner":"Zoë=1"`) {
		t.Errorf("Java's Trevni: %v: %s", err, text)
	}
}
