package convert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// lines writes the last column, a line each. It has a key.
func lines(key ...string) arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name: "lines",
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			return &arrowio.WritePlan{Format: "lines", Schema: s, Key: key, Options: o, Columns: []arrowio.PlannedColumn{}}, nil
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			k, err := st.Create(ctx, "out")
			return &lineWriter{k, p.Options.Memory}, err
		},
	}
}

type lineWriter struct {
	k      arrowio.Sink
	memory int64
}

func (w *lineWriter) Write(rec arrow.Record) error {
	for _, v := range rec.Column(int(rec.NumCols()) - 1).(*array.Int64).Int64Values() {
		if _, err := fmt.Fprintln(w.k, v); err != nil {
			return err
		}
	}
	return nil
}

func (w *lineWriter) Close() error { return w.k.Close() }
func (w *lineWriter) Abort() error { return nil }

// shuffled is a file in which no row is in its place.
func shuffled(rows, splitRows int64) *numbers {
	return &numbers{rows: rows, splitRows: splitRows, value: func(i int64) int64 { return (i*7919 + 13) % rows }}
}

func TestSort(t *testing.T) {
	const rows = 30_000
	var want strings.Builder
	for i := range int64(rows) {
		fmt.Fprintln(&want, i*i)
	}
	for _, jobs := range []int{1, 4} {
		for name, c := range map[string]struct {
			o      convert.Options
			key    []string
			spills bool
		}{
			"by a column":         {o: convert.Options{Sort: sortBy("n")}},
			"by two columns":      {o: convert.Options{Sort: sortBy("square", "n")}},
			"by key":              {o: convert.Options{SortByKey: true}, key: []string{"n"}},
			"in little memory":    {o: convert.Options{Sort: sortBy("n"), Write: arrowio.WriteOptions{Memory: 256 << 10}}, spills: true},
			"in the least memory": {o: convert.Options{SortByKey: true, Write: arrowio.WriteOptions{Memory: 1}}, key: []string{"square"}, spills: true},
		} {
			c.o.Scan = checked(t, jobs)
			var seen []convert.Progress
			c.o.Progress = func(p convert.Progress) { seen = append(seen, p) }
			st := local.NewMemStore()
			r, err := convert.Convert(context.Background(), dataset.FromFile("numbers", shuffled(rows, 5000)), lines(c.key...), st, c.o)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if string(st.Objects()["out"]) != want.String() {
				t.Errorf("%s: the rows are not in order", name)
			}
			by := slices.Clone(c.key)
			for _, column := range c.o.Sort {
				by = append(by, column.String())
			}
			if r.Rows != rows || !slices.Equal(r.SortedBy, by) || (r.SpilledBytes > 0) != c.spills || (r.SpilledRuns > 0) != c.spills {
				t.Errorf("%s: %+v", name, r)
			}
			if first, last := seen[0], seen[len(seen)-1]; first.Sorted != 5000 || first.Rows != 0 || last.Sorted != rows || last.Rows != rows {
				t.Errorf("%s: progress from %+v to %+v", name, first, last)
			}
			merging := false
			for i, p := range seen {
				merging = merging || p.MergeRows > 0
				if i > 0 && (p.Sorted < seen[i-1].Sorted || p.Rows < seen[i-1].Rows) || p.Rows > 0 && (p.Sorted != rows || p.MergeRows > 0) || p.Merged > p.MergeRows {
					t.Errorf("%s: progress %+v", name, p)
				}
			}
			if least := c.o.Write.Memory == 1; merging != least {
				t.Errorf("%s: merging %v", name, merging)
			}
		}
	}
}

