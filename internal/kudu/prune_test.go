package kudu

import (
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// predicates makes filters of values that a table has, and of their neighbours; most are about the key.
type predicates struct {
	*rand.Rand
	rec  arrow.Record
	keys int
}

func (g predicates) expr(depth int) expr.Expr {
	if depth > 0 {
		list := make([]expr.Expr, 1+g.Intn(3))
		for i := range list {
			list[i] = g.expr(depth - 1)
		}
		switch g.Intn(4) {
		case 0:
			return expr.And(list)
		case 1:
			return expr.Or(list)
		case 2:
			return expr.Not{X: list[0]}
		}
	}
	i := g.Intn(g.keys)
	if g.Intn(4) == 0 {
		i = g.Intn(int(g.rec.NumCols()))
	}
	col := g.rec.ColumnName(i)
	switch g.Intn(9) {
	case 0:
		vals := make([]scalar.Scalar, 1+g.Intn(4))
		for n := range vals {
			vals[n] = g.value(i)
		}
		return expr.In{Col: col, Values: vals}
	case 1:
		return expr.And{expr.Compare{Col: col, Op: expr.Ge, Value: g.value(i)}, expr.Compare{Col: col, Op: expr.Le, Value: g.value(i)}}
	case 2:
		return expr.IsNull{Col: col}
	case 3:
		return g.wholeKey()
	}
	ops := []expr.Op{expr.Eq, expr.Ne, expr.Lt, expr.Le, expr.Gt, expr.Ge}
	return expr.Compare{Col: col, Op: ops[g.Intn(6)], Value: g.value(i)}
}

// wholeKey asks for one key: of a row, or of parts of several.
func (g predicates) wholeKey() expr.Expr {
	var and expr.And
	row := g.Intn(max(1, int(g.rec.NumRows())))
	for i := range g.keys {
		v := g.value(i)
		if g.Intn(4) > 0 && g.rec.NumRows() > 0 {
			v, _ = scalar.GetScalar(g.rec.Column(i), row)
		}
		and = append(and, expr.Compare{Col: g.rec.ColumnName(i), Op: expr.Eq, Value: v})
	}
	return and
}

// value returns a literal for a column: one of its values, or one nearby.
func (g predicates) value(i int) scalar.Scalar {
	c := g.rec.Column(i)
	if g.Intn(60) == 0 || c.Len() == 0 {
		return scalar.MakeNullScalar(c.DataType())
	}
	v, err := scalar.GetScalar(c, g.Intn(c.Len()))
	if err != nil {
		panic(err)
	}
	if g.Intn(2) == 0 || !v.IsValid() {
		return v
	}
	d := []int64{-1, 1, 2, 255, -256}[g.Intn(5)]
	switch v := v.(type) {
	case *scalar.Int16:
		return scalar.NewInt16Scalar(v.Value + int16(d))
	case *scalar.Int32:
		return scalar.NewInt32Scalar(v.Value + int32(d))
	case *scalar.Int64:
		return scalar.NewInt64Scalar(v.Value + d)
	case *scalar.Date32:
		return scalar.NewDate32Scalar(v.Value + arrow.Date32(d))
	case *scalar.Timestamp:
		return scalar.NewTimestampScalar(v.Value+arrow.Timestamp(d), v.Type)
	case *scalar.Decimal128:
		return scalar.NewDecimal128Scalar(v.Value.Add(decimal128.FromI64(d)), v.Type)
	case *scalar.String:
		return scalar.NewStringScalar(strings.ToValidUTF8(string(g.near(v.Data())), "?"))
	case *scalar.Binary:
		return scalar.NewBinaryScalar(memory.NewBufferBytes(g.near(v.Data())), v.Type)
	}
	return v
}

func (g predicates) near(b []byte) []byte {
	b = append([]byte(nil), b...)
	switch g.Intn(4) {
	case 0:
		return b[:g.Intn(len(b)+1)]
	case 1:
		return append(b, 0)
	case 2:
		if len(b) > 0 {
			b[g.Intn(len(b))] += byte(1 + g.Intn(2)*254)
		}
	}
	return b
}

// passing returns which rows satisfy a predicate, row by row, and how many.
func passing(t testing.TB, rec arrow.Record, b *expr.Bound) (pass []bool, n int) {
	t.Helper()
	m, err := b.Mask(rec)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	pass = make([]bool, m.Len())
	for i := range pass {
		if pass[i] = m.IsValid(i) && m.Value(i); pass[i] {
			n++
		}
	}
	return pass, n
}

// pruneAll prunes all splits and returns the rows that are left.
func pruneAll(t testing.TB, f *File, b *expr.Bound) (out arrowio.RowSet) {
	t.Helper()
	for _, s := range f.splits {
		rows, err := f.Prune(t.Context(), s, b)
		if err != nil {
			t.Fatal(err)
		}
		if in := rows.Clip(s.Rows); in.Len() != rows.Len() {
			t.Fatalf("split %v: rows %v", s.Rows, rows)
		}
		for _, r := range rows {
			out = out.Add(r)
		}
	}
	return out
}

// A filtered scan gives the rows that a row-by-row test of all of them passes, whatever the predicate, the snapshot and the
// splits; and of keys some rows are left out before any is read.
func TestPruneMadeTables(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	for seed := int64(0); seed < 24; seed += sampled {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			x := newTable(t, r, history{keys: 1 + r.Intn(3), columns: 2, tablets: 1 + r.Intn(2), steps: 250, span: 30})
			s := x.serve(t)
			o := Options{sizes: sizes{rows: 20 + r.Int63n(300), bytes: 1 << 20, updates: 1 << 20, kept: 20}}
			if seed%3 > 0 {
				o.Snapshot = x.now - uint64(r.Intn(300))
			}
			f, err := s.open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want := x.expect(t, o.Snapshot, false)
			g := predicates{r, want, len(x.keyColumns())}
			less := int64(0)
			for i := range rounds {
				e := g.expr(r.Intn(3))
				b, err := expr.Bind(e, f.Schema())
				if err != nil {
					t.Fatalf("%v: %v", e, err)
				}
				pass, n := passing(t, want, b)
				left := pruneAll(t, f, b)
				less += want.NumRows() - left.Len()
				in := make([]bool, len(pass))
				for _, r := range left {
					for k := r.Start; k < r.End; k++ {
						in[k] = true
					}
				}
				for k := range pass {
					if pass[k] && !in[k] {
						t.Fatalf("%v: row %d passes, and was left out: %v", e, k, left)
					}
				}
				if i%10 == 0 {
					checkFiltered(t, f, e, want, pass, n)
				}
			}
			if less == 0 && want.NumRows() > 0 {
				t.Error("nothing was ever left out")
			}
		})
	}
}

