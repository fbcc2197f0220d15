package arrowio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// memFile is a File over one record in memory. It checks that it is used as the contract says, and fails on demand.
type memFile struct {
	t      testing.TB
	rec    arrow.Record
	splits []Split
	prune  func(s Split) RowSet // nil = everything
	sizer  bool                 // readers can tell sizes: 100 bytes a row
	many   bool                 // readers take many runs at once, and decode what lies between them
	masks  bool                 // and masks
	bad    int64                // decoding column v of this row is an error; 0 = of none

	failAt  int64 // fail the call with this number, counted from 1 over all calls; 0 = never
	fail    error // what it fails with; nil = panic
	calls   atomic.Int64
	open    atomic.Int64
	closed  atomic.Int64
	reads   atomic.Int64 // calls of Read
	columns atomic.Int64 // top-level columns asked for in all calls of Read
	rows    atomic.Int64 // rows decoded
	delay   func(s Split)
	narrow  *sync.Map // of projected columns: making them is slow
}

var errDisk = errors.New("the disk is on fire")

// newMemFile cuts rec at the given rows.
func newMemFile(t testing.TB, rec arrow.Record, cuts ...int64) *memFile {
	f := &memFile{t: t, rec: rec, narrow: &sync.Map{}}
	at := int64(0)
	for _, c := range append(cuts, rec.NumRows()) {
		f.splits = append(f.splits, Split{Ordinal: len(f.splits), Rows: RowRange{at, c}, Bytes: (c - at) * 10})
		at = c
	}
	return f
}

// asStream makes the file's length unknown.
func (f *memFile) asStream() *memFile {
	f.splits = []Split{{Rows: RowRange{0, UnknownRows}}}
	return f
}

func (f *memFile) call() error {
	if n := f.calls.Add(1); n == f.failAt {
		if f.fail == nil {
			panic("a bug in the driver")
		}
		return f.fail
	}
	return nil
}

func (f *memFile) Schema() *arrow.Schema                            { return f.rec.Schema() }
func (f *memFile) Info(context.Context, InfoOptions) (*Info, error) { return &Info{}, nil }
func (f *memFile) Splits() []Split                                  { return f.splits }
func (f *memFile) Close() error                                     { f.closed.Add(1); return nil }
func (f *memFile) Prune(_ context.Context, s Split, b *expr.Bound) (RowSet, error) {
	if b == nil {
		f.t.Error("Prune without a predicate")
	}
	if err := f.call(); err != nil {
		return nil, err
	}
	if f.prune == nil {
		return RowSet{s.Rows}, nil
	}
	return f.prune(s), nil
}

func (f *memFile) Read(ctx context.Context, s Split, rows RowSet, p Projection, mem memory.Allocator) (SplitReader, error) {
	f.reads.Add(1)
	f.columns.Add(int64(len(p.Fields)))
	if f.delay != nil {
		f.delay(s)
	}
	if err := f.call(); err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		f.t.Errorf("Read of no rows of split %d", s.Ordinal)
	}
	for i, r := range rows {
		if r.Len() <= 0 || r.Start < s.Rows.Start || s.Known() && r.End > s.Rows.End || i > 0 && r.Start <= rows[i-1].End {
			f.t.Errorf("split %v: row set %v is not sorted, disjoint and inside", s, rows)
		}
	}
	r := &memReader{f: f, s: s, rows: slices.Clone(rows), p: p, at: s.Rows.Start, end: s.Rows.End}
	if !s.Known() {
		r.end = f.rec.NumRows()
	}
	for i, pf := range p.Fields {
		full := f.rec.Column(pf.Index)
		key := p.Schema.Field(i).String()
		made, ok := f.narrow.Load(key)
		if !ok {
			made, _ = f.narrow.LoadOrStore(key, narrowByHand(full, p.Schema.Field(i).Type, pf.Children))
		}
		narrow := made.(arrow.Array)
		narrow.Retain()
		r.cols = append(r.cols, narrow)
		r.apps = append(r.apps, arrowbuf.NewAppender(narrow.DataType(), mem))
	}
	f.open.Add(1)
	if f.masks {
		return masksReader{runsReader{r}}, nil
	}
	if f.many {
		return runsReader{r}, nil
	}
	if f.sizer {
		return sizedReader{r}, nil
	}
	return r, nil
}

