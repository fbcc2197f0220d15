package extsort

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/race"
)

// disk is a place for scratch files in memory. At operation failAt, counted from 1, everything begins to fail.
type disk struct {
	mu             sync.Mutex
	opened, closed int
	ops, failAt    int
}

type diskFile struct {
	d      *disk
	b      []byte
	closed bool
}

var errDisk = errors.New("the disk is on fire")

func (d *disk) op() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops++
	if d.failAt > 0 && d.ops >= d.failAt {
		return errDisk
	}
	return nil
}

func (d *disk) scratch() (arrowio.ScratchFile, error) {
	if err := d.op(); err != nil {
		return nil, err
	}
	d.opened++
	return &diskFile{d: d}, nil
}

func (f *diskFile) Write(p []byte) (int, error) {
	if err := f.d.op(); err != nil {
		return 0, err
	}
	f.b = append(f.b, p...)
	return len(p), nil
}

func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.d.op(); err != nil {
		return 0, err
	}
	n := copy(p, f.b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *diskFile) Close() error {
	if f.closed {
		panic("closed twice")
	}
	f.closed = true
	f.b = nil
	f.d.closed++
	return f.d.op()
}

// naive compares values as the package says that it does, without keys.
func naive(a arrow.Array, i int, b arrow.Array, j int) int {
	a, i = resolved(a, i)
	b, j = resolved(b, j)
	if x, y := isNull(a, i), isNull(b, j); x || y {
		switch {
		case x && y:
			return 0
		case x:
			return 1
		}
		return -1
	}
	switch a := a.(type) {
	case *array.Boolean:
		return cmp.Compare(b2i(a.Value(i)), b2i(b.(*array.Boolean).Value(j)))
	case *array.Int8:
		return cmp.Compare(a.Value(i), b.(*array.Int8).Value(j))
	case *array.Int16:
		return cmp.Compare(a.Value(i), b.(*array.Int16).Value(j))
	case *array.Int32:
		return cmp.Compare(a.Value(i), b.(*array.Int32).Value(j))
	case *array.Int64:
		return cmp.Compare(a.Value(i), b.(*array.Int64).Value(j))
	case *array.Uint8:
		return cmp.Compare(a.Value(i), b.(*array.Uint8).Value(j))
	case *array.Uint16:
		return cmp.Compare(a.Value(i), b.(*array.Uint16).Value(j))
	case *array.Uint32:
		return cmp.Compare(a.Value(i), b.(*array.Uint32).Value(j))
	case *array.Uint64:
		return cmp.Compare(a.Value(i), b.(*array.Uint64).Value(j))
	case *array.Float16:
		return float(float64(a.Value(i).Float32()), float64(b.(*array.Float16).Value(j).Float32()))
	case *array.Float32:
		return float(float64(a.Value(i)), float64(b.(*array.Float32).Value(j)))
	case *array.Float64:
		return float(a.Value(i), b.(*array.Float64).Value(j))
	case *array.Date32:
		return cmp.Compare(a.Value(i), b.(*array.Date32).Value(j))
	case *array.Date64:
		return cmp.Compare(a.Value(i), b.(*array.Date64).Value(j))
	case *array.Time32:
		return cmp.Compare(a.Value(i), b.(*array.Time32).Value(j))
	case *array.Time64:
		return cmp.Compare(a.Value(i), b.(*array.Time64).Value(j))
	case *array.Timestamp:
		return cmp.Compare(a.Value(i), b.(*array.Timestamp).Value(j))
	case *array.Duration:
		return cmp.Compare(a.Value(i), b.(*array.Duration).Value(j))
	case *array.MonthInterval:
		return cmp.Compare(a.Value(i), b.(*array.MonthInterval).Value(j))
	case *array.Decimal128:
		return signed(words128(a.Value(i))).Cmp(signed(words128(b.(*array.Decimal128).Value(j))))
	case *array.Decimal256:
		return signed(words256(a.Value(i))).Cmp(signed(words256(b.(*array.Decimal256).Value(j))))
	case *array.FixedSizeBinary:
		return bytes.Compare(a.Value(i), b.(*array.FixedSizeBinary).Value(j))
	case *array.String:
		return cmp.Compare(a.Value(i), b.(*array.String).Value(j))
	case *array.LargeString:
		return cmp.Compare(a.Value(i), b.(*array.LargeString).Value(j))
	case *array.StringView:
		return cmp.Compare(a.Value(i), b.(*array.StringView).Value(j))
	case *array.Binary:
		return bytes.Compare(a.Value(i), b.(*array.Binary).Value(j))
	case *array.LargeBinary:
		return bytes.Compare(a.Value(i), b.(*array.LargeBinary).Value(j))
	case *array.BinaryView:
		return bytes.Compare(a.Value(i), b.(*array.BinaryView).Value(j))
	}
	panic(fmt.Sprintf("no order for %s", a.DataType()))
}

