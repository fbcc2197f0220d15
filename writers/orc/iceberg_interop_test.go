//go:build interop

package orc_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/orcwire"
	reader "github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// icebergFlats are the types that Iceberg has.
var icebergFlats = []arrow.DataType{
	arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.FixedWidthTypes.Date32, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary,
	&arrow.FixedSizeBinaryType{ByteWidth: 16}, &arrow.FixedSizeBinaryType{ByteWidth: 7},
	&arrow.TimestampType{Unit: arrow.Microsecond}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Zurich"}, &arrow.TimestampType{Unit: arrow.Second},
}

// TestIceberg has Iceberg's generic reader read what is written for it, under the schema that is written with it: the types
// must be those that it makes of the file's own, and the rows those of the Arrow data.
func TestIceberg(t *testing.T) {
	jar := os.Getenv("ARROWIO_ICEBERG_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_ICEBERG_JUDGE_JAR is not set: make interop does")
	}
	dir := t.TempDir()
	var list bytes.Buffer
	type written struct {
		file   string
		rows   []string
		fields []arrow.Field
	}
	var all []written
	for seed := range samples(t) {
		r := newRandomizer(int64(seed), memory.NewGoAllocator())
		r.Flat = func() arrow.DataType {
			if r.OneOf(5) {
				p := int32(1 + r.Intn(38))
				return &arrow.Decimal128Type{Precision: p, Scale: int32(r.Intn(int(p) + 1))}
			}
			return pick(r, icebergFlats...)
		}
		r.Key = r.Flat
		r.Union = func(depth int) arrow.DataType { return r.DataType(depth - 1) }
		names := 0
		r.Name = func() string { // of letters: Iceberg's index of names joins them with points
			names++
			return fmt.Sprintf("c%d", names)
		}
		ids := map[int]bool{}
		r.Field = func(f arrow.Field) arrow.Field {
			if !r.OneOf(3) {
				return f
			}
			md := map[string]string{}
			if id := 1 + r.Intn(1000); !ids[id] && r.OneOf(2) {
				ids[id] = true
				md[orcwire.MetaFieldID] = fmt.Sprint(id)
			}
			if b, ok := f.Type.(*arrow.FixedSizeBinaryType); ok && b.ByteWidth == 16 {
				md["ARROW:extension:name"] = "arrow.uuid"
			}
			f.Metadata = arrow.MetadataFrom(md)
			return f
		}
		s := r.sample(1000)
		s.name = fmt.Sprintf("iceberg-%03d", seed)
		if s.schema.NumFields() == 0 || s.schema.Field(0).Name == "_root" || s.far {
			s.release()
			continue
		}
		if s.options.Options == nil {
			s.options.Options = map[string]string{}
		}
		s.options.Options["orc-iceberg"] = "schema"
		s.options.MaxFileBytes = 0
		if strings.HasPrefix(s.options.Compression, "brotli") {
			s.options.Compression = "zstd"
		}
		if _, err := writer.Plan(s.schema, s.options); err != nil && strings.Contains(err.Error(), "(a struct without fields)") {
			s.release()
			continue
		}
		for _, w := range writeSample(t, s) {
			file := filepath.Join(dir, s.name+".orc")
			in := open(t, s.name, w.bytes, reader.Options{})
			schema := in.(*reader.File).UserMetadata("iceberg.schema")
			in.Close()
			for name, b := range map[string][]byte{file: w.bytes, file + ".json": schema} {
				if err := os.WriteFile(name, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprintf(&list, "%s\t%s\t%s\n", file, file+".json", file+".rows")
			all = append(all, written{file, w.rows, s.schema.Fields()})
		}
		s.release()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "java", "-Xmx1g", "-jar", jar, "read")
	cmd.Stdin, cmd.Stderr = &list, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if !strings.HasPrefix(line, "read\t") {
			t.Error(line)
		}
	}
	if len(all) < samples(t)/2 {
		t.Errorf("%d files", len(all))
	}
	for _, w := range all {
		b, err := os.ReadFile(w.file + ".rows")
		if err != nil {
			continue // it was told
		}
		got := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		if len(b) == 0 {
			got = nil
		}
		if len(got) != len(w.rows) {
			t.Errorf("%s: %d rows, not %d", w.file, len(got), len(w.rows))
			continue
		}
		for i := range got {
			x, y := orctext.Ordered(unsigned(got[i]), w.fields), orctext.Ordered(unsigned(w.rows[i]), w.fields)
			if x != y {
				t.Errorf("%s: row %d is\n%s, not\n%s", w.file, i, x, y)
				break
			}
		}
	}
}

// unsigned is a row without the signs of zeros: where a batch has no other floats, orc-core gives all the sign of the first.
func unsigned(line string) string {
	return strings.NewReplacer(`"f80000000"`, `"f00000000"`, `"d8000000000000000"`, `"d0000000000000000"`).Replace(line)
}
