package cfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// Columns can be declared to have no nulls, and to be VARCHAR, as those of a table are that the rows are for.
func TestDeclared(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "v", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, nil)
	stored := func(o map[string]string) (string, error) {
		o["kudu-key"] = "id"
		p, err := writer.KuduFormat().Plan(s, arrowio.WriteOptions{Options: o})
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for _, c := range p.Columns {
			b.WriteString(c.Path + " " + c.Stored)
			if strings.Contains(c.Loss, "not nullable") {
				b.WriteString(" not null")
			}
			b.WriteString("; ")
		}
		return b.String(), nil
	}
	for _, x := range []struct {
		o    map[string]string
		want string
	}{
		{map[string]string{}, "id int64 not null; name string; v int32; "},
		{map[string]string{"kudu-not-null": "v"}, "id int64 not null; name string; v int32 not null; "},
		{map[string]string{"kudu-not-null": "*", "kudu-varchar": "name=20"}, "id int64 not null; name varchar(20) not null; v int32 not null; "},
		{map[string]string{"kudu-varchar": "7"}, "id int64 not null; name varchar(7); v int32; "},
	} {
		if got, err := stored(x.o); got != x.want || err != nil {
			t.Errorf("%v: %q, %v", x.o, got, err)
		}
	}
	for _, x := range []struct {
		o    map[string]string
		kind error
	}{
		{map[string]string{"kudu-not-null": "none"}, errs.ErrOption},
		{map[string]string{"kudu-varchar": "name=0"}, errs.ErrOption},
		{map[string]string{"kudu-varchar": "name=70000"}, errs.ErrOption},
		{map[string]string{"kudu-varchar": "v=5"}, errs.ErrOption},
	} {
		if got, err := stored(x.o); !errors.Is(err, x.kind) {
			t.Errorf("%v: %q, %v", x.o, got, err)
		}
	}

	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "größer"}, nil)
	b.Field(2).(*array.Int32Builder).AppendValues([]int32{1, 0}, []bool{true, false})
	rec := b.NewRecord()
	defer rec.Release()
	for _, x := range []struct {
		option, value, column string
	}{{"kudu-not-null", "v", "v"}, {"kudu-varchar", "name=5", "name"}} {
		p, err := writer.KuduFormat().Plan(s, arrowio.WriteOptions{Options: map[string]string{"kudu-key": "id", x.option: x.value}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := arrowio.NewWriter(t.Context(), writer.KuduFormat(), local.NewMemStore(), p)
		if err != nil {
			t.Fatal(err)
		}
		var e *errs.Error
		if err := w.Write(rec); !errors.As(err, &e) || e.Column != x.column {
			t.Errorf("--%s %s: %v", x.option, x.value, err)
		}
	}
}
