package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/dataset"
)

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readyOf waits for what serve --json prints.
func readyOf(t *testing.T, out *output) (ready served) {
	t.Helper()
	for end := time.Now().Add(time.Minute); json.Unmarshal([]byte(out.String()), &ready) != nil; {
		if time.Now().After(end) {
			t.Fatal(out)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ready
}

// Each file of a directory is a dataset of its own; a broken one does not keep the others back, and is told.
func TestServeEach(t *testing.T) {
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "a.csv"), "x\n1\n2\n")
	writeText(t, filepath.Join(dir, "b c.csv"), "y\n1\n")
	writeText(t, filepath.Join(dir, "b c.jsonl"), `{"z":1}`+"\n")
	writeText(t, filepath.Join(dir, "bad.orc"), "ORC but not one")
	writeText(t, filepath.Join(dir, "sub", "a.csv"), "w\n1\n")
	writeText(t, filepath.Join(dir, "table", "k=1", "a.csv"), "v\n1\n")
	writeText(t, filepath.Join(dir, "table", "k=2", "a.csv"), "v\n1\n")
	writeText(t, filepath.Join(dir, "README.md"), "no rows")
	out, errs, stop := serving(t, "--json", "--listen", "grpc://127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--refresh", "50ms", "--each", "r="+dir)
	ready := readyOf(t, out)
	got := map[string]int64{}
	for _, d := range ready.Datasets {
		got[d.Name] = -1
		if d.Rows != nil {
			got[d.Name] = *d.Rows
		}
		if (d.Error != "") != (d.Name == "r_bad") || strings.Contains(d.Error, dir) {
			t.Errorf("%+v", d)
		}
	}
	want := []string{"r_a", "r_b_c_csv", "r_b_c_jsonl", "r_bad", "r_sub_a", "r_table"}
	for _, name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing in %v", name, got)
		}
	}
	if len(got) != len(want) {
		t.Error(got)
	}
	c := clientAt(t, ready.Addresses[0])
	if rows := answer(t, c, `{"dataset":"r_table"}`); rows != "{\"k\":1,\"v\":1}\n{\"k\":2,\"v\":1}\n" {
		t.Error(rows)
	}
	flights, err := c.ListFlights(t.Context(), &flight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		if _, err := flights.Recv(); err != nil {
			if err != io.EOF || n != len(want)-1 {
				t.Errorf("%d flights, %v", n, err)
			}
			break
		}
	}
	sql := &flightsql.Client{Client: c, Alloc: memory.DefaultAllocator}
	tables, err := sql.GetTables(t.Context(), &flightsql.GetTablesOpts{IncludeSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	rd, err := sql.DoGet(t.Context(), tables.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Release()
	if !rd.Next() || rd.Record().NumRows() != int64(len(want)-1) {
		t.Errorf("%v, %v", rd.Record(), rd.Err())
	}
	if _, err := ask(t, c, `{"dataset":"r_bad"}`); err == nil {
		t.Error("a broken file is answered")
	}
	if !strings.Contains(errs.String(), "a dataset cannot be opened") {
		t.Error(errs)
	}
	monitor := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(errs.String())
	if body := get(t, monitor+"/readyz"); !strings.Contains(body, "datasets that cannot be opened: 1\n") {
		t.Error(body)
	}
	// What comes later is found.
	writeText(t, filepath.Join(dir, "new.csv"), "n\n5\n")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := ask(t, c, `{"dataset":"r_new"}`); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a new file is not found")
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bodyOf(t, r)
}

// With --skip-broken the other files of a dataset, and the other datasets, are served.
func TestServeSkipBroken(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "bad.parquet")
	if err := os.WriteFile(broken, []byte("PAR1 rubbish PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "serve", "--log", "none", "e="+broken), 1, "parquet", "; --skip-broken leaves out files that cannot be opened")

	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "a.csv"), "x\n1\n2\n")
	peopleFile(t, dir, "cut.arrow", 0, 100)
	if err := os.Truncate(filepath.Join(dir, "cut.arrow"), 100); err != nil {
		t.Fatal(err)
	}
	args := []string{"--json", "--listen", "grpc://127.0.0.1:0", "data=" + dir, "none=" + filepath.Join(dir, "cut.arrow"), "gone=" + filepath.Join(dir, "gone.orc")}
	if o := do(t, append([]string{"serve", "--check-config"}, args...)...); o.code == 0 {
		t.Error("a broken file is no fault without --skip-broken")
	}
	writeText(t, filepath.Join(dir, "b.csv"), "other\n3\n")
	out, errs, _ := serving(t, append(args, "--skip-broken", "--http", "127.0.0.1:0")...)
	ready := readyOf(t, out)
	conforms(t, "serve", out.String())
	for _, d := range ready.Datasets {
		switch d.Name {
		case "data":
			if len(d.LeftOut) != 1 || d.LeftOut[0].File != "data/cut.arrow" || d.Fragments != 2 {
				t.Errorf("%+v", d)
			}
		default:
			if d.Error == "" {
				t.Errorf("%+v", d)
			}
		}
	}
	c := clientAt(t, ready.Addresses[0])
	if rows := answer(t, c, `{"dataset":"data","columns":["x"],"where":"x > 0"}`); rows != "{\"x\":1}\n{\"x\":2}\n" {
		t.Error(rows)
	}
	if body := get(t, ready.Page+"datasets/data"); !strings.Contains(body, "data/cut.arrow is left out") {
		t.Error(body)
	}
	if body := get(t, ready.Page); !strings.Contains(body, ">none</a>") {
		t.Error(body)
	}
	if !strings.Contains(errs.String(), "no column in common") {
		t.Error(errs)
	}
	info, err := ask(t, c, `{"dataset":"data"}`)
	if err != nil || !strings.Contains(string(info.AppMetadata), `"left_out":1`) {
		t.Errorf("%s, %v", info.GetAppMetadata(), err)
	}
	if !strings.Contains(errs.String(), "a file is left out") {
		t.Error(errs)
	}
}

// Links that lead out of a directory are not followed, unless that is asked for, and not when they come later either.
func TestServeLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	writeText(t, filepath.Join(outside, "secret.csv"), "x\n42\n")
	writeText(t, filepath.Join(dir, "a.csv"), "x\n1\n")
	writeText(t, filepath.Join(dir, "sub", "b.csv"), "x\n2\n")
	link := func(from, to string) {
		t.Helper()
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "secret.csv"), filepath.Join(dir, "out.csv"))
	link("a.csv", filepath.Join(dir, "in.csv"))
	link("../a.csv", filepath.Join(dir, "sub", "up.csv"))
	named := filepath.Join(t.TempDir(), "named")
	link(dir, named)
	args := []string{"--refresh", "50ms", "data=" + named, "glob=" + filepath.Join(named, "*.csv"), "--each", named}
	c, errs, stop := serveClient(t, args...)
	for dataset, want := range map[string]string{"data": "1121", "glob": "11", "in": "1", "sub_up": "1"} {
		rows := strings.NewReplacer(`{"x":`, "", "}\n", "").Replace(answer(t, c, `{"dataset":"`+dataset+`"}`))
		if rows != want {
			t.Errorf("%s: %s", dataset, rows)
		}
	}
	if _, err := ask(t, c, `{"dataset":"out"}`); err == nil {
		t.Error("a link that leads out is a dataset")
	}
	if !strings.Contains(errs.String(), "data/out.csv") || !strings.Contains(errs.String(), "follow-links") {
		t.Error(errs)
	}
	// A file that becomes such a link is not read.
	if err := os.Remove(filepath.Join(dir, "sub", "b.csv")); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(outside, "secret.csv"), filepath.Join(dir, "sub", "b.csv"))
	st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"sub_b"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := flight.NewRecordReader(st); err == nil && r.Next() {
		t.Errorf("a link that leads out is read: %v", r.Record())
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c, _, _ = serveClient(t, append(args, "--follow-links")...)
	if rows := answer(t, c, `{"dataset":"out"}`); rows != "{\"x\":42}\n" {
		t.Error(rows)
	}
}

