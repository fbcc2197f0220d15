package kudu

import (
	"context"
	"math/rand"
	"strconv"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
)

// joined is the blocks of a server one behind the other, so that they can be read through one source.
type joined struct {
	bytes []byte
	at    map[uint64]arrowio.ByteRange
}

// joinBlocks reads all blocks of an open table.
func joinBlocks(t testing.TB, f *File) *joined {
	t.Helper()
	j := &joined{at: map[uint64]arrowio.ByteRange{}}
	for _, x := range f.tablets {
		for _, u := range x.super.Blocks() {
			src, c, err := f.blocks.open(t.Context(), u.Block)
			if err != nil {
				t.Fatal(err)
			}
			b := make([]byte, src.Size())
			if _, err := src.ReadAt(b, 0); err != nil {
				t.Fatal(err)
			}
			_ = c.Close()
			j.at[u.Block] = arrowio.ByteRange{Off: int64(len(j.bytes)), Len: src.Size()}
			j.bytes = append(j.bytes, b...)
		}
	}
	return j
}

// partOf is a range of a source.
type partOf struct {
	arrowio.Source
	at arrowio.ByteRange
}

func (p partOf) Size() int64 { return p.at.Len }

func (p partOf) ReadAt(b []byte, off int64) (int, error) {
	return p.Source.ReadAt(b[:min(int64(len(b)), max(0, p.at.Len-off))], p.at.Off+off)
}

// runConformance runs the suite over a table, its blocks read through one source, which fails when it is told to.
func runConformance(t *testing.T, wal string, o Options, scans int) {
	t.Helper()
	f, err := Open(t.Context(), wal, testLimits, o)
	if err != nil {
		t.Fatal(err)
	}
	j := joinBlocks(t, f)
	_ = f.Close()
	conformance.Run(t, conformance.Harness{
		Source: local.NewBytesSource(j.bytes),
		Scans:  scans,
		Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
			o := o
			o.through = func(id uint64, _ arrowio.Source) arrowio.Source { return partOf{src, j.at[id]} }
			return Open(ctx, wal, testLimits, o)
		},
	})
}

// Tables of a real server behave as the contract says.
func TestConformanceReal(t *testing.T) {
	s := readOnlyServer(t, "log")
	for i, x := range realTables(t, "log") {
		if i%((sampled+1)/2) > 0 {
			continue
		}
		o := Options{Table: x.Table}
		switch x.Table {
		case "tombstoned", "compacted", "deleted", "altered":
			continue
		case "changed", "merged": // in small splits, at a snapshot
			o.Snapshot = x.Snapshots[3].Timestamp
			o.sizes = sizes{rows: 11, bytes: 1 << 20, updates: 1 << 20, kept: 3}
		}
		t.Run(x.Table, func(t *testing.T) { runConformance(t, s.path("wal"), o, max(2, 8/sampled)) })
	}
}

// The same of tables with longer histories.
func TestConformanceMade(t *testing.T) {
	for seed := range int64(2) {
		t.Run(strconv.FormatInt(seed, 10), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			x := newTable(t, r, history{keys: 1 + int(seed)%2, columns: 4, tablets: 2, steps: 150, span: 40})
			s := x.serve(t)
			runConformance(t, s.path("wal"), Options{Snapshot: uint64(seed) * (x.now - 30), sizes: sizes{rows: 13 + 20*seed, bytes: 1 << 20, updates: 1000, kept: 2}}, max(2, 8/sampled))
		})
	}
}
