package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/convert"
)

// shuffledFile writes rows of a group and a number in which no number is in its place.
func shuffledFile(t *testing.T, dir string, rows int) string {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "group", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var recs []arrow.Record
	for i := range rows {
		n := (i*7919 + 13) % rows
		if n%3 == 0 {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprint("g", n%3))
		}
		b.Field(1).(*array.Int64Builder).Append(int64(n))
		if i%1000 == 999 || i == rows-1 {
			recs = append(recs, b.NewRecord())
		}
	}
	defer func() {
		for _, r := range recs {
			r.Release()
		}
	}()
	return writeIPC(t, filepath.Join(dir, "in.arrow"), schema, recs...)
}

func TestConvertSorts(t *testing.T) {
	const rows = 30_000
	dir := t.TempDir()
	in := shuffledFile(t, dir, rows)
	var byNumber, byGroup strings.Builder
	line := func(b *strings.Builder, n int) {
		if n%3 == 0 {
			fmt.Fprintf(b, "{\"n\":%d}\n", n)
		} else {
			fmt.Fprintf(b, "{\"group\":\"g%d\",\"n\":%d}\n", n%3, n)
		}
	}
	for n := range rows {
		line(&byNumber, n)
	}
	for _, g := range []int{1, 2, 0} { // nulls last
		for n := g; n < rows; n += 3 {
			line(&byGroup, n)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--sort=n"}, byNumber.String()},
		{[]string{"--sort=group,n"}, byGroup.String()},
		{[]string{"--sort=group,n", "--memory", "256KiB", "--jobs", "1", "--progress", "always"}, byGroup.String()},
		{[]string{"--sort=group,n", "--memory", "1MiB", "--batch-rows", "100"}, byGroup.String()},
	} {
		out := filepath.Join(t.TempDir(), "out.arrow")
		o := do(t, slices.Concat([]string{"convert"}, c.args, []string{in, out})...)
		if o.code != 0 {
			t.Fatalf("%v: %s", c.args, o.err)
		}
		if _, got := readIPC(t, out); strings.ReplaceAll(got, "\"group\":null,", "") != c.want {
			t.Errorf("%v: the rows are not in order: %.300s", c.args, got)
		}
		only(t, filepath.Dir(out), "out.arrow")
	}
}

func TestConvertSortReport(t *testing.T) {
	dir := t.TempDir()
	in := shuffledFile(t, dir, 30_000)
	var r struct {
		SortedBy     []string `json:"sorted_by"`
		SpilledRuns  int64    `json:"spilled_runs"`
		SpilledBytes int64    `json:"spilled_bytes"`
		Rows         int64
	}
	if err := json.Unmarshal([]byte(ok(t, "convert", "--json", "--memory", "512KiB", "--sort=n", in, filepath.Join(dir, "out.parquet"))), &r); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.SortedBy, []string{"n"}) || r.SpilledRuns < 2 || r.SpilledBytes < 300_000 || r.Rows != 30_000 {
		t.Errorf("%+v", r)
	}
	if text := ok(t, "convert", "--dry-run", "--sort=group,n", in, filepath.Join(dir, "dry.parquet")); !strings.Contains(text, "sorted by group, n\n") {
		t.Error(text)
	}
	only(t, dir, "in.arrow", "out.parquet")
}

func TestConvertSortCommandLine(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	out := filepath.Join(dir, "out.arrow")
	for _, c := range []struct {
		flag  string
		parts []string
	}{
		{"--sort=nmae", []string{"sort", "nmae", "name"}},
		{"--sort=tags", []string{"sort", "tags", "no order"}},
		{"--sort=at", []string{"sort", "at", "no order"}},
		{"--sort", []string{"ipc", "no key"}},
		{"--sort=", []string{"--sort", "columns"}},
		{"--sort=id,", []string{"--sort", "empty"}},
	} {
		fails(t, do(t, "convert", c.flag, in, out), 2, c.parts...)
		only(t, dir, "in.arrow")
	}
	fails(t, do(t, "convert", "--sort", "id", in, out), 3, "id: ", "no such file", "--sort=id")
	fails(t, do(t, "convert", "--sort", "-id", in, out), 2, "unknown shorthand flag", "--sort=-id")
	fails(t, do(t, "convert", "--sort=id", "--sort", in, out), 2, "not both")
	ok(t, "convert", "--sort=at.x,id", in, out)
	help := ok(t, "convert", "--help")
	for _, want := range []string{"--sort[=A,-B.C]", "arrowio convert --sort --kudu-key host,time events.orc events.kudu/"} {
		if !strings.Contains(help, want) {
			t.Errorf("help does not tell %q", want)
		}
	}
}

func TestSteps(t *testing.T) {
	var out lockedBuffer
	a := newApp(t.Context(), nil, nil, &out)
	s := a.startSteps("always", work{rows: 1000, read: func() int64 { return 0 }})
	defer s.stop()
	for _, step := range []struct {
		p    convert.Progress
		want string
	}{
		{convert.Progress{Sorted: 250}, "\rsort "},
		{convert.Progress{Sorted: 500, Merged: 100, MergeRows: 400}, "\rmerge "},
		{convert.Progress{Sorted: 1000, Rows: 10}, "\rwrite "},
	} {
		s.set(step.p)
		waitFor(t, &out, step.want)
	}
	s.stop()
	s.stop()
	quiet := a.startSteps("never", work{rows: arrowio.UnknownRows})
	quiet.set(convert.Progress{Sorted: 1})
	quiet.stop()
}
