package orctable

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers/orc"
)

// Info tells what was chosen, what is hidden, and why.
func TestInfo(t *testing.T) {
	ctx := context.Background()
	m := smallTable(t)
	f := openTable(t, m, Options{WriteIDs: "4::2"})
	info, err := f.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var members []string
	for _, x := range info.Members {
		members = append(members, strings.Join([]string{x.Kind, x.Name, x.State, x.Detail}, "|"))
	}
	want := []string{
		"base|base_0000001|read|INSERT OVERWRITE, write id 1",
		"delta|delta_0000001_0000001_0000|hidden|base_0000001 stands for it",
		"delta|delta_0000002_0000002_0000|hidden|write id 2 was aborted",
		"delta|delta_0000003_0000003_0000|read|write id 3",
		"delete delta|delete_delta_0000003_0000003_0000|read|write id 3",
		"delta|delta_0000004_0000004_0000|read|write id 4",
	}
	if !slices.Equal(members, want) {
		t.Errorf("%q", members)
	}
	if m := info.Members; m[0].Rows != 8 || m[0].Parts != 2 || m[1].Rows != arrowio.UnknownRows || m[4].Rows != 4 {
		t.Errorf("%+v", m)
	}
	facts := map[string]string{}
	for _, x := range info.Facts {
		facts[x.Name] = x.Value
	}
	for name, want := range map[string]string{"write ids": "1 to 4, read as of 4::2", "deletes": "4 events; 3 stored rows are not there", "table": "Hive ACID", "files": "6 read, of which 0 have no row ids"} {
		if facts[name] != want {
			t.Errorf("%s: %q, want %q", name, facts[name], want)
		}
	}
	var columns []string
	for _, c := range info.Columns {
		if columns = append(columns, c.Path); c.Bytes == 0 || c.Stored == "" {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Equal(columns, []string{"id", "s", eventPath, deletePath}) {
		t.Errorf("%q", columns)
	}
	if len(info.Notes) != 1 || !strings.Contains(info.Notes[0], "no bytes") || info.Rows != 6 {
		t.Errorf("%q, %d rows", info.Notes, info.Rows)
	}

	f = openTable(t, m, Options{})
	x, err := expr.Parse("id >= 400")
	if err != nil {
		t.Fatal(err)
	}
	bound, err := expr.Bind(x, f.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if info, err = f.Info(ctx, arrowio.InfoOptions{Filter: bound, Blocks: true}); err != nil {
		t.Fatal(err)
	}
	if len(info.Notes) != 2 || !strings.Contains(info.Notes[1], "--orc-write-ids") {
		t.Errorf("%q", info.Notes)
	}
	var left []string
	for _, p := range info.Plan {
		if p.Left > 0 {
			left = append(left, p.Unit)
		}
	}
	if len(info.Plan) != 4 || !slices.Equal(left, []string{"delta_0000003_0000003_0000/bucket_00000"}) {
		t.Errorf("%+v", info.Plan)
	}
}

// Other kinds of tables say what they are.
func TestInfoOfKinds(t *testing.T) {
	for name, k := range map[string]struct {
		tree memTree
		opt  Options
		want []string
	}{
		"insert-only": {memTree{"delta_1_1_0/000000_0": rowsFile(t, []row{{1, ""}})}, Options{}, []string{"no file has row ids", "files without row ids"}},
		"version 1":   {memTree{"delta_1_1_0/bucket_00000": eventsFile(t, inserts(1, 0, 1, 2), nil), "delta_2_2_0/bucket_00000": eventsFile(t, []event{updated(2, 1, 0, 1, 5)}, nil)}, Options{}, []string{"version 1", "updated in place"}},
		"originals":   {memTree{"000000_0": rowsFile(t, []row{{1, ""}}), "base_1_v3/bucket_00000": eventsFile(t, inserts(1, b0, 1, 2), nil)}, Options{}, []string{"originals", "base_1_v3 stands for them", "compacted, up to write id 1"}},
		"events":      {smallTable(t), Options{Events: true}, []string{"nothing is taken away"}},
		"partitions":  {memTree{"p=1/base_1/bucket_00000": eventsFile(t, inserts(1, b0, 1, 2), nil)}, Options{}, []string{"1, by p", "name of the directory"}},
		"evolved": {memTree{
			"base_1/bucket_00000": eventsOf(t, 1, append(evolvedFields(i32), field("id", i64)), `[{"n": 1}]`), "delta_2_2_1/bucket_00000": eventsFile(t, inserts(2, b0, 1, 2), nil),
		}, Options{}, []string{"(st)", "not a column of the table any more", "statement 1"}},
	} {
		info, err := openTable(t, k.tree, k.opt).Info(context.Background(), arrowio.InfoOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var all []string
		for _, x := range info.Facts {
			all = append(all, x.Value)
		}
		for _, x := range info.Members {
			all = append(all, x.Kind, x.Detail)
		}
		for _, x := range info.Columns {
			all = append(all, x.Path, x.Stored)
		}
		text := strings.Join(append(all, info.Notes...), "\n")
		for _, want := range k.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
}

// Verify reads every chosen file, and no other.
func TestVerify(t *testing.T) {
	m := smallTable(t)
	m["delta_0000001_0000001_0000/bucket_00000"] = []byte("hidden, and broken")
	faults := func() (out []string) {
		if err := openTable(t, m, Options{}).Verify(context.Background(), func(err error) { out = append(out, err.Error()) }); err != nil {
			t.Error(err)
		}
		return out
	}
	if got := faults(); len(got) != 0 {
		t.Errorf("%q", got)
	}
	name := "delta_0000003_0000003_0000/bucket_00000"
	b := slices.Clone(m[name])
	at := strings.Index(string(b), "row 400")
	b[at] = 0xff // no UTF-8, and other than the statistics say
	m[name] = b
	if got := faults(); len(got) == 0 || !strings.Contains(got[0], name) {
		t.Errorf("%q", got)
	}
}

// The identity changes with any file, and with nothing else.
func TestIdentity(t *testing.T) {
	ctx := context.Background()
	m := smallTable(t)
	f := openTable(t, m, Options{})
	id := func() string {
		got, err := f.Identity(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before := id()
	if id() != before {
		t.Error("it changes by itself")
	}
	m["delta_0000005_0000005_0000/bucket_00000"] = nil
	if id() == before {
		t.Error("a file came, and nothing changed")
	}
	delete(m, "delta_0000005_0000005_0000/bucket_00000")
	m["delta_0000004_0000004_0000/bucket_00000"] = []byte("x")
	if id() == before {
		t.Error("a file grew, and nothing changed")
	}
}

// Bytes are counted, whatever is closed meanwhile, and a closed table gives nothing more.
func TestBytesAndClose(t *testing.T) {
	ctx := context.Background()
	m := memTree{}
	stored := int64(0)
	for i := range int64(2 * keptFiles) {
		b := eventsFile(t, inserts(i+1, b0, 10*i, 3), nil)
		m["delta_"+(dirName{kind: delta, min: i + 1, max: i + 1, stmt: none, txn: none}).text()[len("delta_"):]+"/bucket_00000"] = b
		stored += int64(len(b))
	}
	f, err := Open(ctx, m, arrowio.Limits{}, Options{}, orc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened := f.BytesRead()
	if got := ids(t, f, arrowio.ScanOptions{Parallelism: 3}); len(got) != 6*keptFiles {
		t.Errorf("%d rows", len(got))
	}
	if f.BytesRead() <= opened || opened == 0 || f.BytesStored() != stored {
		t.Errorf("%d bytes read, %d at first, %d of %d stored", f.BytesRead(), opened, f.BytesStored(), stored)
	}
	if n := len(f.pool.open); n > keptFiles {
		t.Errorf("%d files are open", n)
	}
	p, err := arrowio.Project(f.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Splits()[0]
	r, err := f.Read(ctx, s, arrowio.RowSet{s.Rows}, p, nil)
	if err == nil {
		err = r.Close()
	}
	if err := errors.Join(err, f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	if len(f.pool.open) != 0 {
		t.Errorf("%d files are open", len(f.pool.open))
	}
	if _, err := f.Read(ctx, s, arrowio.RowSet{s.Rows}, p, nil); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Open(canceled, m, arrowio.Limits{}, Options{}, orc.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Options say what they take, and those of files go with them.
func TestOptions(t *testing.T) {
	f := Format()
	ctx := context.Background()
	m := smallTable(t)
	for name, value := range map[string]string{
		"orc-write-ids": "x", "orc-row-ids": "yes", "orc-acid": "events", "orc-delete-events": "0", "orc-strings": "latin", "orc-timezone": "Nowhere/Land",
	} {
		o := arrowio.OpenOptions{Options: map[string]string{name: value}}
		if _, err := f.OpenTree(ctx, m, o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("a table, %s=%s: %v", name, value, err)
		}
		if _, err := f.Open(ctx, local.NewBytesSource(m["base_0000001/bucket_00000"]), o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("a file, %s=%s: %v", name, value, err)
		}
		if !slices.ContainsFunc(f.Options, func(o arrowio.Option) bool { return o.Name == name }) {
			t.Errorf("%s is not offered", name)
		}
	}
	o := arrowio.OpenOptions{Options: map[string]string{"orc-write-ids": "1", "orc-row-ids": "true", "orc-delete-events": "5", "orc-strings": "binary"}}
	file, err := f.OpenTree(ctx, m, o)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if s := file.Schema(); s.NumFields() != 3 || s.Field(2).Name != RowIDColumn || s.Field(1).Type.String() != "binary" {
		t.Error(s)
	}
	if ok, err := f.MatchTree(ctx, m); !ok || err != nil {
		t.Error(ok, err)
	}
}
