package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// idLines are the JSON lines of rows by their ids.
func idLines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "{\"id\":%d}\n", i)
	}
	return b.String()
}

// peopleFiles are 5,000 rows in several files: of formats that tell how many rows they have, and of one that does not.
func peopleFiles(t *testing.T) (dir string) {
	dir = t.TempDir()
	for i, name := range []string{"a.arrow", "b.arrow", "c.arrow", "d.arrow", "e.arrow"} {
		peopleFile(t, dir, name, 1000*i, 1000*(i+1))
	}
	ok(t, "convert", filepath.Join(dir, "c.arrow"), filepath.Join(dir, "c.arrows"))
	if err := os.Remove(filepath.Join(dir, "c.arrow")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHead(t *testing.T) {
	in := peopleFiles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, idLines(0, 10)},
		{[]string{"-n", "3"}, idLines(0, 3)},
		{[]string{"-n", "2", "--where", "id >= 2500"}, idLines(2500, 2502)},
		{[]string{"-n", "2", "--rows", "1999:"}, idLines(1999, 2001)},
		{[]string{"-n", "0"}, ""},
	} {
		if got := ok(t, append([]string{"head", "--format", "jsonl", "--columns", "id", in}, c.args...)...); got != c.want {
			t.Errorf("%q: got\n%swant\n%s", c.args, got, c.want)
		}
	}
	fails(t, do(t, "head", "-n", "-1", in), 2, "--limit")
}

func TestTail(t *testing.T) {
	in := peopleFiles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, idLines(4990, 5000)},
		{[]string{"-n", "1"}, idLines(4999, 5000)},
		{[]string{"-n", "1500"}, idLines(3500, 5000)},
		{[]string{"-n", "2500"}, idLines(2500, 5000)},
		{[]string{"-n", "9999"}, idLines(0, 5000)},
		{[]string{"-n", "2", "--where", "id < 4000"}, idLines(3998, 4000)},
		{[]string{"-n", "3", "--where", "id < 2500"}, idLines(2497, 2500)},
		{[]string{"-n", "1200", "--where", "id < 2500"}, idLines(1300, 2500)},
		{[]string{"-n", "5", "--where", "id < 2"}, idLines(0, 2)},
		{[]string{"-n", "5", "--where", "id < 0"}, ""},
		{[]string{"-n", "0"}, ""},
	} {
		for _, jobs := range []string{"1", "2"} {
			if got := ok(t, append([]string{"tail", "--jobs", jobs, "--format", "jsonl", "--columns", "id", in}, c.args...)...); got != c.want {
				t.Errorf("%q: got\n%swant\n%s", c.args, got, c.want)
			}
		}
	}
	fails(t, do(t, "tail", "-n", "-1", in), 2, "--limit")
	fails(t, do(t, "tail", "--rows", "1:2", in), 2, "--rows")
}

// Tail reads the end of a file, not all of it. What is read is told by damage: it is in the first half.
func TestTailReadsTheEnd(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.orc")
	ok(t, "convert", "--row-group-bytes", "64KiB", "--jobs", "1", peopleFile(t, dir, "in.arrow", 0, 20_000), in)
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	for i := 100; i < len(b)/2; i++ {
		b[i] ^= 0x55
	}
	if err := os.WriteFile(in, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "cat", "--format", "jsonl", in); o.code != 1 {
		t.Fatalf("the file is not damaged: %+v", o.code)
	}
	if got := ok(t, "tail", "--format", "jsonl", "--columns", "id", in); got != idLines(19_990, 20_000) {
		t.Errorf("got\n%s", got)
	}
	if got := ok(t, "tail", "-n", "2", "--format", "jsonl", "--columns", "id", "--where", "id <> 19998", in); got != "{\"id\":19997}\n{\"id\":19999}\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestCount(t *testing.T) {
	in := peopleFiles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "5000\n"},
		{[]string{"--where", "id >= 2500"}, "2500\n"},
		{[]string{"--where", "name IS NULL"}, "1250\n"},
		{[]string{"--rows", "10:30"}, "20\n"},
		{[]string{"--rows", "10:30", "--where", "id > 20"}, "9\n"},
	} {
		if got := ok(t, append([]string{"count", in}, c.args...)...); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	var doc struct {
		Rows    int64
		Files   []string
		Format  *string
		Formats []string
	}
	if err := json.Unmarshal([]byte(ok(t, "count", "--json", in)), &doc); err != nil || doc.Rows != 5000 || len(doc.Files) != 5 || doc.Format != nil || !slices.Equal(doc.Formats, []string{"ipc", "ipc-stream"}) {
		t.Errorf("%+v, %v", doc, err)
	}
	fails(t, do(t, "count", "--where", "nmae = 1", in), 2, "nmae", "name")
	fails(t, do(t, "count"), 2, "INPUT")
}

