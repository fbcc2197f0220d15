package icebergtable_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/readers"
)

// BenchmarkPlan lists the files of a table of 10,000 data files, in 20 manifests, with bounds of 20 columns.
func BenchmarkPlan(b *testing.B) {
	x := newBuilder(b)
	x.schema = "["
	for c := range 20 {
		if c > 0 {
			x.schema += ","
		}
		x.schema += fmt.Sprintf(`{"id": %d, "name": "c%d", "required": false, "type": "long"}`, c+1, c)
	}
	x.schema += "]"
	for i := range 10_000 {
		e := fileEntry{name: fmt.Sprintf("part-%05d-7c0f2f0e-7b6c-4d5c-9d3e-1f2a3b4c5d6e.orc", i), format: "orc", rows: 1000, sequence: int64(1 + i/500)}
		e.lower, e.upper = map[int32][]byte{}, map[int32][]byte{}
		for c := range 20 {
			e.lower[int32(c+1)] = binary.LittleEndian.AppendUint64(nil, uint64(i))
			e.upper[int32(c+1)] = binary.LittleEndian.AppendUint64(nil, uint64(i+1))
		}
		x.entries = append(x.entries, e)
	}
	x.together = true
	dir := x.build()
	b.ReportAllocs()
	for b.Loop() {
		in, err := dataset.List(context.Background(), dir, readers.Defaults(readers.Options{}))
		if err != nil || len(in) != 10_000 {
			b.Fatal(len(in), err)
		}
	}
}
