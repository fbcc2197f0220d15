package kudu

import (
	"math/rand/v2"
	"testing"

	"github.com/arrowio/arrowio/internal/blockcodec"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// BenchmarkReplay reports row operations a second, the reading of files included.
func BenchmarkReplay(b *testing.B) {
	for _, c := range []struct {
		name    string
		ops, of int // operations, rows of each
		kind    kw.RowOpType
		disk    bool
	}{
		{"insert/batches", 500, 1000, kw.RowInsert, false},
		{"insert/single", 100_000, 1, kw.RowInsert, false},
		{"upsert/batches", 500, 1000, kw.RowUpsert, false},
		{"update/disk", 500, 1000, kw.RowUpdate, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			seg := newSegment(1, blockcodec.LZ4, false, schemaOf(madeColumns, true), 0)
			l := newLog(b)
			res := inMRS(0)
			var disk *madeRows
			if c.disk {
				res, disk = inDMS(0, 0), l.rowset(0, -1)
			}
			keys := rng.Perm(c.ops * c.of)
			for i := range c.ops {
				var rows []madeRow
				for k := range c.of {
					n := i*c.of + k
					if c.kind == kw.RowUpsert {
						n = rng.IntN(len(keys) / 10)
					}
					rows = append(rows, rowOp(c.kind, keys[n], int32(n), "a string of some length", int32(1)))
					if disk != nil {
						disk.add(int64(keys[n]), true)
					}
				}
				seg.add(writeOp(int64(i+1), rows...))
				seg.add(doneOp(int64(i+1), timesOp(c.of, res)...))
			}
			l.files[segmentName(1)] = seg.b
			b.ReportAllocs()
			b.SetBytes(int64(len(seg.b)))
			for b.Loop() {
				st := l.must(b, replayOptions{})
				if st.applied != int64(len(keys)) {
					b.Fatal(st.applied)
				}
				if _, err := st.mem.sorted(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(keys))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mops/s")
		})
	}
}
