package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers/csv"
)

// torn is a format whose files are CSV, and never whole: each has warnings, and one more once it was verified.
func torn() arrowio.Format {
	return arrowio.Format{
		Name: "torn",
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			f, err := csv.Format().Open(ctx, src, o)
			if err != nil {
				return nil, err
			}
			return &tornFile{File: f, purpose: o.For, warnings: []arrowio.Warning{
				{Kind: arrowio.WarnLost, Place: "line 3", Rows: 1, Text: "lost: the last row"}, arrowio.Warnf(arrowio.WarnDoubt, "rows\nmay be wrong"),
			}}, nil
		},
	}
}

type tornFile struct {
	arrowio.File
	purpose  arrowio.Purpose
	warnings []arrowio.Warning
}

func (f *tornFile) Warnings() []arrowio.Warning { return f.warnings }

func (f *tornFile) Verify(context.Context, func(error)) error {
	if f.purpose != arrowio.ForVerify {
		return errors.New("opened for something else")
	}
	f.warnings = append(f.warnings, arrowio.Warnf(arrowio.WarnDoubt, "not all was checked"))
	return nil
}

func (f *tornFile) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	info, err := f.File.Info(ctx, o)
	if err == nil && f.purpose == arrowio.ForInfo {
		info.Members = []arrowio.MemberInfo{
			{Kind: "part", Name: "a b", Parts: 2, Rows: 5, Bytes: 70, Open: []arrowio.Choice{{Option: "part", Value: "a b"}}},
			{Kind: "part", Name: "c", Rows: -1, State: "gone", Open: []arrowio.Choice{{Option: "part", Value: "c"}, {Option: "x", Value: "it's"}}},
		}
	}
	return info, err
}

func withTorn(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(t.Context(), strings.NewReader(""), &out, &errs)
	a.readers = append(a.readers, torn())
	code := a.run(t.Context(), args)
	return outcome{code, out.String(), errs.String()}
}

