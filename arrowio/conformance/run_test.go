package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/race"
)

// memoryFile is a File over a record. It reads one byte of its source for each split and each 100 rows, so that reads
// can fail. bug names what it does wrong.
type memoryFile struct {
	rec    arrow.Record
	src    arrowio.Source
	splits []arrowio.Split
	stream bool
	bug    string
	reads  atomic.Int64
}

const splitRows = 400

// leakGoroutine lets one go only: each takes its time to be noticed.
var leakGoroutine sync.Once

func openMemory(rec arrow.Record, src arrowio.Source, stream bool, bug string) (*memoryFile, error) {
	f := &memoryFile{rec: rec, src: src, stream: stream, bug: bug}
	if stream {
		f.splits = []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}}}
	} else {
		for at := int64(0); at < rec.NumRows(); at += splitRows {
			f.splits = append(f.splits, arrowio.Split{Ordinal: len(f.splits), Rows: arrowio.RowRange{Start: at, End: min(rec.NumRows(), at+splitRows)}, Bytes: 1000})
		}
	}
	if bug == "splits" {
		f.splits[1].Rows.Start++
	}
	return f, f.touch(0)
}

// touch reads one byte.
func (f *memoryFile) touch(at int64) error {
	if f.src == nil {
		return nil
	}
	if _, err := f.src.ReadAt(make([]byte, 1), at); err != nil && f.bug != "swallow" {
		if f.bug == "unwrapped" {
			return errors.New(err.Error())
		}
		return errs.Locate(err, errs.At{Format: "memory", Op: "page", Off: errs.N(at)})
	}
	return nil
}

func (f *memoryFile) Schema() *arrow.Schema { return f.rec.Schema() }
func (f *memoryFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: "memory", Rows: f.rec.NumRows()}, nil
}
func (f *memoryFile) Splits() []arrowio.Split { return f.splits }
func (f *memoryFile) Close() error            { return nil }

// Prune keeps the rows that pass, in blocks of 50.
func (f *memoryFile) Prune(_ context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	if f.stream || s.Ordinal%2 == 0 {
		return arrowio.RowSet{s.Rows}, nil
	}
	mask, err := pred.Mask(f.rec)
	if err != nil {
		return nil, err
	}
	defer mask.Release()
	var set arrowio.RowSet
	bits := mask
	for at := s.Rows.Start; at < s.Rows.End; at += 50 {
		end, any := min(at+50, s.Rows.End), false
		for i := at; i < end; i++ {
			any = any || bits.IsValid(int(i)) && bits.Value(int(i))
		}
		if any {
			set = set.Add(arrowio.RowRange{Start: at, End: end})
		}
	}
	if f.bug == "prune" && len(set) > 0 {
		set = set[1:]
	}
	return set, nil
}

func (f *memoryFile) Read(_ context.Context, s arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	if err := f.touch(int64(s.Ordinal)); err != nil {
		return nil, err
	}
	rec, err := arrowbuf.Project(f.rec, p.Schema, selections(p.Fields))
	if err != nil {
		return nil, err
	}
	r := &memoryReader{f: f, rec: rec, at: s.Rows.Start, end: s.Rows.End}
	if !s.Known() {
		r.end = rec.NumRows()
	}
	for _, fd := range p.Schema.Fields() {
		r.cols = append(r.cols, arrowbuf.NewAppender(fd.Type, mem))
	}
	if f.bug == "goroutine" && f.reads.Add(1) == 30 {
		leakGoroutine.Do(func() { go func() { time.Sleep(time.Minute) }() })
	}
	if f.bug == "leak" && f.reads.Add(1) == 30 {
		mem.Allocate(100)
	}
	return r, nil
}

type memoryReader struct {
	f       *memoryFile
	rec     arrow.Record
	cols    []*arrowbuf.Appender
	at, end int64
	rows    int64
}

func (r *memoryReader) Skip(n int64) (int64, error) {
	if r.f.bug == "skip" && n > 3 {
		r.at--
	}
	n = min(n, r.end-r.at)
	r.at += n
	return n, nil
}

