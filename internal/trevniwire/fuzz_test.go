package trevniwire

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

var fuzzLimits = errs.Limits{MetadataBytes: 1 << 20, Columns: 100, Depth: 20, ValueBytes: 1 << 20}.WithDefaults()

// FuzzHeader: a header that can be read can be written, and is the same when read again; its columns' descriptors are
// read or refused.
func FuzzHeader(f *testing.F) {
	damaged, err := filepath.Glob("../../testdata/corrupt/trevni/*.trv")
	if err != nil || len(damaged) == 0 {
		f.Fatalf("no damaged files: %v", err)
	}
	for _, path := range append(files(f), damaged...) {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 2000)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := ParseHeader(b, int64(len(b)), fuzzLimits)
		if err != nil {
			var e *errs.Error
			if !errors.As(err, &e) || e.Off < 0 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		again := *h
		again.Columns = append([]Column(nil), h.Columns...)
		size := int64(len(AppendHeader(nil, h)))
		for i := range again.Columns {
			again.Columns[i].Start -= size
		}
		out := AppendHeader(nil, &again)
		h2, err := ParseHeader(out, int64(len(out)), fuzzLimits)
		if err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		h2.Version, h2.Size = h.Version, h.Size
		if !reflect.DeepEqual(h, h2) {
			t.Fatalf("%+v\nread again %+v", h, h2)
		}
		for i := range h.Columns {
			c := &h.Columns[i]
			if c.Start < 0 || c.Start > int64(len(b)) {
				continue
			}
			blocks, err := ParseDescriptors(b[c.Start:], c, h.Rows, int64(len(b)), fuzzLimits)
			if err != nil {
				continue
			}
			rows, end := int64(0), c.Start
			for _, k := range blocks {
				if k.Start != rows || k.Rows <= 0 || k.Off < end || k.Packed < 0 || k.Off+k.Packed+c.Checksum.Size() > int64(len(b)) {
					t.Fatalf("blocks %+v", blocks)
				}
				rows, end = k.End(), k.Off+k.Packed+c.Checksum.Size()
			}
			if rows != h.Rows {
				t.Fatalf("blocks of %d rows, the header says %d", rows, h.Rows)
			}
		}
	})
}

// FuzzAvro: a schema that can be read can be written, is the same when read again, and shreds into columns that a view
// finds again.
func FuzzAvro(f *testing.F) {
	for _, path := range files(f) {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if h, err := ParseHeader(b, int64(len(b)), limits); err == nil {
			if text, ok := h.Meta.Get(KeyAvro); ok {
				f.Add(text)
			}
		}
	}
	f.Add([]byte(`{"type":"record","name":"R","namespace":"a.b","fields":[{"name":"x","type":{"type":"bytes","logicalType":"decimal","precision":4}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseAvro(text, fuzzLimits)
		if err != nil {
			return
		}
		if !odd(s, map[string]string{}) {
			again, err := ParseAvro(s.JSON(), fuzzLimits)
			if err != nil {
				t.Fatalf("%s: %v", s.JSON(), err)
			}
			if !reflect.DeepEqual(s, again) {
				t.Fatalf("%s is not %s", s.JSON(), again.JSON())
			}
		}
		tree, columns, err := Shred(s, fuzzLimits)
		if err != nil {
			return
		}
		view, err := RecordsView(&Header{Columns: columns}, s, fuzzLimits, nil)
		if err != nil || !sameTypes(tree, view) {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

// odd reports whether names are such that Avro's own text cannot tell them apart: empty parts, or the same last part in
// two namespaces, one of which is none. Text that is not UTF-8 does not survive JSON either.
func odd(s *Avro, seen map[string]string) bool {
	if !bytes.Equal([]byte(s.Name), []byte(strings.ToValidUTF8(s.Name, ""))) {
		return true
	}
	switch s.Kind {
	case AvroRecord, AvroEnum, AvroFixed:
		last := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
		if full, ok := seen[last]; ok && full != s.Name {
			return true
		}
		seen[last] = s.Name
		if s.Name == "" || strings.HasPrefix(s.Name, ".") || strings.HasSuffix(s.Name, ".") || strings.Contains(s.Name, "..") {
			return true
		}
	}
	for _, f := range s.Fields {
		if odd(f.Type, seen) {
			return true
		}
	}
	for _, b := range s.Branches {
		if odd(b, seen) {
			return true
		}
	}
	return s.Items != nil && odd(s.Items, seen)
}
