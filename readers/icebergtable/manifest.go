package icebergtable

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/icebergfile"
	"github.com/arrowio/arrowio/internal/icebergmeta"
)

// manifest is an entry of a manifest list (Iceberg table specification, "Manifest Lists").
type manifest struct {
	Path       string
	SpecID     int
	Deletes    bool // it lists delete files
	Sequence   int64
	SnapshotID int64
	Partitions []summary // of the partitions of its files, by field of the spec; nil = not said
	Encrypted  bool
	FirstRow   int64 // id of the first row of its files; icebergfile.NoRowID = none
	Said       said
}

// summary is what a manifest list says of the values of a partition field.
type summary struct {
	HasNull      bool
	HasNaN       bool // also where it is not said
	Lower, Upper []byte
}

// content says what a file of a table holds.
type content int32

// The contents of files.
const (
	dataFile        content = 0
	positionDeletes content = 1
	equalityDeletes content = 2
)

// entry is a file that is listed in a manifest ("Manifests"). It is not one that was deleted.
type entry struct {
	Content    content
	Path       string
	Format     string // in lower case: "orc"
	SpecID     int
	Partition  map[int32][]byte // by partition field: single values as bytes; nil = null
	Rows       int64
	Bytes      int64
	Sequence   int64   // the data sequence number
	Equality   []int32 // ids of the columns of equality deletes
	About      string  // the only data file that a file of position deletes is about; "" = not said
	Offset     int64   // of a deletion vector in its file, and its size
	Size       int64
	Encrypted  bool
	FirstRow   int64                 // id of the first row; icebergfile.NoRowID = none
	Statistics map[int32]columnStats // by column
}

// vector reports whether the file is a deletion vector, which is a part of a Puffin file.
func (e *entry) vector() bool { return e.Format == formatPuffin }

// formatPuffin is the format of files with deletion vectors.
const formatPuffin = "puffin"

// columnStats is what a manifest says of a column of a file. Counts are -1 where they are not said.
type columnStats struct {
	Values, Nulls, NaNs int64
	Lower, Upper        []byte // single values as bytes, perhaps cut off; nil = not said
}

// rawList is an entry of a manifest list in Avro.
type rawList struct {
	Path       string  `avro:"manifest_path"`
	SpecID     int32   `avro:"partition_spec_id"`
	Content    *int32  `avro:"content"`
	Sequence   *int64  `avro:"sequence_number"`
	SnapshotID *int64  `avro:"added_snapshot_id"`
	Key        *[]byte `avro:"key_metadata"`
	FirstRow   *int64  `avro:"first_row_id"`
	rawSaid
	Partitions *[]struct {
		HasNull bool    `avro:"contains_null"`
		HasNaN  *bool   `avro:"contains_nan"`
		Lower   *[]byte `avro:"lower_bound"`
		Upper   *[]byte `avro:"upper_bound"`
	} `avro:"partitions"`
}

// rawEntry is an entry of a manifest in Avro.
type rawEntry struct {
	Status   int32  `avro:"status"`
	Sequence *int64 `avro:"sequence_number"`
	File     struct {
		Content   *int32          `avro:"content"`
		Path      string          `avro:"file_path"`
		Format    string          `avro:"file_format"`
		Partition map[string]any  `avro:"partition"`
		Rows      int64           `avro:"record_count"`
		Bytes     int64           `avro:"file_size_in_bytes"`
		Values    *[]pair[int64]  `avro:"value_counts"`
		Nulls     *[]pair[int64]  `avro:"null_value_counts"`
		NaNs      *[]pair[int64]  `avro:"nan_value_counts"`
		Lower     *[]pair[[]byte] `avro:"lower_bounds"`
		Upper     *[]pair[[]byte] `avro:"upper_bounds"`
		Key       *[]byte         `avro:"key_metadata"`
		Equality  *[]int32        `avro:"equality_ids"`
		About     *string         `avro:"referenced_data_file"`
		Offset    *int64          `avro:"content_offset"`
		Size      *int64          `avro:"content_size_in_bytes"`
		FirstRow  *int64          `avro:"first_row_id"`
	} `avro:"data_file"`
}

