package writers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/writers"
)

// Formats without row groups refuse a size of them.
func TestRowGroupsWhereThereAreNone(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int32, Metadata: arrow.MetadataFrom(map[string]string{"kudu.key": "true"})}}, nil)
	for _, f := range writers.All() {
		_, err := f.Plan(s, arrowio.WriteOptions{RowGroupBytes: 1 << 20})
		if none := !slices.Contains([]string{"orc", "trevni", "avro", "parquet"}, f.Name); none != errors.Is(err, errs.ErrOption) || !none && err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// Every level of snappy that a writer takes makes another file than the level before it, a smaller one.
func TestLevelsOfSnappy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := arrow.NewSchema([]arrow.Field{{Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for range 4000 {
		text := ""
		for range 6 {
			text += fmt.Sprintf("%x ", 7919*(random.IntN(500)+1000000))
		}
		b.Field(0).(*array.StringBuilder).Append(text)
	}
	rec := b.NewRecord()
	defer rec.Release()
	taken := 0
	for _, f := range writers.All() {
		before := int64(0)
		for level := 1; level <= 3; level++ {
			p, err := f.Plan(s, arrowio.WriteOptions{Compression: fmt.Sprint("snappy:", level)})
			if err != nil {
				break // it takes no levels
			}
			st := local.NewMemStore()
			w, err := arrowio.NewWriter(t.Context(), f, st, p)
			if err != nil {
				t.Fatal(err)
			}
			if err = w.Write(rec); err == nil {
				err = w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			size := int64(0)
			for _, file := range st.Objects() {
				size += int64(len(file))
			}
			if before > 0 && size >= before {
				t.Errorf("%s: %d bytes at level %d, %d at the level before", f.Name, size, level, before)
			}
			before, taken = size, taken+1
		}
	}
	if taken < 12 {
		t.Errorf("%d levels are taken, of four formats and more", taken)
	}
}
