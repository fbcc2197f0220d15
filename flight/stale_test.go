package flight

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
)

func code(err error) codes.Code { return status.Code(err) }

// A file that is replaced between GetFlightInfo and DoGet is not sent in place of the one that was meant.
func TestReplacedFile(t *testing.T) {
	dir := events(t, 1000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	info, err := c.GetFlightInfo(t.Context(), pathOf("events"))
	if err != nil {
		t.Fatal(err)
	}
	ticket := info.Endpoint[0].Ticket.Ticket
	_, recs := table(memory.DefaultAllocator, 1000, 1000, 77)
	write(t, filepath.Join(dir, "part-1.orc"), recs, nil)

	got := get(t.Context(), t, c, ticket)
	if code(got.err) != codes.FailedPrecondition || !strings.Contains(got.err.Error(), "events/part-1.orc: the dataset has changed: get a new FlightInfo") {
		t.Fatalf("%d rows, %v", got.rows(), got.err)
	}
	if strings.Contains(got.err.Error(), dir) {
		t.Errorf("%v tells where the dataset lies", got.err)
	}
	// The error was enough for the server to look again.
	_, all := getAll(t.Context(), t, c, pathOf("events"))
	sameRows(t, all, scanned(t, []string{dir}, arrowio.ScanOptions{}))
	if got := get(t.Context(), t, c, ticket); code(got.err) != codes.FailedPrecondition {
		t.Fatalf("the old ticket: %v", got.err)
	}
}

// A filter that is to leave out splits of a file that was replaced finds that out, and names the file once.
func TestReplacedFilePruned(t *testing.T) {
	dir := events(t, 1000)
	c := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}}).client(t)
	_, recs := table(memory.DefaultAllocator, 1000, 1000, 77)
	write(t, filepath.Join(dir, "part-1.orc"), recs, nil)
	_, err := c.GetFlightInfo(t.Context(), cmdOf(`{"dataset":"events","where":"id < 5"}`))
	if want := "events/part-1.orc: the dataset has changed: get a new FlightInfo"; code(err) != codes.FailedPrecondition || status.Convert(err).Message() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A file that is changed while it is read gives an error, however it looks.
func TestChangedWhileRead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string) error{
		"touched": func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
		"cut off": func(path string) error { return os.Truncate(path, 100) },
		"written over": func(path string) error {
			fi, err := os.Stat(path)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt(make([]byte, 4096), fi.Size()/2)
			return err
		},
	} {
		dir := events(t, 100_000)
		c := start(t, Options{Parallelism: 1}, map[string]Spec{"events": {Paths: []string{dir}}}).client(t)
		st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"events","batch_bytes":65536}`)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = st.Recv(); err != nil {
			t.Fatal(err)
		}
		// The stream waits for its reader, somewhere in the first file.
		time.Sleep(50 * time.Millisecond)
		if err := change(filepath.Join(dir, "part-0.orc")); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = st.Recv()
		}
		if code(err) != codes.FailedPrecondition {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that takes another's place by its name does not disturb the streams of that one.
func TestRenamedOverWhileRead(t *testing.T) {
	t.Parallel()
	dir := events(t, 100_000)
	want := scanned(t, []string{dir + "/part-0.orc"}, arrowio.ScanOptions{})
	c := start(t, Options{Parallelism: 1}, map[string]Spec{"one": {Paths: []string{dir + "/part-0.orc"}}}).client(t)
	st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"one","batch_bytes":65536}`)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := flight.NewRecordReader(st)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	got := &stream{schema: r.Schema()}
	for r.Next() {
		if len(got.recs) == 0 {
			_, recs := table(memory.DefaultAllocator, 10, 10, 5)
			write(t, filepath.Join(dir, "new.orc"), recs, nil)
			if err := os.Rename(filepath.Join(dir, "new.orc"), filepath.Join(dir, "part-0.orc")); err != nil {
				t.Fatal(err)
			}
		}
		r.Record().Retain()
		got.recs = append(got.recs, r.Record())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	sameRows(t, got, want)
}

