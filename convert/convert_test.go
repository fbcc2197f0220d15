package convert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
)

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "square", Type: arrow.PrimitiveTypes.Int64},
}, nil)

// numbers is a file of consecutive numbers and their squares, in splits of the same length.
type numbers struct {
	rows, splitRows int64
	value           func(row int64) int64 // nil = the row itself
	failAt          int64                 // the row at which reading fails; 0 = never
	err             error
}

func (f *numbers) Schema() *arrow.Schema { return schema }
func (f *numbers) Close() error          { return nil }

func (f *numbers) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: "numbers", Rows: f.rows}, nil
}

func (f *numbers) Splits() []arrowio.Split {
	var out []arrowio.Split
	for at := int64(0); at < f.rows; at += f.splitRows {
		out = append(out, arrowio.Split{Ordinal: len(out), Rows: arrowio.RowRange{Start: at, End: min(f.rows, at+f.splitRows)}, Bytes: 1})
	}
	return out
}

func (f *numbers) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{s.Rows}, nil
}

func (f *numbers) Read(_ context.Context, s arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	return &numberReader{f: f, at: s.Rows.Start, p: p, b: array.NewRecordBuilder(mem, p.Schema)}, nil
}

type numberReader struct {
	f  *numbers
	at int64
	p  arrowio.Projection
	b  *array.RecordBuilder
}

func (r *numberReader) Skip(n int64) (int64, error) {
	r.at += n
	return n, nil
}

func (r *numberReader) Read(n int) (int, error) {
	for range n {
		if r.f.failAt > 0 && r.at >= r.f.failAt {
			return 0, r.f.err
		}
		for k, i := range r.p.Columns() {
			v := r.at
			if r.f.value != nil {
				v = r.f.value(v)
			}
			if i == 1 {
				v *= v
			}
			r.b.Field(k).(*array.Int64Builder).Append(v)
		}
		r.at++
	}
	return n, nil
}

func (r *numberReader) Take() (arrow.Record, error) { return r.b.NewRecord(), nil }

func (r *numberReader) Close() error {
	if r.b != nil {
		r.b.Release()
		r.b = nil
	}
	return nil
}

// sums writes the sum of every column of every batch as a line; objects names its objects.
func sums(objects ...string) arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name: "sums",
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p := &arrowio.WritePlan{Format: "sums", Schema: s, Options: o}
			for i, f := range s.Fields() {
				if f.Type.ID() != arrow.INT64 {
					return nil, errs.Errorf(errs.ErrSchema, "%s is no number", f.Name)
				}
				c := arrowio.PlannedColumn{Path: f.Name, Type: f.Type.String(), Stored: "sum"}
				if i == 0 {
					c.Loss = "the single numbers"
				}
				p.Columns = append(p.Columns, c)
			}
			return p, nil
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			w := &sumWriter{}
			for _, name := range objects {
				k, err := st.Create(ctx, name)
				if err != nil {
					return nil, err
				}
				w.sinks = append(w.sinks, k)
			}
			return w, nil
		},
	}
}

type sumWriter struct {
	sinks []arrowio.Sink
	fail  error // of the next Write
}