// narrowByHand makes the array of a projected field row by row, through JSON.
func narrowByHand(full arrow.Array, dt arrow.DataType, children []ProjectedField) arrow.Array {
	if children == nil {
		full.Retain()
		return full
	}
	text, err := full.MarshalJSON()
	if err != nil {
		panic(err)
	}
	b := array.NewBuilder(memory.NewGoAllocator(), dt)
	defer b.Release()
	if err := b.UnmarshalJSON(text); err != nil {
		panic(err)
	}
	return b.NewArray()
}

type memReader struct {
	f       *memFile
	s       Split
	rows    RowSet
	p       Projection
	cols    []arrow.Array
	apps    []*arrowbuf.Appender
	at, end int64
	n       int
	closed  bool
}

func (r *memReader) check() error {
	if r.closed {
		r.f.t.Error("use of a closed reader")
	}
	return r.f.call()
}

func (r *memReader) Skip(n int64) (int64, error) {
	if n <= 0 {
		r.f.t.Errorf("Skip(%d)", n)
	}
	if err := r.check(); err != nil {
		return 0, err
	}
	n = min(n, r.end-r.at)
	r.at += n
	return n, nil
}

func (r *memReader) Read(n int) (int, error) {
	if n <= 0 {
		r.f.t.Errorf("Read(%d)", n)
	}
	if err := r.check(); err != nil {
		return 0, err
	}
	if left := r.end - r.at; int64(n) > left {
		if r.s.Known() {
			r.f.t.Errorf("Read(%d) with %d rows left", n, left)
		}
		n = int(left)
	}
	want := RowRange{r.at, r.at + int64(n)}
	if got := r.rows.Clip(want); got.Len() != int64(n) {
		r.f.t.Errorf("rows %v were asked for, but only %v of them announced", want, got)
	}
	if r.fails(want) {
		return 0, errBadRow
	}
	r.f.rows.Add(int64(n))
	for i, a := range r.apps {
		if err := a.Append(r.cols[i], int(r.at), int(r.at)+n); err != nil {
			return 0, err
		}
	}
	r.at += int64(n)
	r.n += n
	return n, nil
}

func (r *memReader) Take() (arrow.Record, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	cols := make([]arrow.Array, len(r.apps))
	for i, a := range r.apps {
		cols[i] = a.Take()
		defer cols[i].Release()
	}
	n := r.n
	r.n = 0
	return array.NewRecord(r.p.Schema, cols, int64(n)), nil
}

func (r *memReader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.f.open.Add(-1)
	for i, a := range r.apps {
		a.Release()
		r.cols[i].Release()
	}
	return r.f.call()
}

type sizedReader struct{ *memReader }

// masksReader is a runsReader that takes masks, too.
type masksReader struct{ runsReader }

func (r masksReader) ReadMask(mask []uint64, off, n int) error {
	at := r.at
	var runs []RowRange
	for i := range n {
		if k := off + i; mask[k/64]>>(k%64)&1 == 1 {
			runs = RowSet(runs).Add(RowRange{int64(i), int64(i) + 1})
		}
	}
	if len(runs) == 0 {
		r.f.t.Errorf("a mask of %d rows has none", n)
		return nil
	}
	if err := r.ReadRuns(runs); err != nil {
		return err
	}
	r.memReader.at = at + int64(n)
	return nil
}

// runsReader decodes all rows that it was opened for, from the first run to the last.
type runsReader struct{ *memReader }

func (r runsReader) ReadRuns(runs []RowRange) error {
	from := r.at
	span := RowRange{from + runs[0].Start, from + runs[len(runs)-1].End}
	for _, x := range r.rows.Clip(span) {
		if r.fails(x) {
			return errBadRow
		}
	}
	for _, x := range runs {
		r.at = from + x.Start
		if _, err := r.Read(int(x.Len())); err != nil {
			return err
		}
	}
	return nil
}

// fails reports whether decoding rows fails: those with the bad one do, of column v.
func (r *memReader) fails(x RowRange) bool {
	return r.f.bad > 0 && r.f.bad >= x.Start && r.f.bad < x.End && len(r.p.Schema.FieldIndices("v")) > 0
}

var errBadRow = errors.New("a bad row")

func (r sizedReader) Fit(n int, bytes int64) int { return int(min(int64(n), max(1, bytes/100))) }

