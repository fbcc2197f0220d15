package page

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/flight"
)

// Who may read only a part of a dataset sees no more on the page: neither rows, columns and their number, nor files.
func TestRestricted(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,region,secret\n")
	for i := range 120 {
		region := "EU"
		if i%2 == 1 {
			region = "HIDDEN"
		}
		fmt.Fprintf(&b, "%d,%s,HIDDEN%d\n", i+1000, region, i)
	}
	path := filepath.Join(t.TempDir(), "region=HIDDEN.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	access, err := flight.NewAccess(flight.AccessOptions{
		Rules: []flight.Rule{{Client: "*", Permission: flight.PermitRead, Datasets: []string{"*"}}}, Logger: slog.New(slog.DiscardHandler),
		Restrictions: []flight.Restriction{
			{Clients: []string{"*"}, Datasets: []string{"rows"}, Columns: []string{"id"}, Where: "region = 'EU'"},
			{Clients: []string{"*"}, Datasets: []string{"columns"}, Columns: []string{"id"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, flight.Options{Authorizer: access}, map[string]flight.Spec{"rows": files(path), "columns": files(path), "all": files(path)})
	e, err := s.catalog.Lookup(t.Context(), "all", nil)
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/":                      "unknown",
		"/datasets/rows":         "You may read only a part",
		"/datasets/columns":      "You may read only a part",
		"/datasets/rows/rows":    "The first 50 rows that you may read.",
		"/datasets/columns/rows": "1,049",
		"/datasets/rows/rows?where=id+%3E+1110&from=7":    "The first 4 rows",
		"/datasets/rows/rows?from=50":                     "1098", // rows cannot be counted: as the first
		"/datasets/rows/rows?where=secret+IS+NOT+NULL":    "secret",
		"/datasets/columns/rows?where=region+%3D+%27x%27": "region",
	} {
		body := s.get(target, 200)
		if !strings.Contains(body, want) && !strings.Contains(body, strings.ReplaceAll(want, ",", "")) {
			t.Errorf("%s: no %q\n%s", target, want, body)
		}
		if strings.Contains(body, "HIDDEN") && target != "/" || strings.Contains(body, "/files/") {
			t.Errorf("%s shows what is hidden:\n%s", target, body)
		}
	}
	for _, name := range []string{"rows", "columns"} {
		d := "/datasets/" + name
		s.get(d+"/files/"+e.Fragments[0].Identity, 404)
	}
	s.get("/datasets/all/files/"+e.Fragments[0].Identity, 200)
	if body := s.get("/datasets/rows/rows", 200); strings.Contains(body, "1001") || strings.Contains(body, `rel="next"`) {
		t.Errorf("rows that are hidden, or a way to number others:\n%s", body)
	}
}
