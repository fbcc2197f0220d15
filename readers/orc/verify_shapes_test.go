package orc

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orcwire"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// Boxes and kinds of geometries are compared: one number changed is found at each level, and nothing is where all are right. Java's
// files are right, as TestVerifyEveryFile has it.
func TestVerifyShapes(t *testing.T) {
	column := func(kind string) arrow.Field {
		return arrow.Field{Name: kind, Type: arrow.BinaryTypes.Binary, Nullable: true, Metadata: arrow.NewMetadata([]string{orcwire.MetaType}, []string{kind})}
	}
	s := arrow.NewSchema([]arrow.Field{column("geometry"), column("geography")}, nil)
	p, err := writer.Plan(s, arrowio.WriteOptions{Compression: "none", Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	store := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), store, p)
	if err != nil {
		t.Fatal(err)
	}
	number := func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i := range 10 {
		point := append([]byte{1, 0xe9, 3, 0, 0}, bytes.Join([][]byte{number(float64(i) + 0.123), number(float64(-i) - 0.456), number(100.789)}, nil)...)
		b.Field(0).(*array.BinaryBuilder).Append(point)
		b.Field(1).(*array.BinaryBuilder).Append(point)
	}
	b.Field(0).AppendNull()
	b.Field(1).AppendNull()
	rec := b.NewRecord()
	defer rec.Release()
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var file []byte
	for _, file = range store.Objects() {
		if found := faults(t, showBytes(t, file, Options{})); len(found) > 0 {
			t.Fatalf("a sound file: %v", found)
		}
	}
	// The box: 09 minimum of x | 11 maximum | 19 minimum of y | 21 maximum | 29 minimum of z | 31 maximum; then 10 e9 07 is the type.
	box := bytes.Join([][]byte{
		{0x09}, number(0.123), {0x11}, number(9.123), {0x19}, number(-9.456), {0x21}, number(-0.456), {0x29}, number(100.789), {0x31}, number(100.789), {0x10, 0xe9, 7},
	}, nil)
	if n := bytes.Count(file, box); n != 3 {
		t.Fatalf("%d boxes", n)
	}
	for _, change := range []struct {
		name string
		at   int
		b    []byte
		what string
	}{
		{"least x", 1, number(0.124), "minimum of x 0.124, it is 0.123"},
		{"less x", 1, number(-0.123), "minimum of x -0.123, it is 0.123"},
		{"greatest x", 10, number(9), "maximum of x 9, it is 9.123"},
		{"least y", 19, number(9), "minimum of y 9, it is -9.456"},
		{"greatest y", 28, number(-1), "maximum of y -1, it is -0.456"},
		{"least z", 37, number(1), "minimum of z 1, it is 100.789"},
		{"greatest z", 46, number(1), "maximum of z 1, it is 100.789"},
		{"kind", 55, []byte{0xea}, "types [1002], they are [1001]"},
	} {
		at := 0
		for _, level := range []string{"statistics of row group 0", "statistics of the stripe", "statistics of the file"} {
			at += bytes.Index(file[at:], box)
			changed := bytes.Clone(file)
			copy(changed[at+change.at:], change.b)
			found := faults(t, showBytes(t, changed, Options{}))
			if len(found) != 1 || found[0].Op != level || found[0].Column != "geometry" || !strings.Contains(found[0].Error(), change.what) {
				t.Errorf("%s, %s: %v", level, change.name, found)
			}
			at++
		}
	}
}
