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
	if body := s.get("/", 200); !strings.Contains(body, "3 datasets.") || strings.Contains(body, ">0<") || strings.Contains(body, "-1") {
		t.Errorf("numbers that are not known:\n%s", body)
	}
	e, err := s.catalog.Lookup(t.Context(), "all", nil)
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/":                                     "unknown",
		"/datasets/rows":                        "You may read only a part",
		"/datasets/columns":                     "You may read only a part",
		"/datasets/rows/rows":                   "The first 50 rows that you may read.",
		"/datasets/columns/rows":                "1,049",
		"/datasets/rows/rows?where=id+%3E+1110": "The first 4 rows",
		"/datasets/rows/rows?where=id+%3E+1110&from=3":    "Rows 3 to 3, counted from 0, of those that the filter leaves.",
		"/datasets/rows/rows?where=id+%3E+1110&from=7":    "No row that the filter leaves from number 7 on.",
		"/datasets/rows/rows?from=50":                     "Rows 50 to 59, counted from 0, of those that you may read.", // what is hidden has no number
		"/datasets/rows/rows?sort=-id":                    "The first 50 rows that you may read, sorted by id, descending.",
		"/datasets/rows/rows?show=id&sort=id&from=50":     ">1118<",
		"/datasets/rows/rows?sort=secret":                 "There is no column secret.",
		"/datasets/columns/rows?sort=region":              "There is no column region.",
		"/datasets/columns/rows?show=secret":              "There is no column secret.",
		"/datasets/columns/rows?sort=-id&from=50":         ">1069<",
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
	body := s.get("/datasets/rows/rows?from=50", 200)
	for i := range 120 {
		if got, want := strings.Contains(body, fmt.Sprintf("<td class=\"n\">%d</td>", i+1000)), i%2 == 0 && i >= 100; got != want {
			t.Errorf("row %d is shown: %v", i, got)
		}
	}
	if strings.Contains(body, `rel="next"`) || !strings.Contains(body, `rel="prev"`) {
		t.Errorf("ways to rows that are not there, or none to those before:\n%s", body)
	}
	// What is downloaded is what may be read, and says no more of what may not.
	for target, want := range map[string]string{
		"/datasets/rows/rows.csv?where=id+%3C+1005":                     "id\n1000\n1002\n1004\n",
		"/datasets/rows/rows.csv?where=id+%3C+1005&sort=-id":            "id\n1004\n1002\n1000\n",
		"/datasets/columns/rows.csv?where=id+%3C+1002&show=id":          "id\n1000\n1001\n",
		"/datasets/columns/rows.csv?where=id+%3C+1003&sort=-id":         "id\n1002\n1001\n1000\n",
		"/datasets/rows/rows.csv?where=id+IS+NULL":                      "id\n",
		"/datasets/all/rows.csv?where=id+%3D+1000&show=region":          "region\nEU\n",
		"/datasets/all/rows.csv?where=id+%3C+1002&sort=region":          "id,region,secret\n1000,EU,HIDDEN0\n1001,HIDDEN,HIDDEN1\n",
		"/datasets/all/rows.csv?show=id&where=id+%3C+1002&sort=-secret": "id\n1001\n1000\n",
	} {
		if w := s.do("GET", target, nil); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %q", target, w.Code, w.Body)
		}
	}
	for _, target := range []string{
		"/datasets/rows/rows.csv?show=secret", "/datasets/columns/rows.csv?show=region", "/datasets/columns/rows.csv?sort=secret",
		"/datasets/rows/rows.csv?where=secret+IS+NOT+NULL", "/datasets/columns/rows.parquet?where=region+%3D+%27EU%27", "/datasets/columns/rows.csv?show=%232",
	} {
		if body := s.get(target, 400); strings.Contains(body, "HIDDEN") {
			t.Errorf("%s shows what is hidden:\n%s", target, body)
		}
	}
}
