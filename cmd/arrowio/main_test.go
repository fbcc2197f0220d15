package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// asProgram makes the test binary behave as the program itself, for tests that need a process of its own.
const asProgram = "ARROWIO_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// outcome is what a run of the program left.
type outcome struct {
	code     int
	out, err string
}

// do runs the program with no input.
func do(t *testing.T, args ...string) outcome {
	t.Helper()
	return doWith(t, context.Background(), nil, args...)
}

func doWith(t *testing.T, ctx context.Context, stdin io.Reader, args ...string) outcome {
	t.Helper()
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	var out, errs bytes.Buffer
	code := run(ctx, args, stdin, &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// ok is do for runs that must succeed, with nothing on standard error but a note of what was lost.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	o := do(t, args...)
	if o.code != 0 || o.err != "" && (!strings.Contains(o.err, ": note: ") || strings.Count(o.err, "\n") > 1) {
		t.Fatalf("arrowio %s: exit %d: %s", strings.Join(args, " "), o.code, o.err)
	}
	return o.out
}

// fails checks a run that must fail: its exit code, the parts of its one line, and that it has printed nothing.
func fails(t *testing.T, o outcome, code int, parts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit %d, want %d: %s", o.code, code, o.err)
	}
	if strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "arrowio: ") {
		t.Errorf("not one line: %q", o.err)
	}
	for _, p := range parts {
		if !strings.Contains(o.err, p) {
			t.Errorf("%q does not tell %q", o.err, p)
		}
	}
	if o.out != "" {
		t.Errorf("printed %q", o.out)
	}
}

var personSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{"note": "first and last"})},
	{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	{Name: "at", Type: arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	), Nullable: true},
}, nil)

// personJSON is row i of the fixtures.
func personJSON(i int) string {
	name, tags := fmt.Sprintf(`"person %d"`, i), fmt.Sprintf(`["t%d", null]`, i%3)
	if i%4 == 3 {
		name, tags = "null", "null"
	}
	return fmt.Sprintf(`{"id": %d, "name": %s, "tags": %s, "at": {"x": %d.5, "y": null}}`, i, name, tags, i)
}

// people returns rows [from, to) of the fixtures in batches of at most 1000.
func people(t testing.TB, from, to int) []arrow.Record {
	t.Helper()
	var recs []arrow.Record
	for from < to {
		var rows []string
		for ; from < to && len(rows) < 1000; from++ {
			rows = append(rows, personJSON(from))
		}
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, personSchema, strings.NewReader("["+strings.Join(rows, ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(rec.Release)
		recs = append(recs, rec)
	}
	return recs
}

// writeIPC writes an Arrow file.
func writeIPC(t testing.TB, path string, schema *arrow.Schema, recs ...arrow.Record) string {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// peopleFile writes rows [from, to) of the fixtures to name in dir.
func peopleFile(t testing.TB, dir, name string, from, to int) string {
	t.Helper()
	return writeIPC(t, filepath.Join(dir, name), personSchema, people(t, from, to)...)
}

// readIPC returns the rows of an Arrow file as JSON lines.
func readIPC(t testing.TB, path string) (*arrow.Schema, string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var buf bytes.Buffer
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := array.RecordToJSON(rec, &buf); err != nil {
			t.Fatal(err)
		}
	}
	return r.Schema(), buf.String()
}

// names lists a directory, hidden files included.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// only fails the test unless dir holds exactly these names.
func only(t testing.TB, dir string, want ...string) {
	t.Helper()
	got := names(t, dir)
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}