// pair is an entry of a map from the ids of columns.
type pair[T any] struct {
	Key   int32 `avro:"key"`
	Value T     `avro:"value"`
}

// plainValues makes the reader return values of logical types as the numbers and bytes that are stored.
var plainValues = func() (out []avro.SchemaOpt) {
	for logical, types := range map[string][]string{
		"date": {"int"}, "time-millis": {"int"}, "time-micros": {"long"},
		"timestamp-millis": {"long"}, "timestamp-micros": {"long"}, "timestamp-nanos": {"long"},
		"local-timestamp-millis": {"long"}, "local-timestamp-micros": {"long"}, "local-timestamp-nanos": {"long"},
		"decimal": {"bytes", "fixed"}, "uuid": {"string", "fixed"},
	} {
		for _, t := range types {
			out = append(out, avro.CustomType{LogicalType: logical, AvroType: t})
		}
	}
	return out
}()

// wanted are the fields of a record that are read; true = the file must have it.
type wanted map[string]bool

var (
	listFields = wanted{
		"manifest_path": true, "partition_spec_id": true, "content": false, "sequence_number": false, "added_snapshot_id": false, "key_metadata": false,
		"first_row_id": false, "partitions": false, "manifest_length": false, "min_sequence_number": false,
		"added_files_count": false, "existing_files_count": false, "deleted_files_count": false,
		"added_data_files_count": false, "existing_data_files_count": false, "deleted_data_files_count": false,
		"added_rows_count": false, "existing_rows_count": false, "deleted_rows_count": false,
	}
	entryFields = wanted{"status": true, "sequence_number": false, fieldDataFile: true}
	fileFields  = wanted{
		"content": false, "file_path": true, "file_format": true, fieldPartition: false, "record_count": true, "file_size_in_bytes": true,
		"value_counts": false, "null_value_counts": false, "nan_value_counts": false, "lower_bounds": false, "upper_bounds": false,
		"key_metadata": false, "equality_ids": false, "referenced_data_file": false, "first_row_id": false, "content_offset": false, "content_size_in_bytes": false,
	}
)

const (
	fieldDataFile  = "data_file"
	fieldPartition = "partition"
)

// of returns a record with only the wanted fields.
func (w wanted) of(record avro.SchemaNode) (avro.SchemaNode, error) {
	if record.Type != "record" {
		return record, corrupt("it has entries of the Avro type %.40q, not records", record.Type)
	}
	all := record.Fields
	record.Fields = nil
	for _, f := range all {
		if _, ok := w[f.Name]; !ok {
			continue
		}
		if f.Name == fieldDataFile {
			var err error
			if f.Type, err = fileFields.of(f.Type); err != nil {
				return record, err
			}
		}
		record.Fields = append(record.Fields, f)
	}
	for name, must := range w {
		if must && !slices.ContainsFunc(record.Fields, func(f avro.SchemaField) bool { return f.Name == name }) {
			return record, corrupt("its entries have no field %s", name)
		}
	}
	return record, nil
}

// openAvro opens a file of entries, of which only some fields are read. The memory of its header and of a block is bounded.
func openAvro(in io.Reader, blockBytes int64, w wanted) (*ocf.Reader, error) {
	only := func(r *ocf.Reader) (*avro.Schema, error) {
		root, err := w.of(*r.Schema().Root())
		if err != nil {
			return nil, err
		}
		return root.Schema(plainValues...)
	}
	r, err := ocf.NewReader(in, ocf.WithReaderSchemaFunc(only), ocf.WithMaxBlockBytes(blockBytes), ocf.WithMaxDecompressedBlockBytes(blockBytes))
	if err != nil {
		return nil, avroError(err)
	}
	return r, nil
}

func corrupt(format string, args ...any) error { return errs.Errorf(errs.ErrCorrupt, format, args...) }

// avroError returns an error of reading Avro as one of a damaged file, unless it comes from the source.
func avroError(err error) error {
	var e *errs.Error
	if errors.As(err, &e) {
		return err
	}
	return corrupt("%w", icebergmeta.AvroError(err))
}

