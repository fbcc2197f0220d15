package hivetable

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// avroFields are the fields of the schema with which Hive reads Avro files, where the table has one beside its columns.
type avroFields struct {
	Fields []struct {
		Name    string          `json:"name"`
		Default json.RawMessage `json:"default"`
	} `json:"fields"`
}

// avroSchemas are those that were read, by avro.schema.url: most partitions have the same.
type avroSchemas struct {
	sync.Mutex
	byURL map[string]string
}

// avroDefaults returns the columns that have a default other than null in avro.schema.literal or avro.schema.url: Hive shows it for files
// that lack the column. A schema with other columns than the metastore has is an error.
func (l *listing) avroDefaults(ctx context.Context, said *metastore.Storage) ([]string, error) {
	text, ok := parameter(said, l.said, "avro.schema.literal")
	if url, has := parameter(said, l.said, "avro.schema.url"); has && (!ok || text == "none") {
		var err error
		l.schemas.Lock()
		defer l.schemas.Unlock()
		if text, ok = l.schemas.byURL[url]; !ok {
			if text, err = l.avroSchema(ctx, url); err == nil {
				l.schemas.byURL[url] = text
			}
		}
		if err != nil {
			return nil, errs.Locate(err, errs.At{File: url})
		}
	}
	if text == "" || text == "none" {
		return nil, nil
	}
	var schema avroFields
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil, errs.Errorf(errs.ErrCorrupt, "the schema of the Avro table (avro.schema.literal or avro.schema.url) is no JSON: %w", err)
	}
	var defaults []string
	for _, f := range schema.Fields {
		if !slices.ContainsFunc(said.Columns, func(c metastore.Column) bool { return strings.EqualFold(c.Name, f.Name) }) {
			return nil, errs.Errorf(errs.ErrUnsupported, "the schema of the Avro table (avro.schema.literal or avro.schema.url) has the column %.80q, and the metastore does not: ALTER TABLE … UPDATE COLUMNS in Hive tells it", f.Name)
		}
		if len(f.Default) > 0 && string(f.Default) != "null" {
			defaults = append(defaults, strings.ToLower(f.Name))
		}
	}
	if len(schema.Fields) != len(said.Columns) {
		return nil, errs.Errorf(errs.ErrUnsupported, "the schema of the Avro table (avro.schema.literal or avro.schema.url) has %d columns, and the metastore %d: ALTER TABLE … UPDATE COLUMNS in Hive tells it", len(schema.Fields), len(said.Columns))
	}
	return defaults, nil
}

// avroSchema reads the file that avro.schema.url names.
func (l *listing) avroSchema(ctx context.Context, url string) (text string, err error) {
	place, err := metastore.Place(url, l.moves)
	if err != nil {
		return "", err
	}
	src, err := l.open(ctx, place)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if src.Size() > l.limits.MetadataBytes {
		return "", errs.Errorf(errs.ErrLimit, "the schema has %d bytes, over the limit MetadataBytes = %d", src.Size(), l.limits.MetadataBytes)
	}
	b, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Len: src.Size()}})
	if err != nil {
		return "", err
	}
	return string(b[0]), nil
}

// lacks returns an error if a file lacks a column that has a default.
func (m *member) lacks(columns []int) error {
	for i, f := range m.table.files.Fields() {
		if columns[i] < 0 && slices.Contains(m.Defaults, strings.ToLower(f.Name)) {
			return errs.Locate(errs.Errorf(errs.ErrUnsupported, "the file lacks the column, and the table's Avro schema has a default for it, which cannot be shown yet: name the other columns with %w, or read the file itself", errs.Opt("columns", "")), errs.At{Column: f.Name})
		}
	}
	return nil
}
