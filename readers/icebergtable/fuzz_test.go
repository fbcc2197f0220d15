package icebergtable

import (
	"bytes"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// seedMetadata are metadata of the versions 1 to 3, and damaged ones.
var seedMetadata = []string{
	`{"format-version": 1, "location": "/t", "schema": {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "int"}]}, "partition-spec": [{"source-id": 1, "name": "a", "transform": "bucket[4]"}],
	"snapshots": [{"snapshot-id": 1, "timestamp-ms": 5, "manifests": ["/t/m.avro"]}], "current-snapshot-id": 1}`,
	`{"format-version": 2, "location": "s3://b/t", "current-schema-id": 1, "schemas": [{"type": "struct", "schema-id": 1, "fields": []}], "partition-specs": [{"spec-id": 0, "fields": []}],
	"snapshots": [{"snapshot-id": 1, "parent-snapshot-id": 1, "timestamp-ms": 5, "manifest-list": "s3://b/t/l.avro"}], "current-snapshot-id": 1, "refs": {"b": {"snapshot-id": 1, "type": "branch"}}}`,
	`{"format-version": 3, "location": "/t", "current-schema-id": 0, "schemas": [{"type": "struct", "fields": [{"id": 1, "name": "v", "type": "variant"}]}], "current-snapshot-id": -1}`,
	`{"format-version": 9}`, `{`, `[]`, `{"format-version": 2, "location": "/t", "schemas": [{}]}`,
}

// FuzzMetadata reads metadata: an error is of a kind of this module.
func FuzzMetadata(f *testing.F) {
	for _, text := range seedMetadata {
		f.Add([]byte(text), "1970-01-01")
	}
	f.Fuzz(func(t *testing.T, text []byte, at string) {
		m, err := iceberg.ParseMetadata(text)
		if err == nil {
			for _, at := range []iceberg.At{{}, {Time: at}, {Ref: at}, {Snapshot: at}} {
				_, fields, err := m.Choose(at)
				known(t, err)
				m.Table(fields)
			}
			p := newPlaces("/t", m.Location, tableOptions{moves: []move{{at, "/u"}}})
			if found, err := p.find(at); err == nil && !below(found, "/t") && !below(found, "/u") {
				t.Errorf("%q is found at %q", at, found)
			}
		}
		known(t, err)
	})
}

// FuzzManifest reads manifests and lists of them.
func FuzzManifest(f *testing.F) {
	f.Add([]byte("Obj\x01\x04\x16avro.schema\x0c\"null\"\x14avro.codec\x08null\x000123456789abcdef"))
	f.Fuzz(func(t *testing.T, b []byte) {
		files := 0
		known(t, readList(bytes.NewReader(b), 1<<20, func(manifest) error { files++; return nil }))
		_, err := readManifest(bytes.NewReader(b), manifest{SpecID: -1}, 1<<20, func(e *entry) error {
			files++
			_ = partitionKey(e) // it may not panic
			return nil
		})
		known(t, err)
		if files > 1<<20+2*len(b) {
			t.Errorf("%d files in %d bytes", files, len(b))
		}
	})
}

func known(t *testing.T, err error) {
	t.Helper()
	var e *errs.Error
	if err != nil && !errors.As(err, &e) || errors.Is(err, errs.ErrInternal) {
		t.Errorf("%v", err)
	}
}
