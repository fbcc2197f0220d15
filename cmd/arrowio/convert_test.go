package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

func TestConvertThereAndBack(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	schema, want := readIPC(t, in)
	for _, ending := range []string{".arrow", ".arrows", ".parquet", ".jsonl"} {
		t.Run(ending, func(t *testing.T) {
			sub := t.TempDir()
			mid, back := filepath.Join(sub, "mid"+ending), filepath.Join(sub, "back.arrow")
			ok(t, "convert", in, mid)
			ok(t, "convert", mid, back)
			only(t, sub, "back.arrow", "mid"+ending)
			gotSchema, got := readIPC(t, back)
			if ending != ".jsonl" { // JSON lines do not carry types
				for i, f := range schema.Fields() {
					if g := gotSchema.Field(i); g.Name != f.Name || g.Type.ID() != f.Type.ID() {
						t.Errorf("field %d is %s, was %s", i, g, f)
					}
				}
			}
			if got != want {
				t.Errorf("rows differ; %d bytes of JSON, want %d", len(got), len(want))
			}
		})
	}
}

func TestConvertSelects(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 3000)
	out := filepath.Join(dir, "out.arrow")
	ok(t, "convert", "--columns", "at.x,id", "--where", "id >= 5 AND name IS NOT NULL", "--rows", "3:9", in, out)
	_, got := readIPC(t, out)
	want := `{"at":{"x":5.5},"id":5}
{"at":{"x":6.5},"id":6}
{"at":{"x":8.5},"id":8}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestConvertDataset(t *testing.T) {
	dir := t.TempDir()
	parts := filepath.Join(dir, "parts")
	if err := os.Mkdir(parts, 0o777); err != nil {
		t.Fatal(err)
	}
	a := peopleFile(t, parts, "a.arrow", 0, 10)
	b := peopleFile(t, parts, "b.arrow", 10, 20)
	_, want := readIPC(t, peopleFile(t, dir, "all.arrow", 0, 20))
	for name, in := range map[string][]string{
		"files": {a, b}, "directory": {parts}, "glob": {filepath.Join(parts, "*.arrow")},
	} {
		out := filepath.Join(dir, name+".arrow")
		ok(t, slices.Concat([]string{"convert"}, in, []string{out})...)
		if _, got := readIPC(t, out); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestConvertDatasetOfTwoSchemas(t *testing.T) {
	dir := t.TempDir()
	a := peopleFile(t, dir, "a.arrow", 0, 10)
	b := writeIPC(t, filepath.Join(dir, "b.arrow"), arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.String}}, nil))
	out := filepath.Join(dir, "out.jsonl")
	fails(t, do(t, "convert", a, b, out), 1, "b.arrow: ", "id")
	only(t, dir, "a.arrow", "b.arrow")

	o := do(t, "--json-errors", "convert", a, b, out)
	var f struct{ Kind, File, Message string }
	if err := json.Unmarshal([]byte(o.err), &f); err != nil || f.Kind != "schema" || f.File != b || strings.Contains(f.Message, b) {
		t.Errorf("%v: %s", err, o.err)
	}
}

func TestConvertOutputExists(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	out := filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(out, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "convert", in, out), 2, "out.jsonl", "exists", "--force")
	if b, _ := os.ReadFile(out); string(b) != "precious" {
		t.Errorf("the output now holds %q", b)
	}
	// A run that fails leaves what it would have replaced.
	fails(t, do(t, "convert", "--force", "--columns", "none", in, out), 2, "none")
	if b, _ := os.ReadFile(out); string(b) != "precious" {
		t.Errorf("the output now holds %q", b)
	}
	ok(t, "convert", "--force", in, out)
	if b, _ := os.ReadFile(out); bytes.Count(b, []byte("\n")) != 10 {
		t.Errorf("the output now holds %q", b)
	}
	only(t, dir, "in.arrow", "out.jsonl")
}

func TestConvertDryRun(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	text := ok(t, "convert", "--dry-run", in, filepath.Join(dir, "out.arrow"))
	for _, want := range []string{"column", "id", "int64", "at"} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not tell %q:\n%s", want, text)
		}
	}
	only(t, dir, "in.arrow")

	var plan struct {
		DryRun bool `json:"dry_run"`
		Plan   struct {
			Format  string
			Columns []struct{ Path, Type, Stored string }
		}
	}
	doc := ok(t, "convert", "--dry-run", "--json", "--columns", "name", in, filepath.Join(dir, "out.arrow"))
	if err := json.Unmarshal([]byte(doc), &plan); err != nil {
		t.Fatal(err)
	}
	if !plan.DryRun || plan.Plan.Format != "ipc" || len(plan.Plan.Columns) != 1 || plan.Plan.Columns[0].Path != "name" {
		t.Errorf("%+v", plan)
	}
}

func TestConvertReport(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	out := filepath.Join(dir, "out.arrow")
	var r struct {
		Rows, Batches int64
		BytesIn       int64 `json:"bytes_in"`
		BytesOut      int64 `json:"bytes_out"`
		Files         []struct {
			Name  string
			Bytes int64
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "convert", "--json", in, out)), &r); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows != 2500 || r.Batches < 1 || r.BytesIn == 0 || r.BytesOut != fi.Size() || len(r.Files) != 1 || r.Files[0].Bytes != fi.Size() {
		t.Errorf("%+v, the file has %d bytes", r, fi.Size())
	}
}

func TestConvertCommandLine(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	out := filepath.Join(dir, "out.arrow")
	for _, c := range []struct {
		name  string
		args  []string
		code  int
		parts []string
	}{
		{"nothing", nil, 2, []string{"INPUT"}},
		{"no output", []string{in}, 2, []string{"OUTPUT"}},
		{"unknown ending", []string{in, filepath.Join(dir, "out.xyz")}, 2, []string{"out.xyz", ".arrow", "--to"}},
		{"no ending", []string{in, filepath.Join(dir, "out")}, 2, []string{"--to"}},
		{"standard output of no format", []string{in, "-"}, 2, []string{"--to"}},
		{"unknown format", []string{"--to", "xyz", in, out}, 2, []string{"--to", "ipc"}},
		{"unknown input format", []string{"--from", "xyz", in, out}, 2, []string{"--from", "parquet"}},
		{"unknown flag", []string{"--colums", "id", in, out}, 2, []string{"--colums", "--columns"}},
		{"no such column", []string{"--columns", "nmae", in, out}, 2, []string{"nmae", "name"}},
		{"no such column in the filter", []string{"--where", "nmae = 1", in, out}, 2, []string{"nmae", "name"}},
		{"unparsable filter", []string{"--where", "id >", in, out}, 2, []string{"--where"}},
		{"filter of a wrong type", []string{"--where", "id = 'x'", in, out}, 2, []string{"id"}},
		{"bad size", []string{"--memory", "much", in, out}, 2, []string{"--memory", "64MiB"}},
		{"bad rows", []string{"--rows", "5", in, out}, 2, []string{"--rows", "A:B"}},
		{"bad jobs", []string{"--jobs", "0", in, out}, 2, []string{"--jobs"}},
		{"bad codec", []string{"--compression", "nonesuch", in, filepath.Join(dir, "out.parquet")}, 2, []string{"nonesuch"}},
		{"an option of another format", []string{"--csv-delimiter", ";", in, out}, 2, []string{"--csv-delimiter"}},
		{"report and rows on one stream", []string{"--json", "--to", "jsonl", in, "-"}, 2, []string{"--json"}},
		{"two standard inputs", []string{"-", "-", out}, 2, []string{"standard input"}},
		{"empty name", []string{"", out}, 2, nil},
		{"no such file", []string{filepath.Join(dir, "none.arrow"), out}, 3, []string{"none.arrow", "no such file"}},
		{"no such directory", []string{in, filepath.Join(dir, "none", "out.arrow")}, 3, []string{"the directory", "does not exist"}},
		{"no match", []string{filepath.Join(dir, "*.none"), out}, 3, []string{"*.none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fails(t, do(t, append([]string{"convert"}, c.args...)...), c.code, c.parts...)
			only(t, dir, "in.arrow")
		})
	}
}

func TestConvertStandardStreams(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 3)
	f, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := doWith(t, context.Background(), f, "convert", "--to", "jsonl", "--columns", "id", "-", "-")
	if o.code != 0 || o.out != "{\"id\":0}\n{\"id\":1}\n{\"id\":2}\n" {
		t.Errorf("%+v", o)
	}
	o = doWith(t, context.Background(), strings.NewReader("a,b\n1,x\n2,y\n"), "convert", "--from", "csv", "--to", "jsonl", "-", "-")
	if o.code != 0 || strings.Count(o.out, "\n") != 2 || !strings.Contains(o.out, `"x"`) {
		t.Errorf("%+v", o)
	}
}

// failingWriter takes n bytes and then fails.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if len(p) > w.n {
		return w.n, &os.PathError{Op: "write", Path: "/dev/stdout", Err: w.err}
	}
	w.n -= len(p)
	return len(p), nil
}

func TestConvertDiskFull(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10_000)
	var errs bytes.Buffer
	code := run(context.Background(), []string{"convert", "--to", "ipc", in, "-"}, strings.NewReader(""), &failingWriter{1000, syscall.ENOSPC}, &errs)
	if code != 3 || !strings.Contains(errs.String(), "no space left") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

func TestClosedPipeIsQuiet(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 10_000)
	for _, args := range [][]string{{"cat", in}, {"cat", "--format", "jsonl", in}, {"convert", "--to", "csv", "--columns", "id", in, "-"}} {
		var errs bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), &failingWriter{1000, syscall.EPIPE}, &errs)
		if code != 3 || errs.Len() > 0 {
			t.Errorf("%q: exit %d: %s", args, code, errs.String())
		}
	}
}

// blockingReader gives some bytes and then nothing until the test is over.
type blockingReader struct {
	head io.Reader
	wait chan struct{}
}

func (r *blockingReader) Read(p []byte) (int, error) {
	if n, err := r.head.Read(p); n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	<-r.wait
	return 0, io.EOF
}

func TestConvertInterruptedWhileReading(t *testing.T) {
	dir := t.TempDir()
	wait := make(chan struct{})
	defer close(wait)
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errInterrupted) })
	stdin := &blockingReader{strings.NewReader(strings.Repeat("{\"a\":1}\n", 1000)), wait}
	o := doWith(t, ctx, stdin, "convert", "--from", "jsonl", "-", filepath.Join(dir, "out.arrow"))
	fails(t, o, 130, "interrupted")
	only(t, dir)
}

// program is the command to run this test binary as the program.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

func TestProcessInterrupted(t *testing.T) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // where nohup runs the tests, the program goes on, as it should
		signals = append(signals, syscall.SIGHUP)
	}
	for _, sig := range signals {
		dir := t.TempDir()
		peopleFile(t, dir, "in.arrow", 0, 5000)
		cmd := program(t, "convert", "--from", "jsonl", "--progress", "always", "-", filepath.Join(dir, "out.jsonl"))
		var errs bytes.Buffer
		cmd.Stderr = &errs
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// A pipe holds less than this: when the writes are through, the program is up and reading.
		if _, err := stdin.Write(bytes.Repeat([]byte("{\"id\": 1}\n"), 20_000)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		err = cmd.Wait()
		late.Stop()
		if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(errs.String(), "arrowio: interrupted") {
			t.Errorf("%s: %v: exit %d: %s", sig, err, code, errs.String())
		}
		only(t, dir, "in.arrow")
	}
}

// A second signal ends the program at once, and it leaves nothing of its output either. Here the second comes while the first is being
// handled, or before.
func TestProcessInterruptedTwice(t *testing.T) {
	t.Parallel()
	in := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(in, bytes.Repeat([]byte("{\"id\": 1}\n"), 500_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		dir := t.TempDir()
		cmd := program(t, "convert", "--max-file-bytes", "2000", in, filepath.Join(dir, "out.jsonl"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); ; { // until much is written, which takes a while to remove
			files, err := filepath.Glob(filepath.Join(dir, ".out.jsonl.*", "*"))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) > 100 {
				break
			}
			if time.Since(begun) > time.Minute {
				t.Fatalf("%d files", len(files))
			}
		}
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} { // two of one kind may arrive as one
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
		late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		late.Stop()
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("%v: exit %d", err, code)
		}
		only(t, dir)
	}
}

func TestProcessClosedPipe(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 20_000)
	cmd := program(t, "cat", "--format", "jsonl", in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 || errs.Len() > 0 {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

func TestProcessDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return // a Linux device; TestConvertDiskFull has the same elsewhere
	}
	defer full.Close()
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 1000)
	cmd := program(t, "convert", "--to", "ipc", in, "-")
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = full, &errs
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(errs.String(), "no space left on device") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// --max-file-bytes makes a directory, of one part too.
func TestConvertParts(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 10)
	for _, format := range []string{"parquet", "csv", "trevni", "orc"} {
		out := filepath.Join(dir, format)
		ok(t, "convert", "--to", format, "--max-file-bytes", "100MB", in, out)
		if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", format, entries, err)
		}
	}
}
