package writers_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/writers"
)

// reservedKeys are keys of metadata for which some format, or a program that reads it, has a use of its own.
var reservedKeys = []string{
	"ARROW:schema", "ARROW:extension:name", "ARROW:extension:metadata", "PARQUET:field_id", "geo", "pandas", "parquet.avro.schema", "org.apache.spark.version",
	"avro.schema", "avro.codec", "avro.sync", "avro.avro.schema", "avro.avro.codec", "avro.avro.x", "avro.arrowio.keys",
	"trevni.codec", "trevni.checksum", "trevni.trevni.codec", "trevni.trevni.x", "trevni.avro.schema", "trevni.arrowio.keys", "trevni.name", "trevni.type",
	"orc.x", "orc.type", "orc.iceberg.id", "orc.arrowio.keys", "hive.acid.key.index", "iceberg.schema", "writer.time.zone",
	"cfile.min_key", "cfile.max_key", "cfile.key", "cfile.type", "kudu.table", "kudu.key", "kudu.comment", "kudu.type",
	"arrowio.keys", "arrowio.field.x", "arrowio.field-hex.x", "arrow.metadata",
}

// A key that a format has a use for comes back, or the plan says that it does not: of a schema, and of a field.
func TestReservedKeys(t *testing.T) {
	for _, f := range writers.All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for i, key := range reservedKeys {
				value := []string{"x", "true", "7"}[i%3]
				md := arrow.NewMetadata([]string{key}, []string{value})
				i64 := arrow.PrimitiveTypes.Int64
				for where, s := range map[string]*arrow.Schema{
					"the schema": arrow.NewSchema([]arrow.Field{{Name: "key", Type: i64}, {Name: "x", Type: i64, Nullable: true}}, &md),
					"a field":    arrow.NewSchema([]arrow.Field{{Name: "key", Type: i64}, {Name: "x", Type: i64, Nullable: true, Metadata: md}}, nil),
				} {
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					b := array.NewRecordBuilder(mem, s)
					b.Field(0).(*array.Int64Builder).Append(1)
					b.Field(1).(*array.Int64Builder).Append(2)
					rec := b.NewRecord()
					b.Release()
					c := lossCheck{t: t, mem: mem, format: f, name: key + "=" + value + " of " + where, o: lossOptions(f.Name)}
					c.run(s, []arrow.Record{rec})
					rec.Release()
				}
			}
		})
	}
}
