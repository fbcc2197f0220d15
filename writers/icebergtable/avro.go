package icebergtable

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// The Avro schemas of manifests and manifest lists (Iceberg table specification, "Manifests", "Manifest Lists").

// avroField is a field of a record; typ is the JSON of its type.
func avroField(name string, id int, typ string) string {
	def := ""
	if strings.HasPrefix(typ, `["null"`) {
		def = `,"default":null`
	}
	return fmt.Sprintf(`{"name":%s,"type":%s%s,"field-id":%d}`, strconv.Quote(name), typ, def, id)
}

func optional(typ string) string { return `["null",` + typ + `]` }

// avroMap is a map from the ids of columns.
func avroMap(key, value int, typ string) string {
	return optional(fmt.Sprintf(`{"type":"array","logicalType":"map","items":{"type":"record","name":"k%d_v%d","fields":[`, key, value) +
		avroField("key", key, `"int"`) + "," + avroField("value", value, typ) + `]}}`)
}

func avroList(element int, typ string) string {
	return optional(fmt.Sprintf(`{"type":"array","items":%s,"element-id":%d}`, typ, element))
}

// avroType is that of a single value of a type (Iceberg table specification, "Appendix A: Format-specific Requirements, Avro"). id makes names of
// types unique.
func avroType(t *iceberg.Type, id int32) string {
	logical := func(of, name, more string) string {
		return fmt.Sprintf(`{"type":"%s","logicalType":"%s"%s}`, of, name, more)
	}
	switch t.Kind {
	case iceberg.Decimal:
		return fmt.Sprintf(`{"type":"fixed","name":"decimal_%d_%d_%d","size":%d,"logicalType":"decimal","precision":%d,"scale":%d}`,
			t.Precision, t.Scale, id, decimalBytes(t.Precision), t.Precision, t.Scale)
	case iceberg.Date:
		return logical("int", "date", "")
	case iceberg.Time:
		return logical("long", "time-micros", "")
	case iceberg.Timestamp:
		return logical("long", "timestamp-micros", `,"adjust-to-utc":false`)
	case iceberg.TimestampTZ:
		return logical("long", "timestamp-micros", `,"adjust-to-utc":true`)
	case iceberg.TimestampNS:
		return logical("long", "timestamp-nanos", `,"adjust-to-utc":false`)
	case iceberg.TimestampTZNS:
		return logical("long", "timestamp-nanos", `,"adjust-to-utc":true`)
	case iceberg.UUID:
		return fmt.Sprintf(`{"type":"fixed","name":"uuid_fixed_%d","size":16,"logicalType":"uuid"}`, id)
	case iceberg.Fixed:
		return fmt.Sprintf(`{"type":"fixed","name":"fixed_%d_%d","size":%d}`, t.Length, id, t.Length)
	case iceberg.Binary:
		return `"bytes"`
	}
	return strconv.Quote(t.Kind.String())
}

// avroName replaces what names in Avro cannot have, as Iceberg's library does.
func avroName(name string) string {
	var b strings.Builder
	for i, c := range name {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_', i > 0 && c >= '0' && c <= '9':
			b.WriteRune(c)
		case c >= '0' && c <= '9':
			b.WriteByte('_')
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "_x%X", c)
		}
	}
	return b.String()
}

// manifestSchema is that of manifests of files of a partition spec.
func manifestSchema(version int, parts []partField) string {
	var partition []string
	for _, p := range parts {
		partition = append(partition, avroField(p.avroName, int(p.ID), optional(avroType(&p.typ, p.ID))))
	}
	str, long := `"string"`, `"long"`
	file := []string{
		avroField("file_path", 100, str), avroField("file_format", 101, str),
		avroField("partition", 102, `{"type":"record","name":"r102","fields":[`+strings.Join(partition, ",")+`]}`),
		avroField("record_count", 103, long), avroField("file_size_in_bytes", 104, long),
	}
	if version == 1 {
		file = append(file, avroField("block_size_in_bytes", 105, long))
	} else {
		file = append([]string{avroField("content", 134, `"int"`)}, file...)
	}
	file = append(
		file,
		avroField("column_sizes", 108, avroMap(117, 118, long)), avroField("value_counts", 109, avroMap(119, 120, long)),
		avroField("null_value_counts", 110, avroMap(121, 122, long)), avroField("nan_value_counts", 137, avroMap(138, 139, long)),
		avroField("lower_bounds", 125, avroMap(126, 127, `"bytes"`)), avroField("upper_bounds", 128, avroMap(129, 130, `"bytes"`)),
		avroField("key_metadata", 131, optional(`"bytes"`)), avroField("split_offsets", 132, avroList(133, long)),
	)
	if version > 1 {
		file = append(file, avroField("equality_ids", 135, avroList(136, `"int"`)))
	}
	file = append(file, avroField("sort_order_id", 140, optional(`"int"`)))
	if version > 2 {
		file = append(file, avroField("first_row_id", 142, optional(long)))
	}
	if version > 1 {
		file = append(file, avroField("referenced_data_file", 143, optional(str)))
	}
	if version > 2 {
		file = append(file, avroField("content_offset", 144, optional(long)), avroField("content_size_in_bytes", 145, optional(long)))
	}
	entry := []string{avroField("status", 0, `"int"`)}
	if version == 1 {
		entry = append(entry, avroField("snapshot_id", 1, long))
	} else {
		entry = append(entry, avroField("snapshot_id", 1, optional(long)), avroField("sequence_number", 3, optional(long)), avroField("file_sequence_number", 4, optional(long)))
	}
	entry = append(entry, avroField("data_file", 2, `{"type":"record","name":"r2","fields":[`+strings.Join(file, ",")+`]}`))
	return `{"type":"record","name":"manifest_entry","fields":[` + strings.Join(entry, ",") + `]}`
}