func TestSample(t *testing.T) {
	in := peopleFiles(t)
	ids := func(args ...string) []int {
		t.Helper()
		var out []int
		for line := range strings.Lines(ok(t, append([]string{"sample", "--format", "jsonl", "--columns", "id", in}, args...)...)) {
			var row struct{ ID int }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			out = append(out, row.ID)
		}
		if !slices.IsSorted(out) || len(slices.Compact(slices.Clone(out))) != len(out) {
			t.Errorf("%q: not in order, or twice: %v", args, out)
		}
		return out
	}
	if got := ids(); len(got) != 10 {
		t.Errorf("%v", got)
	}
	one, two := ids("--seed", "7", "-n", "300"), ids("--seed", "7", "-n", "300", "--jobs", "1")
	if len(one) != 300 || !slices.Equal(one, two) {
		t.Errorf("one seed, two samples: %v, %v", one, two)
	}
	if slices.Equal(one, ids("--seed", "8", "-n", "300")) {
		t.Error("two seeds, one sample")
	}
	var perFile [5]int
	for _, id := range one {
		perFile[id/1000]++
	}
	for i, n := range perFile {
		if n < 30 || n > 95 { // 60, and more than four standard deviations
			t.Errorf("%d rows of file %d", n, i)
		}
	}
	got := ids("--seed", "1", "-n", "50", "--where", "id >= 1900 AND id < 2100")
	if len(got) != 50 || got[0] < 1900 || got[49] >= 2100 {
		t.Errorf("%v", got)
	}
	if got := ids("-n", "500", "--where", "id >= 1900 AND id < 2100"); len(got) != 200 {
		t.Errorf("%d rows of 200", len(got))
	}
	if got := ids("-n", "9999"); len(got) != 5000 {
		t.Errorf("%d rows of 5000", len(got))
	}
	if got := ids("-n", "0"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Each set of rows is as likely as any other.
func TestChoose(t *testing.T) {
	seen := map[string]int{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		seen[fmt.Sprint(choose(r, 2, 4))]++
	}
	if len(seen) != 6 {
		t.Errorf("%v", seen)
	}
	for set, n := range seen {
		if n < 850 || n > 1150 {
			t.Errorf("%s %d times", set, n)
		}
	}
}

func TestExclude(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--exclude", "tags,at"}, `{"id":0,"name":"person 0"}`},
		{[]string{"--exclude", "tags,at.y,id"}, `{"name":"person 0","at":{"x":0.5}}`},
		{[]string{"--exclude", "id", "--columns", "name,id"}, `{"name":"person 0"}`},
		{[]string{"--exclude", "name,tags,at", "--where", "name IS NOT NULL"}, `{"id":0}`},
	} {
		if got := ok(t, append([]string{"head", "-n", "1", "--format", "jsonl", in}, c.args...)...); got != c.want+"\n" {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
	fails(t, do(t, "cat", "--exclude", "nmae", in), 2, "--exclude", "nmae", "name")
	out := filepath.Join(dir, "out.arrow")
	ok(t, "convert", "--exclude", "tags,at", in, out)
	if s, _ := readIPC(t, out); s.NumFields() != 2 {
		t.Errorf("%s", s)
	}
	ok(t, "scan", "--repeat", "2", "--exclude", "tags,at", in)
}

// What is excluded is not warned of, and columns of several files that have no common type may be excluded.
func TestExcludeOfFiles(t *testing.T) {
	const masked = "../../testdata/orc/java-2.3.1/encrypted-0-none.orc"
	if o := do(t, "head", "--exclude", "ssn__seq", masked); o.code != 0 || !strings.HasSuffix(o.err, ": card__mix__r10\n") {
		t.Errorf("%+v", o)
	}
	ok(t, "head", "--exclude", "ssn__seq,card__mix__r10", masked)

	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "id,x\n1,true\n", "b.csv": "id,x\n2,2024-01-01\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, do(t, "cat", "--format", "csv", dir), 1, "x")
	if got := ok(t, "cat", "--format", "csv", "--exclude", "x", dir); got != "id\n1\n2\n" {
		t.Errorf("%q", got)
	}
	if got := ok(t, "cat", "--format", "csv", "--exclude", "x", "--where", "id = 2", dir); got != "id\n2\n" {
		t.Errorf("%q", got)
	}
}

func TestConvertLimit(t *testing.T) {
	in := peopleFiles(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-n", "3"}, idLines(0, 3)},
		{[]string{"--limit", "2", "--where", "id >= 2999"}, idLines(2999, 3001)},
		{[]string{"--limit", "2", "--rows", "1999:"}, idLines(1999, 2001)},
		{[]string{"--limit", "2", "--sort=-id"}, "{\"id\":4999}\n{\"id\":4998}\n"},
		{[]string{"--limit", "9000", "--where", "id > 4997"}, idLines(4998, 5000)},
	} {
		if got := ok(t, append([]string{"convert", "--columns", "id", "--to", "jsonl", in, "-"}, c.args...)...); got != c.want {
			t.Errorf("%q: got\n%swant\n%s", c.args, got, c.want)
		}
	}
	fails(t, do(t, "convert", "--limit", "0", "--to", "jsonl", in, "-"), 2, "--limit", "at least 1")
}

func TestConvertSortDescending(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 0, 8)
	for _, c := range []struct{ sort, want string }{
		{"-name", "6 5 4 2 1 0 3 7"}, // nulls last
		{"-name nulls first,-id", "7 3 6 5 4 2 1 0"},
		{"name nulls first,-id", "7 3 0 1 2 4 5 6"},
		{"-at.x", "7 6 5 4 3 2 1 0"},
	} {
		got := ok(t, "convert", "--columns", "id,name,at.x", "--sort="+c.sort, "--to", "csv", in, "-")
		var ids []string
		for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
			if id, _, _ := strings.Cut(line, ","); i > 0 {
				ids = append(ids, id)
			}
		}
		if strings.Join(ids, " ") != c.want {
			t.Errorf("--sort=%s: %s, want %s", c.sort, strings.Join(ids, " "), c.want)
		}
	}
	fails(t, do(t, "convert", "--sort=-", "--to", "csv", in, "-"), 2, "--sort", "column")
	fails(t, do(t, "convert", "--sort=id nulls third", "--to", "csv", in, "-"), 2, "nulls third")
}
