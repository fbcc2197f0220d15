package trevni_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// TestOneFile: however many rows there are, they are one file where nobody asks for more, and the plan says nothing of parts.
func TestOneFile(t *testing.T) {
	const width, rows, batches = 100_000, 100, 30 // 300 MB
	s := fieldsOf("wide", &arrow.FixedSizeBinaryType{ByteWidth: width})
	value := make([]byte, width)
	rec := build(memory.DefaultAllocator, s, rows, func(b *array.RecordBuilder, _ int) {
		b.Field(0).(*array.FixedSizeBinaryBuilder).Append(value)
	})
	defer rec.Release()
	var recs []arrow.Record
	for range batches {
		recs = append(recs, rec)
	}
	objects := write(t, s, recs, arrowio.WriteOptions{Memory: 1 << 20})
	if len(objects) != 1 {
		t.Fatalf("%d files, want 1", len(objects))
	}
	if h, _ := layout(t, objects["part-00000.trv"]); h.Rows != rows*batches {
		t.Errorf("%d rows, want %d", h.Rows, rows*batches)
	}
}

// TestPlannedParts: the plan says when there will be several files.
func TestPlannedParts(t *testing.T) {
	s := fieldsOf("a", arrow.PrimitiveTypes.Int64)
	for _, c := range []struct {
		o    arrowio.WriteOptions
		want string
	}{
		{arrowio.WriteOptions{}, ""},
		{arrowio.WriteOptions{RowGroupBytes: 64 << 20}, "rows that take more than 64 MiB before compression are divided among files in a directory"},
		{arrowio.WriteOptions{MaxFileBytes: 1 << 20}, "rows that take more than 1.0 MiB stored are divided among files in a directory"},
		{arrowio.WriteOptions{RowGroupBytes: 64 << 20, MaxFileBytes: 1 << 20}, "rows that take more than 64 MiB before compression, or 1.0 MiB stored, are divided among files in a directory"},
	} {
		p, err := writer.Plan(s, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Parts != c.want {
			t.Errorf("%+v: %q, want %q", c.o, p.Parts, c.want)
		}
	}
}

// TestStreamTakesOneFile: where the output has room for one file, rows that need two are refused before the first byte;
// those that fit are written whole.
func TestStreamTakesOneFile(t *testing.T) {
	rec := events(20_000)
	defer rec.Release()
	want := write(t, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{})["part-00000.trv"]
	for _, c := range []struct {
		o    arrowio.WriteOptions
		fits bool
	}{
		{arrowio.WriteOptions{}, true},
		{arrowio.WriteOptions{RowGroupBytes: 1 << 30}, true},
		{arrowio.WriteOptions{RowGroupBytes: 20 << 10}, false},
		{arrowio.WriteOptions{RowGroupBytes: 1}, false},
		{arrowio.WriteOptions{MaxFileBytes: 256 << 10, Compression: "none"}, false},
	} {
		p, err := writer.Plan(rec.Schema(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w, err := arrowio.NewWriter(context.Background(), writer.Format(), local.NewStreamStore(&out), p)
		if err != nil {
			t.Fatal(err)
		}
		for from := int64(0); from < rec.NumRows() && err == nil; from += 1_000 {
			batch := rec.NewSlice(from, from+1_000)
			err = w.Write(batch)
			batch.Release()
		}
		if err == nil {
			err = w.Close()
		} else if e := w.Abort(); e != nil {
			t.Error(e)
		}
		switch {
		case c.fits:
			if err != nil || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%+v: %d bytes, want %d: %v", c.o, out.Len(), len(want), err)
			}
		case !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "--row-group-bytes"):
			t.Errorf("%+v: %v", c.o, err)
		case out.Len() > 0:
			t.Errorf("%+v: %d bytes were written before the error", c.o, out.Len())
		}
	}
}