// New files are seen on a refresh; tickets of before stay good, also where the files have other places now.
func TestNewFiles(t *testing.T) {
	t.Parallel()
	dir := events(t, 1000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	info, before := getAll(t.Context(), t, c, cmdOf(`{"dataset":"events","endpoints":3}`))
	if len(info.Endpoint) != 3 {
		t.Fatal(len(info.Endpoint))
	}
	_, recs := table(memory.DefaultAllocator, 500, 500, 8)
	write(t, filepath.Join(dir, "a-first.orc"), recs, nil)
	if _, same := getAll(t.Context(), t, c, pathOf("events")); same.rows() != before.rows() {
		t.Fatalf("%d rows before anybody has looked", same.rows())
	}
	out, err := act(t, c, "refresh", `{"dataset":"events"}`)
	if err != nil || out[0]["changed"] != true || out[0]["fragments"] != 4.0 || out[0]["rows"] != 3500.0 {
		t.Fatal(out, err)
	}
	if out, err = act(t, c, "refresh", `{"dataset":"events"}`); err != nil || out[0]["changed"] != false {
		t.Fatal(out, err)
	}
	again := &stream{schema: before.schema}
	for _, e := range info.Endpoint {
		s := get(t.Context(), t, c, e.Ticket.Ticket)
		if s.err != nil {
			t.Fatal(s.err)
		}
		again.recs = append(again.recs, s.recs...)
	}
	sameRows(t, again, before)
	_, after := getAll(t.Context(), t, c, pathOf("events"))
	sameRows(t, after, scanned(t, []string{dir}, arrowio.ScanOptions{}))

	if err := os.Remove(filepath.Join(dir, "part-2.orc")); err != nil {
		t.Fatal(err)
	}
	if got := get(t.Context(), t, c, info.Endpoint[2].Ticket.Ticket); code(got.err) != codes.FailedPrecondition {
		t.Fatalf("of a file that is gone: %v", got.err)
	}
}

// A dataset that cannot be opened any more is listed as it was, and does not hide the others; who reads it learns why.
func TestBrokenIsListed(t *testing.T) {
	dir, other := events(t, 100), events(t, 100)
	r := start(t, Options{}, map[string]Spec{"a": {Paths: []string{other}}, "b": {Paths: []string{dir}}, "c": {Paths: []string{other}}})
	c := r.client(t)
	read := func() error { return get(t.Context(), t, c, []byte(`{"dataset":"b"}`)).err }
	path := filepath.Join(dir, "part-1.orc")
	_, recs := table(memory.DefaultAllocator, 100, 100, 77)
	write(t, path, recs, nil)
	if err := read(); code(err) != codes.FailedPrecondition { // from now on the server looks again
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("ORC"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		st, err := c.ListFlights(t.Context(), &flight.Criteria{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			info, err := st.Recv()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(info.FlightDescriptor.Path[0], info.TotalRecords))
		}
		if want := []string{"a300", "b300", "c300"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if err := read(); code(err) != codes.DataLoss || !strings.Contains(err.Error(), "b/part-1.orc") {
		t.Error(err)
	}
	if !strings.Contains(r.log.String(), "listed as it was") {
		t.Error("nothing is logged")
	}
}

// Another server over the same files honours the tickets of this one.
func TestFleet(t *testing.T) {
	t.Parallel()
	dir := events(t, 1000)
	spec := map[string]Spec{"events": {Paths: []string{dir}}}
	a, b := start(t, Options{}, spec).client(t), start(t, Options{}, spec).client(t)
	info, all := getAll(t.Context(), t, a, cmdOf(`{"dataset":"events","endpoints":3}`))
	other := &stream{schema: all.schema}
	for _, e := range info.Endpoint {
		s := get(t.Context(), t, b, e.Ticket.Ticket)
		if s.err != nil {
			t.Fatal(s.err)
		}
		other.recs = append(other.recs, s.recs...)
	}
	sameRows(t, other, all)

	// One that has found a new file issues tickets that the other cannot know yet: it looks, and then does.
	_, recs := table(memory.DefaultAllocator, 500, 500, 8)
	write(t, filepath.Join(dir, "new.orc"), recs, nil)
	if _, err := act(t, a, "refresh", `{"dataset":"events"}`); err != nil {
		t.Fatal(err)
	}
	info, err := a.GetFlightInfo(t.Context(), pathOf("events"))
	if err != nil {
		t.Fatal(err)
	}
	settled(t, "the other server refuses the ticket", func() bool { // it does not look all the time
		s := get(t.Context(), t, b, info.Endpoint[0].Ticket.Ticket)
		if s.err != nil && code(s.err) != codes.FailedPrecondition || s.err == nil && s.rows() != 3500 {
			t.Fatal(s.rows(), s.err)
		}
		return s.err == nil
	})
}

// Files are looked for again and again where that is wanted.
func TestRefreshByInterval(t *testing.T) {
	dir := events(t, 100)
	c := NewCatalog(CatalogOptions{Refresh: 10 * time.Millisecond})
	if err := c.Add(t.Context(), "events", Spec{Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	old, err := c.Lookup(t.Context(), "events", nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); c.Run(t.Context()) }()
	_, recs := table(memory.DefaultAllocator, 50, 50, 8)
	write(t, filepath.Join(dir, "new.orc"), recs, nil)
	settled(t, "the new file is not seen", func() bool {
		e, err := c.Lookup(t.Context(), "events", nil)
		return err == nil && e.Rows == 350
	})
	if old.Rows != 300 || len(old.Fragments) != 3 {
		t.Errorf("what was handed out has changed: %d rows", old.Rows)
	}
	// What cannot be opened any more leaves what there is.
	if err := os.WriteFile(filepath.Join(dir, "bad.orc"), []byte("ORC"), 0o644); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if e, err := c.Lookup(t.Context(), "events", nil); err != nil || e.Rows != 350 {
		t.Errorf("%v, %v", e, err)
	}
}

func TestNoRows(t *testing.T) {
	dir := events(t, 100)
	c := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}}).client(t)
	for _, q := range []string{`"where":"id > 1000"`, `"rows":"300:"`, `"rows":"5:5"`} {
		info, got := getAll(t.Context(), t, c, cmdOf(`{"dataset":"events",%s}`, q))
		if len(info.Endpoint) != 1 || got.rows() != 0 || got.schema.NumFields() != 4 {
			t.Errorf("%s: %d endpoints, %d rows, %v", q, len(info.Endpoint), got.rows(), fmt.Sprint(got.schema))
		}
	}
}
