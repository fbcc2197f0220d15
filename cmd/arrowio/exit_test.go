package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestDescribe(t *testing.T) {
	located := errs.Locate(errs.Errorf(errs.ErrCorrupt, "varint of 11 bytes"),
		errs.At{Format: "trevni", Op: "block 3", Column: "a.b", Split: errs.N(2), Off: errs.N(4182)})
	missing := &fs.PathError{Op: "open", Path: "x.trv", Err: syscall.ENOENT}
	for _, c := range []struct {
		name string
		err  error
		code int
		kind string
		line string
	}{
		{"corrupt", inFile("x.trv", located), 1, "corrupt", "arrowio: x.trv: trevni: split 2: column a.b: block 3 at 4182: varint of 11 bytes"},
		{"unsupported", errs.Errorf(errs.ErrUnsupported, "codec lzo"), 1, "unsupported", "arrowio: codec lzo"},
		{"limit", errs.Errorf(errs.ErrLimit, "too many columns"), 1, "limit", "arrowio: too many columns"},
		{"schema", inFile("out.trv", errs.Errorf(errs.ErrSchema, "no unions")), 1, "schema", "arrowio: out.trv: no unions"},
		{"internal", errs.Errorf(errs.ErrInternal, "a bug\ngoroutine 1"), 1, "internal", "arrowio: a bug"},
		{"option", errs.Errorf(errs.ErrOption, "no such option"), 2, "option", "arrowio: no such option"},
		{"usage", usagef("unknown flag"), 2, "usage", "arrowio: unknown flag"},
		{"a column of the command line", asUsage(errs.Errorf(errs.ErrSchema, "no column x")), 2, "usage", "arrowio: no column x"},
		{"exists", inFile("out", &fs.PathError{Op: "create", Path: "out", Err: fs.ErrExist}), 2, "usage", "arrowio: out: file already exists"},
		{"not found", inFile("x.trv", missing), 3, "system", "arrowio: x.trv: no such file or directory"},
		{"not found, wrapped", inFile("x.trv", fmt.Errorf("fragment: %w", missing)), 3, "system", "arrowio: x.trv: fragment: no such file or directory"},
		{"permission", missingWith(syscall.EACCES), 3, "system", "arrowio: x.trv: permission denied"},
		{"disk full", inFile("out", &fs.PathError{Op: "write", Path: "out", Err: syscall.ENOSPC}), 3, "system", "arrowio: out: no space left on device"},
		{"other", io.ErrUnexpectedEOF, 3, "system", "arrowio: unexpected EOF"},
		{"control characters", inFile("a\nb\x1b[31m", errors.New("x\ty\u202e\xff")), 3, "system", `arrowio: a\nb\x1b[31m: x\ty\u{202e}\xff`},
	} {
		f := describe(context.Background(), c.err)
		if f.code != c.code || f.Kind != c.kind || f.String() != c.line {
			t.Errorf("%s: code %d, kind %s, %q; want %d, %s, %q", c.name, f.code, f.Kind, f.String(), c.code, c.kind, c.line)
		}
	}
}

func missingWith(errno syscall.Errno) error {
	return inFile("x.trv", &fs.PathError{Op: "open", Path: "x.trv", Err: errno})
}

func TestDescribeInterruption(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errInterrupted)
	f := describe(ctx, fmt.Errorf("read: %w", fs.ErrClosed))
	if f.code != exitInterrupted || f.Kind != "interrupted" || f.String() != "arrowio: interrupted" {
		t.Errorf("%+v", f)
	}
}

func TestDescribeClosedPipe(t *testing.T) {
	f := describe(context.Background(), &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE})
	if f.code != exitSystem || !f.silent {
		t.Errorf("%+v", f)
	}
}

func TestFailureJSON(t *testing.T) {
	var buf bytes.Buffer
	err := errs.Locate(errs.Errorf(errs.ErrCorrupt, "odd <bytes>"), errs.At{Format: "trevni", Column: "a", Split: errs.N(0), Off: errs.N(12)})
	describe(context.Background(), inFile("x.trv", err)).print(sheet{Writer: &buf}, true)
	if n := strings.Count(buf.String(), "\n"); n != 1 {
		t.Errorf("%d lines: %s", n, buf.String())
	}
	var got map[string]any
	if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"kind": "corrupt", "file": "x.trv", "format": "trevni", "column": "a", "split": 0.0, "offset": 12.0,
		"message": "trevni: split 0: column a: at 12: odd <bytes>",
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s = %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("keys: %v", got)
	}
	buf.Reset()
	describe(context.Background(), usagef("x")).print(sheet{Writer: &buf}, true)
	if !strings.Contains(buf.String(), `"split":null,"offset":null`) {
		t.Errorf("unknown places: %s", buf.String())
	}
}

