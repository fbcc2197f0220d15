//go:build interop

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What is served from HDFS is what the same files are here: listed, pruned by directories, new ones seen, and a ticket for a
// file that was replaced refused.
func (h *hadoop) served(t *testing.T) {
	dir := t.TempDir()
	file := func(day, first int) (local, path string) {
		var text strings.Builder
		text.WriteString("x,y\n")
		for i := range 200_000 {
			fmt.Fprintf(&text, "%d,text %d\n", first+i, i%77)
		}
		in := filepath.Join(dir, fmt.Sprintf("%d-%d.csv", day, first))
		if err := os.WriteFile(in, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("dt=2024-03-%02d", day)
		local = filepath.Join(dir, "t", name, "part-0.orc")
		if err := os.MkdirAll(filepath.Dir(local), 0o777); err != nil {
			t.Fatal(err)
		}
		ok(t, "convert", "--force", in, local)
		return local, "/served/t/" + name + "/part-0.orc"
	}
	for day := range 3 {
		local, path := file(day+1, day*1_000_000)
		h.ask(t, "put %s %s", local, path)
	}
	c, errs, stop := serveClient(t, "far="+h.root+"/served/t", "near="+filepath.Join(dir, "t"))
	st, err := c.ListFlights(t.Context(), &flight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		info, err := st.Recv()
		if err != nil || info.TotalRecords != 600_000 {
			t.Errorf("%v, %v", info, err)
		}
	}
	for _, rest := range []string{
		``, `,"columns":["y","dt"],"where":"x >= 1000100 AND x < 1000200"`, `,"where":"dt = DATE '2024-03-03'","rows":"400005:400010"`, `,"where":"dt > DATE '2025-01-01'"`,
	} {
		far, near := answer(t, c, `{"dataset":"far"`+rest+`}`), answer(t, c, `{"dataset":"near"`+rest+`}`)
		if far != near {
			t.Errorf("%s: %d bytes from far, %d from near", rest, len(far), len(near))
		}
	}
	old, err := ask(t, c, `{"dataset":"far"}`)
	if err != nil {
		t.Fatal(err)
	}
	local, path := file(2, 7_000_000)
	h.ask(t, "rm %s", path)
	h.ask(t, "put %s %s", local, path)
	refused := 0
	for _, e := range old.Endpoint {
		st, err := c.DoGet(t.Context(), e.Ticket)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = st.Recv()
		}
		if status.Code(err) == codes.FailedPrecondition {
			refused++
		}
	}
	if refused == 0 {
		t.Error("tickets for a file that was replaced are honoured")
	}
	_, _ = ask(t, c, `{"dataset":"near","where":"x = 0"}`) // whose file is another, too: it looks again from now on
	const newer = `{"dataset":"%s","columns":["x"],"where":"x >= 7000000"}`
	far, near := answer(t, c, fmt.Sprintf(newer, "far")), answer(t, c, fmt.Sprintf(newer, "near"))
	if far != near || strings.Count(far, "\n") != 200_000 {
		t.Errorf("after the replacement: %d and %d bytes", len(far), len(near))
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// What is put to HDFS is there as a directory that is renamed when it is complete, takes more files, and is replaced as a whole.
func (h *hadoop) takesPuts(t *testing.T) {
	h.ask(t, "put %s /puts/kept", peopleFile(t, t.TempDir(), "a.arrow", 0, 10)) // makes the directory
	c, errs, stop := serveClient(t, "--writable", "in-*="+h.root+"/puts")
	put := func(mode, format string, rows int) error {
		t.Helper()
		st, err := c.DoPut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := flight.NewRecordWriter(st, ipc.WithSchema(personSchema))
		w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: fmt.Appendf(nil, `{"dataset":"in-x","mode":%q,"format":%q}`, mode, format)})
		for _, rec := range people(t, 0, rows) {
			_ = w.Write(rec) // Recv says why
		}
		_ = st.CloseSend()
		_, err = st.Recv()
		return err
	}
	rows := func() int64 {
		t.Helper()
		info, err := ask(t, c, `{"dataset":"in-x"}`)
		if err != nil {
			t.Fatal(err)
		}
		return info.TotalRecords
	}
	for _, p := range []struct {
		mode, format string
		code         codes.Code
		rows         int64
	}{
		{"create", "orc", codes.OK, 3000},
		{"create", "orc", codes.AlreadyExists, 3000},
		{"append", "orc", codes.OK, 6000},
		{"replace", "trevni", codes.OK, 3000},
		{"replace", "ipc", codes.OK, 3000},
	} {
		if err := put(p.mode, p.format, 3000); status.Code(err) != p.code || rows() != p.rows {
			t.Errorf("%+v: %d rows, %v", p, rows(), err)
		}
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	c, errs, stop = serveClient(t, "--writable", "in-*="+h.root+"/puts")
	if n := rows(); n != 3000 {
		t.Errorf("another server finds %d rows", n)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
}
