package flight

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/readers"
)

// told returns everything that clients are told about a dataset: errors, and the results of actions.
func told(t *testing.T, c flight.Client, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	note := func(what string, err error, results ...map[string]any) {
		b, jerr := json.Marshal(results)
		if jerr != nil {
			t.Fatal(jerr)
		}
		if out[what] = string(b); err != nil {
			out[what] += " " + err.Error()
		}
	}
	_, err := c.GetFlightInfo(t.Context(), pathOf(name))
	note("GetFlightInfo", err)
	_, err = c.GetSchema(t.Context(), pathOf(name))
	note("GetSchema", err)
	note("DoGet", get(t.Context(), t, c, []byte(`{"dataset":"`+name+`"}`)).err)
	for _, action := range []string{"inspect", "verify", "refresh"} {
		results, err := act(t, c, action, `{"dataset":"`+name+`"}`)
		note(action, err, results...)
	}
	return out
}

// Where a dataset lies is not told to clients, whatever is wrong with it: a Kudu server's data may lie far from what is served.
func TestErrorsWithoutPaths(t *testing.T) {
	t.Parallel()
	for how, cut := range map[string]func(t *testing.T, of string){
		"cut": func(t *testing.T, file string) {
			if err := os.Truncate(file, 8192); err != nil {
				t.Fatal(err)
			}
		},
		"removed": func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		},
		"damaged": func(t *testing.T, file string) { damage(t, file) },
		"no directory": func(t *testing.T, file string) {
			if err := os.RemoveAll(filepath.Dir(filepath.Dir(file))); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for _, suffix := range []string{".data", ".metadata"} {
			t.Run(how+suffix, func(t *testing.T) {
				server := fixtures.Unpack(t, "../testdata/kudu/kudu-1.17.1/log.tar.gz")
				top := filepath.Join(t.TempDir(), "secret place")
				metadata, data := filepath.Join(top, "kudu", "wal"), filepath.Join(t.TempDir(), "other disk", "d1")
				for from, to := range map[string]string{filepath.Join(server, "wal"): metadata, filepath.Join(server, "data"): data} {
					if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(from, to)); err != nil {
						t.Fatal(err)
					}
				}
				c := start(t, Options{}, map[string]Spec{"m": {
					Paths: []string{metadata},
					Read:  readers.Options{Format: "kudu", Options: map[string]string{"kudu-table": "changed", "kudu-data-dir": data}},
				}}).client(t)
				check := func(when string) {
					for what, text := range told(t, c, "m") {
						for _, part := range []string{os.TempDir() + "/", "secret", "other disk"} {
							if i := strings.Index(text, part); i >= 0 {
								t.Errorf("%s, %s has %q: %.300s", when, what, part, text[max(0, i-100):])
							}
						}
					}
				}
				check("whole")
				files, err := filepath.Glob(filepath.Join(data, "data", "*"+suffix))
				if err != nil || len(files) == 0 {
					t.Fatal(files, err)
				}
				for _, file := range files {
					if fi, err := os.Stat(file); err == nil && (fi.Size() > 8192 || suffix != ".data") {
						cut(t, file)
					}
				}
				check(how)
			})
		}
	}
}

// A file that was removed is a change of the dataset, as one that was replaced is.
func TestRemovedFile(t *testing.T) {
	t.Parallel()
	dir := events(t, 2000)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	info, err := c.GetFlightInfo(t.Context(), pathOf("events"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "part-0.orc")); err != nil {
		t.Fatal(err)
	}
	_, inspectErr := act(t, c, "inspect", `{"dataset":"events"}`)
	_, infoErr := c.GetFlightInfo(t.Context(), cmdOf(`{"dataset":"events","where":"id > 5"}`))
	for what, err := range map[string]error{"DoGet": get(t.Context(), t, c, info.Endpoint[0].Ticket.Ticket).err, "inspect": inspectErr} {
		if code(err) != codes.FailedPrecondition || !strings.HasSuffix(err.Error(), "the dataset has changed: get a new FlightInfo") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if infoErr != nil && !strings.Contains(infoErr.Error(), "the dataset has changed") {
		t.Error(infoErr)
	}
	if info, got := getAll(t.Context(), t, c, pathOf("events")); info.TotalRecords != got.rows() || got.err != nil {
		t.Errorf("%d rows of %d, %v", got.rows(), info.TotalRecords, got.err)
	}
}