// checkFiltered compares a filtered scan with the rows that pass.
func checkFiltered(t *testing.T, f *File, e expr.Expr, want arrow.Record, pass []bool, n int) {
	t.Helper()
	got := scanText(t, f, arrowio.ScanOptions{Filter: e, Parallelism: 1 + n%3, BatchRows: 13})
	if len(got) != n {
		t.Errorf("%v: %d rows, want %d", e, len(got), n)
		return
	}
	i := 0
	for k, p := range pass {
		if p {
			part := want.NewSlice(int64(k), int64(k+1))
			if line := textOf(part); line != got[i] {
				t.Errorf("%v: row %d is %s, want %s", e, i, got[i], line)
			}
			i++
		}
	}
}

// reads counts what is read of blocks.
type reads struct {
	mu    sync.Mutex
	calls map[uint64]int
	bytes map[uint64]int64
}

type countedReads struct {
	arrowio.Source
	id uint64
	of *reads
}

func (c countedReads) ReadAt(p []byte, off int64) (int, error) {
	c.of.mu.Lock()
	c.of.calls[c.id]++
	c.of.bytes[c.id] += int64(len(p))
	c.of.mu.Unlock()
	return c.Source.ReadAt(p, off)
}

func (r *reads) through(id uint64, src arrowio.Source) arrowio.Source {
	return countedReads{src, id, r}
}

// reset forgets what was read.
func (r *reads) reset() { r.calls, r.bytes = map[uint64]int{}, map[uint64]int64{} }

// keyedTable makes a table with a key of one or two numbers and another column; each rowset has the keys given.
func keyedTable(tb testing.TB, parts int, rowsets ...[]int64) *madeTable {
	tb.Helper()
	x := &madeTable{name: "keyed", now: 10, per: 50}
	for i := range parts {
		x.columns = append(x.columns, &tableColumn{id: int32(i), name: string(rune('a' + i)), typ: cfilewire.Int64, key: true})
	}
	x.columns = append(x.columns, &tableColumn{id: 9, name: "v", typ: cfilewire.Int64, null: true})
	t := &tableTablet{id: madeTablet}
	x.tablets = append(x.tablets, t)
	for _, keys := range rowsets {
		rs := &tableRowSet{byKey: map[string]*tableRow{}}
		for _, k := range keys {
			cells := [][]byte{[]byte(madeInt64(k)), []byte(madeInt64(k % 7))}[:parts]
			x.now++
			rs.rows = append(rs.rows, &tableRow{key: x.keyOf(tb, cells), cells: cells, events: []event{{x.now, cfilewire.Reinsert, map[int32][]byte{9: []byte(madeInt64(-k))}}}})
		}
		x.now++
		rs.flushed = x.now
		t.rowsets = append(t.rowsets, rs)
	}
	return x
}

