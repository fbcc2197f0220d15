package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/s3fake"
)

// browsedOf opens inputs as arrowio browse does.
func browsedOf(t *testing.T, args ...string) *browsed {
	t.Helper()
	a := newApp(t.Context(), strings.NewReader(""), io.Discard, io.Discard)
	f, cmd := &browseFlags{selectFlags: &selectFlags{}}, &cobra.Command{}
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	b, err := a.openBrowsed(t.Context(), f, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
		if err := a.leavePlaces(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// Another file that gets the name of one that is open is not shown as the bytes of that.
func TestBrowsedFileReplaced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.orc")
	for _, other := range []string{"orc/java-2.3.1/strides-none.orc", "parquet/pyarrow-26.0.1/groups.parquet"} {
		first := fixtures.Read(t, "../../testdata/orc/java-2.3.1/pruning.orc")
		if err := os.WriteFile(name, first, 0o666); err != nil {
			t.Fatal(err)
		}
		b := browsedOf(t, name)
		if got, err := b.Bytes(t.Context(), 0, 10, 1000); err != nil || !bytes.Equal(got, first[10:1010]) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		if runtime.GOOS == "windows" { // files that are open have their names for themselves
			return
		}
		if err := os.WriteFile(name+".new", fixtures.Read(t, "../../testdata/"+other), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Bytes(t.Context(), 0, 10, 1000); !errors.Is(err, stores.ErrChanged) || !strings.Contains(err.Error(), name) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// A file that was written to while it is open is not read on as if it were the same, but one that is read from its beginning may grow.
func TestBrowsedFileWrittenTo(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.parquet")
	whole := fixtures.Read(t, "../../testdata/parquet/pyarrow-26.0.1/groups.parquet")
	for what, change := range map[string]func() error{
		"rewritten": func() error { return os.WriteFile(name, bytes.Repeat([]byte{7}, len(whole)), 0o666) },
		"cut":       func() error { return os.Truncate(name, 100) },
		"longer":    func() error { return os.WriteFile(name, append(bytes.Clone(whole), whole...), 0o666) },
	} {
		if err := os.WriteFile(name, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
		b := browsedOf(t, name)
		rows, err := b.Select("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rows.Page(t.Context(), []int{0}, 0, 3); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		_, err = rows.Page(t.Context(), []int{0}, 0, 3)
		if _, fault := b.Bytes(t.Context(), 0, 4, 20); err == nil || fault == nil || what == "longer" && !errors.Is(err, stores.ErrChanged) || strings.Count(fault.Error(), name) != 1 {
			t.Errorf("%s: %v, %v", what, err, fault)
		}
	}
	name = filepath.Join(dir, "x.csv")
	if err := os.WriteFile(name, []byte("n\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	b := browsedOf(t, name)
	rows, err := b.Select("")
	if err != nil {
		t.Fatal(err)
	}
	for n, text := range []string{"n\n1\n", "n\n1\n2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if page, err := rows.Page(t.Context(), []int{0}, 0, 1); err != nil || len(page) != 1 {
			t.Errorf("%d: %q, %v", n, page, err)
		}
	}
}

// Reading keys of a terminal that is gone ends browse.
func TestKeysOfATerminalThatIsGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, gone := context.WithCancelCause(t.Context())
	defer gone(nil)
	k := keys{r, gone, false}
	defer k.Close()
	b := make([]byte, 8)
	if _, err := w.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if n, err := k.Read(b); n != 1 || err != nil || ctx.Err() != nil {
		t.Fatal(n, err, ctx.Err())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Read(b); err == nil || !errors.Is(context.Cause(ctx), errTerminalGone) {
		t.Error(err, context.Cause(ctx))
	}
}

// Browse shows a file in a store as one on a disk. Row i of the file has 3*i in id__mono and "row-" with i in name__seq.
func TestBrowsedOnS3(t *testing.T) {
	const local = "../../testdata/orc/java-2.3.1/pruning.orc"
	whole, err := os.ReadFile(local)
	if err != nil {
		t.Fatal(err)
	}
	s := s3fake.New(t)
	s.Put(t, "in/pruning.orc", whole)
	ctx := context.Background()
	for _, from := range []string{local, inBucket + "in/pruning.orc"} {
		b := browsedOf(t, from)
		names := make([]string, len(b.Fields()))
		for i, f := range b.Fields() {
			names[i] = f.Name
		}
		id, name := slices.Index(names, "id__mono"), slices.Index(names, "name__seq")
		all, err := b.Select("")
		if err != nil {
			t.Fatal(err)
		}
		page, err := all.Page(ctx, []int{name, id}, 5998, 10)
		if err != nil || len(page) != 2 || !slices.Equal(page[1], []string{"row-00005999", "17997"}) {
			t.Errorf("%s: the last rows are %q, %v", from, page, err)
		}
		if n, known := all.Count(); n != 6000 || !known {
			t.Errorf("%s: %d rows, %v", from, n, known)
		}
		row, _, found, err := all.Find(ctx, "ROW-00004321", []int{id, name}, 0, false, func(int64) {})
		if err != nil || found {
			t.Errorf("%s: capitals are found in row %d, %v", from, row, err)
		}
		for _, back := range []bool{false, true} {
			row, column, found, err := all.Find(ctx, "-00004321", []int{id, name}, map[bool]int64{true: 6000}[back], back, func(int64) {})
			if err != nil || !found || row != 4321 || column != name {
				t.Errorf("%s: found %v in row %d, column %d, %v", from, found, row, column, err)
			}
		}
		some, err := b.Select("id__mono >= 300 AND id__mono < 330")
		if err != nil {
			t.Fatal(err)
		}
		if err := some.Extend(ctx, 1000); err != nil {
			t.Fatal(err)
		}
		if n, known := some.Count(); n != 10 || !known {
			t.Errorf("%s: %d rows match, %v", from, n, known)
		}
		record, err := some.Record(ctx, 9)
		if err != nil || len(record) != len(names) || record[id] != "327" || record[name] != "row-00000109" {
			t.Errorf("%s: record %q, %v", from, record, err)
		}
		file, err := b.File(ctx, 0, true)
		if err != nil || len(file.Groups) != 2 {
			t.Fatalf("%s: %+v, %v", from, file, err)
		}
		for _, c := range file.Columns {
			if c.Name != "id__mono" {
				continue
			}
			block := c.Blocks[len(c.Blocks)-1]
			content, err := b.Bytes(ctx, 0, block.Off, int(block.Bytes))
			if err != nil || !bytes.Equal(content, whole[block.Off:block.Off+block.Bytes]) {
				t.Errorf("%s: bytes of %+v: %x, %v", from, block, content, err)
			}
			notes, err := b.Explain(ctx, 0, block.Off, block.Off+block.Bytes)
			if err != nil || len(notes) < 2 || !strings.Contains(notes[1].Text, "9000 9003 9006") {
				t.Errorf("%s: %+v, %v", from, notes, err)
			}
		}
	}
	if len(s.Requests()) == 0 {
		t.Error("nothing was asked of the store")
	}
	if _, err := browsedOf(t, local).Select("nope = 1"); err == nil {
		t.Error("a filter on a column that is not there")
	}
}
