package icebergtable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// fakeCatalog answers as a REST catalog with one table. It checks what it is asked for as rest-catalog-open-api.yaml has it.
type fakeCatalog struct {
	t      *testing.T
	dir    string
	prefix string
	put    func(name string, text []byte) error // writes metadata; nil = to a file

	mu      sync.Mutex
	table   map[string]any // metadata; nil = there is no table
	version int
	commits int
	answers []int // to the next commits, in place of what would be answered; 0 = that. 1500 = the commit is made, and 500 is answered
}

func (c *fakeCatalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := func(code int, v any) {
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(v); err != nil {
			c.t.Error(err)
		}
	}
	refuse := func(code int, why string) {
		answer(code, map[string]any{"error": map[string]any{"message": why, "type": "X", "code": code}})
	}
	var body map[string]any
	if r.Method == http.MethodPost {
		d := json.NewDecoder(r.Body)
		d.UseNumber()
		if err := d.Decode(&body); err != nil {
			c.t.Error(err)
		}
	}
	tables := "/v1/" + c.prefix + "/namespaces/db/tables"
	switch path := r.URL.Path; {
	case path == "/v1/config":
		answer(200, map[string]any{"defaults": map[string]any{}, "overrides": map[string]any{"prefix": c.prefix}})
	case r.Method == http.MethodGet && path == tables+"/t" && c.table == nil:
		refuse(404, "no such table")
	case r.Method == http.MethodGet && path == tables+"/t":
		answer(200, c.state())
	case r.Method == http.MethodPost && path == tables:
		if body["name"] != "t" || body["stage-create"] != true {
			c.t.Errorf("created as %v", body)
		}
		answer(200, map[string]any{"metadata": c.fresh(body)})
	case r.Method == http.MethodPost && path == tables+"/t":
		c.commits++
		code := 0
		if len(c.answers) > 0 {
			code, c.answers = c.answers[0], c.answers[1:]
		}
		if code == 409 || code == 400 || code == 503 {
			refuse(code, "as the test has it")
			return
		}
		if why := c.commit(body); why != "" {
			refuse(409, why)
			return
		}
		if code == 1500 {
			refuse(500, "as the test has it")
			return
		}
		answer(200, c.state())
	default:
		refuse(404, r.Method+" "+path)
	}
}

func (c *fakeCatalog) state() map[string]any {
	name := fmt.Sprintf("%s/metadata/%05d-x.metadata.json", c.dir, c.version)
	text, err := json.Marshal(c.table)
	if err == nil {
		if c.put != nil {
			err = c.put(name, text)
		} else {
			err = os.WriteFile(name, text, 0o600)
		}
	}
	if err != nil {
		c.t.Error(err)
	}
	return map[string]any{"metadata-location": name, "metadata": c.table}
}

func (c *fakeCatalog) fresh(body map[string]any) map[string]any {
	return map[string]any{
		"format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": c.dir, "last-updated-ms": 1000, "last-column-id": 100,
		"current-schema-id": 0, "schemas": []any{body["schema"]}, "default-spec-id": 0, "partition-specs": []any{body["partition-spec"]}, "last-partition-id": 1000,
		"default-sort-order-id": 0, "sort-orders": []any{map[string]any{"order-id": 0, "fields": []any{}}}, "properties": body["properties"],
		"last-sequence-number": 0, "current-snapshot-id": -1, "snapshots": []any{}, "snapshot-log": []any{}, "metadata-log": []any{}, "refs": map[string]any{},
	}
}

