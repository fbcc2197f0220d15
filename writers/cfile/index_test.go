package cfile_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// keyed makes n rows of which the values of k ascend.
func keyed(t testing.TB, dt arrow.DataType, n int) (*arrow.Schema, arrow.Record) {
	t.Helper()
	s := schemaOf(field("v", arrow.BinaryTypes.String), field("k", dt))
	if dt.ID() == arrow.INT8 || dt.ID() == arrow.UINT8 {
		n = min(n, 256) // there are no more
	}
	return s, build(s, n, func(b *array.RecordBuilder, i int) {
		appendKey(t, b.Field(0), i)
		if dt.ID() == arrow.INT8 || dt.ID() == arrow.UINT8 {
			i *= 20
		}
		appendKey(t, b.Field(1), i)
	})
}

func indexed(more ...string) arrowio.WriteOptions {
	o := map[string]string{"cfile-key": "k", "cfile-block-size": "512"}
	for i := 0; i < len(more); i += 2 {
		o[more[i]] = more[i+1]
	}
	return arrowio.WriteOptions{Options: o}
}

// TestIndexOfValues: the file of a column that --cfile-key names is that of the key of a table, byte for byte. Real servers read such.
func TestIndexOfValues(t *testing.T) {
	for _, dt := range keyTypes {
		s, rec := keyed(t, dt, 4000)
		recs := []arrow.Record{rec.NewSlice(0, rec.NumRows()/3), rec.NewSlice(rec.NumRows()/3, rec.NumRows())}
		got := write(t, writer.Format(), s, recs, indexed())
		readBack(t, got, s, recs)
		set := setOf(t, got)
		if dt.ID() == arrow.UINT8 || dt.ID() == arrow.UINT32 {
			continue // tables store them as signed numbers
		}
		table := write(t, writer.KuduFormat(), s, recs, arrowio.WriteOptions{Options: map[string]string{"kudu-key": "k", "kudu-block-size": "512"}})
		key := setOf(t, table).RowSets[0].Columns[0].Name
		if name := set.RowSets[0].Columns[1].Name; !bytes.Equal(got[name], table[key]) {
			t.Errorf("%s: the file of the column is not that of the key of a table", dt)
		}
	}
}

// TestIndexOfValuesRefused: values that cannot have an index are refused, with their row.
func TestIndexOfValuesRefused(t *testing.T) {
	numbers := func(nullable bool, valid []bool, values ...int64) (*arrow.Schema, arrow.Record) {
		s := arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64, Nullable: nullable}}, nil)
		return s, build(s, len(values), func(b *array.RecordBuilder, i int) {
			if valid != nil && !valid[i] {
				b.Field(0).AppendNull()
				return
			}
			b.Field(0).(*array.Int64Builder).Append(values[i])
		})
	}
	for _, c := range []struct {
		valid  []bool
		values []int64
		says   string
	}{
		{nil, []int64{1, 3, 2}, "row 2: the key (2) is below that of the row before, (3)"},
		{nil, []int64{1, 3, 3}, "row 2: the value (3) is also that of the row before"},
		{[]bool{true, false}, []int64{1, 2}, "row 1: a null"},
	} {
		s, rec := numbers(c.valid != nil, c.valid, c.values...)
		_, err := tryWrite(writer.Format(), s, []arrow.Record{rec}, indexed())
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.values, err, c.says)
		}
	}
	s := schemaOf(field("k", arrow.PrimitiveTypes.Float64))
	if _, err := writer.Format().Plan(s, indexed()); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "is not for keys") {
		t.Errorf("floats: %v", err)
	}
	s, _ = numbers(false, nil, 1)
	if _, err := writer.Format().Plan(s, indexed("cfile-key", "x")); !errors.Is(err, errs.ErrOption) {
		t.Errorf("a column that is not there: %v", err)
	}
	if p, err := writer.Format().Plan(s, indexed()); err != nil || len(p.Key) != 1 || p.Key[0] != "k" || !strings.Contains(p.Columns[0].Encoding, "index of values") {
		t.Errorf("the plan: %+v, %v", p, err)
	}
}

// footerOf returns the footer of the file of column i of a set.
func footerOf(t testing.TB, o objects, i int) *cfilewire.Footer {
	t.Helper()
	set := setOf(t, o)
	return open(t, o, set.RowSets[0].Columns[i].Name, &set.Schema.Columns[i]).Footer()
}

// again writes what a reader shows of a file or a set; turned has its batches come last first.
func again(t testing.TB, f arrowio.File, turned bool, more ...string) objects {
	t.Helper()
	var recs []arrow.Record
	scan(t, f, 700, func(rec arrow.Record) {
		rec.Retain()
		recs = append(recs, rec)
	})
	for i, j := 0, len(recs)-1; turned && i < j; i, j = i+1, j-1 {
		recs[i], recs[j] = recs[j], recs[i]
	}
	o := indexed(more...)
	if len(more) == 0 {
		delete(o.Options, "cfile-key")
	}
	return write(t, writer.Format(), recs[0].Schema(), recs, o)
}