// keysFrom returns n numbers from the first on, so far apart.
func keysFrom(first, step, n int64) (keys []int64) {
	for i := range n {
		keys = append(keys, first+i*step)
	}
	return keys
}

// Of rowsets whose keys are elsewhere nothing but the ends of the keys is read, of others the blocks that the index of the
// keys names; a key that the bloom filters do not know is looked for no further.
func TestPruneReads(t *testing.T) {
	for parts := 1; parts <= 2; parts++ {
		var rowsets [][]int64
		for i := range int64(8) {
			rowsets = append(rowsets, keysFrom(10_000*i, 4, 2400))
		}
		rowsets = append(rowsets, keysFrom(5, 26, 2900)) // among all the others
		x := keyedTable(t, parts, rowsets...)
		s := x.serve(t)
		n := &reads{}
		n.reset()
		f, err := s.open(Options{through: n.through})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, c := range []struct {
			filter  string
			rows    int
			rowsets string // whose values are read
			left    int64  // rows at most
		}{
			{"a = 30080", 1, "3", 50},
			{"a >= 30080 and a < 30200", 35, "38", 200},
			{"a = 30082", 0, "", 0},
			{"a = 1305", 1, "8", 50},
			{"a < 0", 0, "", 0},
			{"a > 200000", 0, "", 0},
			{"a >= 70000 and a <= 70012", 4, "7", 100},
			{"v = 0 and a = 40000", 0, "4", 50},
		} {
			e, err := expr.Parse(c.filter)
			if err != nil {
				t.Fatal(err)
			}
			if parts == 2 && !strings.ContainsAny(c.filter, "<>") { // one key is both parts
				var k int64
				_, _ = fmt.Sscanf(c.filter[strings.Index(c.filter, "a = "):], "a = %d", &k)
				e = expr.And{e, expr.Compare{Col: "b", Op: expr.Eq, Value: scalar.NewInt64Scalar(k % 7)}}
			}
			b, err := expr.Bind(e, f.Schema())
			if err != nil {
				t.Fatal(err)
			}
			left := pruneAll(t, f, b)
			if left.Len() > c.left {
				t.Errorf("%d parts, %s: %d rows are left, at most %d should be", parts, c.filter, left.Len(), c.left)
			}
			n.reset()
			if got := scanText(t, f, arrowio.ScanOptions{Filter: e, Parallelism: 1}); len(got) != c.rows {
				t.Errorf("%d parts, %s: %d rows, want %d", parts, c.filter, len(got), c.rows)
			}
			read, bytes, stored := "", int64(0), int64(0)
			for i, rs := range f.tablets[0].rowsets {
				id, _ := rs.column(9)
				if n.calls[id] > 0 {
					read += fmt.Sprint(i)
				}
				bytes += n.bytes[id]
				stored = s.blocks[id].Len
			}
			if read != c.rowsets {
				t.Errorf("%d parts, %s: values of rowsets %q are read, want %q", parts, c.filter, read, c.rowsets)
			}
			if bytes > int64(len(c.rowsets))*stored/4 {
				t.Errorf("%d parts, %s: %d bytes of values are read; a rowset has %d", parts, c.filter, bytes, stored)
			}
		}
	}
}

// Bloom filters spare the search for keys that are not there, which the index of the keys alone cannot.
func TestPruneBloom(t *testing.T) {
	for parts := 1; parts <= 2; parts++ {
		x := keyedTable(t, parts, keysFrom(0, 10, 2000))
		s := x.serve(t)
		with, err := s.open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer with.Close()
		without, err := s.open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer without.Close()
		without.tablets[0].rowsets[0].meta.HasBloom = false
		spared, found := 0, 0
		for k := range int64(500) {
			k *= 7
			e := expr.And{expr.Compare{Col: "a", Op: expr.Eq, Value: scalar.NewInt64Scalar(k)}}
			if parts == 2 {
				e = append(e, expr.Compare{Col: "b", Op: expr.Eq, Value: scalar.NewInt64Scalar(k % 7)})
			}
			b, err := expr.Bind(e, with.Schema())
			if err != nil {
				t.Fatal(err)
			}
			rows, more := pruneAll(t, with, b), pruneAll(t, without, b)
			switch {
			case more.Len() == 0:
				t.Errorf("key %d: without filters nothing is left", k)
			case k%10 == 0 && rows.Len() == 0:
				t.Errorf("key %d is there, and was left out", k)
			case k%10 == 0:
				found++
			case rows.Len() == 0:
				spared++
			}
		}
		if found != 50 || spared < 445 {
			t.Errorf("%d parts: %d keys found, %d searches spared of 450", parts, found, spared)
		}
	}
}
