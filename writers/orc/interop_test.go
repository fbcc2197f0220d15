//go:build interop

package orc_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/writertest"
	reader "github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// samples is how many random files are judged: a number of each run, and ARROWIO_ORC_SAMPLES where more are wanted.
func samples(t *testing.T) int {
	n := 40
	if s := os.Getenv("ARROWIO_ORC_SAMPLES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestJudged has Java's reader look at what the writer made: the rows, seeks to any row, search arguments. What it must
// see comes from the Arrow data, not from a reader of ours.
func TestJudged(t *testing.T) {
	j := newJudge(t)
	for seed := range samples(t) {
		s := newRandomizer(int64(seed), memory.NewGoAllocator()).sample(2500)
		s.name = fmt.Sprintf("random-%04d", seed)
		for _, w := range writeSample(t, s) {
			j.add(t, s.name+"-"+w.name, w.bytes, w.rows, fmt.Sprintf("%s\n%+v", s.schema, s.options))
		}
		s.release()
	}
	for _, s := range longSamples() {
		for _, w := range writeSample(t, s) {
			j.add(t, s.name+"-"+w.name, w.bytes, w.rows, s.name)
		}
		s.release()
	}
	if j.run(t)["pruning"] == 0 {
		t.Error("no search argument left anything out")
	}
}

// longSamples are long enough for chunks of numbers that are compressed without matches, and for chunks that others compress.
func longSamples() (all []*sample) {
	for _, codec := range []string{"zstd", "zlib"} {
		rec := lineItems(30_000)
		all = append(all, &sample{name: "long-" + codec, schema: rec.Schema(), recs: []arrow.Record{rec}, options: arrowio.WriteOptions{Compression: codec}})
	}
	times := closeTimes(30_000)
	return append(all, &sample{name: "late-chunks", schema: times.Schema(), recs: []arrow.Record{times}, options: arrowio.WriteOptions{
		Compression: "zlib", Parallelism: 4, Options: map[string]string{"orc-block-size": "16384", "orc-row-index-stride": "1000"},
	}})
}

// judge collects files and the rows that Java must see in them.
type judge struct {
	jar, dir string
	list     bytes.Buffer
	about    map[string]string // what to say of a file
}

func newJudge(t *testing.T) *judge {
	t.Helper()
	j := &judge{jar: os.Getenv("ARROWIO_ORC_JUDGE_JAR"), dir: t.TempDir(), about: map[string]string{}}
	if j.jar == "" {
		t.Fatal("ARROWIO_ORC_JUDGE_JAR is not set: make interop does")
	}
	return j
}

// add takes a file, the rows it must have, what to say of it, and words for the judge.
func (j *judge) add(t *testing.T, name string, b []byte, rows []string, about string, words ...string) {
	t.Helper()
	file := filepath.Join(j.dir, name)
	j.about[file] = about
	text := strings.Join(rows, "\n")
	if len(rows) > 0 {
		text += "\n"
	}
	for name, b := range map[string][]byte{file: b, file + ".jsonl": []byte(text)} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j.list.WriteString(strings.Join(append([]string{file, file + ".jsonl"}, words...), "\t") + "\n")
}

// run asks one JVM about all of them. It returns what was tried, in numbers.
func (j *judge) run(t *testing.T) map[string]int {
	t.Helper()
	want := bytes.Count(j.list.Bytes(), []byte("\n"))
	cmd := exec.Command("java", "-Xmx2g", "-jar", j.jar, "verify", "-")
	cmd.Stdin, cmd.Stderr = &j.list, os.Stderr
	out, _ := cmd.Output() // what it says counts; it fails where a file differs
	answers := 0
	sums := map[string]int{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); answers++ {
		part := strings.SplitN(s.Text(), "\t", 3)
		if part[0] != "equal" {
			t.Errorf("%s\n%s", s.Text(), j.about[part[1]])
			continue
		}
		for _, sum := range strings.Split(part[2], ",") {
			what, n, _ := strings.Cut(sum, "=")
			k, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			sums[what] += k
		}
	}
	if answers != want {
		t.Fatalf("%d answers to %d questions", answers, want)
	}
	t.Logf("%d files judged: %v", answers, sums)
	return sums
}

// TestRewritten reads the real files of testdata, writes them, and has Java compare what it sees with what it saw in the
// original.
func TestRewritten(t *testing.T) {
	const testdata = "../../testdata/"
	var m struct {
		Files []struct {
			File, Format string
			Options      map[string]string
			JavaReads    bool `json:"java_reads"`
			Text, Masked struct{ File string }
		}
	}
	fixtures.ReadJSON(t, testdata+"manifest.json", &m)
	j := newJudge(t)
	for i, x := range m.Files {
		if x.Format != writer.Name || !x.JavaReads {
			continue
		}
		open := arrowio.OpenOptions{Options: maps.Clone(x.Options)}
		if x.Masked.File != "" {
			open.Options = map[string]string{"orc-keys": testdata + "orc/keys.json"}
			maps.Copy(open.Options, x.Options)
		}
		o := arrowio.WriteOptions{
			Compression: []string{"zlib", "zstd", "none", "snappy", "lz4", "brotli"}[i%6],
			Options:     map[string]string{"orc-version": []string{"0.12", "0.11"}[i/6%2], "orc-row-index-stride": []string{"1000", "100"}[i/12%2]},
		}
		b, err := writtenAgain(fixtures.Read(t, testdata+x.File), open, o)
		if err != nil {
			t.Errorf("%s: %v", x.File, err)
			continue
		}
		j.add(t, fmt.Sprintf("%d-%s", i, filepath.Base(x.File)), b, fixtures.Lines(t, testdata+x.Text.File), fmt.Sprintf("%s, %+v", x.File, o), "unions")
	}
	j.run(t)
}

// writtenAgain reads an ORC file and writes another one.
func writtenAgain(b []byte, open arrowio.OpenOptions, o arrowio.WriteOptions) ([]byte, error) {
	f, err := reader.Format().Open(context.Background(), local.NewBytesSource(b), open)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rr, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{})
	if err != nil {
		return nil, err
	}
	defer rr.Release()
	var recs []arrow.Record
	defer func() {
		for _, r := range recs {
			r.Release()
		}
	}()
	for rr.Next() {
		rr.Record().Retain()
		recs = append(recs, rr.Record())
	}
	if err := rr.Err(); err != nil {
		return nil, err
	}
	files, err := writeRecords(f.Schema(), recs, o)
	if err != nil {
		return nil, err
	}
	return files["part-00000.orc"], nil
}

// peers are other readers of ORC, which hand over what they read as Arrow IPC files.
var peers = []struct {
	name    string
	command func() []string      // nil = there is none
	reads   func(s *sample) bool // what it can read at all
}{
	{"pyarrow", func() []string {
		return []string{os.Getenv("ARROWIO_PYTHON"), "../../testdata/interop/orc_to_arrow.py"}
	}, func(s *sample) bool {
		return !s.far && s.schema.NumFields() > 0 && !strings.HasPrefix(s.options.Compression, "brotli") && !anyType(s.schema, unreadByC)
	}},
	{"orc-rust", func() []string {
		if peer := os.Getenv("ARROWIO_ORC_PEER"); peer != "" {
			return []string{peer, "arrow"}
		}
		return nil
	}, func(s *sample) bool {
		return !s.far && s.schema.NumFields() > 0 && !strings.HasPrefix(s.options.Compression, "brotli") && !anyType(s.schema, unreadByRust)
	}},
}

// unreadByC tells what Arrow cannot hold, or C++ and Rust cannot read: a root that is no struct, unions of over 127,
// geometries.
func unreadByC(f arrow.Field) bool {
	root, _ := f.Metadata.GetValue("orc.root")
	u, union := writertest.Storage(f.Type).(arrow.UnionType)
	return root == "true" || union && len(u.Fields()) > 127 || isGeo(f)
}

// unreadByRust adds structs without fields.
func unreadByRust(f arrow.Field) bool {
	t, ok := writertest.Storage(f.Type).(*arrow.StructType)
	return unreadByC(f) || ok && len(t.Fields()) == 0
}

func anyType(s *arrow.Schema, is func(arrow.Field) bool) bool {
	var any func(fields []arrow.Field) bool
	any = func(fields []arrow.Field) bool {
		return slices.ContainsFunc(fields, func(f arrow.Field) bool {
			if is(f) {
				return true
			}
			switch t := writertest.Storage(f.Type).(type) {
			case *arrow.DictionaryType:
				return any([]arrow.Field{{Type: t.ValueType}})
			case *arrow.RunEndEncodedType:
				return any([]arrow.Field{{Type: t.Encoded()}})
			case arrow.NestedType:
				return any(t.Fields())
			}
			return false
		})
	}
	return any(s.Fields())
}

// TestPeers has C++, and Rust where ARROWIO_ORC_PEER says so, read what the writer made.
func TestPeers(t *testing.T) {
	dir := t.TempDir()
	var files []string
	var of []*sample
	var rows [][]string
	for seed := range samples(t) {
		s := newRandomizer(int64(1000+seed), memory.NewGoAllocator()).sample(2500)
		s.name = fmt.Sprintf("peers-%04d", seed)
		for _, w := range writeSample(t, s) {
			file := filepath.Join(dir, s.name+"-"+w.name)
			if err := os.WriteFile(file, w.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			files, of, rows = append(files, file), append(of, s), append(rows, w.rows)
		}
		s.release()
	}
	for _, s := range longSamples() {
		for _, w := range writeSample(t, s) {
			file := filepath.Join(dir, s.name+"-"+w.name)
			if err := os.WriteFile(file, w.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			files, of, rows = append(files, file), append(of, s), append(rows, w.rows)
		}
		s.release()
	}
	for _, p := range peers {
		command := p.command()
		if command == nil {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			var list bytes.Buffer
			var asked []int
			for i, file := range files {
				if p.reads(of[i]) {
					fmt.Fprintf(&list, "%s\t%s.%s\n", file, file, p.name)
					asked = append(asked, i)
				}
			}
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Stdin, cmd.Stderr = &list, os.Stderr
			out, err := cmd.Output()
			answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if err != nil || len(answers) != len(asked) {
				t.Fatalf("%d answers to %d questions, %v: it ends at %s", len(answers), len(asked), err, files[asked[min(len(answers), len(asked)-1)]])
			}
			for k, i := range asked {
				where := fmt.Sprintf("%s\n%s\n%+v", files[i], of[i].schema, of[i].options)
				if answers[k] != "ok" {
					t.Errorf("%s: %s", answers[k], where)
					continue
				}
				if err := sameAs(rows[i], files[i]+"."+p.name); err != nil {
					t.Errorf("%v: %s", err, where)
				}
			}
			t.Logf("%d of %d files", len(asked), len(files))
		})
	}
}

var blanks = regexp.MustCompile(` +"`)

// sameAs compares rows with those of an Arrow IPC file, apart from what Arrow does not tell: which union is null and which
// holds a null; and the padding of char, which Java takes off.
func sameAs(want []string, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := ipc.NewFileReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer r.Close()
	at := 0
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			return err
		}
		for _, got := range expectedRows(rec, false) {
			if at == len(want) {
				return fmt.Errorf("more than %d rows", at)
			}
			g, w := blanks.ReplaceAllLiteralString(orctext.Expect(got), `"`), blanks.ReplaceAllLiteralString(orctext.Expect(want[at]), `"`)
			if g != w {
				return fmt.Errorf("row %d: %.300s, want %.300s", at, g, w)
			}
			at++
		}
	}
	if at != len(want) {
		return fmt.Errorf("%d rows, want %d", at, len(want))
	}
	return nil
}
