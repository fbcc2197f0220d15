//go:build interop

package avro_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/trevnitext"
	"github.com/arrowio/arrowio/internal/trevniwire"
	readavro "github.com/arrowio/arrowio/readers/avro"
	"github.com/arrowio/arrowio/writers/avro"
)

// java returns a function that runs AvroFiles.
func java(t *testing.T) func(stdin string, args ...string) string {
	t.Helper()
	jar := os.Getenv("ARROWIO_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_JUDGE_JAR is not set: make interop does")
	}
	classes := t.TempDir()
	if out, err := exec.Command("javac", "-cp", jar, "-d", classes, "../../testdata/interop/avro-judge/AvroFiles.java").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(stdin string, args ...string) string {
		cmd := exec.Command("java", append([]string{"-cp", classes + ":" + jar, "arrowio.judge.AvroFiles"}, args...)...)
		cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
}

// judgedFiles is how many random files Java writes, and reads again as we write them.
const judgedFiles = 200

// Random files of Java are read as Java reads them, and Java reads what is written of their rows, by every codec that it has.
func TestJudged(t *testing.T) {
	run := java(t)
	dir := t.TempDir()
	run("", "random", "7000", fmt.Sprint(judgedFiles), dir)
	paths, err := filepath.Glob(filepath.Join(dir, "*.avro"))
	if err != nil || len(paths) != judgedFiles {
		t.Fatal(err, len(paths))
	}
	var list strings.Builder
	for i, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		s, recs := read(t, b)
		want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[1:]
		compare(t, path, s, recs, want)
		o := arrowio.WriteOptions{Compression: []string{"none", "snappy", "deflate", "deflate:9"}[i%4], RowGroupBytes: []int64{0, 1, 100, 4000}[i/4%4]}
		schema, own := s, false
		if i%3 == 0 { // under a schema of our own, if that is possible: enums of one union would all be strings
			md := arrow.NewMetadata([]string{"avro.owner", "plain"}, []string{"ops", "text"})
			if _, err := avro.Format().Plan(arrow.NewSchema(s.Fields(), &md), o); err == nil {
				schema, own = arrow.NewSchema(s.Fields(), &md), true
			}
		}
		ours := fmt.Sprintf("%s.ours%d.avro", path, i%3)
		if err := os.WriteFile(ours, write(t, schema, recs, o), 0o600); err != nil {
			t.Fatal(err)
		}
		again := path + ".txt"
		if own { // names of types are others: what Java must see comes from what we read, under the new names
			s, recs := read(t, must(os.ReadFile(ours)))
			again = ours + ".txt"
			lines := append([]string{""}, lines(t, s, recs)...)
			if err := os.WriteFile(again, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Fprintf(&list, "%s\t%s\n", ours, again)
	}
	answers := 0
	for sc := bufio.NewScanner(strings.NewReader(run(list.String(), "judge", "-"))); sc.Scan(); answers++ {
		if verdict, file, _ := strings.Cut(sc.Text(), "\t"); verdict != "equal" {
			t.Errorf("%s: %s", file, verdict)
		}
	}
	if answers != judgedFiles {
		t.Errorf("%d answers", answers)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func read(t *testing.T, b []byte) (*arrow.Schema, []arrow.Record) {
	t.Helper()
	f, err := readavro.Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := conformance.Collect(t, f, memory.DefaultAllocator, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if rec == nil {
		return f.Schema(), nil
	}
	return f.Schema(), []arrow.Record{rec}
}

func write(t *testing.T, s *arrow.Schema, recs []arrow.Record, o arrowio.WriteOptions) []byte {
	t.Helper()
	st := local.NewMemStore()
	p, err := avro.Format().Plan(s, o)
	if err != nil {
		t.Fatal(err)
	}
	w, err := arrowio.NewWriter(context.Background(), avro.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	return nil
}

func lines(t *testing.T, s *arrow.Schema, recs []arrow.Record) (out []string) {
	t.Helper()
	md := s.Metadata()
	text, _ := md.GetValue("avro.avro.schema")
	a, err := trevniwire.ParseAvro([]byte(text), arrowio.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		out = append(out, trevnitext.Avro(a, r)...)
	}
	return out
}

func compare(t *testing.T, name string, s *arrow.Schema, recs []arrow.Record, want []string) {
	t.Helper()
	got := lines(t, s, recs)
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, Java has %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: row %d\n got %s\nwant %s", name, i, got[i], want[i])
			return
		}
	}
}

// fastavro reads every codec that is written, and the same rows in each.
func TestFastavro(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	s, recs := read(t, must(os.ReadFile("../../testdata/avro/fastavro-1.13.1/types-null.avro")))
	dir := t.TempDir()
	args := []string{"-c", `import fastavro, sys
rows = [list(fastavro.reader(open(p, "rb"))) for p in sys.argv[1:]]
assert all(r == rows[0] for r in rows), "the rows differ"
print(len(rows), len(rows[0]))`, "../../testdata/avro/fastavro-1.13.1/types-null.avro"}
	for _, c := range []string{"none", "deflate", "snappy", "zstd", "zstd:19"} {
		p := filepath.Join(dir, strings.ReplaceAll(c, ":", "-")+".avro")
		if err := os.WriteFile(p, write(t, s, recs, arrowio.WriteOptions{Compression: c, RowGroupBytes: 3000}), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, p)
	}
	out, err := exec.Command(python, args...).CombinedOutput()
	if err != nil || !bytes.Equal(bytes.TrimSpace(out), []byte("6 60")) {
		t.Errorf("%v: %s", err, out)
	}
}