func (w *sumWriter) Write(rec arrow.Record) error {
	if w.fail != nil {
		return w.fail
	}
	for _, k := range w.sinks {
		for i, col := range rec.Columns() {
			var sum int64
			for _, v := range col.(*array.Int64).Int64Values() {
				sum += v
			}
			if _, err := fmt.Fprintf(k, "%s=%d\n", rec.ColumnName(i), sum); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *sumWriter) Close() error {
	var errs []error
	for _, k := range w.sinks {
		errs = append(errs, k.Close())
	}
	return errors.Join(errs...)
}

func (w *sumWriter) Abort() error { return nil }

// failing makes writers of f fail with err at every Write.
func failing(f arrowio.OutputFormat, err error) arrowio.OutputFormat {
	create := f.Create
	f.Create = func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
		w, e := create(ctx, st, p)
		if e == nil {
			w.(*sumWriter).fail = err
		}
		return w, e
	}
	return f
}

// checked returns scan options whose memory is checked at the end of the test.
func checked(t *testing.T, jobs int) arrowio.ScanOptions {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return arrowio.ScanOptions{Parallelism: jobs, Allocator: mem}
}

func TestConvert(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		ds := dataset.FromFile("numbers", &numbers{rows: 10, splitRows: 4})
		st := local.NewMemStore()
		var seen []convert.Progress
		r, err := convert.Convert(context.Background(), ds, sums("a", "b"), st, convert.Options{
			Scan:     checked(t, jobs),
			Progress: func(p convert.Progress) { seen = append(seen, p) },
			BytesIn:  func() int64 { return 42 },
		})
		if err != nil {
			t.Fatal(err)
		}
		const want = "n=6\nsquare=14\nn=22\nsquare=126\nn=17\nsquare=145\n" // 0..3, 4..7, 8..9
		for _, name := range []string{"a", "b"} {
			if got := string(st.Objects()[name]); got != want {
				t.Errorf("%d jobs: %s holds %q, want %q", jobs, name, got, want)
			}
		}
		size := int64(len(want))
		if r.Rows != 10 || r.Batches != 3 || r.BytesIn != 42 || r.BytesOut != 2*size ||
			!slices.Equal(r.Files, []convert.File{{Name: "a", Bytes: size}, {Name: "b", Bytes: size}}) {
			t.Errorf("%d jobs: %+v", jobs, r)
		}
		if len(seen) != 3 || seen[0].Rows != 4 || seen[2].Rows != 10 || seen[2].Batches != 3 || seen[2].BytesOut != 2*size {
			t.Errorf("%d jobs: progress %+v", jobs, seen)
		}
		if l := r.Losses(); len(l) != 1 || l[0].Path != "n" {
			t.Errorf("losses: %+v", l)
		}
	}
}

func TestConvertSelects(t *testing.T) {
	x, err := expr.Parse("n >= 5")
	if err != nil {
		t.Fatal(err)
	}
	o := checked(t, 2)
	o.Columns, o.Filter = []string{"square"}, x
	st := local.NewMemStore()
	r, err := convert.Convert(context.Background(), dataset.FromFile("", &numbers{rows: 8, splitRows: 8}), sums("out"), st, convert.Options{Scan: o})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(st.Objects()["out"]); got != "square=110\n" || r.Rows != 3 || len(r.Plan.Columns) != 1 {
		t.Errorf("%q, %+v", got, r)
	}
}