// verify goes on after a file that cannot be read. Faults decide the exit code before that.
func TestVerifyGoesOn(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, bad, gone := file("good.csv", "a\n1\n"), file("bad.orc", "a,b\n"), filepath.Join(dir, "gone.orc")
	o := do(t, "verify", gone, good)
	if o.code != 3 || o.err != "arrowio: "+gone+": no such file or directory\n" || !strings.Contains(o.out, good+": ok") {
		t.Errorf("%+v", o)
	}
	o = do(t, "verify", gone, bad, good)
	if o.code != 1 || strings.Count(o.err, "\n") != 2 || !strings.Contains(o.err, "1 fault found in 1 of 3 files") || !strings.Contains(o.out, good+": ok") {
		t.Errorf("%+v", o)
	}
	var doc struct {
		OK    bool
		Files []struct {
			File, Method string
			OK           bool
			Rows         *int64
			Error        *struct{ Kind, Message string }
		}
	}
	o = do(t, "verify", "--json", gone, good)
	if err := json.Unmarshal([]byte(o.out), &doc); err != nil || o.code != 3 || doc.OK || len(doc.Files) != 2 {
		t.Fatalf("%v, %+v", err, o)
	}
	if f := doc.Files[0]; f.OK || f.Rows != nil || f.Error == nil || f.Error.Kind != "system" || f.Method != "none" {
		t.Errorf("%+v", f)
	}
	if f := doc.Files[1]; !f.OK || f.Rows == nil || *f.Rows != 1 || f.Error != nil {
		t.Errorf("%+v", f)
	}
}

// Content that is not what its name, or --from, says.
func TestContentOfAnotherFormat(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text.orc")
	if err := os.WriteFile(text, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const orc = "../../testdata/orc/java-2.3.1/pruning.orc"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{text}, "the extension is .orc, but the content is not orc; name the format with --from ("},
		{[]string{"--from", "parquet", orc}, "the content is not parquet but orc; leave out --from=parquet ("},
		{[]string{"--from", "orc", text}, "the content is not orc ("},
		{[]string{"--from", "orc", "exit_test.go"}, "the content is not orc ("},
		{[]string{"-"}, "standard input: it is empty, so its format cannot be told; name the format with --from"},
	} {
		o := do(t, append([]string{"cat"}, c.args...)...)
		fails(t, o, 1, c.want)
		if strings.Contains(o.err, "--salvage") {
			t.Errorf("%v: there is nothing to save: %s", c.args, o.err)
		}
	}
}

// A file that is too short for a format is told apart from one of another format.
func TestTooShort(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, content, want string }{
		{"a.parquet", "", "a.parquet: the file has no bytes: "},
		{"a.arrow", "", "a.arrow: the file has no bytes: "},
		{"a.arrows", "", "a.arrows: the file has no bytes: "},
		{"a.trv", "", "a.trv: the file has no bytes: "},
		{"a.cfile", "", "a.cfile: the file has no bytes: "},
		{"b.trv", "Trv", "b.trv: the file has 3 bytes only: "},
		{"c.parquet", "PAR1 and more", "cut off, or is still being written"},
		{"c.arrow", "ARROW1" + strings.Repeat(" and more", 9), "cut off, or is still being written"},
		{"c.orc", "ORC and more", "cut off, or is still being written"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		o := do(t, "cat", path)
		fails(t, o, 1, c.want)
		if strings.Contains(o.err, "--from") {
			t.Errorf("--from is no cure: %s", o.err)
		}
	}
}

