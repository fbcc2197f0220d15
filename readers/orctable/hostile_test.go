package orctable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// What cannot be right is refused, and the error says of which directory, or file, it is.
func TestContradictions(t *testing.T) {
	good := eventsFile(t, inserts(1, b0, 1, 2), nil)
	rows := rowsFile(t, []row{{1, ""}})
	for name, k := range map[string]struct {
		tree memTree
		kind errs.Kind
		at   string
	}{
		"a name that is none":         {memTree{"delta_1_1/bucket_00000": good, "delta_5_3/bucket_00000": good}, errs.ErrCorrupt, "delta_5_3"},
		"a base of no number":         {memTree{"delta_1_1/bucket_00000": good, "base_five/bucket_00000": good}, errs.ErrCorrupt, "base_five"},
		"overlapping deltas":          {memTree{"delta_1_4/bucket_00000": good, "delta_3_6/bucket_00000": good}, errs.ErrCorrupt, "delta_3_6"},
		"in a partition":              {memTree{"p=1/delta_1_4/bucket_00000": good, "p=1/delta_3_6/bucket_00000": good}, errs.ErrCorrupt, "p=1"},
		"events outside of deltas":    {memTree{"delta_1_1/bucket_00000": good, "bucket_00000": good}, errs.ErrCorrupt, "bucket_00000"},
		"rows as deletes":             {memTree{"delta_1_1/bucket_00000": good, "delete_delta_2_2/bucket_00000": rows}, errs.ErrCorrupt, "delete_delta_2_2/bucket_00000"},
		"inserts as deletes":          {memTree{"delta_1_1/bucket_00000": good, "delete_delta_2_2/bucket_00000": good}, errs.ErrCorrupt, "delete_delta_2_2/bucket_00000"},
		"deletes in a base":           {memTree{"base_1/bucket_00000": eventsFile(t, deletes(1, 1, b0, 1), nil)}, errs.ErrCorrupt, "base_1/bucket_00000"},
		"an operation that is none":   {memTree{"delta_1_1/bucket_00000": eventsFile(t, []event{{op: 3, write: 1, current: 1, bucket: b0}}, nil)}, errs.ErrCorrupt, "delta_1_1/bucket_00000"},
		"an operation below all":      {memTree{"delta_1_1/bucket_00000": eventsFile(t, []event{{op: -1, write: 1, current: 1, bucket: b0}}, nil)}, errs.ErrCorrupt, "delta_1_1/bucket_00000"},
		"an operation of null":        {memTree{"base_1/bucket_00000": good, "delete_delta_2_2/bucket_00000": eventsFile(t, append(deletes(2, 1, b0, 1), event{nullOperation: true, none: true}), nil)}, errs.ErrCorrupt, "delete_delta_2_2/bucket_00000"},
		"a bucket of another version": {memTree{"base_1/bucket_00000": good, "delete_delta_2_2/bucket_00000": eventsFile(t, deletes(2, 1, math.MinInt32, 1), nil)}, errs.ErrUnsupported, "delete_delta_2_2/bucket_00000"},
		"one, inserted":               {memTree{"delta_1_1/bucket_00000": eventsFile(t, inserts(1, -1, 1, 2), nil)}, errs.ErrUnsupported, "delta_1_1/bucket_00000"},
		"one of version 2":            {memTree{"delta_1_1/bucket_00000": eventsFile(t, append(inserts(1, b0, 1, 2), inserts(1, 1<<30, 3, 4)...), nil)}, errs.ErrUnsupported, "delta_1_1/bucket_00000"},
		"partitions by other columns": {memTree{"p=1/base_1/bucket_00000": good, "q=1/base_1/bucket_00000": good}, errs.ErrUnsupported, "q=1"},
		"a partition in a partition":  {memTree{"p=1/base_1/bucket_00000": good, "p=1/q=1/base_1/bucket_00000": good}, errs.ErrUnsupported, "p=1/q=1"},
		"a partition beside files":    {memTree{"p=1/base_1/bucket_00000": good, "base_1/bucket_00000": good}, errs.ErrUnsupported, "p=1"},
		"a partition that is no text": {memTree{"p=%ff/base_1/bucket_00000": good}, errs.ErrUnsupported, "p=%ff"},
		"a column like a partition's": {memTree{"ID=1/base_1/bucket_00000": good}, errs.ErrSchema, "id"},
		"what is no ORC file":         {memTree{"base_1/bucket_00000": good, "delta_2_2/bucket_00000": []byte("no ORC file at all")}, errs.ErrCorrupt, "delta_2_2/bucket_00000"},
		"a file of too few bytes":     {memTree{"base_1/bucket_00000": good, "delta_2_2/bucket_00000": {1}}, errs.ErrCorrupt, "delta_2_2/bucket_00000"},
	} {
		_, err := Open(context.Background(), k.tree, arrowio.Limits{}, Options{}, orc.Options{})
		if !errors.Is(err, k.kind) || !strings.Contains(err.Error(), k.at) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An event without a row is found where it is read.
func TestEventsWithoutRows(t *testing.T) {
	events := inserts(1, b0, 1, 4)
	events[2].none = true
	f := openTable(t, memTree{"base_1/bucket_00000": eventsFile(t, events, nil)}, Options{RowIDs: true})
	for _, columns := range [][]string{nil, {"s"}, {"id", "row__id"}} {
		s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		for s.Next() {
			t.Error("a batch")
		}
		if err := s.Err(); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "base_1/bucket_00000") || !strings.Contains(err.Error(), "column row") {
			t.Errorf("%q: %v", columns, err)
		}
		s.Release()
	}
	if got := linesOf(t, f, arrowio.ScanOptions{Columns: []string{"row__id.rowid"}}); len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// A tree is listed as far as the limits allow.
func TestLimits(t *testing.T) {
	good := eventsFile(t, inserts(1, b0, 1, 2), nil)
	many := memTree{}
	for i := range 100 {
		many[fmt.Sprintf("delta_%d_%d/bucket_00000", i+1, i+1)] = nil
	}
	many["base_1/bucket_00000"] = good
	deep := memTree{"base_1/bucket_00000": good, "base_1/" + strings.Repeat("x/", 140) + "y": good}
	parts := memTree{strings.Repeat("p=1/", 140) + "base_1/bucket_00000": good}
	for name, k := range map[string]struct {
		tree   memTree
		limits arrowio.Limits
		opt    Options
		text   string
	}{
		"directories": {many, arrowio.Limits{Splits: 50}, Options{}, "Splits = 50"},
		"depth":       {deep, arrowio.Limits{}, Options{}, "Depth = 128"},
		"partitions":  {parts, arrowio.Limits{}, Options{}, "Depth = 128"},
		"deletes": {
			memTree{"base_1/bucket_00000": good, "delete_delta_2_2/bucket_00000": eventsFile(t, deletes(2, 1, b0, 0, 1, 2), nil)},
			arrowio.Limits{},
			Options{DeleteEvents: 2},
			"--orc-delete-events",
		},
	} {
		if _, err := Open(context.Background(), k.tree, k.limits, k.opt, orc.Options{}); !errors.Is(err, errs.ErrLimit) || !strings.Contains(err.Error(), k.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Telling what a tree is ends, too, however many partitions it has.
	wide := looking{}
	if ok, err := Match(context.Background(), &wide); ok || err != nil || wide.lists > mostLooked+1 {
		t.Errorf("%t, %v, after %d directories", ok, err, wide.lists)
	}
}

// looking is a tree without end: each directory has two partitions.
type looking struct{ lists int }

func (l *looking) List(context.Context, string) ([]arrowio.TreeEntry, error) {
	l.lists++
	return []arrowio.TreeEntry{{Name: "p=1", Dir: true}, {Name: "p=2", Dir: true}}, nil
}

func (l *looking) Open(context.Context, string) (arrowio.OpenSource, error) {
	return nil, errors.New("nothing to open")
}

func (l *looking) Path(name string) string { return name }

// A table of files that are cut off, or changed, anywhere is read or refused, and nothing panics.
func TestDamagedFiles(t *testing.T) {
	ctx := context.Background()
	m := memTree{
		"base_0000001/bucket_00000":                      eventsFile(t, inserts(1, b0, 100, 5), nil),
		"delete_delta_0000003_0000003_0000/bucket_00000": eventsFile(t, deletes(3, 1, b0, 0, 3), nil),
	}
	read := func(what string, m memTree) {
		f, err := Open(ctx, m, arrowio.Limits{}, Options{RowIDs: true}, orc.Options{})
		if err != nil {
			var e *errs.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		defer f.Close()
		s, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Parallelism: 1})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		defer s.Release()
		for s.Next() {
		}
		var e *errs.Error
		if err := s.Err(); err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", what, err)
		}
		if errors.Is(s.Err(), errs.ErrInternal) {
			t.Errorf("%s: %v", what, s.Err())
		}
	}
	for _, name := range []string{"base_0000001/bucket_00000", "delete_delta_0000003_0000003_0000/bucket_00000"} {
		whole := m[name]
		for n := range len(whole) {
			m[name] = whole[:n]
			read(fmt.Sprintf("%s, cut at %d", name, n), m)
		}
		for i := range whole {
			b := slices.Clone(whole)
			b[i] ^= byte(1 << (i % 8))
			m[name] = b
			read(fmt.Sprintf("%s, byte %d", name, i), m)
		}
		m[name] = whole
	}
}

// Row ids at the limits are row ids.
func TestExtremeRowIDs(t *testing.T) {
	var rows, gone []event
	n := int64(0)
	for _, w := range []int64{math.MinInt64, -1, 1, math.MaxInt64} {
		for _, id := range []int64{math.MinInt64, -1, 0, math.MaxInt64} {
			rows = append(rows, event{write: w, bucket: b0, id: id, current: 1, row: row{n, "x"}})
			if n%2 == 0 {
				gone = append(gone, deletes(math.MaxInt64, w, b0, id)...)
			}
			n++
		}
	}
	m := memTree{
		"base_1/bucket_00000": eventsFile(t, rows, nil),
		"delete_delta_9223372036854775807_9223372036854775807/bucket_00000": eventsFile(t, gone, nil),
	}
	sameIDs64(t, "rows", ids(t, openTable(t, m, Options{}), arrowio.ScanOptions{}), 1, 3, 5, 7, 9, 11, 13, 15)
}

// FuzzTable reads tables some of whose names and bytes are anybody's.
func FuzzTable(f *testing.F) {
	base := eventsFile(f, inserts(1, b0, 1, 4), nil)
	gone := eventsFile(f, deletes(2, 1, b0, 1, 3), nil)
	f.Add("base_0000001", "delete_delta_0000002_0000002_0000", base, gone, "")
	f.Add("delta_1_1_0", "delta_2_2_0", base, gone, "2:1")
	f.Add("p=1/base_1", "p=2/base_1", base, base, "1")
	f.Add("x", "delta_1_10_v3", rowsFile(f, []row{{1, "a"}}), base, "5:1:2")
	f.Fuzz(func(t *testing.T, one, two string, first, second []byte, list string) {
		m := memTree{"delta_9_9/bucket_00000": base}
		for dir, b := range map[string][]byte{one: first, two: second} {
			if strings.Trim(dir, "/") == dir && !strings.Contains(dir, "//") && dir != "" {
				m[dir+"/bucket_00000"] = b
			}
		}
		t1, err := Open(context.Background(), maps.Clone(m), arrowio.Limits{}, Options{WriteIDs: list, DeleteEvents: 1000}, orc.Options{})
		if err != nil {
			if errors.Is(err, errs.ErrInternal) {
				t.Error(err)
			}
			return
		}
		defer t1.Close()
		s, err := arrowio.Scan(context.Background(), t1, arrowio.ScanOptions{Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Release()
		rows := int64(0)
		for s.Next() {
			rows += s.Record().NumRows()
		}
		if err := s.Err(); errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		} else if n := len(t1.splits); err == nil && n > 0 && rows != t1.splits[n-1].Rows.End {
			t.Errorf("%d rows, %d were counted", rows, t1.splits[n-1].Rows.End)
		}
		if _, err := t1.Info(context.Background(), arrowio.InfoOptions{Blocks: true}); errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		}
	})
}