// anyRecord has a column of every kind of type; its memory is Go's.
func anyRecord(t testing.TB, rows int, seed uint64) arrow.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	inner := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "st", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
			arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}, arrow.Field{Name: "c", Type: inner, Nullable: true}), Nullable: true},
		{Name: "li", Type: arrow.ListOf(inner), Nullable: true},
		{Name: "ma", Type: arrow.MapOf(arrow.BinaryTypes.String, inner), Nullable: true},
		{Name: "di", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "un", Type: arrow.DenseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, []arrow.UnionTypeCode{0, 1})},
		{Name: "ok", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "nil", Type: arrow.Null, Nullable: true},
	}, nil)
	var b strings.Builder
	b.WriteByte('[')
	null := func(f string, args ...any) string {
		if rng.IntN(5) == 0 {
			return "null"
		}
		return fmt.Sprintf(f, args...)
	}
	xy := func() string { return null(`{"x":%s,"y":%s}`, null("%d", rng.IntN(9)), null(`"y%d"`, rng.IntN(9))) }
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		un := fmt.Sprintf("[0,%d]", i)
		if rng.IntN(2) == 0 {
			un = fmt.Sprintf(`[1,"u%d"]`, i)
		}
		var li, ma []string
		for k := range rng.IntN(4) {
			li = append(li, xy())
			ma = append(ma, fmt.Sprintf(`{"key":"k%d","value":%s}`, k, xy()))
		}
		fmt.Fprintf(&b, `{"id":%d,"n":%s,"name":%s,"st":%s,"li":%s,"ma":%s,"di":%s,"un":%s,"ok":%s,"nil":null}`, i,
			null("%d", rng.IntN(100)), null(`"name %d"`, rng.IntN(1000)), null(`{"a":%s,"b":%s,"c":%s}`, null("%d", rng.IntN(10)), null(`"b%d"`, i), xy()),
			null("[%s]", strings.Join(li, ",")), null("[%s]", strings.Join(ma, ",")), null(`"d%d"`, rng.IntN(7)), un, null("%v", rng.IntN(2) == 0))
	}
	b.WriteByte(']')
	rec, _, err := array.RecordFromJSON(memory.NewGoAllocator(), s, strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// rowsOf returns the rows of a record as JSON values, the way that no array code of ours has touched.
func rowsOf(t testing.TB, rec arrow.Record) []map[string]any {
	t.Helper()
	if rec.NumCols() == 0 {
		return make([]map[string]any, rec.NumRows())
	}
	text, err := rec.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// project keeps the named fields of a row of anyRecord; "" for the whole row.
func project(row map[string]any, columns []string) map[string]any {
	if columns == nil {
		return row
	}
	out := map[string]any{}
	for _, c := range columns {
		copyPath(out, row, strings.Split(c, "."))
	}
	return out
}

func copyPath(dst, src map[string]any, path []string) {
	v := src[path[0]]
	if len(path) == 1 || v == nil {
		dst[path[0]] = v
		return
	}
	switch v := v.(type) {
	case map[string]any:
		sub, _ := dst[path[0]].(map[string]any)
		if sub == nil {
			sub = map[string]any{}
		}
		copyPath(sub, v, path[1:])
		dst[path[0]] = sub
	case []any: // of structs, or of map entries
		list, _ := dst[path[0]].([]any)
		if list == nil {
			list = make([]any, len(v))
		}
		for i, e := range v {
			m, ok := e.(map[string]any)
			if !ok {
				continue
			}
			entry, isEntry := list[i].(map[string]any)
			if !isEntry {
				entry = map[string]any{}
			}
			if key, isMap := m["key"]; isMap {
				entry["key"] = key
				copyPath(entry, m, append([]string{"value"}, path[1:]...))
			} else {
				copyPath(entry, m, path[1:])
			}
			list[i] = entry
		}
		dst[path[0]] = list
	}
}

// drain reads a scan to its end and returns its rows and the rows of each batch.
func drain(t testing.TB, s *Scanner) (rows []map[string]any, batches []int64, err error) {
	t.Helper()
	defer s.Release()
	for s.Next() {
		rec := s.Record()
		if rec.Schema() != s.Schema() {
			t.Error("a record does not have the schema of the scan")
		}
		if rec.NumRows() == 0 {
			t.Error("a batch without rows")
		}
		batches = append(batches, rec.NumRows())
		rows = append(rows, rowsOf(t, rec)...)
	}
	return rows, batches, s.Err()
}

// noGoroutines fails if goroutines are left that were not there before.
func noGoroutines(t testing.TB) func() {
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if runtime.NumGoroutine() <= before {
				return
			}
		}
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
	}
}

// ints returns a record of one column of int64; nil is null.
func ints(t testing.TB, f arrow.Field, values ...any) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{f}, nil))
	defer b.Release()
	for _, v := range values {
		if v == nil {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.Int64Builder).Append(int64(v.(int)))
		}
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

var vField = arrow.Field{Name: "v", Type: arrow.PrimitiveTypes.Int64}