// readList calls do with the entries of a manifest list.
func readList(in io.Reader, blockBytes int64, do func(manifest) error) error {
	r, err := openAvro(in, blockBytes, listFields)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // it frees memory alone
	for {
		var raw rawList
		if err := r.Decode(&raw); err != nil {
			return end(err)
		}
		m := manifest{Path: raw.Path, SpecID: int(raw.SpecID), Sequence: value(raw.Sequence), SnapshotID: value(raw.SnapshotID), Encrypted: raw.Key != nil && len(*raw.Key) > 0, FirstRow: rowID(raw.FirstRow), Said: raw.said()}
		switch value(raw.Content) {
		case 0:
		case 1:
			m.Deletes = true
		default:
			return corrupt("manifest %s has content %d, which is not known", raw.Path, *raw.Content)
		}
		if raw.Partitions != nil {
			for _, p := range *raw.Partitions {
				m.Partitions = append(m.Partitions, summary{HasNull: p.HasNull, HasNaN: p.HasNaN == nil || *p.HasNaN, Lower: value(p.Lower), Upper: value(p.Upper)})
			}
		}
		if err := do(m); err != nil {
			return err
		}
	}
}

// rowID returns the id of a row; a negative one is none.
func rowID(p *int64) int64 {
	if p == nil || *p < 0 {
		return icebergfile.NoRowID
	}
	return *p
}

func end(err error) error {
	if err == io.EOF { //nolint:errorlint // an end inside of a value is wrapped, and an error
		return nil
	}
	return avroError(err)
}

// value returns what p points to, or a zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		return *p
	}
	return v
}

// readManifest calls do with the files that manifest m lists and that belong to the table. Sequence numbers that a file does not
// have are those of the manifest ("Sequence Number Inheritance"). It returns what the manifest lists all in all.
func readManifest(in io.Reader, m manifest, blockBytes int64, do func(*entry) error) (n tally, err error) {
	r, err := openAvro(in, blockBytes, entryFields)
	if err != nil {
		return n, err
	}
	defer func() { _ = r.Close() }() // it frees memory alone
	md := r.Metadata()
	if text := string(md["format-version"]); text != "" && text != "1" && text != "2" && text != "3" {
		return n, errs.Errorf(errs.ErrUnsupported, "the manifest has format version %.20q; versions 1 to 3 can be read", text)
	}
	if content := string(md["content"]); content != "" && (content == "deletes") != m.Deletes {
		return n, corrupt("the manifest says that it lists %.20q, and the manifest list says the contrary", content)
	}
	if m.SpecID < 0 { // version 1 may list manifests by their paths alone
		if n, err := strconv.ParseInt(string(md["partition-spec-id"]), 10, 32); err == nil {
			m.SpecID = int(n)
		}
	}
	ids := partitionIDs(r.Schema().Root())
	for {
		var raw rawEntry
		if err := r.Decode(&raw); err != nil {
			return n, end(err)
		}
		e, err := raw.entry(m, ids)
		if err != nil {
			return n, err
		}
		n.add(&raw, e)
		if e == nil {
			continue
		}
		if e.Content == dataFile && e.FirstRow < 0 && m.FirstRow >= 0 { // "First Row ID Inheritance"
			if e.FirstRow = m.FirstRow; e.Rows > math.MaxInt64-m.FirstRow {
				return n, corrupt("the ids of the rows of file %s, from %d, are beyond what a long holds", e.Path, e.FirstRow)
			}
			m.FirstRow += e.Rows
		}
		if err := do(e); err != nil {
			return n, err
		}
	}
}

const (
	statusExisting = 0
	statusAdded    = 1
	statusDeleted  = 2
	statuses       = 3
)

