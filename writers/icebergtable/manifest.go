package icebergtable

import (
	"encoding/json"
	"strconv"

	"github.com/twmb/avro"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// partField is a field of a partition spec with the type of its values.
type partField struct {
	iceberg.PartitionField
	path     []int        // of the column; nil = there is none any more, and the transform is void
	source   iceberg.Type // of the column
	typ      iceberg.Type
	avroName string
}

// partFields returns the fields of a spec for a schema.
func partFields(spec iceberg.Spec, fields []iceberg.Field) ([]partField, error) {
	out := make([]partField, len(spec.Fields))
	seen := map[string]bool{}
	for i, f := range spec.Fields {
		p := partField{PartitionField: f, avroName: avroName(f.Name)}
		if seen[p.avroName] {
			return nil, errs.Errorf(errs.ErrUnsupported, "two partition fields are called %s in Avro", p.avroName)
		}
		seen[p.avroName] = true
		p.path = iceberg.Find(fields, f.Source)
		if p.path == nil {
			if f.Transform.Kind != iceberg.Void {
				return nil, errs.Errorf(errs.ErrUnsupported, "partition field %.100q is made of column %d, which the schema does not have", f.Name, f.Source)
			}
			p.typ = iceberg.Type{Kind: iceberg.String} // null has any type
		} else {
			at := fields
			for _, k := range p.path {
				p.source, at = at[k].Type, at[k].Type.Fields
			}
			var ok bool
			if p.typ, ok = partitionType(f.Transform, &p.source); !ok {
				return nil, errs.Errorf(errs.ErrUnsupported, "partition field %.100q: the transform %s of %s is not written", f.Name, f.Transform, p.source)
			}
			if p.typ.Kind == iceberg.Fixed { // it writes them, and reads them, in another form than Avro has for them
				return nil, errs.Errorf(errs.ErrUnsupported, "partition field %.100q has values of %s, which Iceberg's own library cannot read: such tables are not written", f.Name, p.typ)
			}
			if p.typ.Kind == iceberg.Unknown {
				p.typ = iceberg.Type{Kind: iceberg.String}
			}
		}
		out[i] = p
	}
	return out, nil
}

// pair is an entry of a map from the ids of columns.
type pair[T any] struct {
	Key   int32 `avro:"key"`
	Value T     `avro:"value"`
}

// dataFile is a file in a manifest. Fields that are nil are null.
type dataFile struct {
	Content     int32           `avro:"content"`
	Path        string          `avro:"file_path"`
	Format      string          `avro:"file_format"`
	Partition   map[string]any  `avro:"partition"`
	Rows        int64           `avro:"record_count"`
	Bytes       int64           `avro:"file_size_in_bytes"`
	BlockBytes  int64           `avro:"block_size_in_bytes"`
	ColumnSizes *[]pair[int64]  `avro:"column_sizes"`
	Values      *[]pair[int64]  `avro:"value_counts"`
	Nulls       *[]pair[int64]  `avro:"null_value_counts"`
	NaNs        *[]pair[int64]  `avro:"nan_value_counts"`
	Lower       *[]pair[[]byte] `avro:"lower_bounds"`
	Upper       *[]pair[[]byte] `avro:"upper_bounds"`
	Key         *[]byte         `avro:"key_metadata"`
	Offsets     *[]int64        `avro:"split_offsets"`
	Equality    *[]int32        `avro:"equality_ids"`
	Order       *int32          `avro:"sort_order_id"`
	FirstRow    *int64          `avro:"first_row_id"`
	About       *string         `avro:"referenced_data_file"`
	Offset      *int64          `avro:"content_offset"`
	Size        *int64          `avro:"content_size_in_bytes"`
}

// held is about how many bytes of memory it takes.
func (f *dataFile) held() int64 {
	const each, eachColumn = 512, 32
	n := int64(each + len(f.Path))
	for _, p := range []*[]pair[int64]{f.ColumnSizes, f.Values, f.Nulls, f.NaNs} {
		if p != nil {
			n += eachColumn * int64(len(*p))
		}
	}
	for _, p := range []*[]pair[[]byte]{f.Lower, f.Upper} {
		if p == nil {
			continue
		}
		for _, x := range *p {
			n += 2*eachColumn + int64(len(x.Value))
		}
	}
	return n
}

// manifestEntry is an entry of a manifest.
type manifestEntry struct {
	Status       int32    `avro:"status"`
	SnapshotID   *int64   `avro:"snapshot_id"`
	Sequence     *int64   `avro:"sequence_number"`
	FileSequence *int64   `avro:"file_sequence_number"`
	File         dataFile `avro:"data_file"`
}

// entryFields are the fields of both that are read.
var entryFields = map[string][]string{
	"": {"status", "snapshot_id", "sequence_number", "file_sequence_number", "data_file"},
	"data_file": {
		"content", "file_path", "file_format", "partition", "record_count", "file_size_in_bytes", "block_size_in_bytes", "column_sizes", "value_counts",
		"null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds", "key_metadata", "split_offsets", "equality_ids", "sort_order_id",
		"first_row_id", "referenced_data_file", "content_offset", "content_size_in_bytes",
	},
}

// Contents of files.
const (
	contentPositions int32 = 1
	contentEquality  int32 = 2
)

// formatPuffin is the format of files with deletion vectors.
const formatPuffin = "PUFFIN"

// Statuses of entries.
const (
	statusExisting int32 = 0
	statusAdded    int32 = 1
	statusDeleted  int32 = 2
)

// summary is what a manifest list says of the values of a partition field.
type summary struct {
	HasNull bool    `avro:"contains_null"`
	HasNaN  *bool   `avro:"contains_nan"`
	Lower   *[]byte `avro:"lower_bound"`
	Upper   *[]byte `avro:"upper_bound"`
}

// manifestFile is an entry of a manifest list.
type manifestFile struct {
	Path         string     `avro:"manifest_path"`
	Length       int64      `avro:"manifest_length"`
	SpecID       int32      `avro:"partition_spec_id"`
	Content      int32      `avro:"content"`
	Sequence     int64      `avro:"sequence_number"`
	MinSequence  int64      `avro:"min_sequence_number"`
	SnapshotID   *int64     `avro:"added_snapshot_id"`
	Added        *int32     `avro:"added_files_count"`
	Existing     *int32     `avro:"existing_files_count"`
	Deleted      *int32     `avro:"deleted_files_count"`
	OldAdded     *int32     `avro:"added_data_files_count"`
	OldExisting  *int32     `avro:"existing_data_files_count"`
	OldDeleted   *int32     `avro:"deleted_data_files_count"`
	AddedRows    *int64     `avro:"added_rows_count"`
	ExistingRows *int64     `avro:"existing_rows_count"`
	DeletedRows  *int64     `avro:"deleted_rows_count"`
	Partitions   *[]summary `avro:"partitions"`
	Key          *[]byte    `avro:"key_metadata"`
	FirstRow     *int64     `avro:"first_row_id"`
}

// listFields are its fields that are read.
var listFields = map[string][]string{"": {
	"manifest_path", "manifest_length", "partition_spec_id", "content", "sequence_number", "min_sequence_number", "added_snapshot_id",
	"added_files_count", "existing_files_count", "deleted_files_count", "added_data_files_count", "existing_data_files_count", "deleted_data_files_count",
	"added_rows_count", "existing_rows_count", "deleted_rows_count", "partitions", "key_metadata", "first_row_id",
}}

// renamed takes over the numbers that old writers have under other names.
func (m *manifestFile) renamed() {
	for _, c := range []struct{ to, from **int32 }{{&m.Added, &m.OldAdded}, {&m.Existing, &m.OldExisting}, {&m.Deleted, &m.OldDeleted}} {
		if *c.to == nil {
			*c.to = *c.from
		}
	}
}

// partitionNames returns the names of partition fields in a manifest, by their ids.
func partitionNames(root *avro.SchemaNode) map[int32]string {
	out := map[int32]string{}
	for _, f := range root.Fields {
		if f.Name != "data_file" {
			continue
		}
		for _, p := range f.Type.Fields {
			if p.Name != "partition" {
				continue
			}
			for _, v := range p.Type.Fields {
				switch id := v.Props["field-id"].(type) {
				case int64:
					out[int32(id)] = v.Name
				case string:
					if n, err := strconv.ParseInt(id, 10, 32); err == nil {
						out[int32(n)] = v.Name
					}
				}
			}
		}
	}
	return out
}

// complete reports whether a manifest list of version 2 can have the entry.
func (m *manifestFile) complete() bool {
	return m.SnapshotID != nil && m.Added != nil && m.Existing != nil && m.Deleted != nil && m.AddedRows != nil && m.ExistingRows != nil && m.DeletedRows != nil
}

// manifestOf returns a manifest of entries, and its entry in the manifest list without path, length and sequence numbers.
func (b *base) manifestOf(specID int, deletes bool, entries []manifestEntry) ([]byte, manifestFile, error) {
	spec, ok := b.meta.Specs[specID]
	if !ok {
		return nil, manifestFile{}, corrupt("the metadata have no partition spec %d", specID)
	}
	parts, err := partFields(spec, b.allFields())
	if err != nil {
		return nil, manifestFile{}, err
	}
	content := map[bool]string{false: "data", true: "deletes"}[deletes]
	md := map[string]string{
		"schema": string(b.schema()), "schema-id": strconv.Itoa(b.meta.SchemaID), "partition-spec-id": strconv.Itoa(specID),
		"format-version": strconv.Itoa(b.meta.Version), "content": content,
	}
	fields, err := json.Marshal(specFields(spec))
	if err != nil {
		return nil, manifestFile{}, err
	}
	md["partition-spec"] = string(fields)
	text, err := writeAvro(manifestSchema(b.meta.Version, parts), md, entries)
	if err != nil {
		return nil, manifestFile{}, err
	}
	return text, listed(specID, deletes, entries, parts), nil
}

// listed returns what a manifest list says of entries.
func listed(specID int, deletes bool, entries []manifestEntry, parts []partField) manifestFile {
	m := manifestFile{SpecID: int32(specID)}
	if deletes {
		m.Content = 1
	}
	var files [3]int32
	var rows [3]int64
	for i := range entries {
		files[entries[i].Status]++
		rows[entries[i].Status] += entries[i].File.Rows
	}
	m.Existing, m.Added, m.Deleted = &files[0], &files[1], &files[2]
	m.ExistingRows, m.AddedRows, m.DeletedRows = &rows[0], &rows[1], &rows[2]
	all := []summary{}
	for k := range parts {
		all = append(all, summaryOf(entries, &parts[k]))
	}
	m.Partitions = &all
	return m
}

// specDocument is the JSON of a field of a partition spec.
type specDocument struct {
	Name      string `json:"name"`
	Transform string `json:"transform"`
	Source    int32  `json:"source-id"`
	ID        int32  `json:"field-id"`
}

func specFields(s iceberg.Spec) []specDocument {
	out := []specDocument{}
	for _, f := range s.Fields {
		out = append(out, specDocument{f.Name, f.Transform.String(), f.Source, f.ID})
	}
	return out
}