// The memory is shared by half.
func TestSortLeavesMemory(t *testing.T) {
	for given, want := range map[int64]int64{0: 512 << 20, 64 << 20: 32 << 20} {
		r, err := convert.Convert(context.Background(), dataset.FromFile("", shuffled(10, 10)), lines("n"), nil, convert.Options{
			DryRun: true, SortByKey: true, Write: arrowio.WriteOptions{Memory: given},
		})
		if err != nil || r.Plan.Options.Memory != want {
			t.Errorf("of %d: %d, %v", given, r.Plan.Options.Memory, err)
		}
	}
	r, err := convert.Convert(context.Background(), dataset.FromFile("", shuffled(10, 10)), lines("n"), nil, convert.Options{DryRun: true})
	if err != nil || r.Plan.Options.Memory != 0 {
		t.Errorf("not sorted: %d, %v", r.Plan.Options.Memory, err)
	}
}

func TestSortReport(t *testing.T) {
	r, err := convert.Convert(context.Background(), dataset.FromFile("", shuffled(10, 10)), lines("square", "n"), nil, convert.Options{DryRun: true, SortByKey: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"plan":{"format":"lines","columns":[],"key":["square","n"]},"dry_run":true,"rows":0,"batches":0,"bytes_in":0,"bytes_out":0,"seconds":0,"sorted_by":["square","n"],"files":[]}`
	if string(b) != want {
		t.Errorf("%s\nwant %s", b, want)
	}
}

// noScratch is a store without room for scratch files.
type noScratch struct{ arrowio.Store }

func (noScratch) Scratch() (arrowio.ScratchFile, error) { return nil, syscall.ENOSPC }

func TestSortFails(t *testing.T) {
	broken := errs.Errorf(errs.ErrCorrupt, "block 7 is torn")
	torn := shuffled(20_000, 1000)
	torn.failAt, torn.err = 15_500, broken
	little := arrowio.WriteOptions{Memory: 1}
	for _, c := range []struct {
		name   string
		file   *numbers
		out    arrowio.OutputFormat
		o      convert.Options
		full   bool
		cancel func(convert.Progress) bool
		want   error
	}{
		{name: "no such column", file: shuffled(10, 10), out: lines(), o: convert.Options{Sort: sortBy("cube")}, want: errs.ErrSchema},
		{name: "a column that is not converted", file: shuffled(10, 10), out: lines(), o: convert.Options{Sort: sortBy("n"), Scan: arrowio.ScanOptions{Columns: []string{"square"}}}, want: errs.ErrSchema},
		{name: "no key", file: shuffled(10, 10), out: lines(), o: convert.Options{SortByKey: true}, want: errs.ErrOption},
		{name: "by both", file: shuffled(10, 10), out: lines("n"), o: convert.Options{SortByKey: true, Sort: sortBy("n")}, want: errs.ErrOption},
		{name: "reading", file: torn, out: lines(), o: convert.Options{Sort: sortBy("n"), Write: little}, want: errs.ErrCorrupt},
		{name: "disk full", file: shuffled(20_000, 1000), out: lines(), o: convert.Options{Sort: sortBy("n"), Write: little}, full: true, want: syscall.ENOSPC},
		{name: "writing", file: shuffled(20_000, 1000), out: failing(sums("out"), syscall.EIO), o: convert.Options{Sort: sortBy("n"), Write: little}, want: syscall.EIO},
		{name: "cancelled while sorting", file: shuffled(20_000, 1000), out: lines(), o: convert.Options{Sort: sortBy("n"), Write: little}, cancel: func(p convert.Progress) bool { return p.Sorted > 12_000 }, want: context.Canceled},
		{name: "cancelled while merging", file: shuffled(20_000, 1000), out: lines(), o: convert.Options{Sort: sortBy("n"), Write: little}, cancel: func(p convert.Progress) bool { return p.Merged > 0 }, want: context.Canceled},
		{name: "cancelled while writing", file: shuffled(20_000, 1000), out: lines(), o: convert.Options{Sort: sortBy("n"), Write: little}, cancel: func(p convert.Progress) bool { return p.Rows > 5000 }, want: context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, jobs := range []int{1, 3} {
				dir := t.TempDir()
				st, err := local.NewFileStore(filepath.Join(dir, "out"), local.FileStoreOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if c.full {
					st = noScratch{st}
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				o := c.o
				o.Scan.Parallelism, o.Scan.Allocator = jobs, mem
				o.Progress = func(p convert.Progress) {
					if c.cancel != nil && c.cancel(p) {
						cancel()
					}
				}
				if _, err = convert.Convert(ctx, dataset.FromFile("in", c.file), c.out, st, o); !errors.Is(err, c.want) {
					t.Errorf("%d jobs: %v, want %v", jobs, err, c.want)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("%d jobs: left behind: %v", jobs, left)
				}
				mem.AssertSize(t, 0)
			}
		})
	}
}

// sortBy sorts by columns, ascending.
func sortBy(names ...string) []convert.SortColumn {
	var out []convert.SortColumn
	for _, n := range names {
		out = append(out, convert.SortColumn{Column: n})
	}
	return out
}

// The rows of a limit are the first, of sorted rows those that are first in order; what cannot be wanted is not read.
func TestLimit(t *testing.T) {
	down := []convert.SortColumn{{Column: "n", Descending: true}}
	for name, c := range map[string]struct {
		o    convert.Options
		want string
	}{
		"rows":   {convert.Options{Limit: 3, Scan: arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 29_998, End: 30_000}}}, ""},
		"sorted": {convert.Options{Limit: 3, Sort: sortBy("n")}, "0\n1\n4\n"},
		"last":   {convert.Options{Limit: 2, Sort: down}, fmt.Sprintf("%d\n%d\n", 29_999*29_999, 29_998*29_998)},
	} {
		c.o.Scan.Parallelism = 1
		st := local.NewMemStore()
		r, err := convert.Convert(context.Background(), dataset.FromFile("numbers", shuffled(30_000, 5000)), lines(), st, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := string(st.Objects()["out"]); c.want != "" && got != c.want || r.Rows != int64(strings.Count(got, "\n")) {
			t.Errorf("%s: %q, %+v", name, got, r)
		}
	}
	torn := shuffled(20_000, 1000)
	torn.failAt, torn.err = 5_000, errs.Errorf(errs.ErrCorrupt, "block 7 is torn")
	for _, filter := range []string{"", "n >= 0"} {
		o := convert.Options{Limit: 4_500, Scan: arrowio.ScanOptions{Parallelism: 1}}
		if filter != "" {
			x, err := expr.Parse(filter)
			if err != nil {
				t.Fatal(err)
			}
			o.Scan.Filter = x
		}
		r, err := convert.Convert(context.Background(), dataset.FromFile("numbers", torn), lines(), local.NewMemStore(), o)
		if err != nil || r.Rows != 4_500 {
			t.Errorf("filter %q: %v, %+v", filter, err, r)
		}
	}
}

func TestParseSortColumn(t *testing.T) {
	for text, want := range map[string]convert.SortColumn{
		"a":                    {Column: "a"},
		"-a.b":                 {Column: "a.b", Descending: true},
		"a nulls first":        {Column: "a", NullsFirst: true},
		" -a  NULLS First ":    {Column: "a", Descending: true, NullsFirst: true},
		"a nulls last":         {Column: "a"},
		"nulls first":          {Column: "nulls first"},
		"\"-a\"":               {Column: "\"-a\""},
		"- two words":          {Column: "two words", Descending: true},
		"nulls nulls first":    {Column: "nulls", NullsFirst: true},
		"the nulls nulls last": {Column: "the nulls"},
	} {
		got, err := convert.ParseSortColumn(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := convert.ParseSortColumn(got.String()); err != nil || again != got {
			t.Errorf("%q: %+v, %v", got, again, err)
		}
	}
	for _, text := range []string{"", "-", " ", "a nulls third"} {
		if _, err := convert.ParseSortColumn(text); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
