package cfile

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// numbered is a column of rows 0 to n, each holding its number.
func numbered(n int) *built {
	f := &built{typ: cfilewire.Int64, encoding: cfilewire.EncodingPlain, keyed: true, fanout: 5}
	for i := range n {
		f.rows = append(f.rows, cellFrom(f.typ, int64(i)))
	}
	return f
}

// scanCounting scans a file, and returns how many rows came and what was read for them behind opening.
func scanCounting(t *testing.T, file *File, src *arrowio.CountingSource, o arrowio.ScanOptions) (rows, bytes, calls int64) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator, o.Parallelism = mem, 1
	bytes, calls = src.Bytes(), src.Calls()
	s, err := arrowio.Scan(context.Background(), file, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	for s.Next() {
		rows += s.Record().NumRows()
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return rows, src.Bytes() - bytes, src.Calls() - calls
}

// openFile writes a file to disk and opens it with a counter.
func openFile(t *testing.T, f *built, lim arrowio.Limits) (*File, *arrowio.CountingSource) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.cfile")
	if err := os.WriteFile(path, f.build(t), 0o600); err != nil {
		t.Fatal(err)
	}
	disk, err := local.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	src := arrowio.NewCountingSource(disk)
	file, err := Open(context.Background(), src, lim, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return file, src
}

// A range of rows costs the blocks that hold it, and nothing else.
func TestSeekRows(t *testing.T) {
	f := numbered(10_000)
	file, src := openFile(t, f, arrowio.Limits{})
	r := rand.New(rand.NewSource(1))
	for range 100 {
		from := r.Int63n(10_000)
		to := min(10_000, from+1+r.Int63n(1+r.Int63n(3000)))
		var want int64
		for k := from / 100; k <= (to-1)/100; k++ {
			want += int64(f.data[k].Size)
		}
		rows, bytes, _ := scanCounting(t, file, src, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: from, End: to}})
		if rows != to-from || bytes != want {
			t.Errorf("rows %d to %d: %d rows for %d bytes, want %d", from, to, rows, bytes, want)
		}
	}
}

// So does a predicate on the key, once the value index is known.
func TestSeekKeys(t *testing.T) {
	f := numbered(10_000)
	file, src := openFile(t, f, arrowio.Limits{})
	size := int64(f.data[0].Size)
	for i, x := range []struct {
		filter string
		rows   int64
		blocks int64
	}{
		{"value = 5", 1, 1}, // reads the index, too
		{"value = 0", 1, 1},
		{"value = 9999", 1, 1},
		{"value = 199", 1, 1},
		{"value = 200", 1, 1},
		{"value = 10000", 0, 0},
		{"value = -1", 0, 0},
		{"value < 0", 0, 0},
		{"value < 100", 100, 1},
		{"value <= 100", 101, 2},
		{"value > 9900", 99, 1},
		{"value >= 9900", 100, 1},
		{"value BETWEEN 250 AND 349", 100, 2},
		{"value = 5 OR value = 5555", 2, 2},
		{"value IN (5, 6, 5005, 9999)", 4, 3},
		{"value <> 5", 9999, 100},
		{"NOT value < 9950", 50, 1},
		{"value > 5000 AND value < 5002", 1, 1},
		{"value IS NULL", 0, 0},
	} {
		e, err := expr.Parse(x.filter)
		if err != nil {
			t.Fatal(err)
		}
		rows, bytes, _ := scanCounting(t, file, src, arrowio.ScanOptions{Filter: e})
		if rows != x.rows || i > 0 && bytes != x.blocks*size {
			t.Errorf("%s: %d rows for %d blocks, want %d for %d", x.filter, rows, bytes/size, x.rows, x.blocks)
		}
	}
	rows, bytes, _ := scanCounting(t, file, src, arrowio.ScanOptions{Columns: []string{}})
	if rows != 10_000 || bytes != 0 {
		t.Errorf("rows without columns: %d for %d bytes", rows, bytes)
	}
}

// farSource is one that is not of this machine.
type farSource struct {
	arrowio.Source
	reads int
}

func (s *farSource) ReadAt(p []byte, off int64) (int, error) {
	s.reads++
	return s.Source.ReadAt(p, off)
}