func words128(n decimal128.Num) []uint64 { return []uint64{n.LowBits(), uint64(n.HighBits())} }

func words256(n decimal256.Num) []uint64 {
	w := n.Array()
	return w[:]
}

// signed returns a number of two's complement, of which the lowest word is first.
func signed(words []uint64) *big.Int {
	v := new(big.Int)
	for _, w := range slices.Backward(words) {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(w))
	}
	if words[len(words)-1]>>63 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), 64*uint(len(words))))
	}
	return v
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

func float(x, y float64) int {
	switch {
	case math.IsNaN(x) && math.IsNaN(y), x == y:
		return 0
	case math.IsNaN(x):
		return 1
	case math.IsNaN(y), x < y:
		return -1
	}
	return 1
}

func isNull(a arrow.Array, i int) bool { return a.DataType().ID() == arrow.NULL || a.IsNull(i) }

// resolved sees through dictionaries, runs and extensions.
func resolved(a arrow.Array, i int) (arrow.Array, int) {
	switch x := a.(type) {
	case *array.Dictionary:
		if !x.IsNull(i) {
			return resolved(x.Dictionary(), x.GetValueIndex(i))
		}
	case *array.RunEndEncoded:
		return resolved(x.Values(), x.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return resolved(x.Storage(), i)
	}
	return a, i
}

// where is a row of the input.
type where struct{ rec, row int }

// keysOf reads names of columns: - in front means descending, ^ in front of that nulls first.
func keysOf(names ...string) []Key {
	out := make([]Key, len(names))
	for i, n := range names {
		n, first := strings.CutPrefix(n, "^")
		n, descending := strings.CutPrefix(n, "-")
		out[i] = Key{Column: n, Descending: descending, NullsFirst: first}
	}
	return out
}

// directed is naive with the directions of a key.
func (k Key) directed(a arrow.Array, i int, b arrow.Array, j int) int {
	x := naive(a, i, b, j)
	ra, ri := resolved(a, i)
	rb, rj := resolved(b, j)
	if isNull(ra, ri) || isNull(rb, rj) {
		if k.NullsFirst {
			return -x
		}
		return x
	}
	if k.Descending {
		return -x
	}
	return x
}

// expected returns the input's rows in order: columns cols, in the directions of by.
func expected(recs []arrow.Record, cols []int, by []Key) []where {
	var rows []where
	for k, r := range recs {
		for i := range int(r.NumRows()) {
			rows = append(rows, where{k, i})
		}
	}
	slices.SortStableFunc(rows, func(a, b where) int {
		for k, c := range cols {
			if x := by[k].directed(recs[a.rec].Column(c), a.row, recs[b.rec].Column(c), b.row); x != 0 {
				return x
			}
		}
		return 0
	})
	return rows
}

// sortAll sorts recs. The caller releases the result.
func sortAll(ctx context.Context, recs []arrow.Record, by []Key, o Options) (out []arrow.Record, stats Stats, err error) {
	s, err := New(recs[0].Schema(), by, o)
	if err != nil {
		return nil, Stats{}, err
	}
	defer func() {
		stats = s.Stats()
		err = errors.Join(err, s.Close())
	}()
	for _, r := range recs {
		if err := s.Add(ctx, r); err != nil {
			return nil, Stats{}, err
		}
	}
	rr, err := s.Merge(ctx)
	if err != nil {
		return nil, Stats{}, err
	}
	defer rr.Release()
	for rr.Next() {
		rr.Record().Retain()
		out = append(out, rr.Record())
	}
	return out, stats, rr.Err()
}

func releaseAll(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

// check compares the result with the input in the order that it should have.
func check(t *testing.T, got, recs []arrow.Record, want []where) {
	t.Helper()
	at := 0
	for _, g := range got {
		if !g.Schema().Equal(recs[0].Schema()) {
			t.Fatalf("schema %s", g.Schema())
		}
		if g.NumRows() == 0 {
			t.Fatal("a batch without rows")
		}
		for c, col := range g.Columns() {
			if err := conformance.Validate(col); err != nil {
				t.Fatalf("column %s: %v", g.ColumnName(c), err)
			}
		}
		for i := range int(g.NumRows()) {
			if at == len(want) {
				t.Fatalf("more than %d rows", at)
			}
			w := want[at]
			for c, col := range g.Columns() {
				x, y := array.NewSlice(recs[w.rec].Column(c), int64(w.row), int64(w.row)+1), array.NewSlice(col, int64(i), int64(i)+1)
				err := conformance.EqualArrays(x, y)
				x.Release()
				y.Release()
				if err != nil {
					t.Fatalf("row %d (of the input: row %d of batch %d), column %s: %v", at, w.row, w.rec, g.ColumnName(c), err)
				}
			}
			at++
		}
	}
	if at != len(want) {
		t.Fatalf("%d rows, want %d", at, len(want))
	}
}

// keyTypes are the types of conformance that have an order.
func keyTypes() []arrow.DataType {
	return slices.DeleteFunc(conformance.Types(), func(dt arrow.DataType) bool { return newEncoder(dt) == nil })
}

// input is random batches.
type input struct {
	recs []arrow.Record
	by   []Key
	cols []int
}

// randomInput makes batches of random columns; rows repeat others where few are made anew. The last column numbers them.
func randomInput(t testing.TB, rng *rand.Rand, mem memory.Allocator, rows int) input {
	var in input
	var fields []arrow.Field
	types := keyTypes()
	for k := range 1 + rng.Intn(3) {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("k", k), Type: types[rng.Intn(len(types))], Nullable: true})
	}
	for k := range rng.Intn(4) {
		all := conformance.Types()
		fields = append(fields, arrow.Field{Name: fmt.Sprint("p", k), Type: all[rng.Intn(len(all))], Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: "number", Type: arrow.PrimitiveTypes.Int64})
	rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	for i, f := range fields {
		if f.Name[0] == 'k' {
			in.by = append(in.by, Key{f.Name, rng.Intn(3) == 0, rng.Intn(3) == 0})
			in.cols = append(in.cols, i)
			if arrowtype.Storage(f.Type).ID() != arrow.NULL && newEncoder(f.Type).width() != 0 {
				_, marked := newEncoder(f.Type).(*indirect)
				fields[i].Nullable = marked || rng.Intn(2) == 0
			}
		}
	}
	schema := arrow.NewSchema(fields, nil)
	g := &conformance.Generator{Rand: rng, Mem: mem, Nulls: []float64{0, 0.2, 0.9}[rng.Intn(3)]}
	few := rng.Intn(2) == 0
	for rows > 0 {
		n := min(rows, 1+rng.Intn(rows))
		if rng.Intn(4) == 0 {
			n = min(rows, 1+rng.Intn(10))
		}
		rows -= n
		made := n
		if few {
			made = 1 + n/10
		}
		rec := g.Record(schema, made)
		if few {
			runs := make([][2]int64, n)
			for i := range runs {
				k := int64(rng.Intn(made))
				runs[i] = [2]int64{k, k + 1}
			}
			repeated, err := arrowbuf.Narrow(rec, runs, mem)
			rec.Release()
			if errors.Is(err, arrowbuf.ErrOverflow) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			rec = repeated
		}
		if rng.Intn(3) == 0 && rec.NumRows() > 4 { // a slice
			cut := rec.NewSlice(1, rec.NumRows()-2)
			rec.Release()
			rec = cut
		}
		in.recs = append(in.recs, rec)
	}
	return in
}

func TestAgainstModel(t *testing.T) {
	rounds := 150
	if race.Enabled {
		rounds = 25
	}
	spilled, merges := 0, 0
	for seed := range rounds {
		rng := rand.New(rand.NewSource(int64(seed)))
		mem := memory.NewCheckedAllocator(arrowbuf.NewPool(1 << 20))
		in := randomInput(t, rng, mem, 1+rng.Intn(1500))
		if len(in.recs) == 0 {
			continue
		}
		want := expected(in.recs, in.cols, in.by)
		d := &disk{}
		o := Options{
			Memory: []int64{1, 128 << 10, 512 << 10, 64 << 20}[rng.Intn(4)], Scratch: d.scratch, Allocator: mem,
			BatchRows: []int{0, 1, 7, 100}[rng.Intn(4)], Parallelism: 1 + rng.Intn(2),
		}
		got, stats, err := sortAll(context.Background(), in.recs, in.by, o)
		name := fmt.Sprintf("seed %d: memory %d, by %v of %s", seed, o.Memory, in.by, in.recs[0].Schema())
		if errors.Is(err, errs.ErrLimit) && o.Memory < 1<<20 { // rows, or dictionaries, that are large beside such memory
			err = nil
		} else if err == nil {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { check(t, got, in.recs, want) })
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if stats.Runs > 0 {
			spilled++
		}
		if stats.Merges > 0 {
			merges++
		}
		releaseAll(got)
		releaseAll(in.recs)
		if d.opened != d.closed {
			t.Errorf("%s: %d of %d scratch files closed", name, d.closed, d.opened)
		}
		mem.AssertSize(t, 0)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	t.Logf("%d spilled, %d merged more than once", spilled, merges)
	if spilled < rounds/8 || merges == 0 && !race.Enabled {
		t.Errorf("only %d spilled, %d merged more than once", spilled, merges)
	}
}
