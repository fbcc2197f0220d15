package arrowio

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/workers"
)

// rowCounter is an output format that writes a byte for each row.
type rowCounter struct {
	sink    Sink
	failOn  string
	aborted int
}

func (w *rowCounter) at(what string) error {
	switch w.failOn {
	case what:
		return errDisk
	case "panic in " + what:
		panic("a bug in the driver")
	}
	return nil
}

func (w *rowCounter) format() OutputFormat {
	return OutputFormat{Name: "count", Create: func(ctx context.Context, st Store, p *WritePlan) (Writer, error) {
		var err error
		if w.sink, err = st.Create(ctx, "part-00000.count"); err != nil {
			return nil, err
		}
		if err := w.at("create"); err != nil {
			return nil, err
		}
		return w, nil
	}}
}

func (w *rowCounter) Write(rec arrow.Record) error {
	if _, err := w.sink.Write([]byte(strings.Repeat("r", int(rec.NumRows())))); err != nil {
		return err
	}
	return w.at("write")
}

func (w *rowCounter) Close() error {
	if err := w.at("close"); err != nil {
		return err
	}
	return w.sink.Close()
}

func (w *rowCounter) Abort() error { w.aborted++; return nil }

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

func TestWriter(t *testing.T) {
	rec := ints(t, vField, 1, 2, 3)
	st := NewMemStore()
	d := &rowCounter{}
	w, err := NewWriter(context.Background(), d.format(), st, &WritePlan{Schema: rec.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if st.Objects() != nil {
		t.Error("visible before Close")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := string(st.Objects()["part-00000.count"]); got != "rrrrrr" {
		t.Errorf("wrote %q", got)
	}
	if err := w.Abort(); err != nil || d.aborted != 0 || st.Objects() == nil {
		t.Errorf("Abort after Close: %v, driver aborted %d times", err, d.aborted)
	}
	if w.Write(rec) == nil || w.Close() == nil {
		t.Error("a closed writer goes on")
	}
}

func TestWriterGivesUp(t *testing.T) {
	rec := ints(t, vField, 1, 2, 3)
	for _, where := range []string{"create", "write", "close", "panic in create", "panic in write", "panic in close"} {
		if workers.Debug && strings.HasPrefix(where, "panic") {
			continue
		}
		st := NewMemStore()
		d := &rowCounter{failOn: where}
		w, err := NewWriter(context.Background(), d.format(), st, &WritePlan{Schema: rec.Schema()})
		if err == nil {
			err = w.Write(rec)
		}
		if err == nil {
			err = w.Close()
		}
		want := errDisk
		if strings.HasPrefix(where, "panic") {
			want = errs.ErrInternal
		}
		if !errors.Is(err, want) {
			t.Errorf("%s fails: error %v", where, err)
		}
		if st.Objects() != nil || !st.done {
			t.Errorf("%s fails: the store was not given up", where)
		}
		if w != nil {
			if d.aborted != 1 || w.Abort() != nil || d.aborted != 1 {
				t.Errorf("%s fails: the driver was aborted %d times", where, d.aborted)
			}
			if again := w.Close(); again != err {
				t.Errorf("%s fails: Close says %v later, not %v", where, again, err)
			}
		}
	}
}

func TestWriterChecksBatches(t *testing.T) {
	nullable := vField
	nullable.Nullable = true
	for name, c := range map[string]struct {
		plan arrow.Field
		rec  arrow.Record
		want string // "" = fits
	}{
		"fits":          {vField, ints(t, vField, 1), ""},
		"metadata":      {vField, ints(t, arrow.Field{Name: "v", Type: vField.Type, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})}, 1), ""},
		"name":          {vField, ints(t, arrow.Field{Name: "w", Type: vField.Type}, 1), `"w"`},
		"type":          {arrow.Field{Name: "v", Type: arrow.PrimitiveTypes.Int32}, ints(t, vField, 1), "int64"},
		"nullable":      {vField, ints(t, nullable, 1), "nullable"},
		"hidden nulls":  {vField, ints(t, vField, 1, nil), "1"},
		"allowed nulls": {nullable, ints(t, nullable, 1, nil), ""},
	} {
		st := NewMemStore()
		d := &rowCounter{}
		w, err := NewWriter(context.Background(), d.format(), st, &WritePlan{Schema: arrow.NewSchema([]arrow.Field{c.plan}, nil)})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(c.rec)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			w.Abort()
			continue
		}
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), c.want) || d.aborted != 1 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestWriterCancel(t *testing.T) {
	rec := ints(t, vField, 1)
	for _, closing := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		st := NewMemStore()
		d := &rowCounter{}
		w, err := NewWriter(ctx, d.format(), st, &WritePlan{Schema: rec.Schema()})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if closing {
			err = w.Close()
		} else {
			err = w.Write(rec)
		}
		if !errors.Is(err, context.Canceled) || d.aborted != 1 || !st.done || st.Objects() != nil {
			t.Errorf("error %v, aborted %d times", err, d.aborted)
		}
		if _, err := NewWriter(ctx, d.format(), NewMemStore(), &WritePlan{Schema: rec.Schema()}); !errors.Is(err, context.Canceled) {
			t.Errorf("opened: %v", err)
		}
	}
}

func TestWriterAbort(t *testing.T) {
	rec := ints(t, vField, 1)
	st := NewMemStore()
	d := &rowCounter{}
	w, err := NewWriter(context.Background(), d.format(), st, &WritePlan{Schema: rec.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
	if d.aborted != 1 || !st.done || w.Write(rec) == nil || w.Close() == nil {
		t.Errorf("the driver was aborted %d times; the writer goes on", d.aborted)
	}
}
