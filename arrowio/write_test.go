package arrowio_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/workers"
)

// rowCounter is an output format that writes a byte for each row.
type rowCounter struct {
	sink    arrowio.Sink
	failOn  string
	aborted int
}

func (w *rowCounter) at(what string) error {
	switch w.failOn {
	case what:
		return arrowio.ErrDisk
	case "panic in " + what:
		panic("a bug in the driver")
	}
	return nil
}

func (w *rowCounter) format() arrowio.OutputFormat {
	return arrowio.OutputFormat{Name: "count", Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
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

// givenUp reports whether a store was given up.
func givenUp(t testing.TB, st *local.MemStore) bool {
	t.Helper()
	_, err := st.Create(context.Background(), "late")
	return err != nil && st.Objects() == nil
}

func TestWriter(t *testing.T) {
	rec := arrowio.Ints(t, arrowio.VField, 1, 2, 3)
	st := local.NewMemStore()
	d := &rowCounter{}
	w, err := arrowio.NewWriter(context.Background(), d.format(), st, &arrowio.WritePlan{Schema: rec.Schema()})
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
	rec := arrowio.Ints(t, arrowio.VField, 1, 2, 3)
	for _, where := range []string{"create", "write", "close", "panic in create", "panic in write", "panic in close"} {
		if workers.Debug && strings.HasPrefix(where, "panic") {
			continue
		}
		st := local.NewMemStore()
		d := &rowCounter{failOn: where}
		w, err := arrowio.NewWriter(context.Background(), d.format(), st, &arrowio.WritePlan{Schema: rec.Schema()})
		if err == nil {
			err = w.Write(rec)
		}
		if err == nil {
			err = w.Close()
		}
		want := arrowio.ErrDisk
		if strings.HasPrefix(where, "panic") {
			want = errs.ErrInternal
		}
		if !errors.Is(err, want) {
			t.Errorf("%s fails: error %v", where, err)
		}
		if !givenUp(t, st) {
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
	nullable := arrowio.VField
	nullable.Nullable = true
	for name, c := range map[string]struct {
		plan arrow.Field
		rec  arrow.Record
		want string // "" = fits
	}{
		"fits":          {arrowio.VField, arrowio.Ints(t, arrowio.VField, 1), ""},
		"metadata":      {arrowio.VField, arrowio.Ints(t, arrow.Field{Name: "v", Type: arrowio.VField.Type, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})}, 1), ""},
		"name":          {arrowio.VField, arrowio.Ints(t, arrow.Field{Name: "w", Type: arrowio.VField.Type}, 1), `"w"`},
		"type":          {arrow.Field{Name: "v", Type: arrow.PrimitiveTypes.Int32}, arrowio.Ints(t, arrowio.VField, 1), "int64"},
		"nullable":      {arrowio.VField, arrowio.Ints(t, nullable, 1), "nullable"},
		"hidden nulls":  {arrowio.VField, arrowio.Ints(t, arrowio.VField, 1, nil), "1"},
		"allowed nulls": {nullable, arrowio.Ints(t, nullable, 1, nil), ""},
	} {
		st := local.NewMemStore()
		d := &rowCounter{}
		w, err := arrowio.NewWriter(context.Background(), d.format(), st, &arrowio.WritePlan{Schema: arrow.NewSchema([]arrow.Field{c.plan}, nil)})
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
	rec := arrowio.Ints(t, arrowio.VField, 1)
	for _, closing := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		st := local.NewMemStore()
		d := &rowCounter{}
		w, err := arrowio.NewWriter(ctx, d.format(), st, &arrowio.WritePlan{Schema: rec.Schema()})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if closing {
			err = w.Close()
		} else {
			err = w.Write(rec)
		}
		if !errors.Is(err, context.Canceled) || d.aborted != 1 || !givenUp(t, st) {
			t.Errorf("error %v, aborted %d times", err, d.aborted)
		}
		if _, err := arrowio.NewWriter(ctx, d.format(), local.NewMemStore(), &arrowio.WritePlan{Schema: rec.Schema()}); !errors.Is(err, context.Canceled) {
			t.Errorf("opened: %v", err)
		}
	}
}

func TestWriterAbort(t *testing.T) {
	rec := arrowio.Ints(t, arrowio.VField, 1)
	st := local.NewMemStore()
	d := &rowCounter{}
	w, err := arrowio.NewWriter(context.Background(), d.format(), st, &arrowio.WritePlan{Schema: rec.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
	if d.aborted != 1 || !givenUp(t, st) || w.Write(rec) == nil || w.Close() == nil {
		t.Errorf("the driver was aborted %d times; the writer goes on", d.aborted)
	}
}
