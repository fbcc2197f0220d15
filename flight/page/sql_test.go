package page

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight"
)

// nameEngine answers each statement, which is the name of a dataset, with its rows.
type nameEngine struct{ ran []string }

func (e *nameEngine) Describe(context.Context, string, arrow.Record, flight.SQLTables) (result, parameters *arrow.Schema, err error) {
	return nil, nil, errors.New("nobody asks for it")
}

func (e *nameEngine) Run(ctx context.Context, text string, _ arrow.Record, tables flight.SQLTables) (flight.SQLRows, error) {
	e.ran = append(e.ran, text)
	switch text {
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	case "broken":
		return nil, errs.Errorf(errs.ErrInternal, "a secret of the engine")
	}
	t, err := tables.Open(ctx, text)
	if err != nil {
		return nil, err
	}
	rd, err := t.Scan(ctx, nil, nil, memory.DefaultAllocator)
	return &nameRows{rd, text}, err
}

type nameRows struct {
	array.RecordReader
	name string
}

func (r *nameRows) Read() (arrow.Record, error) {
	if !r.Next() {
		if r.Err() != nil {
			return nil, r.Err()
		}
		return nil, io.EOF
	}
	r.Record().Retain()
	return r.Record(), nil
}

func (r *nameRows) Close() error { r.Release(); return nil }

func (r *nameRows) Scans() []flight.SQLScan {
	return []flight.SQLScan{{Dataset: r.name, Columns: []string{"a", "b"}, Filter: "a < '<b>'"}, {Dataset: "counted"}}
}

// The page asks the engine what its visitor may ask, and shows rows, and what was read for them.
func TestSQL(t *testing.T) {
	e := &nameEngine{}
	orc := files(fixtures + "orc/java-2.3.1/wide.orc")
	access, err := flight.NewAccess(flight.AccessOptions{Rules: []flight.Rule{{Client: "*", Permission: flight.PermitRead, Datasets: []string{"open"}}}})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, flight.Options{Authorizer: access, SQL: flight.SQLOptions{Engine: e}}, map[string]flight.Spec{"open": orc, "shut": orc})
	ask := func(query string, code int) string {
		t.Helper()
		w := s.do("POST", "/sql", url.Values{"query": {query}})
		if w.Code != code {
			t.Fatalf("%s: %d\n%s", query, w.Code, w.Body)
		}
		wellFormed(t, "/sql", w.Body.String())
		return w.Body.String()
	}
	if body := s.get("/", 200); !strings.Contains(body, `href="/sql"`) {
		t.Error("no way to it")
	}
	if body := s.get("/sql?query="+url.QueryEscape("</textarea><script>"), 200); !strings.Contains(body, "&lt;/textarea&gt;&lt;script&gt;") || len(e.ran) > 0 {
		t.Error("an address runs a query, or breaks out:", e.ran, body)
	}
	body := ask("open", 200)
	for _, want := range []string{"The first 40 columns of", "What was read", "a &lt; &#39;&lt;b&gt;&#39;", "a, b", "none: rows are counted", "none: all rows are read", "<textarea", "\nopen</textarea>"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing:\n%s", want, body)
		}
	}
	for query, want := range map[string]string{
		"shut": "may not read shut", "nothing": "nothing", "": "no query", strings.Repeat("x", maxSQL+1): "longer than",
	} {
		body := ask(query, 200)
		if !strings.Contains(strings.ToLower(body), want) || !strings.Contains(body, `role="alert"`) || strings.Contains(body, "<td") {
			t.Errorf("%.20q:\n%s", query, body)
		}
	}
	if body := ask("broken", http.StatusInternalServerError); strings.Contains(body, "secret") {
		t.Error(body)
	}
	s.Page.o.Timeout = 50 * time.Millisecond
	if body := ask("wait", 200); !strings.Contains(body, "stopped after") {
		t.Error(body)
	}
	if w := newSite(t, flight.Options{}, map[string]flight.Spec{"open": orc}).do("POST", "/sql", url.Values{"query": {"open"}}); w.Code != 404 || strings.Contains(w.Body.String(), `href="/sql"`) {
		t.Error("a box without an engine:", w.Code, w.Body)
	}
	s.header.Set("Sec-Fetch-Site", "cross-site")
	if w := s.do("POST", "/sql", url.Values{"query": {"open"}}); w.Code != http.StatusForbidden {
		t.Error("a page of another site asks:", w.Code)
	}
}