// Every command that reads tells each warning once, on standard error, and does its work.
func TestWarnings(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, p := range []string{one, two} {
		if err := os.WriteFile(p, []byte("x,y\n1,a\n2,b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := func(p string) string {
		return fmt.Sprintf("arrowio: %s: warning: lost: the last row\narrowio: %s: warning: rows\\nmay be wrong\n", p, p)
	}
	last := func(p string) string { return fmt.Sprintf("arrowio: %s: warning: not all was checked\n", p) }
	for _, c := range []struct {
		args []string
		out  string // part of it
		err  string
	}{
		{[]string{"cat", "--format", "csv", one}, "x,y\n1,a\n2,b\n", lines(one)},
		{[]string{"cat", "--format", "csv", one, two}, "x,y\n1,a\n2,b\n1,a\n2,b\n", lines(one) + lines(two)},
		{[]string{"scan", "--repeat", "3", one, two}, "4 rows", lines(one) + lines(two)},
		{[]string{"schema", one}, "x: ", lines(one)},
		{[]string{"inspect", one, two}, "--part 'a b'", lines(one) + lines(two)},
		{[]string{"verify", one, two}, "one: ok (2 warnings of what may be missing or wrong)\n", lines(one) + last(one) + lines(two) + last(two)},
		{[]string{"convert", "--json", one, two, filepath.Join(dir, "out.csv")}, `"rows": 4`, lines(one) + lines(two)},
	} {
		o := withTorn(t, append([]string{c.args[0], "--from", "torn"}, c.args[1:]...)...)
		if o.code != 0 || o.err != c.err || !strings.Contains(o.out, c.out) || strings.Contains(o.out, "warning:") {
			t.Errorf("%s: exit %d, %q, %q", c.args, o.code, o.out, o.err)
		}
	}
	o := withTorn(t, "cat", "--from", "torn", "--json-errors", "--limit", "1", two)
	d := json.NewDecoder(strings.NewReader(o.err))
	for _, want := range []map[string]any{
		{"level": "warning", "kind": "lost", "file": two, "place": "line 3", "rows": 1.0, "message": "lost: the last row"},
		{"level": "warning", "kind": "doubt", "file": two, "rows": nil, "message": "rows\nmay be wrong"},
	} {
		var w map[string]any
		if err := d.Decode(&w); err != nil || !reflect.DeepEqual(w, want) {
			t.Errorf("%v, %v", w, err)
		}
	}
	if d.More() || o.code != 0 {
		t.Errorf("exit %d, %s", o.code, o.err)
	}
}

// Masked columns are told to those who read them.
func TestWarningsOfMaskedColumns(t *testing.T) {
	const in = "../../testdata/orc/java-2.3.1/encrypted-0-none.orc"
	for _, c := range []struct {
		args []string
		want []string // columns
	}{
		{[]string{"cat", in}, []string{"card__mix__r10", "ssn__seq"}},
		{[]string{"cat", "--columns", "ssn__seq,id__mono", in}, []string{"ssn__seq"}},
		{[]string{"cat", "--columns", "id__mono", "--where", "ssn__seq IS NULL", in}, []string{"ssn__seq"}},
		{[]string{"cat", "--columns", "id__mono", in}, nil},
		{[]string{"cat", "--orc-keys", "../../testdata/orc/keys.json", in}, nil},
		{[]string{"scan", "--json", in}, []string{"card__mix__r10", "ssn__seq"}},
		{[]string{"convert", "--json", in, filepath.Join(t.TempDir(), "out.parquet")}, []string{"card__mix__r10", "ssn__seq"}},
		{[]string{"convert", "--json", "--columns", "id__mono", in, filepath.Join(t.TempDir(), "out.parquet")}, nil},
	} {
		o := do(t, c.args...)
		want := ""
		if c.want != nil {
			want = "arrowio: " + in + ": warning: encrypted columns are shown masked because the keys credit, pii are missing (--orc-keys): " + strings.Join(c.want, ", ") + "\n"
		}
		if o.code != 0 || o.err != want {
			t.Errorf("%s: exit %d, %q", c.args, o.code, o.err)
		}
		if !slices.Contains(c.args, "--json") {
			continue
		}
		var doc struct {
			Warnings []struct {
				Kind, File string
				Columns    []string
				Rows       int64
			}
		}
		if err := json.Unmarshal([]byte(o.out), &doc); err != nil || doc.Warnings == nil {
			t.Fatalf("%s: %v in %s", c.args, err, o.out)
		}
		if c.want == nil && len(doc.Warnings) == 0 {
			continue
		}
		if w := doc.Warnings; len(w) != 1 || w[0].Kind != "masked" || w[0].File != in || w[0].Rows != 100 || !slices.Equal(w[0].Columns, c.want) {
			t.Errorf("%s: %+v", c.args, w)
		}
	}
}

// What there is to choose from is printed with the options that choose it.
func TestInspectMembers(t *testing.T) {
	one := filepath.Join(t.TempDir(), "one")
	if err := os.WriteFile(one, []byte("x,y\n1,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := withTorn(t, "inspect", "--from", "torn", one)
	for _, want := range []string{"kind", "a b", "--part 'a b'", `--part c --x 'it'\''s'`, "gone"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("%q is not in %s", want, o.out)
		}
	}
	o = withTorn(t, "inspect", "--from", "torn", "--json", one)
	var doc struct {
		Members []struct {
			Kind string
			Rows *int64
			Open []struct{ Option, Value string }
		}
	}
	if err := json.Unmarshal([]byte(o.out), &doc); err != nil || len(doc.Members) != 2 || doc.Members[1].Rows != nil || doc.Members[1].Open[1].Value != "it's" {
		t.Errorf("%v, %s", err, o.out)
	}
	o = withTorn(t, "inspect", "--from", "torn", "--where", "x = 1", one) // a filter is about rows
	if o.code != 0 || strings.Contains(o.out, "--part") {
		t.Errorf("%d, %s", o.code, o.out)
	}
}

// A stream that was cut between two messages is read and verified with a warning.
func TestStreamWithoutEndMark(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.arrows")
	ok(t, "convert", tableFile(t, filepath.Join(dir, "in.arrow"), `[{"a":1},{"a":2}]`, "a int64"), in)
	b, err := os.ReadFile(in)
	if err == nil {
		err = os.WriteFile(in, b[:len(b)-8], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"count", in}, {"cat", in}, {"verify", in}, {"convert", in, filepath.Join(dir, "out.csv")}} {
		if o := do(t, args...); o.code != 0 || !strings.Contains(o.err, in+": warning: the stream has no end mark") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := do(t, "verify", "--json", in); !strings.Contains(o.out, `"kind": "doubt"`) {
		t.Errorf("%+v", o)
	}
}

// Files that were joined end to end are told by every command, once; to verify they are a fault.
func TestJoined(t *testing.T) {
	dir := t.TempDir()
	whole := tableFile(t, filepath.Join(dir, "in.arrow"), `[{"a":1},{"a":2}]`, "a int64")
	for _, ext := range []string{".arrow", ".arrows", ".parquet", ".orc", ".trv"} {
		in := filepath.Join(dir, "joined"+ext)
		ok(t, "convert", whole, in)
		b, err := os.ReadFile(in)
		if err == nil {
			err = os.WriteFile(in, append(b, b...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"count", in}, {"cat", in}, {"head", in}, {"schema", in}, {"inspect", in}, {"convert", in, filepath.Join(dir, "out"+ext+".csv")},
		} {
			o := do(t, args...)
			if o.code != 0 || strings.Count(o.err, in+": warning: ") != 1 || !strings.Contains(o.err, fmt.Sprintf(" %d bytes", len(b))) {
				t.Errorf("%q: %+v", args, o)
			}
		}
		if o := do(t, "count", in); o.out != "2\n" {
			t.Errorf("%+v", o)
		}
		o := do(t, "verify", in)
		if o.code != 1 || strings.Count(o.out+o.err, fmt.Sprintf(" %d bytes", len(b))) != 1 || strings.Contains(o.err, "warning") {
			t.Errorf("%+v", o)
		}
	}
}
