package parquet

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

func randomNumbers(n int) arrow.Record {
	r := rand.New(rand.NewSource(1))
	b := array.NewInt64Builder(memory.NewGoAllocator())
	for range n {
		b.Append(r.Int63())
	}
	s := array.NewStringBuilder(memory.NewGoAllocator())
	for i := range n {
		s.Append(fmt.Sprint("row ", i%1000))
	}
	return recordOf(b.NewArray(), s.NewArray())
}

// A part ends near --max-file-bytes, whether a batch is larger than a part or a row group is.
func TestPartsHaveTheirSize(t *testing.T) {
	rec := randomNumbers(200_000) // 1.6 MB that cannot be compressed
	for _, limit := range []int64{200_000, 1_000_000} {
		for _, group := range []int64{0, 40_000} {
			objects, err := write([]arrow.Record{rec, rec}, arrowio.WriteOptions{MaxFileBytes: limit, RowGroupBytes: group})
			if err != nil {
				t.Fatal(err)
			}
			last := fmt.Sprintf("part-%05d.parquet", len(objects)-1)
			for name, b := range objects {
				if n := int64(len(b)); n > limit*5/4 || name != last && n < limit*2/3 {
					t.Errorf("limit %d, row groups %d: %s has %d bytes", limit, group, name, n)
				}
			}
		}
	}
}
