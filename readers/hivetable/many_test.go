package hivetable_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
	"github.com/arrowio/arrowio/readers"
)

// hours is a table with a partition for each hour, which has a file of one row, and 50 columns. Partitions share a hundred directories, which are
// quicker made than one for each.
func hours(t testing.TB, n int) *metastorefake.Server {
	dir := t.TempDir()
	in := metastore.Storage{Location: "file:" + dir, InputFormat: orcInput, SerDe: "org.apache.hadoop.hive.ql.io.orc.OrcSerde", SerDeParameters: map[string]string{"serialization.format": "1"}, Columns: columns("id:bigint")}
	for i := range 49 {
		in.Columns = append(in.Columns, metastore.Column{Name: fmt.Sprintf("a_column_%d", i), Type: "string"})
	}
	s := &metastorefake.Server{
		Tables:     map[string]*metastore.Table{"d.t": {Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: in, Keys: columns("day:date hour:int")}},
		Partitions: map[string][]metastore.Partition{},
	}
	first := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at := fmt.Sprintf("%s/%02d", dir, i%100)
		if i < 100 {
			put(t, at+"/000000_0", `[{"id":1}]`, field("id", i64))
		}
		p := metastore.Partition{Values: []string{first.AddDate(0, 0, i/24).Format(time.DateOnly), fmt.Sprint(i % 24)}, Storage: in}
		p.Storage.Location = "file:" + at
		s.Partitions["d.t"] = append(s.Partitions["d.t"], p)
	}
	return s
}

// Partitions by the thousand are read, and a table of more than the limit where a filter leaves few of them.
func TestManyPartitions(t *testing.T) {
	s := hours(t, 2000)
	url := serve(t, s) + "d.t"
	d, err := readers.OpenDataset(t.Context(), []string{url}, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n := len(d.Fragments); n != 2000 {
		t.Errorf("%d files", n)
	}
	few := readers.Options{Limits: arrowio.Limits{Splits: 100}}
	if _, _, err := rowsOf(t, url, few, ""); !errors.Is(err, errs.ErrLimit) || !strings.Contains(err.Error(), "more than 100 partitions") || !strings.Contains(err.Error(), "--where") {
		t.Error(err)
	}
	s.Asked = nil
	if got, _, err := rowsOf(t, url, few, "day = DATE '2000-01-03' and hour < 2"); err != nil || len(got) != 2 || len(s.Asked) != 2 {
		t.Errorf("%q, %d partitions asked for, %v", got, len(s.Asked), err)
	}
}

// BenchmarkPartitions lists the files of a table of many partitions: their names and then what the metastore says of them, all and those of a day.
func BenchmarkPartitions(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		url := serve(b, hours(b, n)) + "d.t"
		for _, where := range []string{"", "day = DATE '2000-03-01'"} {
			b.Run(fmt.Sprintf("%d/%s", n, map[bool]string{true: "all", false: "day"}[where == ""]), func(b *testing.B) {
				b.ReportAllocs()
				o := readers.Defaults(readers.Options{})
				if where != "" {
					var err error
					if o.Filter, err = expr.Parse(where); err != nil {
						b.Fatal(err)
					}
				}
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				var inputs []dataset.Input
				for b.Loop() {
					var err error
					if inputs, err = dataset.List(b.Context(), url, o); err != nil {
						b.Fatal(err)
					}
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/(1<<20), "MiB-kept")
				b.ReportMetric(float64(len(inputs)), "files")
				runtime.KeepAlive(inputs)
			})
		}
	}
}