func TestNamesOfUnits(t *testing.T) {
	got := (&unitNamer{}).names("", "", []dataset.Unit{{Name: "a b.csv"}, {Name: "a_b.csv"}, {Name: "-x/y.orc"}, {Name: "z.csv.gz"}, {Name: strings.Repeat("n", 300)}, {Name: "täg.orc"}})
	want := []string{"a_b_csv", "a_b_csv_2", "_-x_y", "z", strings.Repeat("n", 111) + "_", "t_g"}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) || len(got[i]) > 128 {
			t.Errorf("%q: want %q", got[i], w)
		}
	}
}

// Links that are not followed are said once, by their names, and counted; so is what is wrong with a file, while it stays so.
func TestServeEachLeftOut(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	writeText(t, filepath.Join(dir, "a.csv"), "x\n1\n")
	writeText(t, filepath.Join(dir, "bad.orc"), "ORC but not one")
	writeText(t, filepath.Join(dir, "note.txt2"), "\x00\x01")
	writeText(t, filepath.Join(other, "b.csv"), "x\n1\n")
	for _, name := range []string{"one.csv", "two.csv"} {
		if err := os.Symlink(filepath.Join(other, "b.csv"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, stop := serving(t, "--json", "--listen", "grpc://127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--refresh", "10ms", "--each", dir)
	readyOf(t, out)
	monitor := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(errs.String())
	if body := get(t, monitor+"/readyz"); !strings.Contains(body, "files that are left out: 2\n") {
		t.Error(body)
	}
	for i := range 3 { // each is seen by a later refresh than the last
		writeText(t, filepath.Join(dir, "new"+strings.Repeat("x", i)+".csv"), "n\n5\n")
		for end := time.Now().Add(time.Minute); strings.Count(errs.String(), "new=true") <= i; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(errs)
			}
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, errs)
	}
	for text, most := range map[string]int{"one.csv": 1, "two.csv": 1, "leads out of its directory": 2, "passed over": 1, "msg=refresh dataset=bad": 1} {
		if n := strings.Count(errs.String(), text); n < 1 || n > most {
			t.Errorf("%q is said %d times: %s", text, n, errs)
		}
	}
}

// A name stays that of its file, whatever comes beside it and goes.
func TestNamesOfUnitsStay(t *testing.T) {
	var n unitNamer
	for _, c := range []struct{ units, want string }{
		{"a.parquet sub/a.csv sub_a.csv", "a sub_a_csv sub_a_csv_2"},
		{"sub_a.csv", "sub_a_csv_2"},
		{"sub/a.csv", "sub_a_csv"},
		{"a.csv a.parquet", "a_csv a"},
		{"a.csv", "a_csv"},
		{"a.orc b.orc", "a_orc b"},
		{"a.orc a.parquet b.csv", "a_orc a b_csv"},
	} {
		var units []dataset.Unit
		for _, name := range strings.Fields(c.units) {
			units = append(units, dataset.Unit{Name: name, Path: name})
		}
		if got := strings.Join(n.names("d", "", units), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.units, got, c.want)
		}
	}
	if !n.given("a", "d/a.parquet") || n.given("a", "e/a.parquet") || !n.given("a", "d/a.parquet") {
		t.Error("a name of a file in one directory is given to one in another")
	}
}
