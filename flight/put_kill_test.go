package flight

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// putServer is the directory of the server that a test runs in a process of its own.
const putServer = "ARROWIO_TEST_PUT_SERVER"

// TestPutServer is that process. It prints its address and serves until it is killed.
func TestPutServer(t *testing.T) {
	dir := os.Getenv(putServer)
	if dir == "" {
		return
	}
	s, err := New(Options{Catalog: NewCatalog(CatalogOptions{}), Writable: []Writable{{Names: "*", Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen("grpc://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("address", l.Addr())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_ = s.Serve(ctx, l)
}

// A server that is killed while it writes leaves nothing that can be seen, and what was there before.
func TestPutKilled(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, recs := table(memory.DefaultAllocator, 40_000, 10_000, 1)
	for i, d := range []*flight.FlightDescriptor{
		cmdOf(`{"dataset":"new","format":"orc"}`), cmdOf(`{"dataset":"old","mode":"replace"}`), cmdOf(`{"dataset":"old","mode":"replace","sort":["x"]}`),
	} {
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestPutServer$", "-test.v")
		cmd.Env = append(os.Environ(), putServer+"="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		addr := ""
		for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
			if _, a, ok := strings.Cut(lines.Text(), "address "); ok {
				addr = a
			}
		}
		c := connect(t, addr)
		if i == 0 {
			if _, err := putting(t.Context(), t, c, pathOf("old"), s, recs[:1]); err != nil {
				t.Fatal(err)
			}
		}
		before := len(names(t, dir))
		st, err := c.DoPut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := flight.NewRecordWriter(st, ipc.WithSchema(s))
		w.SetFlightDescriptor(d)
		for _, rec := range recs {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		if i < 2 { // one that is sorted has only scratch files, without a name
			settled(t, "nothing is written", func() bool { return len(names(t, dir)) > before })
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if _, err := st.Recv(); err == nil {
			t.Error("a killed server answers")
		}
	}
	var seen []string
	for _, n := range names(t, dir) {
		if n[0] != '.' {
			seen = append(seen, n)
		}
	}
	if len(seen) != 1 || seen[0] != "old" {
		t.Fatal(seen)
	}
	// Another server goes on where that one ended.
	place := Writable{Names: "*", Dir: dir}
	cleaned := &quiet{}
	if err := place.Clean(slog.New(slog.NewTextHandler(cleaned, nil))); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 1 || strings.Count(cleaned.String(), "removed") < 2 || strings.Contains(cleaned.String(), "stays") {
		t.Errorf("%q is left: %s", left, cleaned)
	}
	found, err := place.Datasets()
	if err != nil || len(found) != 1 || found[0] != "old" {
		t.Fatal(found, err)
	}
	r := start(t, Options{Writable: []Writable{place}}, map[string]Spec{"old": place.Spec("old")})
	c := r.client(t)
	_, got := getAll(t.Context(), t, c, pathOf("old"))
	sameRows(t, got, &stream{schema: s, recs: recs[:1]})
	for _, d := range []string{`{"dataset":"new","format":"orc"}`, `{"dataset":"old","mode":"replace"}`} {
		if _, err := putting(t.Context(), t, c, cmdOf("%s", d), s, recs); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new", "part-00000.orc")); err != nil {
		t.Error(err)
	}
	_, got = getAll(t.Context(), t, c, pathOf("old"))
	sameRows(t, got, &stream{schema: s, recs: recs})
}
