package cfile_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/halffloat"
	setreader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// objects are the files of a set.
type objects map[string][]byte

// memTree is the directory that they would be.
type memTree struct{ objects }

func (t memTree) Path(name string) string { return path.Join("set", name) }

func (t memTree) Open(_ context.Context, name string) (arrowio.OpenSource, error) {
	b, ok := t.objects[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return openBytes{local.NewBytesSource(b)}, nil
}

type openBytes struct{ arrowio.Source }

func (openBytes) Close() error { return nil }

func (t memTree) List(_ context.Context, dir string) (entries []arrowio.TreeEntry, _ error) {
	dirs := map[string]bool{}
	for name, b := range t.objects {
		if dir != "" {
			var ok bool
			if name, ok = strings.CutPrefix(name, dir+"/"); !ok {
				continue
			}
		}
		sub, _, deep := strings.Cut(name, "/")
		if deep && !dirs[sub] {
			dirs[sub] = true
			entries = append(entries, arrowio.TreeEntry{Name: sub, Dir: true})
		} else if !deep {
			entries = append(entries, arrowio.TreeEntry{Name: name, Size: int64(len(b))})
		}
	}
	slices.SortFunc(entries, func(a, b arrowio.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, nil
}

// tryWrite writes batches; the error may be the plan's or the writer's.
func tryWrite(f arrowio.OutputFormat, s *arrow.Schema, recs []arrow.Record, o arrowio.WriteOptions) (objects, error) {
	p, err := f.Plan(s, o)
	if err != nil {
		return nil, err
	}
	return writePlan(f, p, recs)
}

func writePlan(f arrowio.OutputFormat, p *arrowio.WritePlan, recs []arrow.Record) (objects, error) {
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		return nil, err
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return st.Objects(), err
}

func write(t testing.TB, f arrowio.OutputFormat, s *arrow.Schema, recs []arrow.Record, o arrowio.WriteOptions) objects {
	t.Helper()
	got, err := tryWrite(f, s, recs, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return got
}

// setOf reads schema.json and checks that there are the files that it names, of their sizes, and no others.
func setOf(t testing.TB, o objects) *kuduwire.Set {
	t.Helper()
	set, err := kuduwire.ParseSet(o[kuduwire.SetFileName], arrowio.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, o[kuduwire.SetFileName])
	}
	files := 1
	check := func(f *kuduwire.SetFile) {
		if f == nil {
			return
		}
		files++
		if b, ok := o[f.Name]; !ok || int64(len(b)) != f.Bytes {
			t.Errorf("%s: there %v, %d bytes, want %d", f.Name, ok, len(b), f.Bytes)
		}
	}
	for _, r := range set.RowSets {
		for i := range r.Columns {
			check(&r.Columns[i])
		}
		check(r.Keys)
		check(r.Bloom)
	}
	if files != len(o) {
		t.Errorf("%d files, schema.json knows %d", len(o), files)
	}
	return set
}

// open opens a file by itself, and has all of it verified.
func open(t testing.TB, o objects, name string, c *kuduwire.Column) *reader.File {
	t.Helper()
	opt := reader.Options{Int128Binary: true, StringsBinary: c.Type == cfilewire.String || c.Type == cfilewire.Varchar}
	if c.Type.Decimal() > 0 {
		opt.Precision, opt.Scale = c.Precision, c.Scale
	}
	f, err := reader.Open(context.Background(), local.NewBytesSource(o[name]), arrowio.Limits{}, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := f.Verify(context.Background(), func(err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// cells of an array, in a form that is the same for whatever type holds them: numbers as they are, times in
// microseconds, dates in days, floats by their bits, strings by their bytes.
func cells(arr arrow.Array) []string {
	out := make([]string, arr.Len())
	for i := range out {
		out[i] = cell(arr, i)
	}
	return out
}

func cell(arr arrow.Array, i int) string {
	if e, ok := arr.(array.ExtensionArray); ok {
		return cell(e.Storage(), i)
	}
	if arr.DataType().ID() == arrow.NULL || arr.IsNull(i) {
		return "null"
	}
	switch a := arr.(type) {
	case *array.Dictionary:
		return cell(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return cell(a.Values(), a.GetPhysicalIndex(i))
	case *array.Boolean:
		return fmt.Sprint(a.Value(i))
	case *array.Float16:
		return fmt.Sprintf("f%x", math.Float32bits(halffloat.Float32(a.Value(i))))
	case *array.Float32:
		return fmt.Sprintf("f%x", math.Float32bits(a.Value(i)))
	case *array.Float64:
		return fmt.Sprintf("d%x", math.Float64bits(a.Value(i)))
	case *array.String:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.LargeString:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.StringView:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.Binary:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.LargeBinary:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.BinaryView:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.FixedSizeBinary:
		return fmt.Sprintf("%q", a.Value(i))
	case *array.Decimal128:
		return a.Value(i).BigInt().String()
	case *array.Decimal256:
		return a.Value(i).BigInt().String()
	case *array.Timestamp:
		v := big.NewInt(int64(a.Value(i)))
		switch a.DataType().(*arrow.TimestampType).Unit {
		case arrow.Second:
			v.Mul(v, big.NewInt(1_000_000))
		case arrow.Millisecond:
			v.Mul(v, big.NewInt(1_000))
		case arrow.Nanosecond:
			v.Div(v, big.NewInt(1_000)) // Euclid's: towards the past
		}
		return v.String()
	case *array.Date32:
		return fmt.Sprint(int32(a.Value(i)))
	case *array.Date64:
		return fmt.Sprint(int64(a.Value(i)) / 86_400_000)
	case *array.Time32:
		return fmt.Sprint(int32(a.Value(i)))
	case *array.Time64:
		return fmt.Sprint(int64(a.Value(i)))
	case *array.Duration:
		return fmt.Sprint(int64(a.Value(i)))
	case *array.MonthInterval:
		return fmt.Sprint(int32(a.Value(i)))
	}
	return arr.ValueStr(i) // integers
}

// int128Cell is a cell of 16 bytes as a number.
func int128Cell(arr *array.FixedSizeBinary, i int) string {
	if arr.IsNull(i) {
		return "null"
	}
	b := arr.Value(i)
	v := new(big.Int).SetInt64(int64(binary.LittleEndian.Uint64(b[8:])))
	v.Lsh(v, 64)
	return v.Add(v, new(big.Int).SetUint64(binary.LittleEndian.Uint64(b))).String()
}

// scan reads all rows of a file.
func scan(t testing.TB, f arrowio.File, batch int, use func(rec arrow.Record)) {
	t.Helper()
	rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Parallelism: 1, BatchRows: batch})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	for rr.Next() {
		if err := conformance.ValidateRecord(rr.Record()); err != nil {
			t.Error(err)
		}
		use(rr.Record())
	}
	if err := rr.Err(); err != nil {
		t.Fatal(err)
	}
}

// readBack compares a set with the batches that it was made of: each file by itself, and the set as a table.
func readBack(t testing.TB, o objects, s *arrow.Schema, recs []arrow.Record) *kuduwire.Set {
	t.Helper()
	set := setOf(t, o)
	var want [][]string // by column of the set
	for i := range set.Schema.Columns {
		field := s.FieldIndices(set.Schema.Columns[i].Name)[0]
		var column []string
		for _, rec := range recs {
			column = append(column, cells(rec.Column(field))...)
		}
		want = append(want, column)
	}
	for i := range set.Schema.Columns {
		c := &set.Schema.Columns[i]
		var got []string
		for k := range set.RowSets {
			r := &set.RowSets[k]
			f := open(t, o, r.Columns[i].Name, c)
			footer := f.Footer()
			if footer.Type != c.Type || footer.Encoding != c.Encoding || footer.Compression != c.Compression || footer.Nullable != c.Nullable || footer.Values != r.Rows {
				t.Errorf("%s: %+v, schema.json says %+v and %d rows", c.Name, footer, c, r.Rows)
			}
			scan(t, f, 1000, func(rec arrow.Record) {
				if fixed, ok := rec.Column(0).(*array.FixedSizeBinary); ok && c.Type == cfilewire.Int128 {
					for i := range fixed.Len() {
						got = append(got, int128Cell(fixed, i))
					}
					return
				}
				got = append(got, cells(rec.Column(0))...)
			})
		}
		sameCells(t, c.Name, got, want[i])
	}
	for k := range set.RowSets {
		for _, f := range []*kuduwire.SetFile{set.RowSets[k].Keys, set.RowSets[k].Bloom} {
			if f != nil {
				open(t, o, f.Name, &kuduwire.Column{Type: cfilewire.Binary})
			}
		}
	}
	readSet(t, o, set, want)
	return set
}

// readSet reads a set as a table, and has it verified.
func readSet(t testing.TB, o objects, set *kuduwire.Set, want [][]string) {
	t.Helper()
	if len(set.Schema.Columns) == 0 || slices.ContainsFunc(set.Schema.Columns, func(c kuduwire.Column) bool { return c.Type == cfilewire.Int128 }) {
		return
	}
	f, err := setreader.OpenSet(context.Background(), memTree{o}, arrowio.Limits{}, setreader.Options{StringsBinary: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := make([][]string, len(want))
	scan(t, f, 1000, func(rec arrow.Record) {
		for i, c := range rec.Columns() {
			got[i] = append(got[i], cells(c)...)
		}
	})
	for i := range got {
		sameCells(t, "table, column "+set.Schema.Columns[i].Name, got[i], want[i])
	}
	if err := f.Verify(context.Background(), func(err error) { t.Errorf("set: %v", err) }); err != nil {
		t.Fatal(err)
	}
}

func sameCells(t testing.TB, name string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: row %d: %.200s, want %.200s", name, i, got[i], want[i])
			return
		}
	}
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

func withMeta(f arrow.Field, kv ...string) arrow.Field {
	var keys, values []string
	for i := 0; i < len(kv); i += 2 {
		keys, values = append(keys, kv[i]), append(values, kv[i+1])
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	return f
}

// checked returns an allocator whose memory must be gone at the end of the test.
func checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}