// listSchema is that of manifest lists.
func listSchema(version int) string {
	long, number, flag, raw := `"long"`, `"int"`, `"boolean"`, optional(`"bytes"`)
	count := func(typ string) string {
		if version == 1 {
			return optional(typ)
		}
		return typ
	}
	fields := []string{avroField("manifest_path", 500, `"string"`), avroField("manifest_length", 501, long), avroField("partition_spec_id", 502, number)}
	added := count(long)
	if version > 1 {
		fields = append(fields, avroField("content", 517, number), avroField("sequence_number", 515, long), avroField("min_sequence_number", 516, long))
	}
	fields = append(
		fields,
		avroField("added_snapshot_id", 503, added),
		avroField("added_files_count", 504, count(number)), avroField("existing_files_count", 505, count(number)), avroField("deleted_files_count", 506, count(number)),
		avroField("added_rows_count", 512, count(long)), avroField("existing_rows_count", 513, count(long)), avroField("deleted_rows_count", 514, count(long)),
		avroField("partitions", 507, optional(`{"type":"array","element-id":508,"items":{"type":"record","name":"r508","fields":[`+strings.Join([]string{
			avroField("contains_null", 509, flag), avroField("contains_nan", 518, optional(flag)),
			avroField("lower_bound", 510, raw), avroField("upper_bound", 511, raw),
		}, ",")+`]}}`)),
		avroField("key_metadata", 519, raw),
	)
	if version > 2 {
		fields = append(fields, avroField("first_row_id", 520, optional(long)))
	}
	return `{"type":"record","name":"manifest_file","fields":[` + strings.Join(fields, ",") + `]}`
}

// plainValues makes values of logical types the numbers and bytes that are stored.
var plainValues = func() (out []avro.SchemaOpt) {
	for logical, types := range map[string][]string{
		"date": {"int"}, "time-micros": {"long"}, "timestamp-micros": {"long"}, "timestamp-nanos": {"long"}, "decimal": {"fixed", "bytes"}, "uuid": {"fixed", "string"},
	} {
		for _, t := range types {
			out = append(out, avro.CustomType{LogicalType: logical, AvroType: t})
		}
	}
	return out
}()

// writeAvro returns a file of entries.
func writeAvro[T any](schema string, metadata map[string]string, entries []T) ([]byte, error) {
	s, err := avro.Parse(schema, plainValues...)
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "the Avro schema %s: %w", schema, err)
	}
	md := map[string][]byte{}
	for k, v := range metadata {
		md[k] = []byte(v)
	}
	var out bytes.Buffer
	w, err := ocf.NewWriter(&out, s, ocf.WithCodec(ocf.DeflateCodec(-1)), ocf.WithMetadata(md), ocf.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if err := w.Encode(&entries[i]); err != nil {
			return nil, errs.Errorf(errs.ErrInternal, "an entry of a manifest: %w", err)
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// readAvro calls do with the entries of a file; entries have fields of T, which are read, and others, which are not.
func readAvro[T any](b []byte, most int64, known map[string][]string, do func(*T) error) (*avro.SchemaNode, error) {
	only := func(r *ocf.Reader) (*avro.Schema, error) {
		root := *r.Schema().Root()
		if err := keep(&root, known, ""); err != nil {
			return nil, err
		}
		return root.Schema(plainValues...)
	}
	r, err := ocf.NewReader(bytes.NewReader(b), ocf.WithReaderSchemaFunc(only), ocf.WithMaxBlockBytes(most), ocf.WithMaxDecompressedBlockBytes(most))
	if err != nil {
		return nil, corrupt("%w", icebergmeta.AvroError(err))
	}
	defer func() { _ = r.Close() }() // it frees memory alone
	for {
		var v T
		err := r.Decode(&v)
		if err == io.EOF { //nolint:errorlint // an end inside of a value is wrapped, and an error
			return r.Schema().Root(), nil
		}
		if err != nil {
			return nil, corrupt("%w", icebergmeta.AvroError(err))
		}
		if err := do(&v); err != nil {
			return nil, err
		}
	}
}

// keep leaves the fields of a record that are known; nested records have their names in front.
func keep(record *avro.SchemaNode, known map[string][]string, at string) error {
	if record.Type != "record" {
		return corrupt("it has entries of the Avro type %.40q, not records", record.Type)
	}
	all := record.Fields
	record.Fields = nil
	for _, f := range all {
		if !slices.Contains(known[at], f.Name) {
			continue
		}
		if _, ok := known[f.Name]; ok {
			if err := keep(&f.Type, known, f.Name); err != nil {
				return err
			}
		}
		record.Fields = append(record.Fields, f)
	}
	return nil
}

func corrupt(format string, args ...any) error { return errs.Errorf(errs.ErrCorrupt, format, args...) }
