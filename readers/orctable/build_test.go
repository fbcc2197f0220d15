package orctable

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// memTree is a tree in memory: the bytes of files by name. Directories are what names tell, or end in a slash.
type memTree map[string][]byte

func (m memTree) List(_ context.Context, dir string) ([]arrowio.TreeEntry, error) {
	found := map[string]arrowio.TreeEntry{}
	there := dir == ""
	for name, b := range m {
		rest := name
		if dir != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(name, dir+"/"); !ok {
				continue
			}
		}
		there = true
		if first, _, ok := strings.Cut(rest, "/"); ok {
			found[first] = arrowio.TreeEntry{Name: first, Dir: true}
		} else if rest != "" {
			found[rest] = arrowio.TreeEntry{Name: rest, Size: int64(len(b))}
		}
	}
	if !there {
		return nil, fs.ErrNotExist
	}
	var out []arrowio.TreeEntry
	for _, x := range found {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b arrowio.TreeEntry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// memSource is a file of a memTree.
type memSource struct{ *local.BytesSource }

func (memSource) Close() error { return nil }

func (m memTree) Open(_ context.Context, name string) (arrowio.OpenSource, error) {
	b, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return memSource{local.NewBytesSource(b)}, nil
}

func (m memTree) Path(name string) string { return "table/" + name }

// orcFile writes a batch as an ORC file with metadata.
func orcFile(t testing.TB, rec arrow.Record, md map[string]string, options map[string]string) []byte {
	t.Helper()
	var keys, values []string
	for k, v := range md {
		keys, values = append(keys, orcwire.MetaPrefix+k), append(values, v)
	}
	meta := arrow.NewMetadata(keys, values)
	p, err := writer.Plan(arrow.NewSchema(rec.Schema().Fields(), &meta), arrowio.WriteOptions{Compression: "none", Parallelism: 1, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	t.Fatal("nothing was written")
	return nil
}

// row is one of a test table: an id, which tells rows apart, and a text that is null for some.
type row struct {
	id   int64
	text string // "" = null
}

var rowType = arrow.StructOf(arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true})

func appendRow(b array.Builder, i int, r row) {
	switch i {
	case 0:
		b.(*array.Int64Builder).Append(r.id)
	default:
		if r.text == "" {
			b.AppendNull()
		} else {
			b.(*array.StringBuilder).Append(r.text)
		}
	}
}

// event is one of a file of events.
type event struct {
	op            int32
	write         int64
	bucket        int32
	id            int64
	current       int64
	row           row
	none          bool // it has no row
	nullOperation bool
}

var eventSchema = arrow.NewSchema(append(slices.Clone(eventFields), arrow.Field{Name: eventRowName, Type: rowType, Nullable: true}), nil)

// eventsFile writes events.
func eventsFile(t testing.TB, events []event, options map[string]string) []byte {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, eventSchema)
	defer b.Release()
	var counts [3]int
	for _, e := range events {
		if e.op >= 0 && e.op < 3 {
			counts[e.op]++
		}
		if e.nullOperation {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.Int32Builder).Append(e.op)
		}
		b.Field(1).(*array.Int64Builder).Append(e.write)
		b.Field(2).(*array.Int32Builder).Append(e.bucket)
		b.Field(3).(*array.Int64Builder).Append(e.id)
		b.Field(4).(*array.Int64Builder).Append(e.current)
		st := b.Field(5).(*array.StructBuilder)
		if e.none {
			st.AppendNull()
			continue
		}
		st.Append(true)
		for i := range st.NumField() {
			appendRow(st.FieldBuilder(i), i, e.row)
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	return orcFile(t, rec, map[string]string{"hive.acid.stats": fmt.Sprintf("%d,%d,%d", counts[0], counts[1], counts[2])}, options)
}

// rowsFile writes rows as they were before a table was an ACID table.
func rowsFile(t testing.TB, rows []row) []byte {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(rowType.Fields(), nil))
	defer b.Release()
	for _, r := range rows {
		for i, f := range b.Fields() {
			appendRow(f, i, r)
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	return orcFile(t, rec, nil, nil)
}

// codec1 is the bucket of a row id, statement 0.
func codec1(bucket int64) int32 {
	b, _ := bucketBits(bucket, 0)
	return b
}

// openTable opens a table.
func openTable(t testing.TB, m memTree, o Options) *Table {
	t.Helper()
	f, err := Open(context.Background(), m, arrowio.Limits{}, o, orc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// linesOf reads a table as JSON, a line a row.
func linesOf(t testing.TB, f arrowio.File, so arrowio.ScanOptions) []string {
	t.Helper()
	r, err := arrowio.Scan(context.Background(), f, so)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var out []string
	for r.Next() {
		var b bytes.Buffer
		if err := array.RecordToJSON(r.Record(), &b); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