// entry returns the file; nil = it was deleted.
func (raw *rawEntry) entry(m manifest, ids map[string]int32) (*entry, error) {
	f := &raw.File
	e := &entry{
		Content: content(value(f.Content)), Path: f.Path, Format: strings.ToLower(f.Format), SpecID: m.SpecID, Rows: f.Rows, Bytes: f.Bytes,
		Equality: value(f.Equality), About: value(f.About), Offset: value(f.Offset), Size: value(f.Size), Encrypted: f.Key != nil && len(*f.Key) > 0, FirstRow: rowID(f.FirstRow),
	}
	switch {
	case raw.Status == statusDeleted:
		return nil, nil //nolint:nilnil // the comment says so
	case raw.Status != statusExisting && raw.Status != statusAdded:
		return nil, corrupt("file %s has status %d, which is not known", f.Path, raw.Status)
	case e.Content < dataFile || e.Content > equalityDeletes:
		return nil, corrupt("file %s has content %d, which is not known", f.Path, e.Content)
	case (e.Content != dataFile) != m.Deletes:
		return nil, corrupt("file %s is in the wrong kind of manifest", f.Path)
	case f.Path == "":
		return nil, corrupt("a file has no path")
	case e.Rows < 0 || e.Bytes < 0:
		return nil, corrupt("file %s has %d rows and %d bytes", f.Path, e.Rows, e.Bytes)
	case e.vector() && (e.Content != positionDeletes || e.About == "" || f.Offset == nil || f.Size == nil || e.Offset < 0 || e.Size < 0):
		return nil, corrupt("file %s is in the format puffin, and is no deletion vector of a data file with an offset and a size", f.Path)
	case raw.Sequence != nil:
		e.Sequence = *raw.Sequence
	case raw.Status == statusAdded || m.Sequence == 0:
		e.Sequence = m.Sequence
	default:
		return nil, corrupt("file %s existed before its manifest, and has no sequence number", f.Path)
	}
	if len(f.Partition) > 0 {
		e.Partition = make(map[int32][]byte, len(f.Partition))
		for name, v := range f.Partition {
			id, ok := ids[name]
			if !ok {
				return nil, corrupt("partition field %.100q of the manifest has no id", name)
			}
			b, ok := singleValue(v)
			if !ok {
				return nil, errs.Errorf(errs.ErrUnsupported, "partition field %.100q of the manifest is of the Avro type %T", name, v)
			}
			e.Partition[id] = b
		}
	}
	e.statistics(raw)
	return e, nil
}

// statistics takes over what is said of columns.
func (e *entry) statistics(raw *rawEntry) {
	f := &raw.File
	e.Statistics = map[int32]columnStats{}
	note(e.Statistics, f.Values, func(s *columnStats) *int64 { return &s.Values })
	note(e.Statistics, f.Nulls, func(s *columnStats) *int64 { return &s.Nulls })
	note(e.Statistics, f.NaNs, func(s *columnStats) *int64 { return &s.NaNs })
	note(e.Statistics, f.Lower, func(s *columnStats) *[]byte { return &s.Lower })
	note(e.Statistics, f.Upper, func(s *columnStats) *[]byte { return &s.Upper })
}

// note puts what pairs say into the place of it in the statistics of each column; nil pairs say nothing.
func note[T any](all map[int32]columnStats, pairs *[]pair[T], place func(*columnStats) *T) {
	for _, p := range value(pairs) {
		s, ok := all[p.Key]
		if !ok {
			s = columnStats{Values: -1, Nulls: -1, NaNs: -1}
		}
		*place(&s) = p.Value
		all[p.Key] = s
	}
}

// partitionIDs returns the ids of partition fields by their names in a manifest.
func partitionIDs(root *avro.SchemaNode) map[string]int32 {
	ids := map[string]int32{}
	for _, f := range root.Fields {
		if f.Name != fieldDataFile {
			continue
		}
		for _, p := range f.Type.Fields {
			if p.Name != fieldPartition {
				continue
			}
			for _, v := range p.Type.Fields {
				switch id := v.Props["field-id"].(type) {
				case int64:
					ids[v.Name] = int32(id)
				case string:
					if n, err := strconv.ParseInt(id, 10, 32); err == nil {
						ids[v.Name] = int32(n)
					}
				}
			}
		}
	}
	return ids
}
