package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// withVariant returns a file of the columns id and var, where var is a struct of two binary columns, annotated as VARIANT.
func withVariant(t *testing.T) []byte {
	t.Helper()
	binaries := []arrow.Field{{Name: "metadata", Type: arrow.BinaryTypes.Binary}, {Name: "value", Type: arrow.BinaryTypes.Binary}}
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "var", Type: arrow.StructOf(binaries...)}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i := range 10 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		v := b.Field(1).(*array.StructBuilder)
		v.Append(true)
		v.FieldBuilder(0).(*array.BinaryBuilder).Append([]byte{1, 0, 0})
		v.FieldBuilder(1).(*array.BinaryBuilder).Append([]byte{12, byte(i)})
	}
	rec := b.NewRecord()
	defer rec.Release()
	file := written(t, []arrow.Record{rec}, "none", nil)
	element := []byte("\x18\x03var\x15\x04") // field 4 of a SchemaElement, a name; field 5, 2 children
	at := bytes.LastIndex(file, element)
	if at < 0 {
		t.Fatal("the schema has no var")
	}
	at += len(element)
	logical := []byte("\x5c\x0c\x20\x00\x00") // field 10, a LogicalType; its field 16, a VariantType
	file = append(append(bytes.Clone(file[:at]), logical...), file[at:]...)
	size := file[len(file)-8:]
	binary.LittleEndian.PutUint32(size, binary.LittleEndian.Uint32(size)+uint32(len(logical)))
	return file
}

// refuses checks that a file reads but for one column, which is refused by name. faults is how many the file has.
func refuses(t *testing.T, f arrowio.File, column, why string, faults int) {
	t.Helper()
	mem := checked(t)
	recs, err := readAll(f, []string{"id"}, 4, mem)
	if err != nil {
		t.Errorf("the other column: %v", err)
	}
	release(recs)
	for _, columns := range [][]string{nil, {column}} {
		_, err := readAll(f, columns, 4, mem)
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != errs.ErrUnsupported || e.Column != column || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "--exclude="+column) {
			t.Errorf("%v: %v", columns, err)
		}
	}
	info, err := f.Info(context.Background(), arrowio.InfoOptions{Blocks: true, Checksums: true})
	if err != nil || len(info.Notes) != 1 || !strings.Contains(info.Notes[0], "column "+column+" cannot be read: "+why) {
		t.Errorf("%q, %v", info.Notes, err)
	}
	if got := reported(t, f); len(got) != faults {
		t.Errorf("faults %v, want %d", got, faults)
	}
	if sums, err := f.(arrowio.ChecksumCounter).CountChecksums(context.Background()); err != nil || !slices.Equal(sums.Undecoded, []string{column}) {
		t.Errorf("not decoded: %q, %v", sums.Undecoded, err)
	}
}

// A column of VARIANT is refused, and the others are read.
func TestVariant(t *testing.T) {
	f, err := openBytes(withVariant(t), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, f, "var", "the column is a VARIANT", 0)
}

// So is a column that is encrypted in a file whose footer is not.
func TestEncryptedColumn(t *testing.T) {
	for algorithm, why := range map[string]string{"AES_GCM_V1": "the column is encrypted with AES_GCM_V1", "": "the column is encrypted with an algorithm that the file does not name"} {
		rec := table(10)
		file := written(t, []arrow.Record{rec}, "none", nil)
		rec.Release()
		f, err := openBytes(file, arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p := f.(*parquetFile)
		c := &p.footer.Groups[0].Chunks[1]
		c.Encrypted, p.footer.Algorithm = true, algorithm
		clear(file[c.Start():][:c.Stored])
		p.splits, p.notes = nil, nil
		if err := p.check(); err != nil {
			t.Fatal(err)
		}
		faults := 0
		if algorithm == "" { // the file has no encrypted columns
			faults = 1
		}
		refuses(t, f, "text", why, faults)
	}
}