// Every kind of mistake has the exit code that docs/json.md says.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rows, gone, out := file("rows.csv", "a,b\n1,x\n2,y\n"), filepath.Join(dir, "gone"), filepath.Join(dir, "out.arrow")
	cut, there := file("cut.parquet", "PAR1 and not more of it"), file("there.orc", "")
	file("numbers/k=1/f.csv", "v\n7\n")
	file("numbers/k=2/f.csv", "v\n8\n")
	file("texts/k=1/f.csv", "v\n7\n")
	file("texts/k=a/f.csv", "v\n7\n")
	numbers, texts := filepath.Join(dir, "numbers"), filepath.Join(dir, "texts")
	serve := func(args ...string) []string {
		return append([]string{"serve", "--log=none", "--check-config", "--listen=grpc://127.0.0.1:0", "d=" + rows}, args...)
	}
	for code, lines := range map[int][][]string{
		exitOK: {
			{"cat", "--where", "k = 'a'", texts},
			{"cat", "--where", "k = 2 and v = 8", numbers},
			{"cat", "--rows", "5:9", rows},
			{"convert", "--dry-run", rows, out},
			serve(),
		},
		exitData: {
			{"cat", cut},
			{"cat", "--from", "orc", rows},
			{"verify", cut},
			{"cat", t.TempDir()},
			{"cat", "-"},
			{"dump", rows},
			{"cat", "--schema", "struct<b:int>", rows},
			{"cat", "--partition-types", "k=date32", numbers},
			{"cat", numbers, rows},
			serve("c=" + cut),
		},
		exitUsage: {
			{},
			{"nonsense"},
			{"cat"},
			{"cat", "--nonsense", rows},
			{"cat", "-", "-"},
			{"help", "nonsense"},
			{"kudu"},
			{"token"},
			{"cat", "--columns", "z", rows},
			{"cat", "--columns", "z", numbers},
			{"cat", "--exclude", "z", rows},
			{"cat", "--exclude", "a,b", rows},
			{"cat", "--where", "a =", rows},
			{"cat", "--where", "z = 1", rows},
			{"cat", "--where", "a = 'x'", rows},
			{"cat", "--where", "z = 1", numbers},
			{"cat", "--where", "k = 1", texts},
			{"cat", "--where", "k = 'a'", numbers},
			{"count", "--where", "k = 1", texts},
			{"head", "--where", "k = 1", texts},
			{"tail", "--where", "k = 1", texts},
			{"sample", "--where", "k = 1", texts},
			{"scan", "--where", "k = 1", texts},
			{"inspect", "--where", "k = 1", texts},
			{"convert", "--where", "k = 1", texts, out},
			{"convert", "--dry-run", "--where", "k = 1", texts, out},
			{"cat", "--rows", "5:2", rows},
			{"cat", "--memory", "much", rows},
			{"cat", "--from", "nonsense", rows},
			{"cat", "--orc-by", "position", rows},
			{"cat", "--csv-delimiter", "ab", rows},
			{"cat", "--partition-types", "k=nonsense", numbers},
			{"cat", "--partition-types", "z=int32", numbers},
			{"cat", "--schema", "struct<", rows},
			{"cat", "--cast", "java", rows},
			{"cat", "s3://"},
			{"cat", "nonsense://x"},
			{"convert", rows},
			{"convert", rows, gone + ".nonsense"},
			{"convert", rows, there},
			{"convert", "--sort=z", rows, out},
			{"convert", "--compression", "nonsense", rows, gone + ".orc"},
			{"convert", "--compression", "lzo", rows, gone + ".orc"},
			{"convert", "--compression", "bzip2", rows, gone + ".trv"},
			{"convert", rows, gone + ".kudu"},
			{"convert", "--partition-by", "z", "--to", "orc", rows, gone},
			serve("nonsense"), serve("--memory", "much"), serve("--tls-cert", cut), serve("--listen", "nonsense"), serve("--listen", "grpc://127.0.0.1:99999"),
			serve("--metrics-listen", "nonsense"), serve("--http", "127.0.0.1:99999"), serve("--advertise", "nonsense"), serve("--permit", "nonsense"),
		},
		exitSystem: {
			{"cat", gone},
			{"cat", filepath.Join(dir, "*.gone")},
			{"verify", gone},
			{"cat", "--schema", gone + ".json", rows},
			{"kudu", "list", gone},
			{"convert", rows, filepath.Join(gone, "o.orc")},
			serve("g=" + gone), serve("--tokens", gone),
			{"serve", "--check-config", "--config", gone},
		},
	} {
		for _, args := range lines {
			if o := do(t, args...); o.code != code {
				t.Errorf("%q: exit %d, want %d: %s", args, o.code, code, o.err)
			}
		}
	}
}