func (r *memoryReader) Read(n int) (int, error) {
	n = int(min(int64(n), r.end-r.at))
	if n > 100 {
		if err := r.f.touch(r.at % 10); err != nil {
			return 0, err
		}
	}
	for i, c := range r.cols {
		at := int(r.at)
		if r.f.bug == "rows" && n == 7 && at > 0 {
			at--
		}
		if err := c.Append(r.rec.Column(i), at, at+n); err != nil {
			return 0, err
		}
	}
	r.at += int64(n)
	r.rows += int64(n)
	return n, nil
}

func (r *memoryReader) Take() (arrow.Record, error) {
	var cols []arrow.Array
	for _, c := range r.cols {
		cols = append(cols, c.Take())
	}
	rec := array.NewRecord(r.rec.Schema(), cols, r.rows)
	for _, c := range cols {
		c.Release()
	}
	r.rows = 0
	return rec, nil
}

func (r *memoryReader) Close() error {
	if r.rec == nil {
		return nil
	}
	r.rec.Release()
	r.rec = nil
	for _, c := range r.cols {
		c.Release()
	}
	return nil
}

// testRecord has a column for every step-th type, and an awkward name.
func testRecord(n, step int) arrow.Record {
	var fields []arrow.Field
	for i, dt := range Types() {
		if i%step == 0 {
			fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: dt, Nullable: i%2 == 0})
		}
	}
	fields = append(fields, arrow.Field{Name: "a.b \"c\"", Type: arrow.PrimitiveTypes.Int32})
	g := Generator{Rand: rand.New(rand.NewSource(1)), Mem: memory.NewGoAllocator(), Nulls: 0.2}
	return g.Record(arrow.NewSchema(fields, nil), n)
}

func harness(rec arrow.Record, stream bool, bug string) Harness {
	scans := 40
	if race.Enabled {
		scans = 16
	}
	return Harness{
		Open: func(_ context.Context, src arrowio.Source) (arrowio.File, error) {
			return openMemory(rec, src, stream, bug)
		},
		Source: local.NewBytesSource(make([]byte, 100)),
		Want:   []arrow.Record{rec},
		Scans:  scans,
	}
}

func TestRun(t *testing.T) {
	rows, step := 1000, 4
	if race.Enabled {
		rows, step = 700, 10
	}
	rec := testRecord(rows, step)
	t.Run("file", func(t *testing.T) { Run(t, harness(rec, false, "")) })
	t.Run("stream", func(t *testing.T) { Run(t, harness(rec.NewSlice(0, 500), true, "")) })
	t.Run("empty", func(t *testing.T) { Run(t, harness(rec.NewSlice(0, 0), false, "")) })
	t.Run("no columns", func(t *testing.T) {
		Run(t, harness(array.NewRecord(arrow.NewSchema(nil, nil), nil, 2000), false, ""))
	})
}

// Each bug must be found, and by the test that is there for it. Run reports to a *testing.T, so the faulty file is run
// by another process.
func TestRunFindsBugs(t *testing.T) {
	if bug := os.Getenv("CONFORMANCE_BUG"); bug != "" {
		h := harness(testRecord(900, 12), false, bug)
		h.Scans = 24
		if bug == "splits" {
			h.Want = nil // or the missing row would be noticed even before
		}
		Run(t, h)
		return
	}
	for _, c := range []struct{ bug, part, say string }{
		{"splits", "splits", "split 1 starts at row"},
		{"rows", "reader", "file rows from"},
		{"skip", "reader", "file rows from"},
		{"prune", "filter", "which pass"},
		{"leak", "scan", "LEAK of 100 bytes"},
		{"goroutine", "scan", "1 goroutines left behind"},
		{"swallow", "faults", "failed without an error"},
		{"unwrapped", "faults", "does not wrap"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRunFindsBugs$/^"+c.part+"$")
		cmd.Env = append(os.Environ(), "CONFORMANCE_BUG="+c.bug)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.say) {
			lines := bytes.SplitN(out, []byte("\n"), 20)
			t.Errorf("bug %s: %v, not %q:\n%s", c.bug, err, c.say, bytes.Join(lines[:min(19, len(lines))], []byte("\n")))
		}
	}
}

func BenchmarkMemoryFile(b *testing.B) { Bench(b, harness(testRecord(20_000, 5), false, "")) }