// TestIndexOfValuesIsKept: a column that had an index of values gets one again, as long as its values ascend.
func TestIndexOfValuesIsKept(t *testing.T) {
	s, rec := keyed(t, arrow.PrimitiveTypes.Int64, 3000)
	first := write(t, writer.Format(), s, []arrow.Record{rec}, indexed())
	set := setOf(t, first)
	name := set.RowSets[0].Columns[1].Name
	whole, err := kudu.OpenSet(t.Context(), memTree{first}, arrowio.Limits{}, kudu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	for what, f := range map[string]arrowio.File{"a lone file": open(t, first, name, &set.Schema.Columns[1]), "a set": whole} {
		column := f.Schema().NumFields() - 1
		kept := again(t, f, false)
		if file := setOf(t, kept).RowSets[0].Columns[column].Name; !bytes.Equal(kept[file], first[name]) {
			t.Errorf("%s: the file is another", what)
		}
		turned := again(t, f, true)
		if f := footerOf(t, turned, column); f.Val != nil || len(f.Meta) > 0 {
			t.Errorf("%s: values that do not ascend have an index: %+v", what, f)
		}
		if saysKey(setOf(t, turned), column) {
			t.Errorf("%s: values that do not ascend are told to have an index", what)
		}
		if !saysKey(setOf(t, kept), column) {
			t.Errorf("%s: the set does not say that there is an index", what)
		}
		p, err := writer.Format().Plan(f.Schema(), arrowio.WriteOptions{})
		if err != nil || !strings.HasSuffix(p.Columns[column].Encoding, ", index of values as long as they ascend") {
			t.Errorf("%s: the plan: %+v, %v", what, p, err)
		}
		if f := footerOf(t, again(t, f, false, "cfile-key", "none"), column); f.Val != nil || len(f.Meta) > 0 {
			t.Errorf("%s: there is an index, and none was asked for: %+v", what, f)
		}
	}
}

func saysKey(set *kuduwire.Set, column int) bool {
	return column < len(set.ColumnMetadata) && slices.ContainsFunc(set.ColumnMetadata[column], func(m kuduwire.SetMeta) bool { return m.Key == cfilewire.MetaKey })
}

// TestIndexOfValuesPrunes: filters use the index, of a lone file and of the whole set.
func TestIndexOfValuesPrunes(t *testing.T) {
	s, rec := keyed(t, arrow.PrimitiveTypes.Int64, 4000)
	o := write(t, writer.Format(), s, []arrow.Record{rec}, indexed("cfile-index-block-size", "512"))
	set := setOf(t, o)
	whole, err := kudu.OpenSet(t.Context(), memTree{o}, arrowio.Limits{}, kudu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	lone := open(t, o, set.RowSets[0].Columns[1].Name, &set.Schema.Columns[1])
	for name, f := range map[string]arrowio.File{"k": whole, "value": lone} {
		pred, err := expr.Parse(name + " BETWEEN 500 AND 510") // values are rows less 1000
		if err != nil {
			t.Fatal(err)
		}
		bound, err := expr.Bind(pred, f.Schema())
		if err != nil {
			t.Fatal(err)
		}
		rows, err := f.Prune(t.Context(), f.Splits()[0], bound)
		if err != nil || rows.Len() == 0 || rows.Len() > 1000 || rows[0].Start > 1500 || rows[len(rows)-1].End < 1511 {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
}

// TestIndexBlockSize: small blocks make trees of several levels, of both indexes, that Kudu would write and verify finds nothing against.
func TestIndexBlockSize(t *testing.T) {
	s, rec := keyed(t, arrow.PrimitiveTypes.Int64, 30_000)
	sizes := map[string]int{}
	for _, size := range []string{"512", "32768"} {
		o := write(t, writer.Format(), s, []arrow.Record{rec}, indexed("cfile-index-block-size", size, "cfile-encoding", "k=plain"))
		set := setOf(t, o)
		name := set.RowSets[0].Columns[1].Name
		f := open(t, o, name, &set.Schema.Columns[1])
		info, err := f.Info(t.Context(), arrowio.InfoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range info.Facts {
			if many := strings.Contains(fact.Value, "levels"); strings.HasSuffix(fact.Name, " index") && many != (size == "512") {
				t.Errorf("blocks of %s bytes: %s: %s", size, fact.Name, fact.Value)
			}
		}
		sizes[size] = len(o[name])
		readBack(t, o, s, []arrow.Record{rec})
	}
	if sizes["512"] <= sizes["32768"] {
		t.Errorf("sizes of the files: %v", sizes)
	}
	for _, bad := range []string{"0", "511", "x", "8388609"} {
		if _, err := writer.Format().Plan(s, indexed("cfile-index-block-size", bad)); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