// Reports are read by programs: the shape of their JSON is a promise.
func TestReportJSON(t *testing.T) {
	r, err := convert.Convert(context.Background(), dataset.FromFile("", &numbers{rows: 1, splitRows: 1}), sums(), nil, convert.Options{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"plan":{"format":"sums","columns":[{"path":"n","type":"int64","stored":"sum","loss":"the single numbers"},` +
		`{"path":"square","type":"int64","stored":"sum"}]},"dry_run":true,"rows":0,"batches":0,"bytes_in":0,"bytes_out":0,"seconds":0,"files":[]}`
	if string(b) != want {
		t.Errorf("%s\nwant %s", b, want)
	}
}

// Whatever goes wrong: the error tells, the store is aborted, nothing is left.
func TestConvertFails(t *testing.T) {
	broken := errs.Errorf(errs.ErrCorrupt, "block 7 is torn")
	refused := errors.New("the caller does not want it")
	for _, c := range []struct {
		name string
		file *numbers
		out  arrowio.OutputFormat
		o    func(*convert.Options, context.CancelFunc)
		want error
	}{
		{"reading", &numbers{rows: 100, splitRows: 10, failAt: 55, err: broken}, sums("out"), nil, errs.ErrCorrupt},
		{"writing", &numbers{rows: 100, splitRows: 10}, failing(sums("out"), syscall.ENOSPC), nil, syscall.ENOSPC},
		{"planning", &numbers{rows: 100, splitRows: 10}, arrowio.OutputFormat{
			Plan: func(*arrow.Schema, arrowio.WriteOptions) (*arrowio.WritePlan, error) { return nil, broken },
		}, nil, errs.ErrCorrupt},
		{"no such column", &numbers{rows: 1, splitRows: 1}, sums("out"), func(o *convert.Options, _ context.CancelFunc) {
			o.Scan.Columns = []string{"cube"}
		}, errs.ErrSchema},
		{"the plan is refused", &numbers{rows: 1, splitRows: 1}, sums("out"), func(o *convert.Options, _ context.CancelFunc) {
			o.Planned = func(*arrowio.WritePlan) error { return refused }
		}, refused},
		{"all rows are too few", &numbers{rows: 100, splitRows: 10}, sums("out"), func(o *convert.Options, _ context.CancelFunc) {
			o.Complete = func(rows int64) error {
				if rows != 100 {
					return broken
				}
				return refused
			}
		}, refused},
		{"cancelled", &numbers{rows: 1000, splitRows: 10}, sums("out"), func(o *convert.Options, cancel context.CancelFunc) {
			o.Progress = func(p convert.Progress) {
				if p.Batches == 3 {
					cancel()
				}
			}
		}, context.Canceled},
		{"cancelled after the last batch", &numbers{rows: 30, splitRows: 10}, sums("out"), func(o *convert.Options, cancel context.CancelFunc) {
			o.Progress = func(p convert.Progress) {
				if p.Rows == 30 {
					cancel()
				}
			}
		}, context.Canceled},
		{"two objects of one name", &numbers{rows: 1, splitRows: 1}, sums("out", "out"), nil, os.ErrExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, jobs := range []int{1, 3} {
				dir := t.TempDir()
				st, err := local.NewFileStore(filepath.Join(dir, "out"), local.FileStoreOptions{})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				o := convert.Options{Scan: checked(t, jobs)}
				if c.o != nil {
					c.o(&o, cancel)
				}
				_, err = convert.Convert(ctx, dataset.FromFile("in", c.file), c.out, st, o)
				if !errors.Is(err, c.want) {
					t.Errorf("%d jobs: %v, want %v", jobs, err, c.want)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("%d jobs: left behind: %v", jobs, left)
				}
			}
		})
	}
}

func TestDryRunTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	st, err := local.NewFileStore(filepath.Join(dir, "out"), local.FileStoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := &numbers{rows: 10, splitRows: 1, failAt: -1}
	r, err := convert.Convert(context.Background(), dataset.FromFile("in", file), sums("out"), st, convert.Options{DryRun: true})
	if err != nil || !r.DryRun || r.Plan.Columns[0].Stored != "sum" {
		t.Errorf("%v: %+v", err, r)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Metadata is set and left out before the plan is made; a key to be dropped that is not there is told.
func TestMetadata(t *testing.T) {
	var planned *arrow.Schema
	f := arrowio.OutputFormat{Name: "none", Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
		planned = s
		return &arrowio.WritePlan{Format: "none", Schema: s}, nil
	}}
	ds := dataset.FromFile("", &numbers{rows: 1, splitRows: 1})
	for _, c := range []struct {
		edit convert.MetadataEdit
		want string
	}{
		{convert.MetadataEdit{}, "map[]"},
		{convert.MetadataEdit{Set: map[string]string{"b": "2", "a": "1"}}, "map[a:1 b:2]"},
		{convert.MetadataEdit{Set: map[string]string{"a": "1"}, Drop: []string{"*"}}, "map[a:1]"},
		{convert.MetadataEdit{Drop: []string{"a"}}, ""},
		{convert.MetadataEdit{Set: map[string]string{"": "1"}}, ""},
	} {
		_, err := convert.Convert(t.Context(), ds, f, nil, convert.Options{DryRun: true, Metadata: c.edit})
		if c.want == "" {
			if !errors.Is(err, errs.ErrOption) {
				t.Errorf("%+v: %v", c.edit, err)
			}
			continue
		}
		if md := planned.Metadata(); err != nil || fmt.Sprint(md.ToMap()) != c.want {
			t.Errorf("%+v: %v, %v", c.edit, md, err)
		}
	}
}