// From far away the blocks of a split come at once; nearby they come a little at a time.
func TestFetches(t *testing.T) {
	f := numbered(100_000)
	far := &farSource{Source: local.NewBytesSource(f.build(t))}
	ctx := context.Background()
	file, err := Open(ctx, far, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := arrowio.NewCountingSource(far)
	file.src = src
	for _, split := range []int64{100_000, 30_000, 999} {
		recut(file, split)
		far.reads = 0
		rows, _, _ := scanCounting(t, file, src, arrowio.ScanOptions{})
		if rows != 100_000 || far.reads != len(file.splits) {
			t.Errorf("splits of %d rows: %d rows in %d reads", split, rows, far.reads)
		}
	}
	near, src := openFile(t, f, arrowio.Limits{})
	_, bytes, calls := scanCounting(t, near, src, arrowio.ScanOptions{})
	if want := (bytes + WindowBytes - 1) / WindowBytes; calls < want || calls > want+want/8+1 {
		t.Errorf("%d bytes in %d reads", bytes, calls)
	}
	// A split that is larger than may be fetched at once is refused where it has to be fetched at once.
	for _, x := range []struct {
		src  arrowio.Source
		want error
	}{{far, errs.ErrLimit}, {near.src, nil}} {
		file, err := Open(ctx, x.src, arrowio.Limits{SplitBytes: 10_000}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = textOf(file, memory.DefaultAllocator, 1000, 1<<20)
		if fmt.Sprint(x.want == nil) != fmt.Sprint(err == nil) {
			t.Errorf("%T: %v", x.src, err)
		}
	}
}

// Opening a file reads its ends and its index, not its values.
func TestOpenReads(t *testing.T) {
	f := numbered(100_000)
	far := &farSource{Source: local.NewBytesSource(f.build(t))}
	src := arrowio.NewCountingSource(far)
	if _, err := Open(context.Background(), src, arrowio.Limits{}, Options{}); err != nil {
		t.Fatal(err)
	}
	var index int64
	for _, p := range f.pos {
		index += int64(p.Size)
	}
	if most := index + tailGuess + 2*cfilewire.TailSize; src.Bytes() > most {
		t.Errorf("%d bytes, want %d at most", src.Bytes(), most)
	}
}

// Reading on behind any number of rows gives what reading everything gives: splits, skips and windows of all sizes.
func TestSkips(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for k, x := range []*built{
		{typ: cfilewire.Int32, encoding: cfilewire.EncodingBitShuffle, nullable: true, compression: cfilewire.LZ4},
		{typ: cfilewire.String, encoding: cfilewire.EncodingDict, nullable: true, dictMost: 20},
		{typ: cfilewire.Binary, encoding: cfilewire.EncodingPrefix},
		{typ: cfilewire.Bool, encoding: cfilewire.EncodingRLE, nullable: true},
	} {
		x.rows, x.perBlock = cellsOf(r, x.typ, 20_000, patterns[2*boolInt(x.nullable)].null), 3000
		file, _ := openFile(t, x, arrowio.Limits{})
		want, err := textOf(file, memory.DefaultAllocator, 1<<16, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, split := range []int64{1 + int64(r.Intn(20_000)), 501} {
			recut(file, split)
			got, err := textOf(file, memory.DefaultAllocator, 1+r.Intn(700), 1<<20)
			if err != nil {
				t.Fatalf("%d: %v", k, err)
			}
			compareText(t, got, want)
		}
	}
}

// Splits end where blocks do; there are neither few nor many of them.
func TestSplits(t *testing.T) {
	const rows = 1 << 17 // of a block
	f := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, nullable: true, perBlock: 1, rows: make([][]byte, 40)}
	f.onBlock = func(k int, _ []byte) []byte {
		bitmap := append(appendVarint(nil, rows<<1), 0)
		return append(nullHead(rows, bitmap), le32(nil, 0, uint32(k)*rows)...)
	}
	f.onEntry = func(_ string, e *builtEntry) {
		e.key = binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(e.key)*rows)
	}
	f.onFooter = func(m *[]builtField) { (*m)[2].value *= rows }
	src := local.NewBytesSource(f.build(t))
	for _, x := range []struct{ most, want int }{{0, 5}, {1000, 5}, {4, 2}, {2, 1}, {1, 1}} {
		file, err := Open(context.Background(), src, arrowio.Limits{Splits: x.most}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(file.splits) != x.want {
			t.Errorf("%d at most: %d splits: %v", x.most, len(file.splits), file.splits)
		}
		at := int64(0)
		for _, s := range file.splits {
			if s.Rows.Start != at || s.Rows.Len()%rows != 0 {
				t.Errorf("split %v", s)
			}
			at = s.Rows.End
		}
		s, err := arrowio.Scan(context.Background(), file, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 3 * rows, End: 12*rows + 5}, Parallelism: 2})
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for s.Next() {
			n += int64(s.Record().Column(0).NullN())
		}
		if s.Err() != nil || n != 9*rows+5 {
			t.Errorf("%d rows: %v", n, s.Err())
		}
		s.Release()
	}
}

// Batches are as large as they should be, of arrays too, whose rows take any number of bytes.
func TestBatchBytes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, f := range []*built{
		{typ: cfilewire.Int64, encoding: cfilewire.EncodingPlain, nullable: true, arrays: make([][][]byte, 2000)},
		{typ: cfilewire.String, encoding: cfilewire.EncodingPlain, nullable: true, arrays: make([][][]byte, 2000)},
		{typ: cfilewire.String, encoding: cfilewire.EncodingDict, nullable: true, arrays: make([][][]byte, 2000)},
		{typ: cfilewire.String, encoding: cfilewire.EncodingPrefix, nullable: true, rows: make([][]byte, 20_000)},
		{typ: cfilewire.Binary, encoding: cfilewire.EncodingPlain, rows: make([][]byte, 300), perBlock: 1},
		{typ: cfilewire.Binary, encoding: cfilewire.EncodingPlain, nullable: true, rows: make([][]byte, 300), perBlock: 2},
	} {
		long := 500
		if f.perBlock == 0 {
			f.perBlock = 900
		} else {
			long = 20_000
		}
		for i := range f.arrays {
			if r.Intn(5) > 0 {
				f.arrays[i] = slices.Repeat([][]byte{cellOf(r, f.typ)}, r.Intn(500))
			}
		}
		for i := range f.rows {
			f.rows[i] = []byte(strings.Repeat("a", r.Intn(long)))
		}
		file, err := Open(context.Background(), local.NewBytesSource(f.build(t)), arrowio.Limits{BatchBytes: 1 << 20}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := arrowio.Scan(context.Background(), file, arrowio.ScanOptions{BatchBytes: 100_000, Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for s.Next() {
			n++
		}
		if s.Err() != nil || n < 10 {
			t.Errorf("%v: %d batches: %v", f, n, s.Err())
		}
		s.Release()
	}
}

func boolInt(b bool) int { return int(boolBit(b)) }