// commit returns why a change is not made.
func (c *fakeCatalog) commit(body map[string]any) string {
	table := c.table
	for _, r := range body["requirements"].([]any) {
		r := r.(map[string]any)
		switch r["type"] {
		case "assert-create":
			if c.table != nil {
				return "the table exists"
			}
			table = c.fresh(map[string]any{"schema": nil, "partition-spec": nil, "properties": map[string]any{}})
		case "assert-table-uuid":
			if r["uuid"] != table["table-uuid"] {
				return "another table"
			}
		case "assert-ref-snapshot-id":
			var is any
			if id := table["current-snapshot-id"]; fmt.Sprint(id) != "-1" {
				is = id
			}
			if r["ref"] != "main" || r["snapshot-id"] != is {
				return fmt.Sprintf("main is %v, not %v", is, r["snapshot-id"])
			}
		default:
			c.t.Errorf("requirement %v", r)
		}
	}
	for _, u := range body["updates"].([]any) {
		u := u.(map[string]any)
		switch u["action"] {
		case "add-schema":
			table["schemas"] = []any{u["schema"]}
		case "add-spec":
			table["partition-specs"] = []any{u["spec"]}
		case "set-properties":
			table["properties"] = u["updates"]
		case "assign-uuid", "upgrade-format-version", "set-current-schema", "set-default-spec", "add-sort-order", "set-default-sort-order", "set-location":
		case "add-snapshot":
			s := u["snapshot"].(map[string]any)
			table["snapshots"] = append(table["snapshots"].([]any), s)
			table["last-sequence-number"] = s["sequence-number"]
		case "set-snapshot-ref":
			if u["ref-name"] != "main" || u["type"] != "branch" {
				c.t.Errorf("reference %v", u)
			}
			table["current-snapshot-id"] = u["snapshot-id"]
			table["refs"] = map[string]any{"main": map[string]any{"type": "branch", "snapshot-id": u["snapshot-id"]}}
		default:
			c.t.Errorf("update %v", u)
		}
	}
	c.table = table
	c.version++
	return ""
}

// TestREST writes a table of a REST catalog, which answers in several ways.
func TestREST(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "table")
	if err := os.MkdirAll(filepath.Join(dir, "metadata"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &fakeCatalog{t: t, dir: dir, prefix: "main"}
	server := httptest.NewServer(c)
	defer server.Close()
	const name = "iceberg://any/db.t"
	catalog := "type=rest\nuri=" + server.URL
	count := func() int {
		all, _ := rows(t, filepath.Join(dir, "metadata", fmt.Sprintf("%05d-x.metadata.json", c.version)))
		return len(all)
	}
	s, rec := numbered(t, 0, 10)
	if err := write(ctx, name, mode("append", "iceberg-catalog", catalog), s, rec); !errors.Is(err, errs.ErrOption) {
		t.Errorf("append to a table that is not there: %v", err)
	}
	if err := write(ctx, name, mode("create", "iceberg-catalog", catalog, "iceberg-partition", "bucket(2, id)"), s, rec); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 10 {
		t.Errorf("%d rows", n)
	}
	for _, x := range []struct {
		mode    string
		answers []int
		rows    int
		commits int
		want    string // "" = no error
		left    bool   // files stay
	}{
		{"append", nil, 20, 1, "", true},
		{"append", []int{409, 409}, 30, 3, "", true},
		{"overwrite", []int{409}, 10, 2, "", true},
		{"append", []int{400}, 10, 1, "400", false},
		{"append", []int{1500}, 20, 1, "", true}, // its snapshot is there
		{"append", []int{503}, 20, 1, "perhaps the table has the rows", true},
	} {
		before := tree(t, filepath.Join(dir, "data"))
		c.commits, c.answers = 0, x.answers
		err := write(ctx, name, mode(x.mode, "iceberg-catalog", catalog), s, rec)
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%v: %v", x, err)
		}
		if n := count(); n != x.rows || c.commits != x.commits {
			t.Errorf("%v: %d rows, %d commits", x, n, c.commits)
		}
		if after := tree(t, filepath.Join(dir, "data")); slices.Equal(before, after) == x.left {
			t.Errorf("%v: files %q", x, after)
		}
	}
	if err := write(ctx, name, mode("create", "iceberg-catalog", catalog), s, rec); err == nil || !strings.Contains(err.Error(), "iceberg-mode") {
		t.Error(err)
	}
	if err := write(ctx, "iceberg://any/db.t", mode("append", "iceberg-catalog", "type=glue"), s, rec); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
}
